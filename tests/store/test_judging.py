"""Judges, calls, verdicts and leases: each once, whoever else is writing."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

from store_help import claims, item, judge, judgement, record, verdict
from trueup.domain.judging import JudgeTask, Reply, TaskUnit, Usage
from trueup.domain.model import JudgeSpec, Record, Unit
from trueup.errors import ConflictError, StoreError
from trueup.exchange.entries import recorded_judge
from trueup.judge.base import Lease, LeasingSink
from trueup.store import Store


def filled(store: Store, n: int = 3) -> list[Record]:
    """Records with two claims each, stored."""
    records = [record(f"q-{i}") for i in range(n)]
    store.import_records(map(item, records))
    return records


def task(of: Record, units: tuple[Unit, ...] | None = None, repeat: int = 0) -> JudgeTask:
    """The task of asking about a record's claims."""
    asked = tuple(TaskUnit(u.key, u.text) for u in units or claims(of))
    return JudgeTask(of.key, of.id, "groundedness", asked, repeat=repeat)


class SomeLease(Lease):
    """A lease whose dead owners the test names."""

    gone: frozenset[str] = frozenset()

    def dead(self, owner: str) -> bool:
        """Whether the test says so."""
        return owner in self.gone


def test_a_sink_is_what_the_runner_leases_from(store: Store) -> None:
    """The store's sink has every method of the judge's protocol."""
    assert isinstance(store.sink(judge()), LeasingSink)


def test_verdicts_come_back_with_their_evidence(store: Store) -> None:
    """Value, own value, evidence, flags and metadata survive."""
    one, spec = filled(store, 1)[0], judge(evidence="required")
    a, b = claims(one)
    first = verdict(
        a, spec, "not_entailed", own_value="entailed", flags=("quote_absent",), meta={"score": 0.5}
    )
    second = verdict(b, spec, "undecided", reason="parse", evidence=())
    store.sink(spec).commit([judgement(one, spec, (first, second))])

    assert list(store.verdicts(metric="groundedness")) == [first, second]
    assert list(store.verdicts(metric="groundedness", units=[b.key])) == [second]
    assert list(store.verdicts(metric="groundedness", fingerprints=["0" * 32])) == []
    assert list(store.verdicts(metric="answer_relevancy")) == []


def test_a_judge_knows_what_answered_and_when(store: Store) -> None:
    """The stored judge carries the models that answered and the time of its calls."""
    (one,), spec = filled(store, 1), judge()
    store.save_judge(spec)
    assert [(j.n_verdicts, j.first_at) for j in store.judges()] == [(0, None)]
    store.sink(spec).commit([judgement(one, spec, tuple(verdict(u, spec) for u in claims(one)))])
    (found,) = store.judges(metric="groundedness")

    assert (found.spec, found.fingerprint, found.n_verdicts) == (spec, spec.fingerprint, 2)
    assert found.answered_models == ("small-2026",)
    assert found.first_at == found.last_at
    assert store.judges(metric="contextual_recall") == []


def test_replies_are_kept_whole(store: Store) -> None:
    """The raw reply, what was asked and what it cost are there for another reading."""
    (one,), spec = filled(store, 1), judge()
    reply = Reply(
        "é" * 5000 + "\ud83d", "stop", None, "m", "fp_1", Usage(7, None), {"dropped": "seed"}
    )
    unit = claims(one)[1]
    store.sink(spec).commit([judgement(one, spec, (verdict(unit, spec),), reply=reply)])
    (found,) = store.replies(metric="groundedness", call_fingerprint=spec.call_fingerprint)

    assert found.reply == reply
    assert (found.record, found.asked) == (one.key, (unit.key,))
    assert (found.cost, found.seconds, found.attempts, found.failure) == (0.01, 0.5, 1, None)


def test_another_evidence_rule_reads_the_same_reply(store: Store) -> None:
    """One stored call serves two judges that differ in their evidence rule."""
    (one,), off = filled(store, 1), judge()
    required = replace(off, evidence="required")
    units = claims(one)
    store.sink(off).commit([judgement(one, off, tuple(verdict(u, off) for u in units))])
    read = tuple(verdict(u, required, "not_entailed") for u in units)
    store.sink(required).commit([judgement(one, required, read)])

    calls = list(store.replies(metric="groundedness", call_fingerprint=off.call_fingerprint))
    assert len(calls) == 1
    found = store.verdicts(metric="groundedness", fingerprints=[required.fingerprint])
    assert list(found) == list(read)


