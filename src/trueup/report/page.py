"""The page of a report: what its template prints, in the order of reading."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trueup.report.cards import Cards, cards
from trueup.report.extras import can_give, ceiling
from trueup.report.figures import Figure, Reference, forest
from trueup.report.model import ReportData
from trueup.report.page_end import ListPart, end_to_end, surprises
from trueup.report.page_judge import JudgePart, judge_part
from trueup.report.page_pairs import PairPart, pair_part, pairs_figure, pairs_table
from trueup.report.tables import Link, Row, Table
from trueup.report.terms import DESIGNS, LEFT_OUT, words
from trueup.report.words import (
    comparison,
    count,
    estimate,
    halving,
    number,
    sentences,
    who,
)
from trueup.stats.people import People

BETWEEN = "people with each other"
_MAX_PAIRS = 3
"""Comparisons told in short; the others are told where judges are compared."""
_MAX_UNITS = 60
_MAX_ANSWERS = 40


@dataclass(frozen=True, slots=True)
class Page:
    """All that the template prints; every text is data and is escaped there."""

    title: str
    people: str
    lead: str
    question: str
    silent_about: str
    facts: tuple[tuple[str, str], ...]
    provenance: str
    sentences: tuple[str, ...]
    headline: Table | None
    forests: tuple[Figure, ...]
    between: tuple[str, ...]
    people_table: Table | None
    pairs: tuple[PairPart, ...]
    pairs_table: Table | None
    pairs_figure: Figure | None
    judges: tuple[JudgePart, ...]
    cards: Cards
    cards_note: str
    end_to_end: Table | None
    lists: tuple[ListPart, ...]
    left_out: Table | None
    strata: Table | None
    notes: tuple[str, ...]
    halving: tuple[str, ...]
    versions: tuple[tuple[str, str], ...]


def page(data: ReportData) -> Page:
    """The page of a report."""
    shown = cards(data)
    infos = {j.name: j for j in data.judges}
    return Page(
        title=f"Calibration report: {data.metric.replace('_', ' ')}",
        people=who(data).noun,
        lead=_lead(data),
        question=data.question,
        silent_about=data.silent_about,
        facts=tuple(_facts(data)),
        provenance=_provenance(data),
        sentences=tuple(_short(data)),
        headline=_headline(data),
        forests=tuple(_forests(data)),
        between=tuple(_between(data)),
        people_table=_people_table(data.human),
        pairs=tuple(pair_part(p, shown) for p in data.comparisons),
        pairs_table=pairs_table(data.comparisons),
        pairs_figure=pairs_figure(data.comparisons),
        judges=tuple(
            judge_part(data, section, infos.get(section.figures.judge), i, shown)
            for i, section in enumerate(data.agreement, 1)
        ),
        cards=shown,
        cards_note=_cards_note(data, shown),
        end_to_end=end_to_end(data),
        lists=tuple(surprises(data)),
        left_out=_left_out(data),
        strata=_strata(data),
        notes=(can_give(data), *data.labels.notes),
        halving=tuple(filter(None, (halving(a) for a in data.agreement))),
        versions=tuple(data.versions.items()),
    )


def _short(data: ReportData) -> list[str]:
    """The sentences of the report; of many comparisons only that there are."""
    n = len(data.comparisons)
    if n <= _MAX_PAIRS:
        return sentences(data)
    told = {comparison(c) for c in data.comparisons}
    rest = f"{count(n, 'pair')} of judges are compared below."
    return [*(s for s in sentences(data) if s not in told), rest]


def _lead(data: ReportData) -> str:
    labels = data.labels
    n = len(data.agreement)
    if not labels.n_units:
        return "No unit has a label that counts, so there is nothing to measure judges by."
    if not n:
        return f"{count(labels.n_units, 'unit')} labelled, and no judge to measure yet."
    who = "cases that are right by construction" if labels.origin == "constructed" else "people"
    return (
        f"How far {count(n, 'judge')} can be trusted: verdicts set against {who}, on "
        f"{count(labels.n_units, 'labelled unit')} in {count(labels.n_records, 'answer')}."
    )


def _provenance(data: ReportData) -> str:
    """What was measured, on one line; whole under "How this was measured"."""
    labels = data.labels
    known = [f"Labels {labels.name}" + (f" ({labels.sha256[:12]})" if labels.sha256 else "")]
    known.append(words(DESIGNS, labels.design))
    for j in data.judges[:_MAX_PAIRS]:
        model = j.answered_model or j.model
        known.append(f"{j.name}: {model}, {j.prompt}, evidence {j.evidence} ({j.fingerprint[:12]})")
    if len(data.judges) > _MAX_PAIRS:
        known.append(f"{len(data.judges) - _MAX_PAIRS:,} more judges")
    return " · ".join(known)


def _facts(data: ReportData) -> Iterator[tuple[str, str]]:
    labels = data.labels
    yield "Labels", labels.name
    yield "Hash of the labels", labels.sha256 or "not frozen"
    yield "Answers, units", f"{labels.n_records:,}, {labels.n_units:,}"
    who = "nobody: right by construction" if labels.origin == "constructed" else "nobody"
    yield "Annotators", ", ".join(labels.annotators) or who
    weighted = "; figures are weighted by inverse inclusion probability" if labels.weighted else ""
    yield "Design", words(DESIGNS, labels.design) + weighted
    if labels.seed is not None:
        yield "Seed", str(labels.seed)
    yield "Hash of the policy", ", ".join(labels.policy_sha256) or "none recorded"


def _headline(data: ReportData) -> Table | None:
    if not data.agreement:
        return None
    rows: tuple[Row, ...] = tuple(
        (
            Link(a.judge, f"judge-{i}"),
            estimate(a["percent_agreement"]),
            estimate(a["kappa"]),
            number(a["gwet_ac1"].value),
            number(a["tpr"].value),
            number(a["tnr"].value),
            number(a["mean_score"].value),
            number(a["human_mean_score"].value),
            f"{a.n_units:,} in {a.n_records:,}",
        )
        for i, a in enumerate((s.figures for s in data.agreement), 1)
    )
    human = data.human
    if human.n_doubly_labelled:
        both = estimate(human.pairs[0].percent_agreement) if len(human.pairs) == 1 else "–"
        units = f"{human.n_doubly_labelled:,}"
        rows += ((BETWEEN, both, estimate(human.kappa), "–", "–", "–", "–", "–", units),)
    head = (
        "",
        "agreement",
        "kappa",
        "AC1",
        "TPR",
        "TNR",
        "mean score",
        who(data).of,
        "units in answers",
    )
    more = (
        f"TPR: of the units that {who(data).noun} call entailed, the share that the judge calls "
        "entailed. TNR: likewise for not entailed. Mean scores are means over answers. The "
        "intervals take account of claims nested in answers."
    )
    return Table("Per claim, with 95% intervals", head, rows, "lnnnnnnnn", more)


def _forests(data: ReportData) -> Iterator[Figure]:
    if not data.agreement:
        return
    human = data.human
    ceiling = Reference(BETWEEN, human.kappa) if human.n_doubly_labelled else None
    agreed = Reference(BETWEEN, human.pairs[0].percent_agreement) if len(human.pairs) == 1 else None
    for name, title, about, reference in (
        (
            "percent_agreement",
            who(data).put("Agreement with people"),
            "Share of units with the same answer",
            agreed,
        ),
        ("kappa", "Cohen's kappa", "Agreement beyond chance: 0 is guessing, 1 is perfect", ceiling),
    ):
        rows = [(s.figures.judge, s.figures[name]) for s in data.agreement]
        band = "; the band is people with each other" if reference is not None else ""
        caption = f"{about}. Lines are 95% intervals{band}."
        yield forest(f"forest-{name}", title, caption, rows, reference=reference)


def _between(data: ReportData) -> Iterator[str]:
    human = data.human
    if data.labels.origin == "constructed":
        yield "Nobody labelled these cases, so there is no agreement of people to compare with."
        return
    if not human.n_doubly_labelled:
        yield (
            "No unit was labelled by two people, so how well people agree with each other is "
            "unknown; draw a sample with `--overlap` to learn it."
        )
        return
    yield (
        f"{count(human.n_doubly_labelled, 'unit was', 'units were')} labelled by two people or "
        f"more. Their kappa with each other is {estimate(human.kappa)}: the ceiling, since a judge "
        "can hardly agree with people better than people do."
    )
    for section in data.agreement:
        if (told := ceiling(section)) is not None:
            yield told


def _people_table(human: People) -> Table | None:
    if not human.n_doubly_labelled and not human.self_agreement:
        return None
    rows = [
        (f"{p.a}, {p.b}", f"{p.n_units:,}", estimate(p.percent_agreement), estimate(p.kappa))
        for p in human.pairs
    ]
    if human.n_doubly_labelled:
        alpha = estimate(human.krippendorff_alpha)
        rows.append(("Krippendorff's alpha, all", f"{human.n_doubly_labelled:,}", "–", alpha))
    rows += [
        (f"{s.rater} with themselves", f"{s.n_units:,}", "–", estimate(s.kappa))
        for s in human.self_agreement
    ]
    return Table("People against people", ("", "units", "agreement", "kappa"), tuple(rows), "lnnn")


def _cards_note(data: ReportData, shown: Cards) -> str:
    people = who(data).noun
    if not any(s.figures.n_units for s in data.agreement):
        return f"There is nothing to compare: no unit was decided by {people} and by a judge."
    if not shown.total:
        return f"Nowhere: no judge differs from {people} on any unit that both decided."
    text = (
        f"Judges differ from {people} on {count(shown.total, 'unit')}: too lenient on "
        f"{shown.lenient:,}, too strict on {shown.strict:,}."
    )
    if shown.shown < shown.total:
        text += (
            f" Shown are {shown.shown:,}, answers with the most claims wrongly passed first; all "
            f"{shown.total:,} are in report.json and in `trueup disagreements`."
        )
    return text


def _left_out(data: ReportData) -> Table | None:
    rows = tuple((words(LEFT_OUT, k), f"{n:,}") for k, n in data.labels.left_out.items() if n)
    if not rows:
        return None
    return Table("Labels and units left out", ("why", "how many"), rows, "ln")


def _strata(data: ReportData) -> Table | None:
    strata = data.labels.strata
    if not strata:
        return None
    rows = tuple(
        (s.name, "–" if s.answers is None else f"{s.answers:,}", f"{s.drawn:,}",
         number(s.weight, 2))
        for s in strata
    )  # fmt: skip
    head = ("stratum", "answers in the corpus", "drawn", "each stands for")
    more = "" if data.labels.weighted else "All weigh the same, so the figures are unweighted."
    return Table("The sample", head, rows, "lnnn", more)
