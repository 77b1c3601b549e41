"""Asks a judge about cases that are no records: self-tests, answers put with gold, canaries.

What it says is kept apart from verdicts, under the judge's fingerprint and the case's content, so
that no score ever holds it and a second run asks only what is new.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from trueup.domain.ids import content_id
from trueup.domain.judging import RETRY_LATER, Judgement, JudgeTask
from trueup.domain.model import JudgeSpec, Verdict, VerdictValue
from trueup.services.judging import estimate_run, run_options
from trueup.services.specs import backend_of

if TYPE_CHECKING:
    from trueup.judge.base import JudgeBackend
    from trueup.judge.progress import RunSummary
    from trueup.services.workspace import Workspace
    from trueup.store import Store

Advance = Callable[..., None]


@dataclass(frozen=True, slots=True)
class Said:
    """What a judge said of the units of one case, in their order.

    `values` are effective, `own` before the evidence rule; undecided ones have their reason.
    """

    values: tuple[VerdictValue, ...]
    own: tuple[VerdictValue, ...]
    reasons: tuple[str | None, ...]
    answered_model: str | None = None
    system_fingerprint: str | None = None

    @property
    def decided(self) -> bool:
        """Every unit has an entailed or not entailed verdict."""
        return "undecided" not in self.values

    @property
    def score(self) -> float | None:
        """Share of entailed units; None where one is undecided, or there is none."""
        if not self.values or not self.decided:
            return None
        return self.values.count("entailed") / len(self.values)


@dataclass(frozen=True, slots=True)
class Trials:
    """What came of a run: answers by case id, and the run's summary (None: all were stored)."""

    said: Mapping[str, Said]
    summary: RunSummary | None


def case_id(task: JudgeTask, again: int = 0) -> str:
    """The content id of a case: what is asked, and the number of the asking."""
    chunks = None if task.context is None else [[c.id, c.text] for c in task.context]
    units = [[u.text, u.context] for u in task.units]
    texts = [task.metric, task.question, chunks, task.answer, task.reference, units]
    return content_id("case", [*texts, again])


def ask(
    workspace: Workspace,
    name: str,
    spec: JudgeSpec,
    kind: str,
    cases: Mapping[str, JudgeTask],
    *,
    dry_run: bool = False,
    on_progress: Advance = lambda *_, **__: None,
) -> Trials:
    """Ask a judge of trueup.toml about cases (id → task); those that are stored are not asked.

    With `dry_run` nothing is asked and the summary is an estimate. Raises ServiceError (RunStopped)
    when going on is no use; what was answered before is stored.
    """
    store = workspace.store
    store.save_judge(spec)
    known = stored(store, spec, kind, cases)
    open_ones = {item: task for item, task in cases.items() if item not in known}
    if not open_ones:
        return Trials(known, None)
    settings = workspace.settings.judge(name)
    tasks = [replace(task, record=item) for item, task in open_ones.items()]
    if dry_run:
        return Trials(known, estimate_run(spec, settings, tasks, len(known)))
    sink = _Sink(store, spec, kind, {t.record: t for t in tasks})
    options = run_options(settings, len(known), None, None)
    summary = asyncio.run(
        _run(tasks, spec, backend_of(workspace, name), sink, options, on_progress)
    )
    return Trials({**known, **sink.said}, summary)


def stored(
    store: Store, spec: JudgeSpec, kind: str, cases: Mapping[str, JudgeTask]
) -> dict[str, Said]:
    """What a judge said of these cases before, by case id."""
    found = store.trials(spec.fingerprint, spec.metric, kind, cases)
    return {item: _said(body) for item, body in found.items()}


async def _run(
    tasks: Sequence[JudgeTask],
    spec: JudgeSpec,
    backend: JudgeBackend,
    sink: _Sink,
    options: Any,
    on_progress: Advance,
) -> RunSummary:
    from trueup.judge.runner import Run

    run = Run(tasks, spec, backend, sink, options)
    done = 0
    try:
        async for event in run.events():
            on_progress(event.done - done, total=event.total)
            done = event.done
    finally:
        await backend.aclose()
    assert run.summary is not None
    return run.summary


class _Sink:
    """Keeps a case once all its units have a verdict; what may pass by itself is asked again."""

    def __init__(
        self, store: Store, spec: JudgeSpec, kind: str, tasks: Mapping[str, JudgeTask]
    ) -> None:
        self._store, self._spec, self._kind, self._tasks = store, spec, kind, tasks
        self._open: dict[str, dict[str, Verdict]] = {}
        self._models: dict[str, tuple[str | None, str | None]] = {}
        self.said: dict[str, Said] = {}

    def commit(self, batch: Sequence[Judgement]) -> None:
        """Store the cases that this batch completes."""
        whole: dict[str, dict[str, Any]] = {}
        for judgement in batch:
            item = judgement.record
            mine = self._open.setdefault(item, {})
            mine.update({v.unit: v for v in judgement.verdicts})
            if judgement.reply is not None:
                reply = judgement.reply
                self._models[item] = reply.answered_model, reply.system_fingerprint
            units = self._tasks[item].units
            if len(mine) < len(units):
                continue
            verdicts = [mine[u.key] for u in units]
            body = _body(verdicts, self._models.get(item, (None, None)))
            self.said[item] = _said(body)
            if not any(v.reason in RETRY_LATER for v in verdicts):
                whole[item] = body
        if whole:
            self._store.save_trials(self._spec.fingerprint, self._spec.metric, self._kind, whole)


def _body(verdicts: Sequence[Verdict], answered: tuple[str | None, str | None]) -> dict[str, Any]:
    return {
        "verdicts": [[v.value, v.own_value, v.reason] for v in verdicts],
        "model": answered[0],
        "system": answered[1],
    }


def _said(body: Mapping[str, Any]) -> Said:
    rows = body["verdicts"]
    return Said(
        tuple(r[0] for r in rows),
        tuple(r[1] for r in rows),
        tuple(r[2] for r in rows),
        body["model"],
        body["system"],
    )
