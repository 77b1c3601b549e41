"""The classic prompt: the judge splits and rules in one reply; its claims meet the frozen ones.

A claim of the reply belongs to a frozen claim when their texts are the same after folding, else
when both can be located in the text that was split and their places overlap by more than half of
the longer one. Each claim of the reply serves one frozen claim, each frozen claim gets one verdict;
the share that found a partner is reported, and what did not is undecided.
"""

from __future__ import annotations

from collections.abc import Sequence

from trueup.domain.judging import JudgeTask
from trueup.domain.metrics import METRICS
from trueup.domain.model import Span, Verdict
from trueup.domain.text import ChunkIndex
from trueup.judge.match import fold
from trueup.judge.parse import Item, Reading
from trueup.judge.planning import Bound, undecided
from trueup.judge.render import chunk_id
from trueup.judge.rules import EvidenceReader

_MIN_OVERLAP = 0.5


def read_single_call(
    bound: Bound, task: JudgeTask, reading: Reading
) -> tuple[list[Verdict], dict[str, str]]:
    """(a verdict for each unit, notes): `matched` is "n of m", m being the frozen claims, and
    `own_claims` how many claims the reply made."""
    if not reading.items:
        return list(undecided(bound, task, task.units, "no_claims")), {"own_claims": "0"}
    partners = match_claims(task, reading.items)
    items: list[Item | None] = [None if at is None else reading.items[at] for at in partners]
    verdicts = EvidenceReader(bound).verdicts(task, items, reading.flags)
    found = sum(at is not None for at in partners)
    notes = {"matched": f"{found} of {len(partners)}", "own_claims": str(len(reading.items))}
    return verdicts, notes


def match_claims(task: JudgeTask, items: Sequence[Item]) -> list[int | None]:
    """For each unit the position of its entry in the reply, or None."""
    free = dict.fromkeys(range(len(items)))
    texts = [fold(i.text or "") for i in items]
    partners: list[int | None] = []
    for unit in task.units:
        wanted = _wanted(task, unit.text, task.units.index(unit))
        at = next((i for i in free if texts[i] == wanted and texts[i]), None)
        if at is not None:
            del free[at]
        partners.append(at)
    if None in partners and METRICS[task.metric].units != "chunk":
        _match_by_span(task, items, free, partners)
    return partners


def _wanted(task: JudgeTask, text: str, at: int) -> str:
    if METRICS[task.metric].units == "chunk":
        return fold(chunk_id(task, task.units[at]))
    return fold(text)


def _match_by_span(
    task: JudgeTask,
    items: Sequence[Item],
    free: dict[int, None],
    partners: list[int | None],
) -> None:
    """Give the units without a partner the entry whose place in the source overlaps theirs most."""
    kind = METRICS[task.metric].units
    source = ChunkIndex((task.reference if kind == "reference_claim" else task.answer) or "")
    places = {i: _place(source, items[i].text or "") for i in free}
    pairs = []
    for u, unit in enumerate(task.units):
        own = unit.span or _place(source, unit.text)
        if partners[u] is None and own is not None:
            pairs += [(_overlap(own, p), u, i) for i, p in places.items() if p is not None]
    for overlap, u, i in sorted(pairs, key=lambda p: (-p[0], p[1], p[2])):
        if overlap > _MIN_OVERLAP and partners[u] is None and i in free:
            partners[u] = i
            del free[i]


def _place(source: ChunkIndex, text: str) -> Span | None:
    match = source.locate(text)
    if match.level not in {"exact", "normalised"} or not match.spans:
        return None
    return match.spans[0]


def _overlap(a: Span, b: Span) -> float:
    """Shared characters over those of the longer one."""
    shared = min(a.end, b.end) - max(a.start, b.start)
    longest = max(a.end - a.start, b.end - b.start)
    return max(0, shared) / longest if longest else 0.0
