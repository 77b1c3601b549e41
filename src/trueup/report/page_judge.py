"""One judge's part of the page: its table, figures, scores, and where it differs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from trueup.report.breakdown import RECORD
from trueup.report.cards import Cards
from trueup.report.extras import (
    CORRECTED_HEAD,
    abstentions,
    corrected_by,
    corrected_rows,
    figure_rows,
)
from trueup.report.figures import Figure, differing
from trueup.report.model import Breakdown, Disagreement, Group, JudgeInfo, JudgeSection, ReportData
from trueup.report.score_figures import distribution, reliability
from trueup.report.tables import Cell, Link, Row, Table
from trueup.report.terms import CAUSES, MATCHES, METHODS, NO_CAUSE, REASONS, RULES, words
from trueup.report.words import Who, brief, count, estimate, headline, number, percent, title, who
from trueup.stats.agreement_intervals import SKEWED_FROM
from trueup.stats.estimate import Estimate
from trueup.stats.summary import AgreementSummary

_MAX_UNITS = 60
_MAX_RECORDS = 15
_CELLS = {
    "both_entailed": ("entailed", "entailed"),
    "human_only_entailed": ("entailed", "not_entailed"),
    "judge_only_entailed": ("not_entailed", "entailed"),
    "neither_entailed": ("not_entailed", "not_entailed"),
}


@dataclass(frozen=True, slots=True)
class CellUnits:
    """The units of one cell of the table, as links where they are shown below."""

    anchor: str
    human: str
    judge: str
    n: int
    units: tuple[Cell, ...]
    more: int


@dataclass(frozen=True, slots=True)
class JudgePart:
    """Everything that the page says of one judge."""

    anchor: str
    name: str
    identity: tuple[tuple[str, str], ...]
    sentences: tuple[str, ...]
    confusion: tuple[tuple[int, int, int], ...]
    cells: tuple[CellUnits, ...]
    catching: str
    figures: Table
    balance: tuple[str, ...]
    shift: str
    scores: tuple[Figure, ...]
    where: tuple[Figure, ...]
    tables: tuple[Table, ...]


def judge_part(
    data: ReportData, section: JudgeSection, info: JudgeInfo | None, index: int, cards: Cards
) -> JudgePart:
    """The part of the `index`-th judge; its figures get names from the index."""
    a, name = section.figures, f"j{index}"
    mine = [d for d in data.disagreements if d.judge == a.judge]
    people = who(data)
    scored = bool(section.scores)
    return JudgePart(
        anchor=f"judge-{index}",
        name=a.judge,
        identity=() if info is None else tuple(identity(info)),
        sentences=(
            *headline(section, people),
            *([section.calibration] if section.calibration else ()),
        ),
        confusion=_confusion(a.table),
        cells=tuple(_cells(data, section, f"judge-{index}", cards)),
        catching=_catching(a, people),
        figures=_figures(a, people),
        balance=tuple(_balance(a, people)),
        shift=_shift(section, people, data.labels.n_records),
        scores=(
            distribution(f"{name}-scores", a.judge, section.scores, people),
            reliability(f"{name}-bands", section.scores, section.weights, people),
        )
        if scored
        else (),
        where=tuple(_where(section, name, people)) if a.n_units else (),
        tables=tuple(_tables(section, mine, cards)) if a.n_units else (),
    )


def identity(info: JudgeInfo) -> Iterator[tuple[str, str]]:
    """Terms and texts that name a judge exactly."""
    yield "Model", info.model
    yield "Model that answered", info.answered_model or "not told"
    yield "Prompt", info.prompt
    yield "Prompt hash", info.prompt_sha256
    yield "Evidence rule", f"{info.evidence}: {words(RULES, info.evidence)}"
    yield "Fingerprint", info.fingerprint
    if info.rule_changed:
        verdicts = count(info.rule_changed, "verdict")
        yield "Changed by the rule", f"{verdicts} from entailed to not entailed"


def _confusion(table: Mapping[str, int]) -> tuple[tuple[int, int, int], ...]:
    """Rows of people's entailed, not entailed, all; columns of the judge likewise."""
    a, b, c, d = (table[name] for name in _CELLS)
    return (a, b, a + b), (c, d, c + d), (a + c, b + d, a + b + c + d)


