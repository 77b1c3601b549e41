"""What stands beside the headline in every output: estimands, bounds, corrections, the ceiling."""

from __future__ import annotations

from collections.abc import Iterator

from trueup.report.model import CorrectedPart, JudgeSection, ReportData
from trueup.report.terms import DESIGNS, words
from trueup.report.words import count, estimate, number, percent, title, who
from trueup.stats.estimate import Estimate
from trueup.stats.summary import NOT_CORRECTED, AgreementSummary

MEANS = ("mean_score", "human_mean_score")
"""Figures that are means over answers, whatever the column."""


def figure_rows(a: AgreementSummary) -> Iterator[tuple[str, str, str, str, str]]:
    """(name, per claim, per answer, naive interval, code of the method) of every figure."""
    told: dict[str, Estimate] = dict(a.figures)
    if a.corrected_rate.reason != NOT_CORRECTED:
        told["corrected_rate"] = a.corrected_rate
    if a.corrected_rate_alt is not None:
        told["corrected_rate_alt"] = a.corrected_rate_alt
    for name, e in told.items():
        per_answer = e if name in MEANS else a.per_answer.get(name)
        naive = a.naive.get(name)
        yield (
            name,
            "–" if name in MEANS else estimate(e),
            "–" if per_answer is None else estimate(per_answer),
            "–" if naive is None else f"[{number(naive.low)}, {number(naive.high)}]",
            e.method,
        )


def abstentions(a: AgreementSummary) -> str | None:
    """Who abstains how often, and between what bounds that leaves the agreement; None: nobody."""
    one = a.abstention
    if one.worst is None or one.best is None or not one.n_unsure + one.n_undecided:
        return None
    return (
        f"People are unsure of {percent(one.human_rate, 1)} of the units and the judge leaves "
        f"{percent(one.judge_rate, 1)} undecided. Had everyone decided everything, the agreement "
        f"would lie between {percent(one.worst)} and {percent(one.best)}."
    )


def corrected_rows(part: CorrectedPart) -> tuple[str, str, str, str, str]:
    """(value, answers ruled on, of them labelled, corrected rate, the other method's)."""
    other = part.alt
    return (
        part.value or "(none)",
        f"{part.n_records:,}",
        f"{part.n_labelled:,}",
        estimate(part.rate),
        "–" if other.value is None else estimate(other),
    )


CORRECTED_HEAD = ("", "answers ruled on", "labelled", "corrected rate", "by the other method")


def corrected_by(section: JudgeSection) -> dict[str, list[CorrectedPart]]:
    """The parts of the corpus by "release" or the slice's name."""
    found: dict[str, list[CorrectedPart]] = {}
    for part in section.corrected:
        found.setdefault(part.by, []).append(part)
    return found


def ceiling(section: JudgeSection) -> str | None:
    """The judge beside the human ceiling, where two people and the judge decided units."""
    c = section.ceiling
    if c is None or c.difference.value is None:
        return None
    return (
        f"On the {count(c.n_units, 'unit')} that two people and {section.figures.judge} "
        f"decided, the judge's kappa with each person is {estimate(c.judge)} on average, "
        f"people's with each other {estimate(c.human)}; difference {estimate(c.difference)}."
    )


def can_give(data: ReportData) -> str:
    """What the design of the labels can and cannot estimate, in a sentence or two."""
    labels = data.labels
    if labels.origin == "constructed":
        return (
            "Constructed labels: the figures are of these cases; they estimate nothing about a "
            "corpus, and a corrected rate rests on the judge erring there as it does here."
        )
    design = f"Design: {words(DESIGNS, labels.design)}."
    if labels.design == "discordant":
        missing = ", ".join(title(n, who(data)) for n in labels.cannot_give[:4])
        return (
            f"{design} It gives the difference in agreement of the two judges that it was drawn "
            f"for, over the whole corpus; not {missing}, nor any other figure of one judge."
        )
    if labels.design == "convenience":
        return (
            f"{design} The figures are of these labels; they cannot give the corrected rate by "
            "PPI++, and stand for a corpus only as far as these answers are like it."
        )
    return f"{design} It gives every figure of this report for the records it was drawn from."
