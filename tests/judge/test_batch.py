"""Batch API files: requests out, results in, in whatever order and state they come back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from judge_support import ListSink, honest, spec, task
from trueup.domain.judging import JudgeTask
from trueup.domain.model import JudgeSpec
from trueup.errors import ServiceError
from trueup.judge.base import Lease
from trueup.judge.batch import BatchOutcome, read_results
from trueup.judge.batch_files import request_id, requests_in, results_in, split, write_requests
from trueup.judge.batch_remote import poll, submit
from trueup.judge.budget import Price
from trueup.judge.openai_backend import OpenAIBackend
from trueup.judge.planning import Bound

TASKS = [task(record=f"r{i}") for i in range(4)]


def lines(paths: list[Path]) -> list[dict[str, Any]]:
    """The requests in files."""
    return [json.loads(line) for p in paths for line in p.read_text("utf-8").splitlines()]


def result(judge: JudgeSpec, asked: JudgeTask, text: str | None = None, **more: Any) -> str:
    """A line of a result file about a task: honest, or with this text."""
    choice = {
        "message": {"content": honest(asked).text if text is None else text},
        "finish_reason": more.get("finish_reason", "stop"),
    }
    usage = {"prompt_tokens": 10, "completion_tokens": 2}
    body = {"model": "m-1", "choices": [choice], "usage": usage}
    response = {"status_code": 200, "body": body}
    return json.dumps(
        {
            "id": "batch_req_1",
            "custom_id": request_id(Bound.of(judge), asked),
            "response": more.get("response", response),
            "error": more.get("error"),
        }
    )


class Leasing(ListSink):
    """Hands out what has no verdict, with the part that comes next."""

    def claim(self, tasks: Any, _spec: JudgeSpec, _lease: Lease) -> list[JudgeTask]:
        ruled = {v.unit for v in self.verdicts}
        granted = []
        for one in tasks:
            units = tuple(u for u in one.units if u.key not in ruled)
            parts = [j.part for j in self.judgements if j.record == one.record]
            if units:
                granted.append(replace(one, units=units, part=max(parts, default=-1) + 1))
        return granted

    def held(self, tasks: Any, _spec: JudgeSpec, _lease: Lease) -> list[JudgeTask]:
        return []

    def renew(self, lease: Lease) -> None: ...

    def release(self, tasks: Any, _spec: JudgeSpec, _lease: Lease) -> None: ...

    def missing(self, tasks: list[JudgeTask]) -> list[JudgeTask]:
        """The plan of a new run."""
        return [replace(t, part=0) for t in self.claim(tasks, spec(), Lease(""))]


async def read(
    folder: Path, sink: Leasing, judge: JudgeSpec, tasks: list[JudgeTask] = TASKS, **more: Any
) -> BatchOutcome:
    """Read all result files of a folder."""
    return await read_results(results_in(folder), judge, sink.missing(tasks), sink, **more)


def test_a_request_is_a_line_with_an_id_of_its_own(tmp_path: Path) -> None:
    """Method, URL and body as the Batch API wants them; the same tasks, the same ids."""
    judge = spec(params={"temperature": 0})
    (path,) = write_requests(tmp_path, judge, TASKS)
    requests = lines([path])

    assert len({r["custom_id"] for r in requests}) == 4
    assert [(r["method"], r["url"]) for r in requests] == [("POST", "/v1/chat/completions")] * 4
    assert requests[0]["body"]["temperature"] == 0
    assert requests[0]["body"]["messages"][0]["role"] == "system"
    assert lines(write_requests(tmp_path / "again", judge, TASKS)) == requests
    other = write_requests(tmp_path / "other", replace(judge, model="m2"), TASKS)
    assert not {r["custom_id"] for r in lines(other)} & {r["custom_id"] for r in requests}


def test_what_needs_no_call_is_not_requested(tmp_path: Path) -> None:
    """A record without context costs nothing here either."""
    assert write_requests(tmp_path, spec(), [task(context=[]), task(context=None)]) == []


def test_claims_per_call_makes_more_requests(tmp_path: Path) -> None:
    """And the classic prompt ignores it."""
    assert len(split(spec(claims_per_call=2), task())) == 2
    assert len(split(spec(style="single-call", claims_per_call=2), task())) == 1
    assert len(lines(write_requests(tmp_path, spec(claims_per_call=1), TASKS))) == 12


def test_files_are_cut_at_the_limits(tmp_path: Path) -> None:
    """By count and by size, without losing or doubling a request."""
    by_count = write_requests(tmp_path / "a", spec(), TASKS, max_requests=3)
    assert [len(lines([p])) for p in by_count] == [3, 1]
    by_size = write_requests(tmp_path / "b", spec(), TASKS, max_bytes=10_000)
    assert len(by_size) > 1
    assert sorted(r["custom_id"] for r in lines(by_size)) == sorted(
        r["custom_id"] for r in lines(by_count)
    )


def test_what_is_under_way_is_not_requested_again(tmp_path: Path) -> None:
    """Writing twice before results came pays once."""
    write_requests(tmp_path, spec(), TASKS[:3])
    (second,) = write_requests(tmp_path, spec(), TASKS)

    assert len(lines([second])) == 1
    assert write_requests(tmp_path, spec(), TASKS) == []


async def test_results_come_in_any_order_in_part_twice_and_in_several_files(
    tmp_path: Path,
) -> None:
    """What is there is stored once, the rest waits; reading again changes nothing."""
    judge, sink = spec(), Leasing()
    write_requests(tmp_path, judge, TASKS)
    first = [result(judge, TASKS[2]), "", result(judge, TASKS[0]), result(judge, TASKS[2])]
    foreign = result(replace(judge, model="other"), TASKS[1])
    cut = result(judge, TASKS[1])[:-30]
    (tmp_path / "one.jsonl").write_text("\n".join([*first, foreign, cut]), "utf-8")

    outcome = await read(tmp_path, sink, judge, price=Price(1e6, 0))
    assert (outcome.results, outcome.waiting, outcome.unknown, outcome.doubled) == (3, 2, 1, 1)
    assert outcome.unread == ("one.jsonl:6: not JSON (cut off?)",)
    assert {v.unit.partition("#")[0] for v in sink.verdicts} == {"r0", "r2"}
    assert outcome.summary.not_entailed == 6
    assert outcome.summary.cost == 20
    assert outcome.summary.answered_models == {"m-1": 2}

    await read(tmp_path, sink, judge)
    assert len(sink.judgements) == 2
    (tmp_path / "two.jsonl").write_text(result(judge, TASKS[1]) + "\n" + result(judge, TASKS[3]))
    outcome = await read(tmp_path, sink, judge)
    assert outcome.waiting == 0
    assert len(sink.verdicts) == len({v.unit for v in sink.verdicts}) == 12


async def test_failures_are_named_and_what_may_pass_is_asked_again(tmp_path: Path) -> None:
    """Errors of the errors file; a result that came after a failure counts."""
    judge, sink = spec(), Leasing()
    write_requests(tmp_path, judge, TASKS)
    refused = {"status_code": 400, "body": {"error": {"code": "content_filter", "message": "no"}}}
    busy = {"status_code": 500, "body": {"error": {"message": "busy"}}}
    expired = {"code": "batch_expired", "message": "too late"}
    errors = [
        result(judge, TASKS[0], response=refused),
        result(judge, TASKS[1], response=busy),
        result(judge, TASKS[2], response=None, error=expired),
        result(judge, TASKS[3], "no JSON"),
    ]
    (tmp_path / "errors.jsonl").write_text("\n".join(errors), "utf-8")

    outcome = await read(tmp_path, sink, judge)
    assert outcome.summary.undecided == {
        "content_filter": 3, "bad_response": 3, "timeout": 3, "parse": 3,
    }  # fmt: skip
    assert {v.reason for v in sink.verdicts} == {"content_filter", "parse"}

    missing = sink.missing(TASKS)
    assert [t.record for t in missing] == ["r1", "r2"]
    (again,) = write_requests(tmp_path, judge, missing)
    assert len(lines([again])) == 2
    (tmp_path / "more.jsonl").write_text(result(judge, TASKS[1]), "utf-8")
    outcome = await read(tmp_path, sink, judge)
    assert sink.of("r1#1").value == "not_entailed"


async def test_a_claim_that_was_left_out_goes_into_the_next_batch(tmp_path: Path) -> None:
    """In a smaller request, with an id of its own; a cut-off reply is undecided."""
    judge, sink = spec(), Leasing()
    part = json.dumps({"claims": json.loads(honest(TASKS[0]).text)["claims"][:2]})
    texts = [result(judge, TASKS[0], part), result(judge, TASKS[1], finish_reason="length")]
    write_requests(tmp_path, judge, TASKS[:2])
    (tmp_path / "r.jsonl").write_text("\n".join(texts), "utf-8")

    await read(tmp_path, sink, judge, TASKS[:2])
    assert {v.reason for v in sink.verdicts if v.value == "undecided"} == {"truncated"}
    (missing,) = sink.missing(TASKS[:2])
    assert [u.key for u in missing.units] == ["r0#3"]
    (path,) = write_requests(tmp_path, judge, [missing])
    assert len(lines([path])) == 1

    (tmp_path / "s.jsonl").write_text(result(judge, missing), "utf-8")
    await read(tmp_path, sink, judge, TASKS[:2])
    assert sink.of("r0#3").value == "not_entailed"
    assert [j.part for j in sink.judgements if j.record == "r0"] == [0, 1]


@pytest.fixture
async def remote() -> AsyncIterator[tuple[str, dict[str, Any]]]:
    """An endpoint with files and batches: (its address, what it holds)."""
    held: dict[str, Any] = {"files": {}, "batches": {}, "status": "in_progress"}

    async def upload(request: web.Request) -> web.Response:
        form = await request.post()
        name = f"file-{len(held['files'])}"
        held["files"][name] = form["file"].file.read()  # type: ignore[union-attr]
        return web.json_response({"id": name, "object": "file", "purpose": form["purpose"]})

    async def start(request: web.Request) -> web.Response:
        asked = await request.json()
        name = f"batch-{len(held['batches'])}"
        held["batches"][name] = asked
        return web.json_response(state(name))

    def state(name: str) -> dict[str, Any]:
        done = held["status"] == "completed"
        return {
            "id": name, "object": "batch", "status": held["status"], "created_at": 0,
            "endpoint": "/v1/chat/completions", "completion_window": "24h",
            "input_file_id": held["batches"][name]["input_file_id"],
            "output_file_id": "out" if done else None, "error_file_id": None,
            "request_counts": {"total": 4, "completed": 4 * done, "failed": 0},
        }  # fmt: skip

    async def show(request: web.Request) -> web.Response:
        return web.json_response(state(request.match_info["name"]))

    async def content(request: web.Request) -> web.Response:
        return web.Response(body=held["files"][request.match_info["name"]])

    app = web.Application()
    app.router.add_post("/v1/files", upload)
    app.router.add_post("/v1/batches", start)
    app.router.add_get("/v1/batches/{name}", show)
    app.router.add_get("/v1/files/{name}/content", content)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1", held
    await runner.cleanup()


async def test_files_are_submitted_once_and_results_fetched(
    remote: tuple[str, dict[str, Any]], tmp_path: Path
) -> None:
    """Also by another process, later: all that is needed stands beside the file."""
    url, held = remote
    judge, sink = spec(), Leasing()
    write_requests(tmp_path, judge, TASKS)
    backend = OpenAIBackend(url)
    (state,) = await submit(backend, requests_in(tmp_path))
    assert (state.status, state.ended, state.downloaded) == ("in_progress", False, ())
    await submit(backend, requests_in(tmp_path))
    assert len(held["batches"]) == 1
    assert held["files"]["file-0"] == requests_in(tmp_path)[0].read_bytes()

    held["status"] = "completed"
    held["files"]["out"] = "\n".join(result(judge, t) for t in TASKS).encode()
    await backend.aclose()
    later = OpenAIBackend(url)
    (state,) = await poll(later, requests_in(tmp_path))
    await later.aclose()
    assert (state.status, state.completed, len(state.downloaded)) == ("completed", 4, 1)

    outcome = await read(tmp_path, sink, judge)
    assert outcome.waiting == 0
    assert len(sink.verdicts) == 12


async def test_an_endpoint_without_batches_says_so(
    remote: tuple[str, dict[str, Any]], tmp_path: Path
) -> None:
    """With the way to do it by hand."""
    url, _ = remote
    paths = write_requests(tmp_path, spec(), TASKS)
    backend = OpenAIBackend(url.replace("/v1", "/elsewhere"))
    with pytest.raises(ServiceError, match="no /v1/batches") as error:
        await submit(backend, paths)
    await backend.aclose()

    assert error.value.hint
    assert (await poll(backend, paths))[0].status == "not submitted"
