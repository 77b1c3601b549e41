"""Import speed of trueup JSONL, as ratios to parsing the same lines with `json.loads` alone.

    python benchmarks/import_jsonl.py [--records 20000] [FILE…]

Without files it makes two of them with records of about 10 KB (100,000 are 1 GB): without claims,
and with five claims, each with a label and a verdict. Prints CPU seconds, ratios, megabytes a
second and the peak memory.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import tempfile
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

WORDS = [f"{a}{b}" for a in ("log", "plan", "day", "key", "zone") for b in ("", "s", "ed", "ing")]


def record(number: int, rng: random.Random, claims: int) -> dict[str, Any]:
    """One record of the usual shape; a fifth of the chunks recur."""

    def text(words: int) -> str:
        """Sentences as documentation has them: quotes, line feeds, some letters beyond ASCII."""
        parts = []
        for _ in range(0, words, 14):
            start = " ".join(rng.choices(WORDS, k=min(words, 13)))
            parts.append(f"{start} “{rng.randrange(10**6)}” é.")
        return "\n".join(parts)

    sentences = [text(14) for _ in range(5)]
    return {
        "id": f"q-{number}",
        "question": text(12),
        "context": [
            {"id": f"c-{number}-{n}", "text": f"{number} {text(300)}", "source": "docs/a.md"}
            for n in range(4)
        ]
        + [{"id": "c-shared", "text": f"shared {number % 500} " + "logs are kept " * 80}],
        "answer": " ".join(sentences),
        "claims": [
            {
                "text": s,
                "human": [{"annotator": "ana", "entailed": rng.random() < 0.8}],
                "judges": {"gpt": {"entailed": rng.random() < 0.8, "evidence": text(10)}},
            }
            for s in sentences[:claims]
        ],
        "slices": {"plan": "team"},
    }


def written(folder: Path, records: int, claims: int) -> Path:
    """A file of that many records with that many labelled and judged claims each."""
    rng = random.Random(7)
    path = folder / f"{claims}-claims-each.jsonl"
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for n in range(records):
            file.write(json.dumps(record(n, rng, claims), ensure_ascii=False) + "\n")
    return path


def parsed(path: Path) -> Iterator[Any]:
    """The yardstick: each line through json.loads."""
    with path.open("rb") as file:
        for line in file:
            yield json.loads(line)


def cpu(work: Callable[[], Any]) -> tuple[float, float]:
    """CPU and wall seconds of some work."""
    cpu_start, wall_start = time.process_time(), time.perf_counter()
    work()
    return time.process_time() - cpu_start, time.perf_counter() - wall_start


def drain(items: Iterator[Any]) -> None:
    """Run an iterator to its end, keeping nothing."""
    deque(items, maxlen=0)


def measure(path: Path, folder: Path) -> None:
    """Print the figures of one file."""
    from trueup.exchange.jsonl import read_jsonl
    from trueup.store import Store

    size = path.stat().st_size / 1e6
    base, _ = cpu(lambda: drain(parsed(path)))
    print(f"{path.name}: {size:,.0f} MB")
    print(f"  json.loads alone     {base:8.2f} s CPU   {size / base:7.0f} MB/s")
    store = Store.open(folder / f"{path.stem}.db", create=True)
    steps: list[tuple[str, Callable[[], Any]]] = [
        ("read_jsonl", lambda: drain(read_jsonl(path))),
        ("import, new store", lambda: print("   ", store.import_records(read_jsonl(path)))),
        ("import again", lambda: store.import_records(read_jsonl(path))),
    ]
    for name, work in steps:
        used, wall = cpu(work)
        print(
            f"  {name:20} {used:8.2f} s CPU   {size / used:7.0f} MB/s   {used / base:5.2f}x "
            f"json.loads   {wall:.1f} s wall"
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    database = (folder / f"{path.stem}.db").stat().st_size / 1e6
    print(f"  peak memory {peak:,.0f} MB, database {database:,.0f} MB")
    store.close()


def main() -> None:
    """Measure the files named, or made ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--records", type=int, default=20_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in options.files or [written(folder, options.records, n) for n in (0, 5)]:
            measure(path, folder)


if __name__ == "__main__":
    main()
