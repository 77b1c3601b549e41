"""Numbers in words: how an estimate is written, and what the figures mean, a sentence each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trueup.report.model import JudgeSection, Pairing, ReportData
from trueup.stats.agreement_intervals import SKEWED
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import t_quantile, wilson
from trueup.stats.paired import Comparison
from trueup.stats.summary import WARNINGS, AgreementSummary
from trueup.stats.winner import Winner

TITLES = {
    "percent_agreement": "Agreement",
    "kappa": "Cohen's kappa",
    "gwet_ac1": "Gwet's AC1",
    "pabak": "PABAK",
    "mcc": "MCC",
    "krippendorff_alpha": "Krippendorff's alpha",
    "tpr": "TPR: people say entailed, the judge too",
    "tnr": "TNR: people say not entailed, the judge too",
    "precision_not_entailed": "Precision of not entailed",
    "recall_not_entailed": "Recall of not entailed",
    "f1_not_entailed": "F1 of not entailed",
    "human_rate": "People's entailed rate",
    "judge_rate": "Judge's entailed rate",
    "mean_score": "Judge's mean score",
    "human_mean_score": "People's mean score",
    "corrected_rate": "Corrected rate",
    "corrected_rate_alt": "Corrected rate, the other method",
}


@dataclass(frozen=True, slots=True)
class Who:
    """Who the judges are measured by: `noun` and its possessive, as they stand in a sentence."""

    noun: str
    of: str

    def put(self, text: str) -> str:
        """One of our own texts about people, about this who; never use it on data."""
        for ours, theirs in (("people's", self.of), ("people", self.noun)):
            text = text.replace(ours, theirs)
            text = text.replace(ours.capitalize(), theirs[0].upper() + theirs[1:])
        return text


PEOPLE, LABELS = Who("people", "people's"), Who("the labels", "the labels'")
"""Constructed labels are nobody's."""
_REASONS = {"jackknife_undefined": "it rests on a single answer, without which it is undefined"}
_GOOD, _FAIR = 0.6, 0.4
"""Lower ends of kappa from which a judge can stand in for a person, and from which it helps."""
_CATCHES = 0.7
"""Share of the units that people call not entailed from which a judge catches most of them."""
_CHANCE = 0.05


def number(value: float | None, digits: int = 3) -> str:
    """A figure with a true minus sign, or a dash where it is undefined."""
    if value is None:
        return "–"
    text = f"{value:.{digits}f}"
    if float(text) == 0:
        text = text.lstrip("-")
    return text.replace("-", "−")


def estimate(e: Estimate, digits: int = 3) -> str:
    """`0.940 [0.897, 0.966]`, or `undefined (reason)`."""
    if e.value is None:
        return f"undefined ({reason(e)})"
    if e.low is None or e.high is None:
        why = f" (no interval: {reason(e)})" if e.reason else ""
        return number(e.value, digits) + why
    return f"{number(e.value, digits)} [{number(e.low, digits)}, {number(e.high, digits)}]"


def reason(e: Estimate) -> str:
    """Why a value or an interval is missing."""
    return _REASONS.get(e.reason or "", e.reason or "not told")


def brief(e: Estimate, digits: int = 2) -> str:
    """`0.94 [0.90, 0.97]`, the value alone, or a dash: where reasons are told elsewhere."""
    if e.value is None or e.low is None or e.high is None:
        return number(e.value, digits)
    return estimate(e, digits)


def percent(value: float | None, digits: int = 0) -> str:
    """A share in per cent; never 0% or 100% for a share that is only near it."""
    if value is None:
        return "–"
    text = f"{value:.{digits}%}"
    if 0 < value < 1 and float(text[:-1]) in (0.0, 100.0):
        nearest = 10.0**-digits
        return f"< {nearest:.{digits}f}%" if value < 0.5 else f"> {100 - nearest:.{digits}f}%"
    return text


