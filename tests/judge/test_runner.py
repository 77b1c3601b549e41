"""A run: every unit ends with one verdict or one named reason, and what was paid for is kept."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from judge_support import (
    CLAIMS,
    QUICK,
    ListSink,
    Scripted,
    finish,
    honest,
    judged,
    reply,
    spec,
    task,
)
from trueup.domain.judging import Judgement, JudgeTask, Reply, TaskUnit, Usage
from trueup.domain.model import JudgeSpec
from trueup.judge.base import CallFailed, Lease, LeasingSink
from trueup.judge.budget import Price
from trueup.judge.options import RunOptions, RunStopped
from trueup.judge.runner import Run, run

DOWN = CallFailed("bad_response", "HTTP 500: down")


def tasks(count: int) -> list[JudgeTask]:
    """Records of three claims each."""
    return [task(record=f"r{i}") for i in range(count)]


def saying(*numbers: int, wrong: Sequence[int] = ()) -> Any:
    """Answers about the claims of these numbers only; `wrong` ones are malformed."""

    def answer(asked: JudgeTask) -> Reply:
        entries = [
            {"number": n, "claim": u.text, "entailed": "yes" if n in wrong else False}
            for n, u in enumerate(asked.units, 1)
            if n in numbers
        ]
        return reply(json.dumps({"claims": entries}))

    return answer


async def test_every_unit_gets_its_verdict_once() -> None:
    """One call a record; summary and sink agree."""
    backend = Scripted(honest)
    run, sink = await judged(backend, tasks(20))

    assert run.summary is not None
    assert len(backend.asked) == run.summary.calls == 20
    assert len({v.unit for v in sink.verdicts}) == len(sink.verdicts) == 60
    assert (run.summary.units, run.summary.not_entailed, run.summary.undecided) == (60, 60, {})
    assert (run.summary.input_tokens, run.summary.output_tokens) == (2000, 200)
    assert run.summary.cost is None
    assert {j.part for j in sink.judgements} == {0}


async def test_what_a_reply_left_out_is_asked_once_more() -> None:
    """In a smaller call with numbers of its own; then it is undecided."""
    backend = Scripted(saying(1, 3), saying())
    _, sink = await judged(backend, tasks(1))

    assert [len(t.units) for t in backend.asked] == [3, 1]
    assert backend.asked[1].units[0].text == CLAIMS[1]
    assert [v.value for v in sink.verdicts] == ["not_entailed", "undecided", "not_entailed"]
    assert sink.verdicts[1].reason == "missing_verdict"
    assert [(j.part, len(j.verdicts)) for j in sink.judgements] == [(0, 2), (1, 1)]
    assert [j.asked for j in sink.judgements] == [("r0#1", "r0#2", "r0#3"), ("r0#2",)]


async def test_nothing_is_asked_a_third_time() -> None:
    """A judge that leaves out some claims each time ends with those undecided."""
    backend = Scripted(saying(1))
    _, sink = await judged(backend, tasks(1))

    assert [len(t.units) for t in backend.asked] == [3, 2]
    assert [v.reason for v in sink.verdicts] == [None, None, "missing_verdict"]


async def test_a_spoilt_entry_is_asked_once_more() -> None:
    """The second reply may be in order."""
    _, sink = await judged(Scripted(saying(1, 2, 3, wrong=[2]), saying(1)), tasks(1))

    assert [v.value for v in sink.verdicts] == ["not_entailed"] * 3


async def test_when_all_is_missing_nothing_smaller_can_be_asked() -> None:
    """No second call of the same size."""
    backend = Scripted(saying())
    _, sink = await judged(backend, tasks(1))

    assert len(backend.asked) == 1
    assert {v.reason for v in sink.verdicts} == {"missing_verdict"}


async def test_a_cut_off_reply_is_asked_in_halves() -> None:
    """Until it fits."""

    def answer(asked: JudgeTask) -> Reply:
        fits = len(asked.units) <= 2
        return replace(honest(asked), finish_reason="stop" if fits else "length")

    backend = Scripted(answer)
    claims = [f"Claim number {n}." for n in range(7)]
    run, sink = await judged(backend, [task(claims)])

    assert [len(t.units) for t in backend.asked] == [7, 4, 2, 2, 3, 2, 1]
    assert len(sink.verdicts) == 7
    assert run.summary is not None
    assert run.summary.undecided == {}
    assert run.summary.calls == 7
    assert [j.part for j in sink.judgements] == list(range(7))


async def test_a_claim_that_never_fits_ends_the_record() -> None:
    """Not one call for each of the others too."""
    backend = Scripted(reply("{", finish_reason="length"))
    _, sink = await judged(backend, [task([f"Claim {n}." for n in range(8)])])

    assert len(backend.asked) == 4
    assert {v.reason for v in sink.verdicts} == {"truncated"}
    assert len(sink.verdicts) == 8


async def test_claims_per_call_cuts_the_record() -> None:
    """Each part is a call and a judgement of its own."""
    backend = Scripted(honest)
    _, sink = await judged(backend, tasks(1), spec(claims_per_call=2))

    assert [len(t.units) for t in backend.asked] == [2, 1]
    assert [j.part for j in sink.judgements] == [0, 1]


async def test_parts_go_on_where_the_store_is() -> None:
    """A record that was asked before gets the next part."""
    _, sink = await judged(Scripted(honest), [replace(task(), part=3)])

    assert [j.part for j in sink.judgements] == [3]


@pytest.mark.parametrize("reason", ["refusal", "content_filter", "context_length"])
async def test_what_the_whole_record_meets_is_asked_once(reason: str) -> None:
    """The other parts of the record are not sent; other records go on."""
    failed = CallFailed(reason, "no", scope="record")
    backend = Scripted(failed, honest)
    run, sink = await judged(backend, tasks(2), spec(claims_per_call=1), concurrency=1, retry=QUICK)

    assert len(backend.asked) == 1 + 3
    assert [v.reason for v in sink.verdicts] == [reason] * 3 + [None] * 3
    assert run.summary is not None
    assert (run.summary.records, run.summary.records_failed) == (2, 1)


async def test_what_may_pass_is_asked_again() -> None:
    """Attempts, tokens and cost of all of them count."""
    failed = CallFailed("bad_response", "no choices", usage=Usage(50, 0))
    price = Price(input=1_000_000, output=0)
    run, sink = await judged(Scripted(failed, failed, honest), tasks(1), price=price)

    assert run.summary is not None
    assert (run.summary.calls, run.summary.input_tokens) == (3, 200)
    assert run.summary.cost == 200
    assert (sink.judgements[0].attempts, sink.judgements[0].cost) == (3, 200)


async def test_a_backend_with_a_bug_fails_its_record_only() -> None:
    """The error is named, the run goes on."""
    run, sink = await judged(Scripted(KeyError("choices"), honest), tasks(2), concurrency=1)

    assert [v.reason for v in sink.verdicts] == ["bad_response"] * 3 + [None] * 3
    assert run.summary is not None
    assert "KeyError" in run.summary.failures["bad_response"]


async def test_a_call_has_one_deadline() -> None:
    """Whatever the backend waits for."""

    class Hanging:
        async def complete(self, _spec: JudgeSpec, _task: JudgeTask) -> Reply:
            await asyncio.Event().wait()
            raise AssertionError

        async def aclose(self) -> None: ...

    run, sink = await judged(Hanging(), tasks(1), timeout_s=0.01)

    assert {v.reason for v in sink.verdicts} == {"timeout"}
    assert run.summary is not None
    assert run.summary.calls == QUICK.retries + 1


@pytest.mark.parametrize("reason", ["auth", "quota", "not_found"])
async def test_what_every_call_would_meet_stops_the_run(reason: str) -> None:
    """What was answered is stored, the rest is counted, the last event has the summary."""
    failed = CallFailed(reason, f"HTTP 4xx: {reason}", scope="run")
    sink = ListSink()
    options = RunOptions(concurrency=2, retry=QUICK)
    one = Run(tasks(30), spec(), Scripted(*[honest] * 5, failed), sink, options)
    events: list[Any] = []
    with pytest.raises(RunStopped) as stopped:
        await finish(one, events)

    assert (stopped.value.reason, stopped.value.exit_code) == (reason, 5)
    assert stopped.value.hint
    decided = [v for v in sink.verdicts if v.value != "undecided"]
    assert len(decided) >= 5 * 3
    summary = events[-1].summary
    assert summary is one.summary
    assert summary.units == 90
    assert summary.undecided == {reason: 90 - len(decided)}
    assert summary.reason == reason


async def test_a_server_that_is_down_stops_the_run() -> None:
    """Not one series of retries for each record."""
    backend = Scripted(DOWN)
    one = Run(tasks(100), spec(), backend, ListSink(), RunOptions(give_up_after=4, retry=QUICK))
    with pytest.raises(RunStopped, match="4 calls in a row"):
        await finish(one)

    assert len(backend.asked) < 300


async def test_a_server_that_cannot_be_reached_stops_the_run_at_once() -> None:
    """When no call was ever answered."""
    backend = Scripted(CallFailed("bad_response", "refused", unreachable=True))
    with pytest.raises(RunStopped, match="cannot be reached"):
        await judged(backend, tasks(100), concurrency=1)

    assert len(backend.asked) == QUICK.retries + 1


async def test_one_success_starts_the_count_of_failures_anew() -> None:
    """Single failures in a long run do not add up."""
    answers = [*[DOWN] * 3, honest] * 10
    run, _ = await judged(Scripted(*answers, honest), tasks(20), concurrency=1, give_up_after=2)

    assert run.summary is not None
    assert run.summary.records == 20


@pytest.mark.parametrize("cap", [0, 1, 7])
async def test_a_cap_on_calls_is_kept(cap: int) -> None:
    """What was not asked is counted under `budget` and not stored."""
    backend = Scripted(honest)
    run, sink = await judged(backend, tasks(20), max_calls=cap)

    assert len(backend.asked) == cap
    assert run.summary is not None
    assert run.summary.undecided == {"budget": 60 - 3 * cap}
    assert len(sink.verdicts) == 3 * cap
    assert run.summary.reason == "budget"


async def test_progress_tells_rate_cost_and_who_answers() -> None:
    """Snapshots while it runs, the summary at the end."""
    events = [
        e
        async for e in run(
            tasks(5), spec(), Scripted(honest), ListSink(), RunOptions(price=Price(1, 1))
        )
    ]

    assert events[0].done == 0
    assert [e.summary is None for e in events] == [True] * (len(events) - 1) + [False]
    last = events[-1]
    assert (last.done, last.total, last.units) == (5, 5, 15)
    assert last.answered_models == ("m",)
    assert last.cost == pytest.approx(5 * 110 / 1e6)
    assert json.loads(json.dumps(last.summary.to_json(), allow_nan=False))["calls"] == 5


async def test_a_model_that_changes_under_its_name_is_reported() -> None:
    """Once for each, with both names; and when another model than the asked one answers."""

    def answer(model: str, fingerprint: str) -> Any:
        return lambda asked: replace(
            honest(asked), answered_model=model, system_fingerprint=fingerprint
        )

    backend = Scripted(answer("m-1", "a"), answer("m-1", "a"), answer("m-2", "b"))
    run, _ = await judged(backend, tasks(5), concurrency=1)

    assert run.summary is not None
    assert run.summary.answered_models == {"m-1": 2, "m-2": 3}
    assert run.summary.system_fingerprints == {"a": 2, "b": 3}
    assert len(run.summary.warnings) == 2
    assert any("m-1, m-2" in w for w in run.summary.warnings)


@pytest.mark.parametrize(
    ("asked", "answered"),
    [("m", "m"), ("m", "m-2026-01-01"), ("vendor/m", "m"), ("vendor/m", "vendor/m"), ("m", "x/m")],
)
async def test_a_dated_name_is_the_same_model(asked: str, answered: str) -> None:
    """No warning where the server spells out what was asked for."""
    backend = Scripted(lambda t: replace(honest(t), answered_model=answered))
    run, _ = await judged(backend, tasks(1), spec(model=asked))

    assert run.summary is not None
    assert run.summary.warnings == ()


async def test_what_a_model_says_reaches_no_terminal_as_a_command() -> None:
    """Messages that quote it are made printable."""
    run, sink = await judged(Scripted(reply("x", refusal="no\x1b[2J\u202e\nmore")), tasks(1))

    assert run.summary is not None
    assert run.summary.failures["refusal"].isprintable()
    assert sink.judgements[0].notes["message"].isprintable()


async def test_unknown_usage_is_null_and_counted() -> None:
    """Tokens and cost of what is known, and of how many calls that is."""
    unknown = lambda asked: replace(honest(asked), usage=Usage())  # noqa: E731
    run, _ = await judged(Scripted(unknown), tasks(2), price=Price(1, 1))
    assert run.summary is not None
    assert (run.summary.input_tokens, run.summary.cost) == (None, None)
    assert (run.summary.calls, run.summary.calls_with_usage) == (2, 0)

    run, _ = await judged(Scripted(unknown, honest), tasks(2), price=Price(1, 1))
    assert run.summary is not None
    assert (run.summary.input_tokens, run.summary.calls_with_usage) == (100, 1)


async def test_records_without_context_cost_nothing() -> None:
    """They are settled and stored without a call."""
    backend = Scripted(honest)
    empty, missing = task(context=[], record="e"), task(context=None, record="m")
    run, sink = await judged(backend, [empty, missing, task(record="r")])

    assert len(backend.asked) == 1
    assert run.summary is not None
    assert run.summary.undecided == {"no_context": 3}
    assert run.summary.flags["empty_context"] == 3
    assert {j.attempts for j in sink.judgements if j.reply is None} == {0}


async def test_leaving_the_events_keeps_what_is_done() -> None:
    """Closing the generator, or cancelling the task around it, ends the run and commits."""
    sink = ListSink()
    one = Run(tasks(50), spec(), Slow(), sink, RunOptions(concurrency=2, progress_s=0.001))

    async def use() -> None:
        async for event in one.events():
            if event.units >= 6:
                raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        await use()
    await asyncio.sleep(0)

    for _ in range(200):
        if one.summary is not None:
            break
        await asyncio.sleep(0.01)
    assert one.summary is not None
    assert 6 <= len(sink.verdicts) < 150
    assert one.summary.undecided == {"cancelled": 150 - len(sink.verdicts)}


class Slow:
    """Answers after a moment."""

    async def complete(self, _spec: JudgeSpec, asked: JudgeTask) -> Reply:
        await asyncio.sleep(0.001)
        return honest(asked)

    async def aclose(self) -> None: ...


@pytest.mark.parametrize(("concurrency", "bound"), [(1, 1), (7, 7), (31, 31), (40, 50)])
async def test_no_more_calls_are_unstored_than_run_at_once(concurrency: int, bound: int) -> None:
    """A worker begins its next call when the last one is committed; many leave some leeway."""
    stored = 0
    most = 0
    asked = 0

    class Counting(Slow):
        async def complete(self, judge: JudgeSpec, one: JudgeTask) -> Reply:
            nonlocal asked, most
            asked += 1
            most = max(most, asked - stored)
            return await super().complete(judge, one)

    class Sink(ListSink):
        def commit(self, batch: Sequence[Judgement]) -> None:
            nonlocal stored
            super().commit(batch)
            stored += len(batch)

    one = Run(tasks(160), spec(), Counting(), Sink(), RunOptions(concurrency=concurrency))
    await finish(one)

    assert stored == 160
    assert most <= bound


async def test_commits_come_in_batches() -> None:
    """Not one transaction for each reply."""
    _, sink = await judged(Slow(), tasks(100), concurrency=50)

    assert sum(sink.batches) == 100
    assert len(sink.batches) < 50


async def test_an_error_of_the_store_ends_the_run() -> None:
    """It is raised, with what was committed before still there."""

    class Full(ListSink):
        def commit(self, batch: Sequence[Judgement]) -> None:
            if len(self.judgements) >= 3:
                raise OSError("disk full")
            super().commit(batch)

    sink = Full()
    one = Run(tasks(20), spec(), Scripted(honest), sink, RunOptions(concurrency=1))
    with pytest.raises(OSError, match="disk full"):
        await finish(one)

    assert 3 <= len(sink.judgements) < 20
    assert one.summary is not None


class Shared(ListSink):
    """A sink in which two runs lease their work."""

    def __init__(self) -> None:
        super().__init__()
        self.owners: dict[str, str] = {}

    def claim(self, asked: Sequence[JudgeTask], _spec: JudgeSpec, lease: Lease) -> list[JudgeTask]:
        done = {v.unit for v in self.verdicts}
        granted = []
        for one in asked:
            if self.owners.setdefault(one.record, lease.owner) != lease.owner:
                continue
            left: tuple[TaskUnit, ...] = tuple(u for u in one.units if u.key not in done)
            if left:
                granted.append(replace(one, units=left))
            else:
                del self.owners[one.record]
        return granted

    def held(self, asked: Sequence[JudgeTask], _spec: JudgeSpec, lease: Lease) -> list[JudgeTask]:
        return [t for t in asked if self.owners.get(t.record, lease.owner) != lease.owner]

    def renew(self, lease: Lease) -> None: ...

    def release(self, asked: Sequence[JudgeTask], _spec: JudgeSpec, lease: Lease) -> None:
        for one in asked:
            if self.owners.get(one.record) == lease.owner:
                del self.owners[one.record]


async def test_two_runs_never_pay_twice() -> None:
    """They share the records; the one that is through first waits for the other's."""
    sink = Shared()
    assert isinstance(sink, LeasingSink)
    options = RunOptions(concurrency=3, poll_s=0.005)
    backends = [Asked(), Asked()]
    runs = [Run(tasks(300), spec(), b, sink, options) for b in backends]
    await asyncio.gather(*(finish(r) for r in runs))

    asked = [r for b in backends for r in b.records]
    assert sorted(asked) == sorted(t.record for t in tasks(300))
    assert all(b.records for b in backends)
    assert len(sink.verdicts) == len({v.unit for v in sink.verdicts}) == 900
    assert sink.owners == {}
    for one in runs:
        assert one.summary is not None
        assert one.summary.undecided == {}


