"""The report on one screen of a terminal: the numbers that matter, and one sentence each."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap

from trueup.report.extras import abstentions, can_give, ceiling
from trueup.report.model import ReportData
from trueup.report.terms import LEFT_OUT, METHODS, words
from trueup.report.words import brief, estimate, number, p_value, sentences, who
from trueup.stats.estimate import Estimate
from trueup.stats.summary import AgreementSummary

_JUDGES, _SENTENCES, _PAIRS, _PEOPLE = 12, 12, 6, 5


def to_text(data: ReportData) -> str:
    """Lines for a terminal of 80 columns; the caller makes them safe to print."""
    return "\n".join(_lines(data))


def _lines(data: ReportData) -> Iterator[str]:
    labels = data.labels
    people = labels.annotators
    who = ", ".join(people) if len(people) <= _PEOPLE else f"{len(people):,} annotators"
    yield f"{data.metric}: {labels.n_units:,} labelled units in {labels.n_records:,} answers"
    about = "; ".join(filter(None, (labels.origin, who, labels.design)))
    yield f"labels: {labels.name} ({about})"
    left_out = "; ".join(f"{v:,} {words(LEFT_OUT, k)}" for k, v in labels.left_out.items() if v)
    if left_out:
        yield from wrap(f"left out: {left_out}", 78, subsequent_indent="  ")
    yield ""
    width = max([len(a.figures.judge) for a in data.agreement], default=5)
    yield f"{'judge':<{width}}  agreement             kappa                 TPR    TNR    score"
    for section in data.agreement[:_JUDGES]:
        a = section.figures
        yield (
            f"{a.judge:<{width}}  {_short(a['percent_agreement'])}  {_short(a['kappa'])}  "
            f"{number(a['tpr'].value):<5}  {number(a['tnr'].value):<5}  "
            f"{number(a['mean_score'].value)}"
        )
    yield from _beside(data)
    yield ""
    for line in sentences(data)[:_SENTENCES]:
        yield from wrap(line, 76, initial_indent="• ", subsequent_indent="  ")
    for c in (pairing.figures for pairing in data.comparisons[:_PAIRS]):
        yield (
            f"  {c.b} − {c.a}: agreement {estimate(c.delta_agreement)}, p {p_value(c.p)}; "
            f"score {estimate(c.delta_mean_score)}"
        )
    if data.disagreements:
        yield f"• {len(data.disagreements):,} disagreements to read: trueup disagreements"


def _beside(data: ReportData) -> Iterator[str]:
    """What the headline is to be read with: estimands, naive intervals, bounds, corrections."""
    for section in data.agreement[:_JUDGES]:
        a = section.figures
        told = list(_figures_beside(a))
        if told:
            yield from _hanging(f"{a.judge}: {'; '.join(told)}")
        if (open_ones := abstentions(a)) is not None:
            yield from _hanging(f"{a.judge}: {who(data).put(open_ones)}")
        if (told_of := ceiling(section)) is not None:
            yield from _hanging(told_of)
    yield from (
        f"{again.rater} with themselves: kappa {estimate(again.kappa)}"
        for again in data.human.self_agreement[:_PEOPLE]
    )
    if data.labels.origin != "constructed":  # the first sentence says it of these
        yield from _hanging(can_give(data))


def _figures_beside(a: AgreementSummary) -> Iterator[str]:
    if a["kappa"].value is not None:
        yield f"kappa per answer {brief(a.per_answer['kappa'], 3)}"
    if (naive := a.naive.get("kappa")) is not None:
        yield f"naive interval [{number(naive.low)}, {number(naive.high)}]"
    if a.design_effect is not None:
        yield f"design effect {a.design_effect:.2f}"
    if a.corrected_rate.value is not None:
        method = words(METHODS, a.corrected_rate.method).split(",")[0]
        yield f"corrected rate {estimate(a.corrected_rate)} ({method})"


def _hanging(text: str) -> list[str]:
    return wrap(text, 78, subsequent_indent="  ")


def _short(e: Estimate) -> str:
    if e.value is None:
        return f"{'undefined':<20}"
    if e.low is None or e.high is None:
        return f"{number(e.value):<20}"
    return f"{number(e.value)} [{number(e.low)}, {number(e.high)}]".ljust(20)
