"""Golden cases of the judge: a reply, or a server's behaviour, has one right outcome.

Waiting times are shortened: what a case says about seconds is checked on the order of events and on
what the server counted, not on a clock.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from judge_support import FakeServer, ListSink, Scripted, finish, reply, sentences, spec, task
from shared import golden_cases
from trueup.domain.judging import JudgeTask
from trueup.domain.model import JudgeSpec, Verdict
from trueup.judge.base import JudgeBackend
from trueup.judge.openai_backend import OpenAIBackend
from trueup.judge.options import RunOptions, RunStopped
from trueup.judge.progress import RunSummary
from trueup.judge.retry import RetryPolicy
from trueup.judge.runner import Run

SLOW_KINDS = ("resume",)
KINDS_BY_REPLY = (
    "no-claims", "abstention", "extra-text", "schema", "string-bool", "missing-verdict",
    "label-substring", "missing-claims", "conflicting-verdicts", "parse-error-is-zero",
    "surrogate", "contradiction", "evidence-typography", "evidence-rewritten", "evidence-empty",
    "evidence-ellipsis", "evidence-markdown", "evidence-exact", "evidence-nul",
    "evidence-paraphrase",
)  # fmt: skip


@dataclass
class Outcome:
    """What became of a case."""

    verdicts: list[Verdict]
    summary: RunSummary
    sink: ListSink
    stopped: RunStopped | None = None

    @property
    def score(self) -> float | None:
        """Share entailed; None unless every claim was decided."""
        decided = [v for v in self.verdicts if v.value != "undecided"]
        if not decided or len(decided) < len(self.verdicts):
            return None
        return sum(v.value == "entailed" for v in decided) / len(decided)

    @property
    def reasons(self) -> set[str | None]:
        """Reasons of what stayed undecided."""
        return {v.reason for v in self.verdicts if v.value == "undecided"}


async def run(
    backend: JudgeBackend, tasks: list[JudgeTask], judge: JudgeSpec, **options: Any
) -> Outcome:
    """Judge the tasks; a run that stops is an outcome too."""
    sink = ListSink()
    quick = {"retry": RetryPolicy(base_s=0.001, cap_s=0.01), "concurrency": 8, "seed": 1}
    one = Run(tasks, judge, backend, sink, RunOptions(**(quick | options)))
    stopped = None
    try:
        await finish(one)
    except RunStopped as error:
        stopped = error
    finally:
        await backend.aclose()
    assert one.summary is not None
    return Outcome(sink.verdicts, one.summary, sink, stopped)


def case_task(given: Mapping[str, Any], record: str = "r1") -> JudgeTask:
    """The record of a case."""
    answer = given.get("answer", "x")
    claims = given.get("stored_claims") or sentences(answer)
    return task(claims, given.get("context", "c"), record, answer=answer)


async def ask_fake(
    fake: FakeServer, given: Mapping[str, Any], *, n: int | None = None, **options: Any
) -> Outcome:
    """Judge a case's record (or n copies of it, each its own prompt) by the server it names."""
    count = n or given.get("records_n", 1)
    model = _shortened(given["fake_model"])
    params = {"temperature": given.get("temperature", 0)}
    if "max_tokens" in given:
        params["max_output_tokens"] = given["max_tokens"]
    judge = spec(model=model, base_url=fake.url, params=params, evidence="required")
    tasks = [case_task(given, f"r{i}") for i in range(count)]
    if count > 1:
        tasks = [_own_question(t, i) for i, t in enumerate(tasks)]
    return await run(OpenAIBackend(fake.url), tasks, judge, **options)


def _own_question(one: JudgeTask, number: int) -> JudgeTask:
    from dataclasses import replace

    return replace(one, question=f"Question {number}?")


def _shortened(model: str) -> str:
    """A wait of whole seconds in tenths, a latency likewise."""
    model = re.sub(r"@ra(\d+)", lambda m: f"@ra0.{m[1]}", model)
    return re.sub(r"@(\d+)0ms", r"@\1ms", model)


def check(outcome: Outcome, expected: Mapping[str, Any]) -> None:
    """Compare an outcome with a case's `check`."""
    check_values(outcome, expected)
    check_score(outcome, expected)
    first = outcome.verdicts[0]
    if expected.get("outcome") == "conflict":
        assert all("conflicting_verdicts" in v.flags for v in outcome.verdicts)
        assert first.value == "undecided"
    if "flag" in expected:
        assert expected["flag"] in first.flags
    for verdict, ok in zip(outcome.verdicts, expected.get("evidence_ok", ()), strict=False):
        assert (verdict.evidence[0].match in {"exact", "normalised"}) is ok
    if "evidence" in expected:
        check_evidence(first, expected["evidence"])


