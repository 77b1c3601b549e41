"""A judge run in a process of its own, to be killed: SQLite sink, endpoint at an address given.

    python kill_worker.py DATABASE URL RECORDS

Started by test_kill.py; plans what has no verdict, asks, prints a line when it is through.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import sys
from collections.abc import Sequence

from trueup.domain.judging import Judgement, JudgeTask, TaskUnit
from trueup.domain.model import Chunk, JudgeSpec
from trueup.judge.openai_backend import OpenAIBackend
from trueup.judge.options import RunOptions
from trueup.judge.runner import Run
from trueup.judge.templates import load_template

CONCURRENCY = 16


class SqliteSink:
    """One row a call and a verdict, unique by key."""

    def __init__(self, path: str) -> None:
        self._db = sqlite3.connect(path, timeout=30, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("CREATE TABLE IF NOT EXISTS call (record TEXT, part INT, reply TEXT,"
                         " PRIMARY KEY (record, part))")  # fmt: skip
        self._db.execute("CREATE TABLE IF NOT EXISTS verdict (unit TEXT PRIMARY KEY, value TEXT)")
        self._db.commit()

    def commit(self, batch: Sequence[Judgement]) -> None:
        """All of a batch, or none."""
        with self._db:
            for made in batch:
                text = made.reply.text if made.reply else None
                row = (made.record, made.part, text)
                self._db.execute("INSERT INTO call VALUES (?, ?, ?)", row)
                self._db.executemany(
                    "INSERT INTO verdict VALUES (?, ?)", [(v.unit, v.value) for v in made.verdicts]
                )

    def ruled(self) -> set[str]:
        """Units with a verdict."""
        return {row[0] for row in self._db.execute("SELECT unit FROM verdict")}


def tasks(count: int, ruled: set[str]) -> list[JudgeTask]:
    """Records of two claims each that have no verdict yet."""
    out = []
    for n in range(count):
        units = tuple(TaskUnit(f"r{n}#{k}", f"Pump {n} has {k} valves.") for k in (1, 2))
        left = tuple(u for u in units if u.key not in ruled)
        chunk = Chunk("c", f"Pump {n} has 1 valves.")
        if left:
            out.append(JudgeTask(f"r{n}", f"r{n}", "groundedness", left, context=(chunk,)))
    return out


async def main(path: str, url: str, count: int) -> None:
    """Judge what is missing."""
    sink = SqliteSink(path)
    text = load_template("groundedness", "plain").text
    judge = JudgeSpec("kill", "openai", "groundedness", "m", prompt_text=text, base_url=url)
    todo = tasks(count, sink.ruled())
    backend = OpenAIBackend(url, concurrency=CONCURRENCY)
    run = Run(todo, judge, backend, sink, RunOptions(concurrency=CONCURRENCY))
    async for _ in run.events():
        pass
    await backend.aclose()
    assert run.summary is not None
    sys.stdout.write(json.dumps(run.summary.to_json()) + "\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
