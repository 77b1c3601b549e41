"""Numbers in words: how an estimate is written, and what the figures mean, a sentence each."""

from __future__ import annotations

import math
from dataclasses import dataclass

from trueup.report.model import JudgeSection, Pairing, ReportData
from trueup.stats.estimate import Estimate
from trueup.stats.intervals import t_quantile
from trueup.stats.paired import Comparison
from trueup.stats.summary import WARNINGS

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
        spoken = self.of[0].upper() + self.of[1:]
        return (
            text.replace("People's", spoken)
            .replace("people's", self.of)
            .replace("people", self.noun)
        )


PEOPLE, LABELS = Who("people", "people's"), Who("the labels", "the labels'")
"""Constructed labels are nobody's."""
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
        return f"undefined ({e.reason})"
    if e.low is None or e.high is None:
        why = f" (no interval: {e.reason})" if e.reason else ""
        return number(e.value, digits) + why
    return f"{number(e.value, digits)} [{number(e.low, digits)}, {number(e.high, digits)}]"


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
    return out


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
    # That kappa is undefined is said with the kappa.
    out += [f"{a.judge}: {who.put(WARNINGS[w])}." for w in a.warnings if w != "only_one_label_used"]
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


def unsupported(section: JudgeSection, who: Who = PEOPLE) -> str | None:
    """What becomes of the units that people call not entailed, and of the score by it."""
    a, shift = section.figures, section.shift
    tnr, score = a["tnr"].value, a["mean_score"].value
    if tnr is None:
        return (
            f"was shown no unit that {who.noun} call not entailed: nothing is known of catching "
            "them."
        )
    if tnr >= _CATCHES:
        return None
    text = f"lets {percent(1 - tnr)} of the units pass that {who.noun} call not entailed"
    if shift is None or shift.value is None or score is None:
        return f"{text}."
    human = number(a["human_mean_score"].value)
    if shift.low is not None and shift.low > 0:
        return f"{text}: its mean score is too high, {number(score)} where {who.noun} give {human}."
    if shift.high is not None and shift.high < 0:
        return (
            f"{text}, yet its mean score is too low, {number(score)} where {who.noun} give "
            f"{human}: it refuses even more of those called entailed."
        )
    return f"{text}; its mean score, {number(score)} where {who.noun} give {human}, hides that."


def halving(section: JudgeSection) -> str | None:
    """How many more labels would halve the interval of the agreement, if answers stay alike."""
    a = section.figures
    e, answers = a["percent_agreement"], a.n_records
    if e.low is None or e.high is None or answers < 2:
        return None
    more = answers_for_half(answers) - answers
    labels = max(1, round(more * a.n_units / answers))
    return (
        f"{a.judge}: the interval of the agreement is {number(e.high - e.low)} wide. To halve it, "
        f"label about {count(more, 'more answer')} ({count(labels, 'unit')})."
    )


def answers_for_half(answers: int) -> int:
    """The least K' with t_{K'−1}/√K' ≤ ½ t_{K−1}/√K: half the width at the same spread."""
    goal = t_quantile(0.95, answers - 1) / math.sqrt(answers) / 2
    low, high = answers, 4 * answers
    while high - low > 1:
        middle = (low + high) // 2
        if t_quantile(0.95, middle - 1) / math.sqrt(middle) <= goal:
            high = middle
        else:
            low = middle
    return high


def kappa(e: Estimate) -> str:
    """What a kappa says, by its lower end."""
    if e.value is None:
        return f"Kappa is undefined: {e.reason}."
    if e.low is None:
        return f"Kappa {number(e.value)} has no interval: {e.reason}."
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
        why = f" ({c.delta_agreement.reason})" if c.delta_agreement.reason else ""
        return f"whether that is chance cannot be told{why}"
    shown = f"p {p_value(p)}" + (", Holm" if p != c.p else "")
    if p < _CHANCE:
        return f"more than chance explains ({shown})"
    return f"chance alone explains that well enough ({shown})"
