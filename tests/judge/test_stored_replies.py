"""Judgements without a call: recorded verdicts, stored replies read again, the classic prompt."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from judge_support import CONTEXT, ListSink, Scripted, honest, judged, reply, spec, task
from trueup.domain.judging import JudgeTask, Reply
from trueup.domain.model import Span
from trueup.judge.base import CallFailed
from trueup.judge.recorded import RecordedBackend, RecordedVerdict
from trueup.judge.reparse import reread


async def test_a_recorded_judge_says_what_was_recorded() -> None:
    """Through the same reader and evidence as any judge; a null stays undecided."""
    backend = RecordedBackend(
        {
            "r1#1": RecordedVerdict(True, ("The quay at Lindow is 240 metres long.",)),
            "r1#2": RecordedVerdict(False),
            "r1#3": RecordedVerdict(None),
        }
    )
    _, sink = await judged(backend, [task()], spec(evidence="required"))

    assert [v.value for v in sink.verdicts] == ["entailed", "not_entailed", "undecided"]
    assert sink.verdicts[0].evidence[0].match == "exact"
    assert sink.verdicts[2].reason == "missing_verdict"


async def test_a_record_that_was_not_recorded_is_not_found() -> None:
    """It is a named state, and other records go on."""
    backend = RecordedBackend({"r2#1": RecordedVerdict(False)})
    run, sink = await judged(backend, [task(["A."], record="r1"), task(["A."], record="r2")])

    assert sink.of("r1#1").reason == "not_found"
    assert sink.of("r2#1").value == "not_entailed"
    assert run.summary is not None
    assert "r1" in run.summary.failures["not_found"]


def quoting(*quotes: str) -> Any:
    """Calls every claim entailed, the n-th with the n-th quote."""

    def answer(asked: JudgeTask) -> Reply:
        entries = [
            {"number": n, "claim": u.text, "entailed": True, "evidence": [q]}
            for n, (u, q) in enumerate(zip(asked.units, quotes, strict=False), 1)
        ]
        return reply(json.dumps({"claims": entries}))

    return answer


def read_again(sink: ListSink, tasks: list[JudgeTask], judge: Any) -> ListSink:
    """New judgements of what a sink holds."""
    found = ListSink()
    found.commit(list(reread(sink.judgements, {t.record: t for t in tasks}, judge)))
    return found


async def test_one_reply_serves_every_evidence_rule() -> None:
    """Without a call: the same call fingerprint, another judge."""
    backend = Scripted(quoting("The quay at Lindow is 240 metres long.", "It is red.", "Ferries"))
    off = spec(evidence="off")
    _, sink = await judged(backend, [task()], off)
    strict = replace(off, evidence="required")
    again = read_again(sink, [task()], strict)

    assert [v.value for v in sink.verdicts] == ["entailed"] * 3
    assert [v.value for v in again.verdicts] == ["entailed", "not_entailed", "not_entailed"]
    assert {v.fingerprint for v in again.verdicts} == {strict.fingerprint}
    assert strict.call_fingerprint == off.call_fingerprint
    (new,), (old,) = again.judgements, sink.judgements
    assert (new.part, new.reply, new.asked) == (old.part, old.reply, old.asked)
    assert len(backend.asked) == 1


@pytest.mark.parametrize(
    "answers",
    [
        (honest,),
        (lambda t: replace(honest(t), finish_reason="length"), honest),
        (reply('{"claims": []}'),),
        (reply("no JSON"),),
        (CallFailed("content_filter", "no", scope="record"),),
        (CallFailed("timeout", "slow"),),
        (quoting("a b", "c d"), quoting("e f")),
        (reply("x", refusal="I refuse"),),
    ],
)
@pytest.mark.parametrize("per_call", [None, 1, 2])
async def test_reading_again_gives_the_same_verdicts(answers: Any, per_call: int | None) -> None:
    """With the same judge every verdict comes out as it was, whatever happened in the run."""
    judge = spec(claims_per_call=per_call)
    tasks = [task(), task(record="e", context=[]), task(record="n", context=None)]
    _, sink = await judged(Scripted(*answers), tasks, judge)

    again = read_again(sink, tasks, judge)
    assert again.verdicts == sink.verdicts


async def test_claims_that_are_no_more_are_left_out() -> None:
    """A new claim set is judged anew, not from replies about the old one."""
    _, sink = await judged(Scripted(honest), [task()])
    other = task(["Another claim."], record="r1")
    renamed = replace(other, units=tuple(replace(u, key="r1#9") for u in other.units))

    assert read_again(sink, [renamed], spec()).judgements == []
    assert read_again(sink, [], spec()).judgements == []


ANSWER = "The quay is 240 metres long. It was built by Ada in 1902, and it is red."
FROZEN = [
    ("The quay is 240 metres long.", Span(0, 28)),
    ("It was built by Ada in 1902", Span(29, 56)),
    ("it is red.", Span(62, 72)),
]


def classic(*entries: tuple[str, bool]) -> Reply:
    """A reply of the classic prompt: the judge's own claims."""
    claims = [{"claim": text, "entailed": said, "evidence": []} for text, said in entries]
    return reply(json.dumps({"claims": claims}))


async def single_call(given: Reply) -> ListSink:
    """Judge the frozen claims by one reply with the judge's own."""
    asked = task([t for t, _ in FROZEN], CONTEXT, answer=ANSWER)
    spans = [s for _, s in FROZEN]
    units = tuple(replace(u, span=s) for u, s in zip(asked.units, spans, strict=True))
    judge = spec(style="single-call", claims_per_call=1)
    _, sink = await judged(Scripted(given), [replace(asked, units=units)], judge)
    assert len(sink.judgements) == 1
    return sink


async def test_the_judges_own_claims_meet_the_frozen_ones() -> None:
    """By text, else by their place in the answer; the share that met is noted."""
    given = classic(
        ("the quay is 240 metres long", False),
        ("It was built by Ada in 1902,", True),
        ("A claim that the answer does not make.", True),
    )
    sink = await single_call(given)

    assert [v.own_value for v in sink.verdicts] == ["not_entailed", "entailed", "undecided"]
    assert sink.verdicts[2].reason == "missing_verdict"
    assert sink.judgements[0].notes["matched"] == "2 of 3"
    assert sink.judgements[0].notes["own_claims"] == "3"


async def test_a_claim_that_joins_two_serves_neither_half() -> None:
    """An overlap of half or less is another claim."""
    sink = await single_call(classic(("It was built by Ada in 1902, and it is red.", True)))

    assert [v.value for v in sink.verdicts].count("undecided") == 2
    assert sink.of("r1#2").own_value == "entailed"
    assert sink.of("r1#3").value == "undecided"


async def test_a_claim_that_holds_another_and_more_is_another() -> None:
    """Less than half of it is the frozen one."""
    sink = await single_call(classic(("in 1902, and it is red.", True)))

    assert {v.value for v in sink.verdicts} == {"undecided"}


async def test_no_claims_is_a_named_state() -> None:
    """The judge found nothing to rule on."""
    sink = await single_call(classic())

    assert {v.reason for v in sink.verdicts} == {"no_claims"}


async def test_a_chunk_is_met_by_its_id() -> None:
    """Context relevancy in one call: the claim is the chunk's id."""
    chunks = ["Alpha is here.", "Beta is there."]
    asked = task(chunks, chunks, metric="context_relevancy")
    judge = spec(metric="context_relevancy", style="single-call")
    given = classic(("c-2", True), ("c-1", False))
    _, sink = await judged(Scripted(given), [asked], judge)

    assert [v.own_value for v in sink.verdicts] == ["not_entailed", "entailed"]
