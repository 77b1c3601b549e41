"""Answers a second and CPU per 1,000 calls: trueup, store included, against a bare openai client.

Both send the same prompts to the same endpoint (fixed 50 ms, five claims an answer) in processes of
their own, taking turns; only the ratios mean anything on a loaded machine. Targets: at least 90 %
of the bare client's answers a second, at most 1.2 times its CPU.

    python benchmarks/judge_throughput.py [--calls 3000] [--rounds 3] [--concurrency 64,256]

ragas and deepeval take part where they are installed.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import judge_peers
import stub_endpoint

LATENCY_MS = 50
PEER_CALLS = 300
QUESTION = "How long do the depots keep spare parts?"


def records(count: int) -> list[Any]:
    """Records with five claims each and three chunks of about 1,300 characters."""
    from trueup.domain.model import Chunk, Record

    filler = "Stock is counted on the first working day of the month and reported upstream. " * 14
    facts = " ".join(stub_endpoint.claim(n) for n in range(1, stub_endpoint.CLAIMS + 1))
    return [
        Record(
            id=f"q-{i}",
            question=QUESTION,
            answer=facts,
            context=tuple(
                Chunk(f"c-{i}-{k}", f"Record {i}, part {k}. {filler}{facts if k == 1 else ''}")
                for k in range(3)
            ),
        )
        for i in range(count)
    ]


def claims(record: Any) -> tuple[Any, ...]:
    """The frozen claims of a record."""
    from trueup.domain.model import Unit

    return tuple(
        Unit(record.key, f"{record.id}#{n}", "answer_claim", stub_endpoint.claim(n), n)
        for n in range(1, stub_endpoint.CLAIMS + 1)
    )


def tasks(count: int) -> list[Any]:
    """What the runner is given."""
    from trueup.domain.judging import JudgeTask, TaskUnit

    return [
        JudgeTask(
            record=r.key,
            record_id=r.id,
            metric="groundedness",
            units=tuple(TaskUnit(u.key, u.text) for u in claims(r)),
            question=r.question,
            context=r.context,
            answer=r.answer,
        )
        for r in records(count)
    ]


def spec(url: str, style: str) -> Any:
    """The judge of the benchmark."""
    from trueup.domain.model import JudgeSpec
    from trueup.judge.templates import load_template

    return JudgeSpec(
        name="bench",
        backend="openai",
        metric="groundedness",
        model="stub",
        prompt=style,
        prompt_text=load_template("groundedness", style).text,
        evidence="required" if style == "quoted" else "off",
        base_url=url,
        params={"temperature": 0, "max_output_tokens": 2000},
    )


async def bare(url: str, count: int, concurrency: int, style: str) -> dict[str, float]:
    """The openai package with its aiohttp transport: send, read the content, nothing else."""
    import httpx2
    import openai

    from trueup.judge.openai_params import Accepted
    from trueup.judge.render import render

    judge = spec(url, style)
    shape = Accepted()
    bodies = [shape.body(judge, render(judge.prompt_text, t)) for t in tasks(count)]
    limits = httpx2.Limits(max_connections=concurrency, max_keepalive_connections=concurrency)
    client = openai.AsyncOpenAI(
        base_url=url,
        api_key="none",
        max_retries=0,
        http_client=openai.DefaultAioHttpClient(limits=limits, timeout=60),
    )
    todo = iter(bodies)

    async def worker() -> None:
        for body in todo:
            reply = await client.chat.completions.create(**body)
            assert reply.choices[0].message.content

    return await _measured(lambda: _workers(worker, concurrency), client.close)


async def trueup(url: str, count: int, concurrency: int, style: str) -> dict[str, float]:
    """The runner with the store: plan is given; render, send, read, locate, rule, commit."""
    import openai  # noqa: F401 (both sides import before the clock starts)

    from trueup.domain.transfer import ImportedRecord
    from trueup.judge.openai_backend import OpenAIBackend
    from trueup.judge.options import RunOptions
    from trueup.judge.runner import Run
    from trueup.store import Store

    judge = spec(url, style)
    with (
        tempfile.TemporaryDirectory() as folder,
        Store.open(Path(folder) / "trueup.db", create=True) as store,
    ):
        store.import_records(
            ImportedRecord(r, claims={"answer_claim": claims(r)}) for r in records(count)
        )
        store.save_judge(judge)
        todo = tasks(count)
        backend = OpenAIBackend(url, concurrency=concurrency)
        run = Run(todo, judge, backend, store.sink(judge), RunOptions(concurrency=concurrency))

        async def whole() -> None:
            async for _ in run.events():
                pass

        measured = await _measured(whole, backend.aclose)
        assert run.summary is not None
        assert run.summary.units == count * stub_endpoint.CLAIMS, run.summary
        assert not run.summary.undecided, run.summary
        return measured


def peer(name: str) -> Callable[[str, int, int, str], Awaitable[dict[str, float]]]:
    """A peer as a client of this benchmark."""

    async def client(url: str, count: int, concurrency: int, _style: str) -> dict[str, float]:
        work = await judge_peers.PEERS[name](url, records(count), concurrency)

        async def close() -> None:
            """What a peer opened it closes by itself, or not at all."""

        return await _measured(work, close)

    return client


def compare_peers(url: str, concurrencies: list[int]) -> None:
    """Peers that are installed, on fewer answers since they take longer, beside trueup."""
    installed = [p for p in judge_peers.PEERS if importlib.util.find_spec(p) is not None]
    for name in judge_peers.PEERS.keys() - set(installed):
        print(f"{name}: not installed, not measured")
    for concurrency in concurrencies if installed else ():
        print(f"peers, concurrency {concurrency}, {PEER_CALLS} answers:")
        own = measure("trueup", url, PEER_CALLS, concurrency, "plain")
        for name in installed:
            took = measure(name, url, PEER_CALLS, concurrency, "plain")
            print(
                f"  {name:8} {PEER_CALLS / took['seconds']:7.0f} answers/s"
                f"  {took['cpu'] / PEER_CALLS * 1e3:6.3f} CPU s / 1,000 answers;"
                f" trueup: {took['seconds'] / own['seconds']:.1f} times the answers,"
                f" {took['cpu'] / own['cpu']:.1f} times less CPU"
            )


async def _workers(worker: Callable[[], Awaitable[None]], concurrency: int) -> None:
    await asyncio.gather(*(worker() for _ in range(concurrency)))


async def _measured(
    work: Callable[[], Awaitable[Any]], close: Callable[[], Awaitable[Any]]
) -> dict[str, float]:
    started, cpu = time.perf_counter(), time.process_time()
    await work()
    out = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - cpu}
    await close()
    return out


def measure(client: str, url: str, count: int, concurrency: int, style: str) -> dict[str, float]:
    """One client in a process of its own."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OPENAI_")}
    done = subprocess.run(
        [sys.executable, __file__, "--client", client, "--url", url, "--calls", str(count),
         "--concurrency", str(concurrency), "--style", style],
        env=environment, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return json.loads(done.stdout.splitlines()[-1])


def compare(url: str, count: int, concurrency: int, rounds: int, style: str) -> None:
    """Take turns and print medians and ratios."""
    seen: dict[str, list[dict[str, float]]] = {"bare": [], "trueup": []}
    for _ in range(rounds):
        for client, results in seen.items():
            results.append(measure(client, url, count, concurrency, style))
    rate = {c: count / statistics.median(r["seconds"] for r in rs) for c, rs in seen.items()}
    cpu = {c: statistics.median(r["cpu"] for r in rs) / count * 1e3 for c, rs in seen.items()}
    for client in seen:
        print(f"  {client:8} {rate[client]:7.0f} answers/s  {cpu[client]:6.3f} CPU s / 1,000 calls")
    print(
        f"  ratio    {rate['trueup'] / rate['bare']:7.2f} (bar 0.90)"
        f"      {cpu['trueup'] / cpu['bare']:6.2f} (bar 1.20)"
    )


def main() -> None:
    """Parse the arguments; with --client, be one client."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=3000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--concurrency", default="64,256")
    parser.add_argument("--style", default="plain,quoted")
    parser.add_argument("--client")
    parser.add_argument("--url")
    args = parser.parse_args()
    if args.client:
        client = {"bare": bare, "trueup": trueup}.get(args.client, peer(args.client))
        result = asyncio.run(client(args.url, args.calls, int(args.concurrency), args.style))
        print(json.dumps(result))
        return
    server = subprocess.Popen(
        [sys.executable, stub_endpoint.__file__, str(LATENCY_MS)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert server.stdout is not None
    assert server.stdin is not None
    try:
        url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        for style in args.style.split(","):
            for concurrency in map(int, args.concurrency.split(",")):
                print(f"{style}, concurrency {concurrency}, {args.calls} calls, {LATENCY_MS} ms:")
                compare(url, args.calls, concurrency, args.rounds, style)
        compare_peers(url, [int(c) for c in args.concurrency.split(",")])
    finally:
        server.stdin.close()
        server.wait()


if __name__ == "__main__":
    main()
