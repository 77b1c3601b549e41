"""Runner and store together: resumed, shared between processes, read again, and never doubled."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judge_support import QUICK, Scripted, finish, honest, reply, spec
from trueup.domain.judging import JudgeTask, Reply
from trueup.domain.model import Chunk, JudgeSpec, Record, Unit
from trueup.domain.transfer import ImportedRecord
from trueup.judge.base import CallFailed, LeasingSink
from trueup.judge.options import RunOptions, RunStopped
from trueup.judge.reparse import reread
from trueup.judge.runner import Run
from trueup.services.tasks import task_of
from trueup.store import Store

JUDGE = spec(evidence="off")


def imported(count: int) -> Iterator[ImportedRecord]:
    """Records with two claims each."""
    for n in range(count):
        chunk = Chunk("c", f"Valve {n} was opened on Monday by Ada.")
        record = Record(id=f"q-{n}", answer="An answer.", question="Which?", context=(chunk,))
        texts = (f"Valve {n} was opened.", f"Valve {n} was opened by Boole.")
        claims = tuple(
            Unit(record.key, f"q-{n}#{k}", "answer_claim", text, k)
            for k, text in enumerate(texts, 1)
        )
        yield ImportedRecord(record, claims={"answer_claim": claims})


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with forty records."""
    with Store.open(tmp_path / "trueup.db", create=True) as opened:
        opened.import_records(imported(40))
        yield opened


def plan(store: Store, judge: JudgeSpec = JUDGE) -> list[JudgeTask]:
    """What has no verdict of the judge yet."""
    missing = store.missing(
        kind="answer_claim", metric="groundedness", fingerprint=judge.fingerprint, repeat=0
    )
    return [task_of(record, units, "groundedness") for record, units in missing]


async def judged(
    store: Store, backend: Any, judge: JudgeSpec = JUDGE, **options: Any
) -> tuple[Run, RunStopped | None]:
    """Plan, run, and say how it ended."""
    store.save_judge(judge)
    given: dict[str, Any] = {"retry": QUICK, "concurrency": 8, "poll_s": 0.01} | options
    run = Run(plan(store, judge), judge, backend, store.sink(judge), RunOptions(**given))
    try:
        await finish(run)
    except RunStopped as stopped:
        return run, stopped
    return run, None


def verdicts(store: Store, judge: JudgeSpec = JUDGE) -> dict[str, Any]:
    """Stored verdicts by unit; each once."""
    found = list(store.verdicts(metric="groundedness", fingerprints=[judge.fingerprint]))
    by_unit = {v.unit: v for v in found}
    assert len(by_unit) == len(found)
    return by_unit


async def test_a_second_run_asks_nothing(store: Store) -> None:
    """All is there after the first."""
    assert isinstance(store.sink(JUDGE), LeasingSink)
    backend = Scripted(honest)
    await judged(store, backend)
    assert len(verdicts(store)) == 80
    assert len(backend.asked) == 40

    again, _ = await judged(store, backend)
    assert len(backend.asked) == 40
    assert again.summary is not None
    assert again.summary.calls == 0


async def test_a_run_that_was_stopped_goes_on(store: Store) -> None:
    """What was answered is kept; what failed for a passing reason is asked again and replaced."""
    quota = CallFailed("quota", "no more", scope="run")
    down = CallFailed("bad_response", "HTTP 500")
    first, stopped = await judged(store, Scripted(*[honest] * 10, down, down, down, quota))
    assert stopped is not None
    assert first.summary is not None
    before = {u for u, v in verdicts(store).items() if v.value != "undecided"}
    assert 20 <= len(before) < 80

    backend = Scripted(honest)
    await judged(store, backend)
    after = verdicts(store)
    assert len(after) == 80
    assert {v.value for v in after.values()} == {"not_entailed"}
    assert len(backend.asked) == (80 - len(before)) / 2


async def test_two_runs_at_once_share_the_work(store: Store, tmp_path: Path) -> None:
    """Each with its own connections; no record is asked about twice."""

    class Slow(Scripted):
        async def complete(self, judge: JudgeSpec, asked: JudgeTask) -> Reply:
            await asyncio.sleep(0.002)
            return await super().complete(judge, asked)

    one, two = Slow(honest), Slow(honest)
    with Store.open(tmp_path / "trueup.db") as other:
        await asyncio.gather(judged(store, one), judged(other, two))

    asked = [t.record for b in (one, two) for t in b.asked]
    assert len(asked) == len(set(asked)) == 40
    assert len(verdicts(store)) == 80


async def test_stored_replies_serve_another_rule(store: Store) -> None:
    """`required` is read from the replies of `off`, without a call, as a judge of its own."""

    def quoting(asked: JudgeTask) -> Reply:
        quotes = ("was opened on Monday", "opened by Boole")
        entries = ",".join(
            f'{{"number": {n}, "claim": "{u.text}", "entailed": true, "evidence": ["{q}"]}}'
            for n, (u, q) in enumerate(zip(asked.units, quotes, strict=True), 1)
        )
        return reply(f'{{"claims": [{entries}]}}')

    await judged(store, Scripted(quoting))
    strict = replace(JUDGE, evidence="required")
    store.save_judge(strict)
    stored = store.replies(metric="groundedness", call_fingerprint=JUDGE.call_fingerprint)
    tasks = {t.record: t for t in plan(store, strict)}
    store.sink(strict).commit(list(reread(stored, tasks, strict)))

    assert {v.value for v in verdicts(store).values()} == {"entailed"}
    again = verdicts(store, strict)
    assert sorted(v.value for v in again.values()) == ["entailed"] * 40 + ["not_entailed"] * 40
    assert plan(store, strict) == []
