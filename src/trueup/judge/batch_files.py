"""OpenAI Batch API request files: one line a request, with an id that says what it asks.

The id is a hash of the record, the units, the call fingerprint and the repeat, so results need no
list of what was sent: they may come late, in part, in any order, twice, or in several files.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from trueup.domain.ids import content_id
from trueup.domain.judging import JudgeTask
from trueup.domain.model import JudgeSpec
from trueup.judge.openai_params import Accepted
from trueup.judge.planning import Bound, settled
from trueup.judge.render import render
from trueup.judge.templates import is_single_call

MAX_REQUESTS = 50_000
MAX_BYTES = 190_000_000
"""The Batch API takes 50,000 requests and 200 MB a file."""

_URL = "/v1/chat/completions"


def request_id(bound: Bound, task: JudgeTask) -> str:
    """The `custom_id` of a task: 32 hex digits, the same wherever and whenever it is asked."""
    asked = [u.key for u in task.units]
    return content_id("batch", [task.record, bound.call_fingerprint, task.repeat, asked])


def split(spec: JudgeSpec, task: JudgeTask) -> list[JudgeTask]:
    """One task for each request, as `claims_per_call` says."""
    size = len(task.units)
    if spec.claims_per_call is not None and not is_single_call(spec.prompt_text):
        size = spec.claims_per_call
    starts = range(0, len(task.units), max(1, size))
    return [replace(task, units=task.units[i : i + size]) for i in starts]


def write_requests(
    folder: Path,
    spec: JudgeSpec,
    tasks: Iterable[JudgeTask],
    *,
    accepted: Accepted | None = None,
    max_requests: int = MAX_REQUESTS,
    max_bytes: int = MAX_BYTES,
) -> list[Path]:
    """Write request files for the tasks; returns the new ones.

    What stands in a request file of the folder and has no result there yet is not asked again.
    `accepted` is the shape of a body that the endpoint was found to take.
    """
    folder.mkdir(parents=True, exist_ok=True)
    bound = Bound.of(spec)
    # A request that failed was asked, has a result, and may be asked again.
    outstanding = set(_ids(requests_in(folder)) - _ids(results_in(folder)))
    shape = accepted or Accepted()
    lines = _request_lines(bound, tasks, shape, outstanding)
    first = len(requests_in(folder)) + 1
    paths: list[Path] = []
    for number, group in enumerate(_grouped(lines, max_requests, max_bytes), first):
        path = folder / f"requests-{bound.call_fingerprint[:8]}-{number:03d}.jsonl"
        _write(path, group)
        paths.append(path)
    return paths


def requests_in(folder: Path) -> list[Path]:
    """Request files of a folder."""
    return sorted(folder.glob("requests-*[0-9].jsonl"))


def results_in(folder: Path) -> list[Path]:
    """Result and error files of a folder: whatever JSONL is not a request file."""
    return sorted(p for p in folder.glob("*.jsonl") if p not in set(requests_in(folder)))


def _request_lines(
    bound: Bound, tasks: Iterable[JudgeTask], shape: Accepted, outstanding: set[str]
) -> Iterator[bytes]:
    for task in tasks:
        if settled(bound, task) is not None:
            continue
        for sub in split(bound.spec, task):
            identity = request_id(bound, sub)
            if identity in outstanding:
                continue
            body = shape.body(bound.spec, render(bound.spec.prompt_text, sub))
            line = {"custom_id": identity, "method": "POST", "url": _URL, "body": body}
            yield json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _grouped(lines: Iterable[bytes], most: int, size: int) -> Iterator[list[bytes]]:
    group: list[bytes] = []
    total = 0
    for line in lines:
        if group and (len(group) >= most or total + len(line) > size):
            yield group
            group, total = [], 0
        group.append(line)
        total += len(line)
    if group:
        yield group


def _write(path: Path, lines: Sequence[bytes]) -> None:
    """All of a file or none of it: a half-written one must not be taken for asked."""
    partial = path.with_suffix(".partial")
    with partial.open("wb") as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


def _ids(paths: Iterable[Path]) -> Counter[str]:
    found: Counter[str] = Counter()
    for path in paths:
        for _, line in numbered_lines(path):
            try:
                entry = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(entry, dict):
                found[str(entry.get("custom_id"))] += 1
    return found


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """(number from 1, text) of each line that is not empty."""
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            text = line.decode("utf-8", "replace").strip()
            if text:
                yield number, text
