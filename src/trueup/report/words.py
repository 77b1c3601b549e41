"""Numbers in words: how an estimate is written, and what the figures mean, a sentence each."""

from __future__ import annotations

from trueup.report.model import JudgeSection, Pairing, ReportData
from trueup.stats.estimate import Estimate
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
_GOOD, _FAIR = 0.6, 0.4
"""Lower ends of kappa from which a judge can stand in for a person, and from which it helps."""


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


def p_value(p: float | None) -> str:
    """A p value as people write it."""
    if p is None:
        return "–"
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def title(name: str) -> str:
    """The heading of a figure."""
    return TITLES.get(name, name.replace("_", " ").capitalize())


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
        out += headline(section)
    out += [comparison(c) for c in data.comparisons]
    return out


def headline(section: JudgeSection) -> list[str]:
    """One sentence on each number of a judge that matters."""
    a = section.figures
    agreement, tnr = a["percent_agreement"], a["tnr"]
    out = []
    if agreement.value is not None:
        out.append(
            f"{a.judge} agrees on {agreement.value:.1%} of {a.n_units:,} units in "
            f"{a.n_records:,} answers. {kappa(a['kappa'])}"
        )
    if tnr.value is None:
        out.append(
            f"{a.judge}: no unsupported unit was labelled, so nothing is known of catching them."
        )
    elif tnr.value < 0.7:
        out.append(
            f"{a.judge} lets {1 - tnr.value:.0%} of the unsupported units pass: "
            "its scores are too high."
        )
    out += [f"{a.judge}: {WARNINGS[w]}." for w in a.warnings]
    if a.n_undecided:
        why = ", ".join(f"{reason} {n:,}" for reason, n in a.undecided.items())
        out.append(f"{a.judge}: {a.n_undecided:,} verdicts are undecided and left out ({why}).")
    return out


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
    return f"{shown}: no better than chance cannot be ruled out; do not use its scores yet."


def comparison(pairing: Pairing) -> str:
    """What changed between two judges, and whether the labels can tell."""
    c = pairing.figures
    if c.n_units == 0:
        return f"{c.a} and {c.b} have no labelled unit in common."
    if c.identical:
        return f"{c.a} and {c.b} are right and wrong on the same {c.n_units:,} units."
    if c.only_a_right == c.only_b_right:
        return (
            f"{c.a} and {c.b} differ on {2 * c.only_a_right:,} units and are right on as many: "
            "a draw."
        )
    better, worse = (c.b, c.a) if c.only_b_right > c.only_a_right else (c.a, c.b)
    more, fewer = sorted((c.only_a_right, c.only_b_right), reverse=True)
    sure = c.p is not None and c.p < 0.05
    told = (
        f"more than chance explains (p {p_value(c.p)})"
        if sure
        else f"chance alone explains that well enough (p {p_value(c.p)})"
    )
    text = f"{better} is right where {worse} is wrong on {more:,} units, the reverse on {fewer:,}: "
    return f"{text}{told}.{' ' + c.score_note if c.score_note else ''}"
