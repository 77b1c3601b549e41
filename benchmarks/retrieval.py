"""Retrieval metrics of a TREC run, loading included: trueup against pytrec_eval, in CPU time.

    python benchmarks/retrieval.py --questions 20000

Makes a run of so many questions with 100 documents each (100,000 questions are ten million lines
and 350 MB of disk), scores it with each tool in a process of its own, and prints CPU seconds, peak
memory and the ratio; the figures of both must agree. Target, at ten million lines: a ratio of at
least 2.5 and at most 150 MB for trueup. At fewer lines the start of Python and its imports weigh on
the ratio (0.4 s for trueup, 0.1 s for pytrec_eval).
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

DOCUMENTS = 100
FOUND, MISSED = 3, 1
CORPUS = 8_000_000


def make(folder: Path, questions: int, seed: int) -> tuple[Path, Path]:
    """A run sorted by score, and four gold documents a question, three of them in its list."""
    rng = np.random.default_rng(seed)
    run, qrels = folder / "run", folder / "qrels"
    with run.open("w") as lines, qrels.open("w") as gold:
        for q in range(1, questions + 1):
            docs = rng.choice(CORPUS, DOCUMENTS + MISSED, replace=False)
            scores = np.sort(rng.gamma(4, 3, DOCUMENTS))[::-1].tolist()
            lines.writelines(
                f"q{q} Q0 D{doc:07d} {rank} {score:.6f} bm25\n"
                for rank, (doc, score) in enumerate(zip(docs.tolist(), scores, strict=False), 1)
            )
            places = [*rng.choice(DOCUMENTS, FOUND, replace=False).tolist(), DOCUMENTS]
            gold.writelines(f"q{q} 0 D{docs[place]:07d} 1\n" for place in places)
    return run, qrels


def trueup_figures(run: str, qrels: str) -> dict[str, float | None]:
    """Ours: streamed."""
    from trueup.exchange.trec import read_hits
    from trueup.stats.retrieval_summary import summarise

    made = summarise(read_hits(Path(run), Path(qrels)), (1, 5, 10))
    at = made.at[10]
    return {
        "recall@10": at.recall.value,
        "hit_rate@10": at.hit_rate.value,
        "precision@10": at.precision.value,
        "ndcg@10": at.ndcg.value,
        "mrr": made.mrr.value,
    }


def peer_figures(run: str, qrels: str) -> dict[str, float | None]:
    """The same figures by pytrec_eval, the fastest of the usual tools."""
    import pytrec_eval

    with Path(qrels).open() as lines:
        gold = pytrec_eval.parse_qrel(lines)
    with Path(run).open() as lines:
        ranked = pytrec_eval.parse_run(lines)
    measures = {
        "recall.1,5,10", "success.1,5,10", "P.1,5,10", "recip_rank", "ndcg_cut.1,5,10"
    }  # fmt: skip
    found = pytrec_eval.RelevanceEvaluator(gold, measures).evaluate(ranked)
    names = {
        "recall@10": "recall_10",
        "hit_rate@10": "success_10",
        "precision@10": "P_10",
        "ndcg@10": "ndcg_cut_10",
        "mrr": "recip_rank",
    }
    return {
        ours: sum(values[theirs] for values in found.values()) / len(found)
        for ours, theirs in names.items()
    }


TOOLS = {"trueup": trueup_figures, "pytrec_eval": peer_figures}


def measure_here(tool: str, run: str, qrels: str) -> None:
    """What the child process does: figures, CPU seconds of all it did, peak memory in MB."""
    figures = TOOLS[tool](run, qrels)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1e6 if sys.platform == "darwin" else 1e3
    )
    print(json.dumps({"figures": figures, "cpu": time.process_time(), "mb": peak}))


class Measured(NamedTuple):
    """What one tool said, and what it took."""

    figures: dict[str, float]
    cpu: float
    mb: float


def measure(tool: str, run: Path, qrels: Path) -> Measured:
    """One tool in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", tool, str(run), str(qrels)],
        check=True,
        capture_output=True,
        text=True,
    )
    return Measured(**json.loads(done.stdout))


def main() -> None:
    """Prints the table; exits 1 where the figures of the tools differ."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--questions", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--child", nargs=3, metavar=("TOOL", "RUN", "QRELS"), help=argparse.SUPPRESS
    )
    options = parser.parse_args()
    if options.child:
        measure_here(*options.child)
        return
    with tempfile.TemporaryDirectory() as folder:
        run, qrels = make(Path(folder), options.questions, options.seed)
        lines = options.questions * DOCUMENTS
        print(
            f"{options.questions:,} questions, {lines:,} lines, {run.stat().st_size / 1e6:.0f} MB"
        )
        best: dict[str, Measured] = {}
        for _ in range(options.repeats):
            for tool in TOOLS:
                made = measure(tool, run, qrels)
                best[tool] = min(made, best.get(tool, made), key=lambda m: m.cpu)
    ours, theirs = best["trueup"], best["pytrec_eval"]
    for tool, made in best.items():
        figures = "  ".join(f"{name} {value:.6f}" for name, value in made.figures.items())
        print(f"{tool:12} {made.cpu:7.2f} CPU s {made.mb:7.0f} MB   {figures}")
    print(f"ratio of CPU {theirs.cpu / ours.cpu:.2f} (target 2.5 at ten million lines)")
    same = all(abs(value - theirs.figures[name]) < 1e-9 for name, value in ours.figures.items())
    print("figures agree" if same else "FIGURES DIFFER")
    sys.exit(0 if same else 1)


if __name__ == "__main__":
    main()