def count(n: int, one: str, many: str | None = None) -> str:
    """`1 unit`, `2,000 units`."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def p_value(p: float | None) -> str:
    """A p value as people write it."""
    if p is None:
        return "–"
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def title(name: str, who: Who = PEOPLE) -> str:
    """The heading of a figure."""
    return who.put(TITLES.get(name, name.replace("_", " ").capitalize()))


def who(data: ReportData) -> Who:
    """Who labelled: people, or nobody where labels are right by construction."""
    return LABELS if data.labels.origin == "constructed" else PEOPLE


def sentences(data: ReportData) -> list[str]:
    """What the numbers mean and what to do, in the order of reading."""
    out = []
    if not data.labels.n_units:
        out.append("No unit has a label that counts, so nothing can be measured yet.")
    if not data.agreement:
        out.append("No judge has a verdict on a labelled unit: run `trueup judge`.")
    if data.labels.origin == "constructed":
        out.append(
            "The labels are right by construction; nobody labelled, so this says how the judge "
            "does on these cases, not how it does on yours."
        )
    for section in data.agreement:
        out += headline(section, who(data))
    out += [comparison(c) for c in data.comparisons]
    if data.winner is not None:
        out.append(confirmed(data.winner))
    elif len(data.comparisons) > 1:
        out.append(
            "The best of several judges, chosen on the labels that it is measured by, looks better "
            "than it is: `trueup compare A B C --split` chooses and measures on different answers."
        )
    return out


def confirmed(w: Winner) -> str:
    """What the answers that had no part in the choice say of the winner."""
    text = (
        f"Split by answer: {w.chosen} agrees most on {w.n_choosing:,} answers; on the "
        f"{w.n_confirming:,} others its agreement is {estimate(w.agreement)}"
    )
    if w.comparison is None:
        return f"{text}. It is the judge that the others were compared with."
    change = w.comparison.delta_agreement
    p = p_value(w.comparison.p)
    return f"{text}, which differs from that of {w.comparison.a} by {estimate(change)} (p {p})."


def headline(section: JudgeSection, who: Who = PEOPLE) -> list[str]:
    """One sentence on each number of a judge that matters."""
    a = section.figures
    agreement = a["percent_agreement"].value
    out = []
    if agreement is not None:
        about = f"{count(a.n_units, 'unit')} in {count(a.n_records, 'answer')}"
        share = percent(agreement, 1)
        on = (
            f"an estimated {share}, weighted, from {about}" if a.weighted else f"{share} of {about}"
        )
        out.append(f"{a.judge} agrees on {on}. {kappa(a['kappa'])}")
        out += [f"{a.judge} {text}" for text in (unsupported(section, who),) if text]
    elif a.n_units and (why := a["percent_agreement"].reason):
        out.append(f"{a.judge}: {why}.")
    out += [f"{a.judge}: {who.put(WARNINGS[w])}." for w in _warnings(a)]
    if a.n_undecided:
        why = ", ".join(f"{reason} {n:,}" for reason, n in a.undecided.items())
        verb = "verdict is" if a.n_undecided == 1 else "verdicts are"
        out.append(f"{a.judge}: {a.n_undecided:,} {verb} undecided and left out ({why}).")
    if a.n_missing:
        out.append(
            f"{a.judge} was never asked about {count(a.n_missing, 'labelled unit')}: "
            "run `trueup judge`."
        )
    return out


def _warnings(a: AgreementSummary) -> list[str]:
    """The warnings that the sentence on kappa leaves to be said."""
    if a["kappa"].value is None and a.n_units:
        return [w for w in a.warnings if w not in ("only_one_label_used", SKEWED)]
    return list(a.warnings)


def unsupported(section: JudgeSection, who: Who = PEOPLE) -> str | None:
    """What becomes of the units that people call not entailed, and of the score by it."""
    a, shift = section.figures, section.shift
    tnr = a["tnr"].value
    if tnr is None:
        return (
            f"was shown no unit that {who.noun} call not entailed: nothing is known of catching "
            "them."
        )
    if tnr >= _CATCHES:
        return None
    passed = a.table["judge_only_entailed"]
    n = passed + a.table["neither_entailed"]
    some = f"{passed:,} of {count(n, 'unit')}"
    if a.weighted:
        some = f"an estimated {percent(1 - tnr)} of the units"
    text = f"passes {some} that {who.noun} call not entailed"
    return f"{text}: {_scored(a, shift, who)}." if shift is not None else f"{text}."


def _scored(a: AgreementSummary, shift: Estimate, who: Who) -> str:
    """What a judge's mistakes do to its mean score."""
    score, human = number(a["mean_score"].value), number(a["human_mean_score"].value)
    given = f"{score} where {who.noun} give {human}"
    if shift.value is None or score == human:
        return f"its mean score, {given}, does not show it"
    if shift.low is not None and shift.low > 0:
        return f"its mean score is too high, {given}"
    if shift.high is not None and shift.high < 0:
        return f"yet its mean score is too low, {given}, since it refuses even more than it passes"
    return f"its mean score is {given}"


