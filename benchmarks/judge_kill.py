"""Kill -9 at random moments: what is lost, doubled, or asked again of a judge run.

Records are judged into a real store by a process that is killed, started again, and so on; the
endpoint counts how often each record was asked about. Bar: 0 lost beyond the calls under way, 0
doubled, 0 stored calls repeated.

    python benchmarks/judge_kill.py [--records 10000] [--kills 5] [--concurrency 64] [--seed 1]
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import signal
import sys
import tempfile
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import judge_throughput
import stub_endpoint


class Counting(stub_endpoint.Endpoint):
    """Counts requests by their body."""

    seen: ClassVar[Counter[bytes]] = Counter()
    reached = asyncio.Event()
    kill_at = -1

    def asked(self, body: bytes) -> None:
        """Count, and say when it is time to kill."""
        self.seen[hashlib.sha256(body).digest()] += 1
        if 0 <= self.kill_at <= self.seen.total():
            self.reached.set()


async def work(path: Path, url: str, count: int, concurrency: int) -> None:
    """One process: plan what is missing, judge it."""
    from trueup.judge.openai_backend import OpenAIBackend
    from trueup.judge.options import RunOptions
    from trueup.judge.runner import Run
    from trueup.services.tasks import task_of
    from trueup.store import Store

    judge = judge_throughput.spec(url, "plain")
    with Store.open(path) as store:
        store.save_judge(judge)
        missing = store.missing(
            kind="answer_claim", metric="groundedness", fingerprint=judge.fingerprint, repeat=0
        )
        tasks = [task_of(record, units, "groundedness") for record, units in missing]
        assert len(tasks) <= count
        backend = OpenAIBackend(url, concurrency=concurrency)
        run = Run(tasks, judge, backend, store.sink(judge), RunOptions(concurrency=concurrency))
        async for _ in run.events():
            pass
        await backend.aclose()


def stored(path: Path, url: str) -> Counter[str]:
    """How often each unit has a verdict."""
    from trueup.store import Store

    judge = judge_throughput.spec(url, "plain")
    with Store.open(path) as store:
        found = store.verdicts(metric="groundedness", fingerprints=[judge.fingerprint])
        return Counter(v.unit for v in found)


async def serve() -> tuple[asyncio.Server, str]:
    """The counting endpoint on a free loopback port."""
    plain = stub_endpoint.http(stub_endpoint.body(evidence=False))
    loop = asyncio.get_running_loop()
    server = await loop.create_server(
        lambda: Counting(0.02, plain, plain), "127.0.0.1", 0, backlog=4096
    )
    return server, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"


async def start(path: Path, url: str, args: argparse.Namespace) -> asyncio.subprocess.Process:
    """The judging process."""
    return await asyncio.create_subprocess_exec(
        sys.executable, __file__, "--work", str(path), "--url", url,
        "--records", str(args.records), "--concurrency", str(args.concurrency),
    )  # fmt: skip


async def kill_and_resume(path: Path, args: argparse.Namespace) -> None:
    """Kill as often as asked, then let it finish, and report."""
    server, url = await serve()
    rng = Random(args.seed)
    before: set[str] = set()
    lost = 0
    for kill in range(args.kills):
        Counting.reached.clear()
        share = args.records // (args.kills + 1)
        Counting.kill_at = Counting.seen.total() + rng.randrange(share // 4, share)
        process = await start(path, url, args)
        await Counting.reached.wait()
        os.kill(process.pid, signal.SIGKILL)
        await process.wait()
        units = set(stored(path, url))
        lost += len(before - units)
        before = units
        print(f"kill {kill + 1}: {Counting.seen.total()} asked, {len(units)} verdicts stored")
    Counting.kill_at = -1
    process = await start(path, url, args)
    await process.wait()
    report(stored(path, url), lost, args)
    server.close()


def report(units: Counter[str], lost: int, args: argparse.Namespace) -> None:
    """Print what the bar asks for."""
    expected = args.records * stub_endpoint.CLAIMS
    repeated = Counting.seen.total() - len(Counting.seen)
    print(f"stored verdicts lost: {lost} (bar 0)")
    print(f"units without a verdict: {expected - len(units)} (bar 0)")
    print(f"verdicts doubled: {sum(n - 1 for n in units.values())} (bar 0)")
    print(
        f"calls asked again: {repeated} of {args.records} "
        f"(bar: those under way or not yet committed, at most {args.kills} x 1.25 x"
        f" {args.concurrency})"
    )


def main() -> None:
    """Parse the arguments; with --work, be the process that is killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work")
    parser.add_argument("--url", default="")
    args: Any = parser.parse_args()
    if args.work:
        asyncio.run(work(Path(args.work), args.url, args.records, args.concurrency))
        return
    from trueup.domain.transfer import ImportedRecord
    from trueup.store import Store

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trueup.db"
        with Store.open(path, create=True) as store:
            records = judge_throughput.records(args.records)
            store.import_records(
                ImportedRecord(r, claims={"answer_claim": judge_throughput.claims(r)})
                for r in records
            )
        asyncio.run(kill_and_resume(path, args))


if __name__ == "__main__":
    main()