def check_values(outcome: Outcome, expected: Mapping[str, Any]) -> None:
    """The verdicts themselves, and why there are none."""
    values = [v.value for v in outcome.verdicts]
    if "entailed" in expected:
        assert values == ["entailed" if e else "not_entailed" for e in expected["entailed"]]
    if expected.get("outcome") == "error":
        assert outcome.reasons == {expected["error"]}
        assert set(values) == {"undecided"}
        assert expected["error"] in outcome.summary.failures
    for unit in expected.get("never_entailed", ()):
        assert values[unit] != "entailed"
    if "missing" in expected:
        assert values.count("undecided") == expected["missing"]
        assert outcome.reasons == {"missing_verdict"}
    if expected.get("outcome") == "true_or_error":
        assert values[0] != "not_entailed"


def check_score(outcome: Outcome, expected: Mapping[str, Any]) -> None:
    """The record's score: null where anything is missing, never 0 or 1 by accident."""
    undefined = expected.get("outcome") in {"undefined", "error"}
    if undefined or expected.get("score", 0) is None:
        assert outcome.score is None
    elif "score" in expected:
        assert outcome.score == expected["score"]
    if "max_score" in expected:
        assert (outcome.score or 0.0) <= expected["max_score"]


def check_evidence(verdict: Verdict, expected: str) -> None:
    """A quote is accepted (then as normalised) or it does not carry the verdict."""
    assert verdict.own_value == "entailed"
    match = verdict.evidence[0].match if verdict.evidence else "trivial"
    if expected == "normalized":
        assert (match, verdict.value) == ("normalised", "entailed")
    elif expected == "reject":
        assert verdict.value == "not_entailed"
        assert match not in {"exact", "normalised"}
    else:
        assert match != "exact"
        assert verdict.value == "not_entailed" or match == "normalised"


@pytest.mark.parametrize("case", golden_cases("judge", *KINDS_BY_REPLY))
async def test_a_reply_has_the_right_outcome(case: dict[str, Any]) -> None:
    """The reader makes of each reply exactly what it says, or a named failure."""
    given = case["input"]
    backend = Scripted(reply(given["reply"], finish_reason=given.get("finish_reason", "stop")))

    outcome = await run(backend, [case_task(given)], spec(evidence="required"))

    check(outcome, case["check"])


@pytest.mark.parametrize("case", golden_cases("judge", "truncated"))
async def test_a_cut_off_reply_is_named_so(case: dict[str, Any], fake_server: FakeServer) -> None:
    """`truncated`, with the way out in the message; its tokens count."""
    given = case["input"]
    if "reply" in given:
        backend = Scripted(reply(given["reply"], finish_reason=given["finish_reason"]))
        outcome = await run(backend, [case_task(given)], spec())
    else:
        outcome = await ask_fake(fake_server, given)

    check(outcome, case["check"])
    assert "max_output_tokens" in outcome.summary.failures["truncated"]
    assert (outcome.summary.output_tokens or 0) > 0


BY_SERVER = (
    "empty-context", "fences", "think", "think-unclosed", "two-json", "shape-change",
    "deep-json", "content-filter", "refusal", "response-format", "max-tokens", "temperature",
    "no-choices", "no-usage", "wrong-model", "server-error", "context-length", "cjk-punctuation",
    "rate-limit", "evidence-answer",
)  # fmt: skip


@pytest.mark.parametrize("case", golden_cases("judge", *BY_SERVER))
async def test_a_server_that_behaves_so_is_reported_so(
    case: dict[str, Any], fake: FakeServer
) -> None:
    """Each behaviour of a server ends in its verdicts or in its named failure."""
    given, expected = case["input"], case["check"]
    if "reply" in given:
        backend = Scripted(reply(given["reply"], finish_reason=given["finish_reason"]))
        outcome = await run(backend, [case_task(given)], spec(evidence="required"))
    else:
        outcome = await ask_fake(fake, given, concurrency=given.get("concurrency", 8))

    check(outcome, {k: v for k, v in expected.items() if k != "evidence"})
    stats = fake.stats()
    wasted = sum(n for status, n in stats["by_status"].items() if status != "200")
    assert stats["count"] <= expected.get("max_requests", stats["count"])
    assert stats["count"] == expected.get("requests", stats["count"])
    assert wasted <= expected.get("wasted_requests_max", wasted)
    if "tokens" in expected:
        assert outcome.summary.input_tokens is None
        assert outcome.summary.cost is None
    if "response_model" in expected:
        assert list(outcome.summary.answered_models) == [expected["response_model"]]
        assert any(expected["response_model"] in w for w in outcome.summary.warnings)
    if "scored" in expected:
        assert sum(j.failure is None for j in outcome.sink.judgements) == expected["scored"]
    if expected.get("evidence") == "reject":
        assert all(v.value == "not_entailed" for v in outcome.verdicts)


