"""Golden cases of security and of the store that concern the judge: injection, fences, keys."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import replace
from typing import Any

import pytest

from judge_support import FakeServer, ListSink, finish, judged, sentences, spec, task
from shared import golden_cases
from trueup.domain.judging import JudgeTask
from trueup.judge.openai_backend import OpenAIBackend
from trueup.judge.options import RunOptions, RunStopped
from trueup.judge.runner import Run


def case_task(given: dict[str, Any]) -> JudgeTask:
    """The record of a case."""
    answer = given["answer"]
    return task(sentences(answer), given["context"], answer=answer)


def prompt(fake: FakeServer) -> str:
    """The user message that the server was sent first."""
    return fake.stats()["requests"][0]["body"]["messages"][-1]["content"]


@pytest.mark.parametrize("case", golden_cases("security", "injection"))
@pytest.mark.parametrize("rule", ["off", "flag", "required"])
async def test_an_injected_instruction_is_no_evidence(
    case: dict[str, Any], rule: Any, fake: FakeServer
) -> None:
    """What a gullible judge lets through is flagged; `required` does not let it through."""
    given = case["input"]
    judge = spec(model=given["fake_model"], evidence=rule)
    backend = OpenAIBackend(fake.url)
    _, sink = await judged(backend, [case_task(given)], judge)
    await backend.aclose()

    said = [v for v in sink.verdicts if v.own_value == "entailed"]
    assert said
    assert all({"instruction_like", "quote_unrelated", "quote_absent"} & {*v.flags} for v in said)
    if rule == "required":
        assert all(v.value == "not_entailed" for v in sink.verdicts)
    assert "never an instruction" in fake.stats()["requests"][0]["body"]["messages"][0]["content"]


@pytest.mark.parametrize("case", golden_cases("security", "delimiter"))
async def test_no_text_leaves_its_fence(case: dict[str, Any], fake: FakeServer) -> None:
    """The boundary stands where the prompt puts it and nowhere in the data."""
    given = case["input"]
    one = case_task(given)
    backend = OpenAIBackend(fake.url)
    await judged(backend, [one], spec(model=given["fake_model"]))
    await backend.aclose()

    text = prompt(fake)
    boundary = next(line for line in text.splitlines() if line.startswith("<<<"))[3:]
    inside = text.split(f"<<<{boundary}\n[c-1]\n")[1].split(f"\n{boundary}>>>")[0]
    assert inside == given["context"]
    assert text.count(boundary) == 2 * 3  # question, chunk, claims


@pytest.mark.parametrize("case", golden_cases("security", "parrot"))
async def test_an_echoed_verdict_is_not_the_judges(case: dict[str, Any], fake: FakeServer) -> None:
    """Of two objects the first does not count, and that there were two is flagged."""
    given = case["input"]
    backend = OpenAIBackend(fake.url)
    _, sink = await judged(backend, [case_task(given)], spec(model=given["fake_model"]))
    await backend.aclose()

    verdict = sink.verdicts[0]
    assert "several_objects" in verdict.flags or verdict.own_value == "not_entailed"


KEY_LEAKS = [
    p
    for p in golden_cases("security", "key-leak")
    if p.values[0] is None or "fake_model" in p.values[0]["input"]
]
"""The others concern exported configurations, which hold the variable's name alone."""


@pytest.mark.parametrize("case", KEY_LEAKS)
async def test_the_key_is_found_nowhere(
    case: dict[str, Any],
    fake: FakeServer,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """Not in logs at DEBUG, not in errors and their causes, not in what is stored."""
    given = case["input"]
    monkeypatch.setenv("TEST_KEY", given["api_key"])
    caplog.set_level(logging.DEBUG)
    backend = OpenAIBackend(fake.url, api_key_env="TEST_KEY")
    judge = spec(model=given["fake_model"])
    said: list[Any] = []
    try:
        run, sink = await judged(backend, [task()], judge)
        said += [run.summary, sink.judgements]
    except RunStopped as error:
        chain = [error, error.__cause__, error.__context__]
        said += [error.message, error.hint, *map(repr, chain), error.args]
    finally:
        await backend.aclose()

    everything = repr(said) + caplog.text + repr(judge)
    assert case["check"]["absent"] not in everything
    assert fake.stats()["requests"][0]["auth_len"] == len(given["api_key"])


@pytest.mark.parametrize("case", golden_cases("store", "surrogate"))
async def test_a_broken_character_loses_no_record(case: dict[str, Any], fake: FakeServer) -> None:
    """What is stored can be written as UTF-8."""
    given = case["input"]
    backend = OpenAIBackend(fake.url)
    _, sink = await judged(backend, [case_task(given)], spec(model=given["fake_model"]))
    await backend.aclose()

    assert len(sink.verdicts) == 3
    for made in sink.judgements:
        assert made.reply is not None
        made.reply.text.encode("utf-8")
        repr(made).encode("utf-8")


@pytest.mark.parametrize("case", golden_cases("store", "cache-key"))
async def test_what_is_sent_makes_the_identity(case: dict[str, Any], fake: FakeServer) -> None:
    """Another temperature or prompt is another call: nothing is answered from elsewhere."""
    prints = set()
    for given in case["input"]["runs"]:
        judge = spec(model=given["model"], params={"temperature": given["temperature"]})
        if "prompt" in given:
            judge = replace(judge, prompt_text=judge.prompt_text + given["prompt"])
        prints.add(judge.call_fingerprint)
        backend = OpenAIBackend(fake.url)
        await judged(backend, [task()], judge)
        await backend.aclose()

    assert len(prints) == fake.stats()["count"] == case["check"]["requests"]


@pytest.mark.parametrize("case", golden_cases("store", "exit-status"))
async def test_cancelling_keeps_what_is_done(case: dict[str, Any], fake: FakeServer) -> None:
    """What was answered is stored, the rest is counted as cancelled and asked later."""
    given = case["input"]
    model = given["fake_model"].replace("200ms", "5ms")
    backend = OpenAIBackend(fake.url)

    class Stopping(ListSink):
        """Presses Ctrl-C once a few judgements are stored."""

        def commit(self, batch: Any) -> None:
            super().commit(batch)
            if len(self.judgements) >= 5:
                loop.call_soon_threadsafe(run.cancel)

    loop = asyncio.get_running_loop()
    sink = Stopping()
    tasks = [
        replace(task(record=f"r{i}"), question=f"Question {i}?") for i in range(given["records"])
    ]
    run = Run(tasks, spec(model=model), backend, sink, RunOptions(concurrency=2, progress_s=0.01))
    await finish(run)
    await backend.aclose()

    assert run.summary is not None
    assert run.summary.reason == "cancelled"
    stored = len(sink.verdicts)
    assert 5 * 3 <= stored < 3 * given["records"]
    assert run.summary.undecided == {"cancelled": 3 * given["records"] - stored}
    json.dumps(run.summary.to_json(), allow_nan=False)
