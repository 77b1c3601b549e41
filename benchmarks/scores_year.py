"""A year of nightly releases in `trueup scores`: 365 × 300 records × 5 metrics.

    python benchmarks/scores_year.py [--releases 365] [--records 300] [--keep DIR]

Prints seconds of CPU and wall for the first look after a bulk write that counted nothing (`trueup
import` and `trueup judge` count as they write), for a look on the next day (one release is new),
and for a look when nothing is new, each in a process of its own, beside what `trueup scores` of an
empty workspace takes to start. Target: a look takes less than 1 s beyond that.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from trueup.domain.model import Chunk, JudgeSpec, Record, Unit, UnitKind, Verdict
from trueup.domain.transfer import ImportedRecord
from trueup.services.workspace import Workspace

METRICS = {
    "groundedness": "answer_claim",
    "answer_relevancy": "answer_claim",
    "correctness_precision": "answer_claim",
    "contextual_recall": "reference_claim",
    "correctness_recall": "reference_claim",
}
CLAIMS: dict[UnitKind, int] = {"answer_claim": 4, "reference_claim": 3}


def specs() -> dict[str, JudgeSpec]:
    return {
        m: JudgeSpec("nightly", "recorded", m, "model", "plain", f"prompt {m}") for m in METRICS
    }


def night(day: int, records: int, judges: dict[str, JudgeSpec]) -> Iterator[ImportedRecord]:
    """One release, its claims and the verdicts on them."""
    rng = random.Random(day)
    prints = {metric: spec.fingerprint for metric, spec in judges.items()}
    for i in range(records):
        record = Record(
            f"q-{i}", f"Answer {i} of day {day}.", "A question?", (Chunk(f"c-{i}", f"Text {i}."),),
            f"Reference {i}.", release=f"day-{day:03}", failing=rng.random() < 0.2,
        )  # fmt: skip
        claims: dict[UnitKind, tuple[Unit, ...]] = {
            kind: tuple(
                Unit(record.key, f"q-{i}{kind[0]}{n}", kind, f"Claim {n}.", n)
                for n in range(1, count + 1)
            )
            for kind, count in CLAIMS.items()
        }
        verdicts = tuple(
            Verdict(unit.key, metric, prints[metric], value, value)
            for metric, kind in METRICS.items()
            for unit in claims[kind]  # type: ignore[index]
            for value in ("entailed" if rng.random() < 0.85 else "not_entailed",)
        )
        yield ImportedRecord(record, claims, verdicts, judges=tuple(judges.values()))


def look(root: Path, *options: str) -> tuple[float, float]:
    """(wall, CPU) seconds of `trueup scores` in a new process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    started = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "trueup.cli.main", "-C", root, "scores", *options],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    wall = time.perf_counter() - started
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--releases", type=int, default=365)
    parser.add_argument("--records", type=int, default=300)
    parser.add_argument("--keep", type=Path, help="Make the workspace here, and leave it.")
    options = parser.parse_args()
    root = (options.keep or Path(tempfile.mkdtemp(prefix="trueup-year-"))) / "ws"
    empty = root.parent / "empty"
    Workspace.init(empty).close()
    judges = specs()
    with Workspace.init(root) as workspace:
        for day in range(options.releases - 1):
            workspace.store.import_records(night(day, options.records, judges))
        print(f"made {workspace.store.counts()}")
        bare = min(look(empty) for _ in range(3))
        print(f"an empty workspace: {bare[0]:.2f} s, CPU {bare[1]:.2f} s")
        rows = [("first look", look(root)), ("nothing new", min(look(root) for _ in range(3)))]
        workspace.store.import_records(night(options.releases - 1, options.records, judges))
        rows.append(("one night later", look(root)))
        rows.append(("nothing new", min(look(root) for _ in range(3))))
        rows.append(("all as JSON", min(look(root, "--json") for _ in range(3))))
    for name, (wall, cpu) in rows:
        print(
            f"{name:<16} {wall:6.2f} s wall, {cpu:6.2f} s CPU; "
            f"beyond the empty one {wall - bare[0]:6.2f} s, {cpu - bare[1]:6.2f} s CPU"
        )


if __name__ == "__main__":
    main()