@pytest.mark.parametrize("case", golden_cases("judge", "temperature"))
async def test_what_was_not_applied_is_noted(case: dict[str, Any], fake: FakeServer) -> None:
    """The run's notes say that a parameter was left out."""
    outcome = await ask_fake(fake, case["input"])

    assert outcome.summary.notes["temperature"] == "not sent"
    assert outcome.sink.judgements[0].notes["temperature"] == "not sent"


@pytest.mark.parametrize("case", golden_cases("judge", "extra-claims"))
async def test_foreign_claims_are_no_claims_of_the_record(
    case: dict[str, Any], fake: FakeServer
) -> None:
    """Entries about nothing that was asked are counted apart."""
    outcome = await ask_fake(fake, case["input"])

    assert len(outcome.verdicts) == case["check"]["own_claims"]
    assert outcome.sink.judgements[0].notes["extras"] == str(case["check"]["foreign_claims"])
    assert outcome.score == pytest.approx(2 / 3)


@pytest.mark.parametrize("case", golden_cases("judge", "usage-on-error"))
async def test_tokens_of_failed_calls_count(case: dict[str, Any], fake: FakeServer) -> None:
    """The run's totals are the server's."""
    outcome = await ask_fake(fake, case["input"])

    stats = fake.stats()
    assert outcome.summary.input_tokens == stats["prompt_tokens"]
    assert outcome.summary.output_tokens == stats["completion_tokens"]
    first = outcome.sink.judgements[0]
    assert first.failure is not None
    assert first.reply is not None
    assert first.reply.usage.input_tokens


@pytest.mark.parametrize("case", golden_cases("judge", "one-bad-record"))
async def test_one_bad_record_spoils_no_other(case: dict[str, Any], fake: FakeServer) -> None:
    """The bad one is an error with its raw reply kept, the others are scored."""
    outcomes = {r["id"]: await ask_fake(fake, r) for r in case["input"]["records"]}

    for name in case["check"]["scored"]:
        assert outcomes[name].score == pytest.approx(2 / 3)
    for name in case["check"]["failed"]:
        assert outcomes[name].reasons == {"parse"}
        kept = outcomes[name].sink.judgements[0].reply
        assert kept is not None
        assert '"claims"' in kept.text


@pytest.mark.parametrize("case", golden_cases("judge", "ensure-ascii", "braces"))
async def test_the_prompt_carries_the_text_as_it_is(case: dict[str, Any], fake: FakeServer) -> None:
    """No escapes, no formatting of what the data holds."""
    await ask_fake(fake, case["input"])

    messages = fake.stats()["requests"][0]["body"]["messages"]
    text = "\n".join(m["content"] for m in messages)
    assert case["check"]["prompt_contains"] in text
    assert case["check"].get("prompt_lacks", "\x00") not in text


@pytest.mark.parametrize("case", golden_cases("judge", "hang", "hang-headers"))
async def test_a_server_that_hangs_ends_at_the_deadline(
    case: dict[str, Any], fake: FakeServer
) -> None:
    """`timeout`, after exactly as many requests as retries allow."""
    given = case["input"]
    policy = RetryPolicy(retries=given["retries"], base_s=0.001)
    outcome = await ask_fake(fake, given, timeout_s=given["timeout_s"] / 10, retry=policy)

    check(outcome, case["check"])
    assert fake.stats()["count"] == given["retries"] + 1


@pytest.mark.parametrize("case", golden_cases("judge", "blocking-sleep"))
async def test_a_wait_holds_up_its_own_record_only(case: dict[str, Any], fake: FakeServer) -> None:
    """While one record waits for its Retry-After the others are judged."""
    records = case["input"]["records"]
    backend = OpenAIBackend(fake.url)
    by_record = {r["id"]: spec(model=_shortened(r["fake_model"])) for r in records}
    by_record["slow"] = spec(model="429@ra1.5")

    class EachItsModel:
        """One run, each record with the model that its case names."""

        async def complete(self, _spec: JudgeSpec, one: JudgeTask) -> Any:
            return await backend.complete(by_record[one.record], one)

        async def aclose(self) -> None:
            await backend.aclose()

    tasks = [case_task(r, r["id"]) for r in records]
    outcome = await run(EachItsModel(), tasks, spec(), concurrency=len(records))

    order = [j.record for j in outcome.sink.judgements]
    assert order[-1] == "slow"
    assert len(order) == len(records)
    assert fake.stats()["retry_gaps"]["earlier_than_retry_after"] == 0


