"""The end-to-end verdict beside the scores, and the answers on which the two part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from trueup.report.model import Answer, ReportData
from trueup.report.tables import Table
from trueup.report.words import number, who

_MAX_ANSWERS = 40


@dataclass(frozen=True, slots=True)
class ListPart:
    """Answers that share a surprise, with what it means."""

    title: str
    meaning: str
    rows: tuple[tuple[str, str, str], ...]
    more: int


def end_to_end(data: ReportData) -> Table | None:
    """Mean scores by end-to-end verdict; None where no answer has one."""
    if all(a.failing is None for a in data.answers):
        return None
    names = [s.figures.judge for s in data.agreement]
    rows = []
    for title, failing in (("right", False), ("failing", True), ("not said", None)):
        of_kind = [a for a in data.answers if a.failing is failing]
        if of_kind:
            scores = (_mean([a.judges.get(n) for a in of_kind]) for n in names)
            rows.append((title, f"{len(of_kind):,}", _mean([a.human for a in of_kind]), *scores))
    head = ("end to end", "answers", f"{who(data).of} mean score", *names)
    more = (
        f"{data.metric.replace('_', ' ').capitalize()} is no verdict on the answer: the two may "
        "part, and both directions are worth reading. Unweighted means, over the answers in "
        "brackets where some have no score."
    )
    caption = "The end-to-end verdict beside the scores"
    return Table(caption, head, tuple(rows), "ln" + "n" * (len(names) + 1), more)


def _mean(scores: Sequence[float | None]) -> str:
    known = [s for s in scores if s is not None]
    if not known:
        return f"– (0 of {len(scores):,})"
    part = "" if len(known) == len(scores) else f" ({len(known):,} of {len(scores):,})"
    return number(fmean(known)) + part


def surprises(data: ReportData) -> Iterator[ListPart]:
    """Answers that are right but ungrounded, and faithful but wrong."""
    if data.metric != "groundedness":
        return
    high = data.high_from
    known = [a for a in data.answers if a.failing is not None and a.human is not None]
    right = [a for a in known if not a.failing and a.human is not None and a.human < high]
    wrong = [a for a in known if a.failing and a.human is not None and a.human >= high]
    share = number(high, 2)
    people = who(data).noun
    meaning = f"The answer is right, but {people} find less than {share} of it in the context."
    if right:
        yield _list("Right but ungrounded", meaning, right)
    meaning = (
        f"The answer fails, though {people} find at least {share} of it in the context: look at "
        "what was retrieved, and at what the metric is silent about."
    )
    if wrong:
        yield _list("Faithful but wrong", meaning, wrong)


def _list(title: str, meaning: str, answers: Sequence[Answer]) -> ListPart:
    rows = tuple((a.record, a.question or "–", number(a.human, 2)) for a in answers[:_MAX_ANSWERS])
    return ListPart(title, meaning, rows, len(answers) - len(rows))