def test_a_reading_of_a_reply_that_is_not_the_stored_one_is_dropped(store: Store) -> None:
    """Two runs paid for one call under different rules: only the stored reply is ever read."""
    (one,), off = filled(store, 1), judge()
    required = replace(off, evidence="required")
    unit = claims(one)[0]
    store.sink(off).commit([judgement(one, off, (verdict(unit, off),), text="first")])
    late = judgement(one, required, (verdict(unit, required),), text="second")
    store.sink(required).commit([late])

    found = store.verdicts(metric="groundedness", fingerprints=[required.fingerprint])
    assert list(found) == []


def test_of_two_runs_with_one_call_the_first_is_kept_whole(store: Store) -> None:
    """A second reply to the same call brings no verdict, not even on units the first left out."""
    (one,), spec = filled(store, 1), judge()
    a, b = claims(one)
    store.sink(spec).commit([judgement(one, spec, (verdict(a, spec),), text="first")])
    late = (verdict(a, spec, "not_entailed"), verdict(b, spec, "not_entailed"))
    store.sink(spec).commit([judgement(one, spec, late, text="second")])

    assert list(store.verdicts(metric="groundedness")) == [verdict(a, spec)]


def test_a_later_part_adds_what_a_reply_left_out(store: Store) -> None:
    """What is there stays; what is missing is added."""
    (one,), spec = filled(store, 1), judge()
    a, b = claims(one)
    sink = store.sink(spec)
    sink.commit([judgement(one, spec, (verdict(a, spec),))])
    later = (verdict(a, spec, "not_entailed"), verdict(b, spec, "not_entailed"))
    sink.commit([judgement(one, spec, later, part=1, text="second")])

    assert [v.value for v in store.verdicts(metric="groundedness")] == ["entailed", "not_entailed"]


def test_two_parts_of_one_batch_that_rule_on_one_unit(store: Store) -> None:
    """The first stands, unless it failed in passing; a batch of any size goes in as one."""
    records, spec = filled(store, 40), judge()
    batch = []
    for one in records:
        a, b = claims(one)
        timeout = verdict(b, spec, "undecided", reason="timeout", evidence=())
        batch.append(judgement(one, spec, (verdict(a, spec), timeout)))
        late = (verdict(a, spec, "not_entailed"), verdict(b, spec, "not_entailed", evidence=()))
        batch.append(judgement(one, spec, late, part=1, text="second"))
    store.sink(spec).commit(batch)
    found = {v.unit: v for v in store.verdicts(metric="groundedness")}

    for one in records:
        a, b = claims(one)
        assert found[a.key] == verdict(a, spec)
        assert found[b.key] == verdict(b, spec, "not_entailed", evidence=())


def test_a_passing_failure_is_replaced(store: Store) -> None:
    """A time-out is asked again and its verdict replaced; a refusal stays."""
    (one,), spec = filled(store, 1), judge()
    a, b = claims(one)
    sink = store.sink(spec)
    failed = (
        verdict(a, spec, "undecided", reason="timeout", evidence=(), meta={"seconds": 60}),
        verdict(b, spec, "undecided", reason="refusal", evidence=()),
    )
    sink.commit([judgement(one, spec, failed, reply=None, failure="timeout")])
    ((_, lacking),) = store.missing(
        kind="answer_claim", metric="groundedness", fingerprint=spec.fingerprint
    )
    assert [u.key for u in lacking] == [a.key]
    again = (verdict(a, spec, evidence=()), verdict(b, spec))
    sink.commit([judgement(one, spec, again, part=1)])

    assert list(store.verdicts(metric="groundedness")) == [again[0], failed[1]]


