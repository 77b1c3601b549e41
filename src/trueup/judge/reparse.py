"""Reads stored replies again, without a call: another evidence rule, a newer reader or locator.

The call fingerprint stays the same, the judge fingerprint is the new one. Pure: stored calls and
tasks in, judgements out, which a sink commits as further readings of calls that it has.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Protocol

from trueup.domain.judging import Judgement, JudgeTask, Reply
from trueup.domain.model import JudgeSpec, Verdict
from trueup.judge.match import match
from trueup.judge.parse import read_reply
from trueup.judge.planning import Bound, judgement, settled, undecided
from trueup.judge.render import claim_text
from trueup.judge.rules import EvidenceReader
from trueup.judge.single_call import read_single_call
from trueup.judge.templates import is_single_call


class StoredCall(Protocol):
    """What is kept of a call: see domain.judging.Judgement."""

    @property
    def record(self) -> str: ...
    @property
    def repeat(self) -> int: ...
    @property
    def part(self) -> int: ...
    @property
    def asked(self) -> tuple[str, ...]: ...
    @property
    def reply(self) -> Reply | None: ...
    @property
    def failure(self) -> str | None: ...


def reread(
    calls: Iterable[StoredCall], tasks: Mapping[str, JudgeTask], spec: JudgeSpec
) -> Iterator[Judgement]:
    """New judgements of stored calls. `tasks` has each record's task with all its units, by record
    key; calls about records or units that are not in it any more are left out.

    Of several calls about one unit the first that decides it counts, as in a run; what none of them
    decided is undecided for the reason of the last one.
    """
    bound = Bound.of(spec)
    ordered = sorted(calls, key=lambda c: (c.record, c.repeat, c.part))
    for (record, repeat), group in groupby(ordered, key=lambda c: (c.record, c.repeat)):
        task = tasks.get(record)
        if task is not None:
            yield from _record(bound, replace(task, repeat=repeat), list(group))


def _record(bound: Bound, task: JudgeTask, calls: Sequence[StoredCall]) -> Iterator[Judgement]:
    units = {u.key: u for u in task.units}
    decided: set[str] = set()
    last_ask = {key: c.part for c in calls for key in c.asked}
    for call in calls:
        known = tuple(units[key] for key in call.asked if key in units)
        if len(known) < len(call.asked) or not known:
            continue
        sub = replace(task, units=known, part=call.part)
        kept = [
            v
            for v in _verdicts(bound, sub, call)
            if v.unit not in decided and (v.value != "undecided" or last_ask[v.unit] == call.part)
        ]
        if call is calls[-1]:
            silent = [u for u in task.units if u.key not in last_ask]
            kept += undecided(bound, task, silent, call.failure or "missing_verdict")
        decided.update(v.unit for v in kept)
        # The call keeps the failure under which it was stored: only its reading is new.
        yield judgement(bound, sub, kept, reply=call.reply, failure=call.failure)


def _verdicts(bound: Bound, task: JudgeTask, call: StoredCall) -> Sequence[Verdict]:
    if call.reply is None:
        without = settled(bound, task)
        if without is not None:
            return without
        return undecided(bound, task, task.units, call.failure or "missing_verdict")
    reading = read_reply(call.reply)
    if reading.failure is not None:
        return undecided(bound, task, task.units, reading.failure)
    if is_single_call(bound.spec.prompt_text):
        return read_single_call(bound, task, reading)[0]
    matched = match(reading.items, [claim_text(task, u) for u in task.units])
    return EvidenceReader(bound).verdicts(task, matched.claims, reading.flags)