def _cells(
    data: ReportData, section: JudgeSection, place: str, cards: Cards
) -> Iterator[CellUnits]:
    for name, (human, judge) in _CELLS.items():
        keys = section.cells.get(name, ())
        shown = tuple(_unit(data, key, cards) for key in keys[:_MAX_UNITS])
        anchor = f"{place}-{name.replace('_', '-')}"
        yield CellUnits(anchor, human, judge, len(keys), shown, len(keys) - len(shown))


def _unit(data: ReportData, key: str, cards: Cards) -> Cell:
    text = data.unit_ids.get(key, key)
    return Link(text, cards.anchors[key]) if key in cards.anchors else text


def _catching(a: AgreementSummary, people: Who) -> str:
    """What becomes of the class that hurts, in one sentence."""
    t = a.table
    no, passed = t["judge_only_entailed"] + t["neither_entailed"], t["judge_only_entailed"]
    refused, wrongly = t["neither_entailed"], t["human_only_entailed"]
    noun = people.noun
    if not a.n_units:
        return f"No unit was decided by {noun} and by this judge."
    if not no:
        whole = f"all {a.n_units:,} units" if a.n_units > 1 else "the only unit"
        return people.put(
            f"People call {whole} entailed, so nothing is known of how this judge treats "
            "unsupported ones."
        )
    caught = (
        f"Of {count(no, 'unit')} that {noun} call not entailed, it catches {refused:,} and passes "
        f"{passed:,}."
    )
    if not refused + wrongly:
        return f"{caught} It calls nothing not entailed."
    return (
        f"{caught} Of {count(refused + wrongly, 'unit')} that it calls not entailed, {noun} agree "
        f"on {refused:,}."
    )


def _figures(a: AgreementSummary, people: Who) -> Table:
    rows = tuple(
        (title(name, people), claim, answer, naive, words(METHODS, method) if method else "–")
        for name, claim, answer, naive, method in figure_rows(a)
    )
    head = ("", "per claim [95% interval]", "per answer", "naive interval", "method")
    effect = "" if a.design_effect is None else f" The design effect is {a.design_effect:.2f}."
    more = (
        "Per claim, every unit counts the same; per answer, every answer does. The naive interval "
        f"takes the claims of one answer for independent, which they seldom are.{effect}"
    )
    return Table(f"Every figure of {a.judge}", head, rows, "lnnnl", more)


def _balance(a: AgreementSummary, people: Who) -> Iterator[str]:
    """Base rates, and what a skew does to kappa."""
    human, judge = a["human_rate"].value, a["judge_rate"].value
    if human is None or judge is None:
        return
    if (open_ones := abstentions(a)) is not None:
        yield people.put(open_ones)
    yield people.put("People call ") + (
        f"{percent(human, 1)} of the units entailed, {a.judge} {percent(judge, 1)}."
    )
    by_chance = a.expected_agreement
    if by_chance is None:
        return
    others = f"AC1 {number(a['gwet_ac1'].value)} and PABAK {number(a['pabak'].value)}"
    guess = f"With these rates two raters who guess would agree on {percent(by_chance)}."
    if a["kappa"].value is None:
        yield f"{guess} Kappa is undefined; what stands are {others}."
    else:
        skewed = ", which suffer less from the skew" if by_chance > SKEWED_FROM else ""
        yield f"{guess} Beside kappa {number(a['kappa'].value)} stand {others}{skewed}."


def _shift(section: JudgeSection, people: Who, answers: int) -> str:
    """The judge's mean score beside people's, and how far it is off."""
    a, shift = section.figures, section.shift
    score, human = a["mean_score"], a["human_mean_score"]
    if score.value is None:
        return f"No answer has a score from both {people.noun} and this judge."
    weighted = ", weighted" if a.weighted else ""
    n = f"{count(len(section.scores), 'answer')}{weighted}"
    if len(section.scores) < answers:
        n = f"{len(section.scores):,} of {answers:,} labelled answers{weighted} (no unit of the "
        n += "others was decided)"
    text = (
        f"Over {n}, the mean score of {a.judge} is "
        f"{estimate(score)}, that of {people.noun} {estimate(human)}."
    )
    if shift is None or shift.value is None:
        return text
    if "identical" in shift.flags:
        return f"{text} The two are the same in every answer."
    if round(shift.value, 3) == 0:
        return f"{text} The difference is {estimate(shift)}."
    way = "too high" if shift.value > 0 else "too low"
    open_end = shift.low is not None and shift.high is not None and shift.low <= 0 <= shift.high
    doubt = ", which may be chance" if open_end else ""
    return f"{text} The judge scores {way} by {estimate(_size(shift))}{doubt}."


