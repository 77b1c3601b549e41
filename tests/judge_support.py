"""What the tests of the judge share: tasks, specs, sinks and backends of their own."""

from __future__ import annotations

import json
import re
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from trueup.domain.judging import Judgement, JudgeTask, Reply, TaskUnit, Usage
from trueup.domain.model import Chunk, JudgeSpec, Verdict
from trueup.judge.base import CallFailed
from trueup.judge.options import RunOptions
from trueup.judge.retry import RetryPolicy
from trueup.judge.runner import Run
from trueup.judge.templates import load_template

CONTEXT = "The quay at Lindow is 240 metres long. Ferries leave it at noon, except on Sundays."
CLAIMS = (
    "The quay is 240 metres long.",
    "Ferries leave at noon on Sundays.",
    "It was built in 1902.",
)
QUICK = RetryPolicy(retries=2, base_s=0.001, cap_s=0.002)

_SENTENCES = re.compile(r"(?<=[.!?。])\s*(?=\S)")


def spec(**fields: Any) -> JudgeSpec:
    """A judge; `style` picks the built-in template."""
    style = fields.pop("style", "quoted")
    metric = fields.pop("metric", "groundedness")
    given: dict[str, Any] = {
        "name": "test",
        "backend": "openai",
        "model": "m",
        "prompt": style,
        "prompt_text": load_template(metric, style).text,
    }
    return JudgeSpec(metric=metric, **(given | fields))


def sentences(text: str) -> list[str]:
    """The claims of an answer, as the tests split it."""
    return [s.strip() for s in _SENTENCES.split(text) if s.strip()]


def task(
    claims: Sequence[str] = CLAIMS,
    context: str | Sequence[str] | None = CONTEXT,
    record: str = "r1",
    **fields: Any,
) -> JudgeTask:
    """A task about a record with these claims and chunks."""
    texts = [context] if isinstance(context, str) else context
    chunks = None if texts is None else tuple(Chunk(f"c-{i}", t) for i, t in enumerate(texts, 1))
    given: dict[str, Any] = {
        "question": "What about the quay?",
        "answer": " ".join(claims),
        "metric": "groundedness",
        "context": chunks,
    }
    units = tuple(TaskUnit(f"{record}#{n}", text) for n, text in enumerate(claims, 1))
    return JudgeTask(record=record, record_id=record, units=units, **(given | fields))


class ListSink:
    """Keeps what is committed, in order; `batches` are the sizes of the commits."""

    def __init__(self) -> None:
        self.judgements: list[Judgement] = []
        self.batches: list[int] = []

    def commit(self, batch: Sequence[Judgement]) -> None:
        self.judgements += batch
        self.batches.append(len(batch))

    @property
    def verdicts(self) -> list[Verdict]:
        """All verdicts, by unit."""
        return sorted((v for j in self.judgements for v in j.verdicts), key=lambda v: v.unit)

    def of(self, unit: str) -> Verdict:
        """The one verdict of a unit."""
        (found,) = [v for v in self.verdicts if v.unit == unit]
        return found


Answer = Reply | CallFailed | Exception | Callable[[JudgeTask], Reply]


class Scripted:
    """A backend that gives the answers of a list in turn, and its last one for ever."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = answers
        self.asked: list[JudgeTask] = []
        self.closed = False

    async def complete(self, _spec: JudgeSpec, asked: JudgeTask) -> Reply:
        answer = self._answers[min(len(self.asked), len(self._answers) - 1)]
        self.asked.append(asked)
        if isinstance(answer, Exception):
            raise answer
        return answer if isinstance(answer, Reply) else answer(asked)

    async def aclose(self) -> None:
        self.closed = True


def honest(asked: JudgeTask) -> Reply:
    """Says of each claim that it is not entailed, as asked."""
    entries = [
        {"number": n, "claim": u.text, "entailed": False, "evidence": []}
        for n, u in enumerate(asked.units, 1)
    ]
    return reply(json.dumps({"claims": entries}))


def reply(text: str, **fields: Any) -> Reply:
    """A reply that was finished and whose tokens are known."""
    given = {"finish_reason": "stop", "usage": Usage(100, 10), "answered_model": "m"}
    return replace(Reply(text), **(given | fields))


async def finish(run: Run, events: list[Any] | None = None) -> None:
    """Run to the end; `events` receives what happened, also when the run raises."""
    kept = [] if events is None else events
    async for event in run.events():
        kept.append(event)


async def judged(
    backend: Any, tasks: Sequence[JudgeTask], judge: JudgeSpec | None = None, **options: Any
) -> tuple[Run, ListSink]:
    """Run to the end; raises what the run raises."""
    sink = ListSink()
    given = {"retry": QUICK, "concurrency": 4, "seed": 1}
    run = Run(tasks, judge or spec(), backend, sink, RunOptions(**(given | options)))
    await finish(run)
    return run, sink


class FakeServer:
    """A running server that plays the behaviour that the model name names."""

    def __init__(self, port: int) -> None:
        self.root = f"http://127.0.0.1:{port}"
        self.url = f"{self.root}/v1"

    def reset(self) -> None:
        """Forget what was asked."""
        self._get("/_reset")

    def stats(self) -> dict[str, Any]:
        """What was asked: counts, gaps before retries, request bodies."""
        return json.loads(self._get("/_stats?bodies=all"))

    def _get(self, path: str) -> bytes:
        with urllib.request.urlopen(self.root + path, timeout=10) as response:
            return response.read()