class Asked(Slow):
    """Remembers which records it was asked about."""

    def __init__(self) -> None:
        self.records: list[str] = []

    async def complete(self, judge: JudgeSpec, asked: JudgeTask) -> Reply:
        self.records.append(asked.record)
        return await super().complete(judge, asked)


async def test_a_stopped_run_gives_its_leases_back() -> None:
    """Another run can take over at once."""
    sink = Shared()
    failed = CallFailed("auth", "no", scope="run")
    with pytest.raises(RunStopped):
        await finish(Run(tasks(10), spec(), Scripted(failed), sink, RunOptions()))

    assert sink.owners == {}


async def test_a_cancelled_run_gives_its_leases_back() -> None:
    """Those of the records under way too."""
    sink = Shared()
    one = Run(tasks(50), spec(), Slow(), sink, RunOptions(concurrency=4, progress_s=0.001))
    async for event in one.events():
        if event.units >= 6:
            one.cancel()

    assert sink.owners == {}
    assert one.summary is not None
    assert one.summary.reason == "cancelled"


async def test_a_run_that_ends_does_not_wait_for_another() -> None:
    """What another run holds is left to it when this one may ask no more."""
    sink = Shared()
    sink.owners = {f"r{i}": "another run" for i in range(5)}
    options = RunOptions(concurrency=4, max_calls=2, poll_s=0.001)
    one = Run(tasks(10), spec(), Slow(), sink, options)
    await asyncio.wait_for(finish(one), 10)

    assert one.summary is not None
    assert one.summary.reason == "budget"
    assert one.summary.held == 5
    assert sum(one.summary.undecided.values()) == 24
    assert set(sink.owners.values()) == {"another run"}