def test_what_is_missing_is_per_judge_and_repeat(store: Store) -> None:
    """A second run finds nothing; another repeat, judge or record does."""
    records, spec = filled(store, 3), judge()

    def missing(fingerprint: str = spec.fingerprint, **options: object) -> list[str]:
        found = store.missing(
            kind="answer_claim", metric="groundedness", fingerprint=fingerprint, **options
        )  # type: ignore[arg-type]
        return [f"{r.id}:{len(units)}" for r, units in found]

    assert missing() == ["q-0:2", "q-1:2", "q-2:2"]
    assert missing(limit=2) == ["q-0:2", "q-1:2"]
    sink = store.sink(spec)
    for one in records[:2]:
        rule = claims(one)[: 1 if one is records[0] else 2]
        sink.commit([judgement(one, spec, tuple(verdict(u, spec) for u in rule))])

    assert missing() == ["q-0:1", "q-2:2"]
    assert missing(repeat=1) == ["q-0:2", "q-1:2", "q-2:2"]
    assert missing("0" * 32) == ["q-0:2", "q-1:2", "q-2:2"]
    assert missing(releases=["nothing"]) == []


def test_repeats_stand_beside_each_other(store: Store) -> None:
    """The same claim judged twice has two verdicts."""
    (one,), spec = filled(store, 1), judge()
    unit = claims(one)[0]
    for repeat in (0, 1):
        v = verdict(unit, spec, repeat=repeat)
        store.sink(spec).commit([judgement(one, spec, (v,), repeat=repeat)])

    assert [v.repeat for v in store.verdicts(metric="groundedness", repeat=None)] == [0, 1]
    assert [v.repeat for v in store.verdicts(metric="groundedness", repeat=1)] == [1]


def test_arrays_hold_the_verdicts_on_current_units(store: Store) -> None:
    """Codes by unit and record, without units that a later claim set or record replaced."""
    records, spec = filled(store, 3), judge()
    sink = store.sink(spec)
    values = ("entailed", "not_entailed", "undecided")
    for one, value in zip(records, values, strict=True):
        reason = "parse" if value == "undecided" else None
        ruled = tuple(verdict(u, spec, value, reason=reason) for u in claims(one))  # type: ignore[arg-type]
        sink.commit([judgement(one, spec, ruled)])
    arrays = store.verdict_arrays(metric="groundedness", fingerprint=spec.fingerprint)

    assert arrays.value.tolist() == [1, 1, 0, 0, -1, -1]
    assert len(np.unique(arrays.record)) == 3
    assert arrays.unit.dtype == np.int64
    store.import_records([item(record("q-0", answer="New."), claims={})], update=True)
    after = store.verdict_arrays(metric="groundedness", fingerprint=spec.fingerprint)
    assert after.value.tolist() == [0, 0, -1, -1]
    assert len(list(store.verdicts(metric="groundedness"))) == 4
    nothing = store.verdict_arrays(metric="groundedness", fingerprint="0" * 32)
    assert nothing.unit.tolist() == []


def test_a_recorded_verdict_that_changed_is_a_conflict(store: Store) -> None:
    """The same judge cannot say two things of a claim, unless it is an update."""
    one, spec = record(), recorded_judge("old", "groundedness")
    unit = claims(one)[0]
    before = item(one, verdicts=(verdict(unit, spec),), judges=(spec,))
    after = item(one, verdicts=(verdict(unit, spec, "not_entailed"),), judges=(spec,))
    store.import_records([before])
    with pytest.raises(ConflictError, match="verdict differs"):
        store.import_records([after])
    store.import_records([after], update=True)

    assert [v.value for v in store.verdicts(metric="groundedness")] == ["not_entailed"]


def test_one_judge_of_two_metrics_is_two(store: Store) -> None:
    """Recorded judges of one name have one fingerprint; their verdicts stay per metric."""
    one = record()
    unit = claims(one)[0]
    specs = tuple(recorded_judge("old", m) for m in ("groundedness", "answer_relevancy"))
    assert specs[0].fingerprint == specs[1].fingerprint
    store.import_records([item(one, verdicts=tuple(verdict(unit, s) for s in specs), judges=specs)])

    assert len(list(store.verdicts(metric="groundedness"))) == 1
    assert len(list(store.verdicts(metric="answer_relevancy"))) == 1