@pytest.mark.parametrize("case", golden_cases("judge", "retry-after"))
async def test_the_wait_that_the_server_asks_for_is_kept(
    case: dict[str, Any], fake: FakeServer
) -> None:
    """One retry, not earlier than asked."""
    outcome = await ask_fake(fake, case["input"])

    stats = fake.stats()
    assert stats["count"] == case["check"]["requests"]
    assert stats["retry_gaps"]["n"] == 1
    assert stats["retry_gaps"]["earlier_than_retry_after"] == case["check"]["early_retries"]
    assert outcome.score is not None


@pytest.mark.parametrize("case", golden_cases("judge", "retry-after-long"))
async def test_a_very_long_wait_is_said_and_not_shortened(
    case: dict[str, Any], fake: FakeServer
) -> None:
    """The run stops and says when to come back."""
    outcome = await ask_fake(fake, case["input"])

    check(outcome, case["check"])
    assert fake.stats()["count"] == 1
    assert outcome.stopped is not None
    assert "3600 s" in outcome.stopped.message


@pytest.mark.parametrize("case", golden_cases("judge", "auth", "quota"))
async def test_a_refusal_of_everything_stops_the_run(
    case: dict[str, Any], fake: FakeServer
) -> None:
    """One clear message, a handful of requests, everything else left for later."""
    outcome = await ask_fake(fake, case["input"], concurrency=32)

    assert fake.stats()["count"] <= case["check"]["max_requests"]
    assert outcome.stopped is not None
    assert outcome.stopped.reason == case["check"]["error"]
    assert outcome.stopped.exit_code == 5
    assert outcome.summary.undecided == {
        case["check"]["error"]: outcome.summary.units,
    }
    assert outcome.summary.units == 3 * case["input"]["records_n"]


@pytest.mark.parametrize("case", golden_cases("judge", "no-api-key", "dependency"))
async def test_a_local_server_needs_no_key_and_no_proxy(
    case: dict[str, Any], fake: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment of the case changes nothing."""
    for name, value in case["input"].get("env", {}).items():
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)

    outcome = await ask_fake(fake, case["input"])

    assert outcome.score == pytest.approx(2 / 3)


@pytest.mark.parametrize("case", golden_cases("judge", "base-url"))
async def test_a_slash_too_many_in_the_address_does_no_harm(
    case: dict[str, Any], fake: FakeServer
) -> None:
    """Every spelling reaches the one path."""
    given = case["input"]
    for url in given["base_urls"]:
        here = url.replace("http://127.0.0.1:PORT", fake.root)
        judge = spec(model=given["fake_model"])
        outcome = await run(OpenAIBackend(here), [case_task(given)], judge)
        assert outcome.score == pytest.approx(2 / 3)

    assert list(fake.stats()["by_path"]) == case["check"]["paths"]


@pytest.mark.parametrize("case", golden_cases("judge", "repeats-cache"))
async def test_a_repeat_is_a_call_of_its_own(case: dict[str, Any], fake: FakeServer) -> None:
    """Five repeats of one record are five requests, told apart in what is stored."""
    from dataclasses import replace

    given = case["input"]
    one = case_task(given)
    tasks = [replace(one, repeat=n) for n in range(given["repeats"])]
    outcome = await run(OpenAIBackend(fake.url), tasks, spec(model=given["fake_model"]))

    assert fake.stats()["count"] == case["check"]["requests"]
    assert {v.repeat for v in outcome.verdicts} == set(range(given["repeats"]))


def test_every_kind_of_case_is_looked_at() -> None:
    """A kind that comes new into the golden cases fails here until it has a test."""
    from pathlib import Path

    cases = [p.values[0] for p in golden_cases("judge")]
    if cases == [None]:
        pytest.skip("golden cases are not here")
    text = "".join(p.read_text("utf-8") for p in Path(__file__).parent.glob("test_golden_*.py"))
    kinds = {c["kind"] for c in cases}
    assert {k for k in kinds if f'"{k}"' not in text} <= set(SLOW_KINDS)
