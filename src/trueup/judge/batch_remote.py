"""Sends request files to an endpoint that has /v1/batches, and fetches what is ready.

Beside each request file stands FILE.batch.json with the ids that the endpoint gave; it is all that
is needed to go on later, from another process. Results are downloaded next to the request file.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from trueup.errors import ServiceError

if TYPE_CHECKING:
    from trueup.judge.openai_backend import OpenAIBackend

T = TypeVar("T")
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})


@dataclass(frozen=True, slots=True)
class BatchState:
    """A request file at the endpoint. `status` is the API's word, or "not submitted"."""

    requests: Path
    status: str
    total: int = 0
    completed: int = 0
    failed: int = 0
    downloaded: tuple[Path, ...] = ()
    errors: tuple[str, ...] = ()

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.status in _ENDED


async def submit(backend: OpenAIBackend, files: Sequence[Path]) -> list[BatchState]:
    """Upload the files that were not submitted yet and start their batches.

    Raises ServiceError when the endpoint has no batches or refuses; files before that one stay
    submitted.
    """
    client = backend.client
    for path in files:
        if _sidecar(path).exists():
            continue
        content = await asyncio.to_thread(path.read_bytes)
        upload = client.files.create(file=(path.name, content), purpose="batch")
        uploaded = await _ask(backend, upload)
        started = client.batches.create(
            input_file_id=uploaded.id, endpoint="/v1/chat/completions", completion_window="24h"
        )
        batch = await _ask(backend, started)
        ids = {"batch": batch.id, "input_file": uploaded.id, "base_url": backend.base_url}
        _sidecar(path).write_text(json.dumps(ids, indent=1) + "\n", "utf-8")
    return await poll(backend, files)


async def poll(backend: OpenAIBackend, files: Sequence[Path]) -> list[BatchState]:
    """The state of each file's batch; results and errors of those that ended are downloaded."""
    return [await _state(backend, path) for path in files]


async def _state(backend: OpenAIBackend, path: Path) -> BatchState:
    sidecar = _sidecar(path)
    if not sidecar.exists():
        return BatchState(path, "not submitted")
    ids = json.loads(sidecar.read_text("utf-8"))
    batch = await _ask(backend, backend.client.batches.retrieve(ids["batch"]))
    counts = batch.request_counts
    said = batch.errors.data if batch.errors is not None else None
    return BatchState(
        requests=path,
        status=batch.status,
        total=counts.total if counts else 0,
        completed=counts.completed if counts else 0,
        failed=counts.failed if counts else 0,
        downloaded=await _download(backend, path, batch) if batch.status in _ENDED else (),
        errors=tuple(str(e.message) for e in said or ()),
    )


async def _download(backend: OpenAIBackend, path: Path, batch: Any) -> tuple[Path, ...]:
    out = []
    kinds = {"results": batch.output_file_id, "errors": batch.error_file_id}
    for kind, file_id in kinds.items():
        target = path.with_suffix(f".{kind}.jsonl")
        if file_id and not target.exists():
            content = await _ask(backend, backend.client.files.content(file_id))
            partial = target.with_suffix(".partial")
            await asyncio.to_thread(partial.write_bytes, content.content)
            partial.replace(target)
        if target.exists():
            out.append(target)
    return tuple(out)


async def _ask(backend: OpenAIBackend, request: Awaitable[T]) -> T:
    import openai

    try:
        async with asyncio.timeout(max(backend.timeout_s, 60.0)):
            return await request
    except openai.NotFoundError:
        raise ServiceError(
            f"{backend.base_url} has no /v1/batches",
            hint="submit the request files yourself and put the result files beside them",
        ) from None
    except TimeoutError:
        raise ServiceError(f"{backend.base_url} did not answer in time") from None
    except openai.APIError as error:
        raise ServiceError(backend.failure(error).message) from None


def _sidecar(path: Path) -> Path:
    return path.with_suffix(".batch.json")