def test_a_lease_keeps_a_second_run_out(store: Store) -> None:
    """What one run holds another does not get; what is released it does."""
    records, spec = filled(store, 3), judge()
    tasks = [task(one) for one in records]
    sink = store.sink(spec)
    mine, theirs = SomeLease("host:1:x:a"), SomeLease("host:2:x:b")

    assert sink.claim(tasks[:2], spec, mine) == tasks[:2]
    assert sink.claim(tasks, spec, theirs) == tasks[2:]
    assert sink.held(tasks, spec, theirs) == tasks[:2]
    assert sink.held(tasks, spec, mine) == tasks[2:]
    sink.release(tasks[:1], spec, mine)
    assert sink.claim(tasks, spec, theirs) == [tasks[0], tasks[2]]


def test_leases_end_by_time_and_by_death(store: Store) -> None:
    """A run that died holds nothing; one that renews does."""
    (one,), spec = filled(store, 1), judge()
    sink, tasks = store.sink(spec), [task(one)]
    over = SomeLease("host:1:x:a", ttl_s=-1.0)
    other = SomeLease("host:2:x:b")
    assert sink.claim(tasks, spec, over) == tasks
    assert sink.held(tasks, spec, other) == []
    third = SomeLease("host:4:x:d", ttl_s=-1.0)
    assert sink.claim(tasks, spec, third) == tasks
    assert sink.claim(tasks, spec, over) == tasks
    sink.renew(SomeLease(over.owner, ttl_s=100.0))
    assert sink.claim(tasks, spec, other) == []

    class Mourner(SomeLease):
        gone = frozenset({over.owner})

    heir = Mourner("host:3:x:c")
    assert sink.held(tasks, spec, heir) == []
    assert sink.claim(tasks, spec, heir) == tasks


def test_a_claim_gives_only_what_still_lacks_a_verdict(store: Store) -> None:
    """Between plan and claim another run may have ruled; `part` goes on where it stopped."""
    records, spec = filled(store, 2), judge()
    sink = store.sink(spec)
    a, b = claims(records[0])
    sink.commit([judgement(records[0], spec, (verdict(a, spec),), part=4)])
    whole = tuple(verdict(u, spec) for u in claims(records[1]))
    sink.commit([judgement(records[1], spec, whole)])
    (got,) = sink.claim([task(one) for one in records], spec, SomeLease("host:1:x:a"))

    assert [u.key for u in got.units] == [b.key]
    assert got.part == 5
    assert sink.held([task(records[1])], spec, SomeLease("host:2:x:b")) == []


def test_leases_are_per_call_not_per_reading(store: Store) -> None:
    """Two evidence rules of one call share it: only one pays."""
    (one,), off = filled(store, 1), judge()
    required = replace(off, evidence="required")
    assert store.sink(off).claim([task(one)], off, SomeLease("host:1:x:a"))

    assert store.sink(required).claim([task(one)], required, SomeLease("host:2:x:b")) == []
    other = judge("other")
    assert store.sink(other).claim([task(one)], other, SomeLease("host:2:x:b"))


def test_two_threads_with_the_same_batches_store_each_verdict_once(target: object) -> None:
    """Racing writers with different verdicts for the same calls never mix them."""
    with Store.open(target, create=True) as store:  # type: ignore[arg-type]
        records, spec = filled(store, 40), judge()
        values = ("entailed", "not_entailed")

        def run(value: str, order: list[Record]) -> None:
            sink = store.sink(spec)
            for one in order:
                ruled = tuple(verdict(u, spec, value) for u in claims(one))  # type: ignore[arg-type]
                sink.commit([judgement(one, spec, ruled, text=value)])

        threads = [
            threading.Thread(target=run, args=(v, list(o)))
            for v, o in zip(values, (records, records[::-1]), strict=True)
        ]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        found = {v.unit: v.value for v in store.verdicts(metric="groundedness")}
        replies = store.replies(metric="groundedness", call_fingerprint=spec.call_fingerprint)
        said = {r.record: r.reply.text for r in replies if r.reply}

    assert len(found) == 80
    for one in records:
        assert {found[u.key] for u in claims(one)} == {said[one.key]}


def test_a_judgement_of_another_judge_is_refused(store: Store) -> None:
    """A sink belongs to one judge."""
    (one,), spec = filled(store, 1), judge()
    other: JudgeSpec = judge("other")
    with pytest.raises(StoreError, match="another judge"):
        store.sink(spec).commit([judgement(one, other, (verdict(claims(one)[0], other),))])
