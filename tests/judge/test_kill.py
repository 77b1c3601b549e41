"""`kill -9` in the middle of a run: nothing stored is lost, asked again or doubled."""

from __future__ import annotations

import asyncio
import json
import re
import sqlite3
import sys
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from aiohttp import web

RECORDS = 400
CONCURRENCY = 16
KILLS = 5


class Endpoint:
    """Answers honestly after a moment, and counts how often each record was asked about."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.kill_at: int | None = None
        self.reached = asyncio.Event()

    async def answer(self, request: web.Request) -> web.Response:
        """One completion."""
        body = await request.json()
        text = body["messages"][-1]["content"]
        claims = re.findall(r"^(\d+)\. (.+)$", text, re.MULTILINE)
        record = re.findall(r"Pump (\d+) has", text)[0]
        self.asked[record] += 1
        if self.kill_at is not None and self.asked.total() >= self.kill_at:
            self.reached.set()
        await asyncio.sleep(0.002)
        entries = [{"number": int(n), "claim": c, "entailed": False} for n, c in claims]
        message = {"content": json.dumps({"claims": entries})}
        choices = [{"message": message, "finish_reason": "stop"}]
        return web.json_response({"model": "m", "choices": choices})


@pytest.fixture
async def endpoint() -> Any:
    """A running endpoint: (its address, itself)."""
    one = Endpoint()
    app = web.Application()
    app.router.add_post("/v1/chat/completions", one.answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1", one
    await runner.cleanup()


def stored(path: Path) -> tuple[set[str], int]:
    """(units with a verdict, calls stored)."""
    with sqlite3.connect(path, timeout=30) as db:
        units = {row[0] for row in db.execute("SELECT unit FROM verdict")}
        (calls,) = db.execute("SELECT count(*) FROM call").fetchone()
    db.close()
    return units, calls


async def start(path: Path, url: str) -> asyncio.subprocess.Process:
    """A run in a process of its own."""
    worker = Path(__file__).parent / "kill_worker.py"
    return await asyncio.create_subprocess_exec(
        sys.executable, str(worker), str(path), url, str(RECORDS),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip


@pytest.mark.slow
async def test_killed_five_times(endpoint: tuple[str, Endpoint], tmp_path: Path) -> None:
    """At most the calls under way are asked again; every verdict stands exactly once."""
    url, server = endpoint
    path = tmp_path / "judged.db"
    rng = Random(7)
    before: set[str] = set()
    for kill in range(KILLS):
        server.reached.clear()
        server.kill_at = server.asked.total() + rng.randrange(20, RECORDS // (KILLS + 1))
        process = await start(path, url)
        await asyncio.wait_for(server.reached.wait(), 60)
        process.kill()
        await process.communicate()
        units, _ = stored(path)
        assert before <= units, f"kill {kill}: a stored verdict is gone"
        before = units

    server.kill_at = None
    process = await start(path, url)
    out, err = await asyncio.wait_for(process.communicate(), 60)
    assert process.returncode == 0, err.decode()
    units, calls = stored(path)

    assert len(units) == 2 * RECORDS
    assert calls == RECORDS
    repeated = server.asked.total() - RECORDS
    assert repeated <= KILLS * CONCURRENCY
    assert max(server.asked.values()) <= KILLS + 1
    assert json.loads(out)["units"] == 2 * RECORDS - len(before)