def _size(e: Estimate) -> Estimate:
    """A difference without its sign."""
    if e.value is None or e.value >= 0:
        return e
    low, high = (None if end is None else -end for end in (e.high, e.low))
    return replace(e, value=-e.value, low=low, high=high)


def _where(section: JudgeSection, name: str, people: Who) -> Iterator[Figure]:
    caption = people.put("Share of the units on which the judge and people differ; unweighted.")
    for i, (by, parts) in enumerate(section.figures.by_slice.items()):
        yield differing(
            f"{name}-slice{i}",
            f"Disagreement by {by}",
            caption,
            [Group(value, s.n_units, s.table["judge_only_entailed"], s.table["human_only_entailed"])
             for value, s in parts.items()],
            {value: (brief(s.figures["percent_agreement"]),
                     brief(s.figures["kappa"])) for value, s in parts.items()},
        )  # fmt: skip
    for i, one in enumerate(section.breakdowns):
        if one.by != RECORD and len(one.groups) > 1:
            groups = tuple(_named(one))
            yield differing(f"{name}-by{i}", f"Disagreement by {one.by}", caption, groups)


def _named(one: Breakdown) -> Iterator[Group]:
    for g in one.groups:
        yield Group(words(MATCHES, g.name), g.n_units, g.too_lenient, g.too_strict)


def _tables(section: JudgeSection, mine: Sequence[Disagreement], cards: Cards) -> Iterator[Table]:
    a = section.figures
    if mine:
        yield _by_cause(mine, cards)
    for one in section.breakdowns:
        rows = tuple(
            (g.name, f"{g.n_units:,}", f"{g.differ:,}", f"{g.too_lenient:,}", f"{g.too_strict:,}")
            for g in one.groups
            if g.differ
        )
        if one.by == RECORD and rows:
            head = ("record", "units", "differ", "too lenient", "too strict")
            more = _more(len(rows), _MAX_RECORDS, "records with a disagreement")
            yield Table("Most disagreement by record", head, rows[:_MAX_RECORDS], "lnnnn", more)
    for by, parts in corrected_by(section).items():
        rows = tuple(corrected_rows(part) for part in parts)
        caption = f"Corrected rate of the judged corpus by {by}"
        yield Table(caption, CORRECTED_HEAD, rows, "lnnnn")
    if section.bootstrap:
        checks = tuple((title(n), estimate(e)) for n, e in section.bootstrap.items())
        caption = "Cluster bootstrap, as a cross-check"
        yield Table(caption, ("", "percentile interval"), checks, "ln")
    if a.undecided:
        why = tuple((words(REASONS, r), f"{n:,}") for r, n in a.undecided.items())
        yield Table("Undecided verdicts by reason", ("reason", "units"), why, "ln")


def _more(n: int, limit: int, what: str) -> str:
    return f"{n - limit:,} more {what} are in report.json." if n > limit else ""


def _by_cause(mine: Sequence[Disagreement], cards: Cards) -> Table:
    found: dict[str, list[Disagreement]] = {}
    for d in mine:
        found.setdefault("" if d.cause is None else d.cause, []).append(d)
    rows: list[Row] = []
    for cause, of_cause in sorted(found.items(), key=lambda x: (x[0] == "", -len(x[1]), x[0])):
        lenient = sum(d.direction == "judge_too_lenient" for d in of_cause)
        first = next((d for d in of_cause if d.key in cards.anchors), None)
        example: Cell = "–" if first is None else Link(first.unit, cards.anchors[first.key])
        name = words(CAUSES, cause) if cause else NO_CAUSE
        n = len(of_cause)
        rows.append((name, f"{n:,}", f"{lenient:,}", f"{n - lenient:,}", example))
    head = ("cause", "units", "too lenient", "too strict", "for example")
    more = "Causes are computed from the texts, by rules that can err; read the claim."
    return Table("Disagreement by computed cause", head, tuple(rows), "lnnnl", more)
