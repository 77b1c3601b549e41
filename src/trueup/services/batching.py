"""Judging by the OpenAI Batch API: request files out, result files in, with the same reader."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trueup.errors import UsageError
from trueup.services.specs import backend_of, default_judges, spec_of
from trueup.services.splitting import freeze_missing
from trueup.services.tasks import plan

if TYPE_CHECKING:
    from trueup.judge.batch import BatchOutcome
    from trueup.judge.batch_remote import BatchState
    from trueup.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class BatchRun:
    """One judge under one metric: what its folder's results held, what was written, where it is."""

    judge: str
    metric: str
    folder: Path
    outcome: BatchOutcome
    written: tuple[Path, ...]
    states: tuple[BatchState, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Counts, and each request file's state at the endpoint where it was asked."""
        return {
            "judge": self.judge,
            "metric": self.metric,
            "folder": str(self.folder),
            "written": [str(p) for p in self.written],
            "results": self.outcome.results,
            "waiting": self.outcome.waiting,
            "unknown": self.outcome.unknown,
            "doubled": self.outcome.doubled,
            "unread": list(self.outcome.unread),
            "states": [
                {
                    "requests": str(s.requests), "status": s.status, "total": s.total,
                    "completed": s.completed, "failed": s.failed, "errors": list(s.errors),
                }
                for s in self.states
            ],
            **self.outcome.summary.to_json(),
        }  # fmt: skip


def batch(
    workspace: Workspace,
    folder: Path,
    names: Sequence[str] = (),
    *,
    metrics: Sequence[str] = ("groundedness",),
    releases: Sequence[str] | None = None,
    send: bool = False,
) -> list[BatchRun]:
    """Read the results that lie in the folder, then write requests for what is still missing.

    Each judge and metric has a folder of its own below `folder`. With `send` request files are
    submitted to the judge's endpoint (those already submitted are not sent again) and what has
    ended there is downloaded and read. Run it again until nothing waits.
    """
    chosen = list(names) or default_judges(workspace)
    for name in chosen:
        if workspace.settings.judge(name).backend != "openai":
            raise UsageError(
                f"judge {name!r} has no batches: it asks no OpenAI-compatible endpoint"
            )
    runs = []
    for metric in metrics:
        freeze_missing(workspace, metric, releases=releases)
        for name in chosen:
            place = folder / name / metric
            runs.append(_one(workspace, name, metric, place, releases, send))
    return runs


def _one(
    workspace: Workspace,
    name: str,
    metric: str,
    folder: Path,
    releases: Sequence[str] | None,
    send: bool,
) -> BatchRun:
    from trueup.judge import batch_files

    outcome = _read(workspace, name, metric, folder, releases)
    spec = spec_of(workspace, name, metric)
    tasks, _ = plan(workspace, spec, releases=releases)
    written = batch_files.write_requests(folder, spec, tasks)
    states: tuple[BatchState, ...] = ()
    if send:
        states = tuple(asyncio.run(_send(workspace, name, batch_files.requests_in(folder))))
        if any(s.downloaded for s in states):
            outcome = _read(workspace, name, metric, folder, releases)
    return BatchRun(name, metric, folder, outcome, tuple(written), states)


def _read(
    workspace: Workspace, name: str, metric: str, folder: Path, releases: Sequence[str] | None
) -> BatchOutcome:
    from trueup.judge.batch import read_results
    from trueup.judge.batch_files import results_in
    from trueup.judge.budget import Price

    spec = spec_of(workspace, name, metric)
    tasks, cached = plan(workspace, spec, releases=releases)
    price = workspace.settings.judge(name).price_per_million
    store = workspace.store
    store.save_judge(spec)
    paths = results_in(folder) if folder.is_dir() else []
    return asyncio.run(
        read_results(
            paths, spec, tasks, store.sink(spec), cached=cached,
            price=None if price is None else Price(price.input, price.output),
        )
    )  # fmt: skip


async def _send(workspace: Workspace, name: str, files: Sequence[Path]) -> list[BatchState]:
    from trueup.judge.batch_remote import submit
    from trueup.judge.openai_backend import OpenAIBackend

    backend = backend_of(workspace, name)
    assert isinstance(backend, OpenAIBackend)
    try:
        return await submit(backend, files)
    finally:
        await backend.aclose()