def halving(section: JudgeSection) -> str | None:
    """How many more labels would halve the interval of the agreement, if answers stay alike."""
    a = section.figures
    e, answers = a["percent_agreement"], a.n_records
    if e.value is None or e.low is None or e.high is None or answers < 2:
        return None
    more = answers_for_half(e, answers) - answers
    labels = max(1, round(more * a.n_units / answers))
    return (
        f"{a.judge}: the interval of the agreement is {number(e.high - e.low)} wide. To halve it, "
        f"label about {count(more, 'more answer')} ({count(labels, 'unit')})."
    )


def answers_for_half(e: Estimate, answers: int) -> int:
    """The least number of answers whose Wilson interval of the same share is half as wide.

    The effective size is the one that gives the width; it grows with the answers and with the
    quantile t_{K−1}² falling (where all agree, with the answers alone).
    """
    assert e.value is not None
    assert e.low is not None
    assert e.high is not None
    p, width = e.value, e.high - e.low
    effective = _least(lambda n: _width(p, n / 64) <= width, 1, 64) / 64
    certain = p in (0.0, 1.0)

    def enough(k: int) -> bool:
        surer = 1.0 if certain else (_quantile(answers) / _quantile(k)) ** 2
        return _width(p, effective * k / answers * surer) <= width / 2

    return _least(enough, answers, 2 * answers)


def _width(p: float, n: float) -> float:
    low, high = wilson(p, n)
    return high - low


def _quantile(answers: int) -> float:
    return t_quantile(0.95, answers - 1)


def _least(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least whole number above `low` at which a monotone condition holds."""
    while not holds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def kappa(e: Estimate) -> str:
    """What a kappa says, by its lower end."""
    if e.value is None:
        return f"Kappa is undefined: {reason(e)}."
    if e.low is None:
        return f"Kappa {number(e.value)} has no interval: {reason(e)}."
    shown = f"Kappa {number(e.value)}, at least {number(e.low)}"
    if e.low >= _GOOD:
        return f"{shown}: well beyond chance, it can stand in for a person on claims like these."
    if e.low >= _FAIR:
        return f"{shown}: beyond chance, but read the disagreements before you rely on it."
    if e.low > 0:
        return f"{shown}: better than chance, with much doubt left; label more or mend the prompt."
    return (
        f"{shown}: that it is no better than chance cannot be ruled out; do not use its scores yet."
    )


def comparison(pairing: Pairing) -> str:
    """What changed between two judges, and whether the labels can tell."""
    c = pairing.figures
    if c.n_units == 0:
        return f"{c.a} and {c.b} have no labelled unit in common."
    if c.identical:
        if c.n_units == 1:
            return f"{c.a} and {c.b} say the same of the one unit that they share."
        return f"{c.a} and {c.b} say the same of all {c.n_units:,} units."
    if c.only_a_right == c.only_b_right and not c.weighted:
        return (
            f"{c.a} and {c.b} differ on {2 * c.only_a_right:,} units and each is right on half of "
            "them: a draw."
        )
    ahead = c.only_b_right >= c.only_a_right
    better, worse = (c.b, c.a) if ahead else (c.a, c.b)
    more, fewer = sorted((c.only_a_right, c.only_b_right), reverse=True)
    text = (
        f"{better} is right where {worse} is wrong on {count(more, 'unit')}, "
        f"the reverse on {fewer:,}"
    )
    if c.weighted:
        text += f"; weighted, the agreement of {c.b} differs by {estimate(c.delta_agreement)}"
    return f"{text}: {_told(c)}.{' ' + c.score_note if c.score_note else ''}"


def _told(c: Comparison) -> str:
    """Whether chance explains a difference, by the p value that several comparisons leave."""
    p = c.p if c.p_holm is None else c.p_holm
    if p is None:
        why = f" ({reason(c.delta_agreement)})" if c.delta_agreement.reason else ""
        return f"whether that is chance cannot be told{why}"
    shown = f"p {p_value(p)}" + (", Holm" if p != c.p else "")
    if p < _CHANCE:
        return f"more than chance explains ({shown})"
    return f"chance alone explains that well enough ({shown})"
