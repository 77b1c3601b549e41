"""The embedded judge: claims a CPU second, and its agreement with people's labels.

    python benchmarks/embedded_judge.py [FILE.jsonl …] [--claims 5000]

Without files only the throughput on made text is printed. Files are trueup JSONL with people's
labels (`human` under `claims`): the label of a claim is the strict majority of its annotators.
Printed for each style and file: balanced accuracy, Cohen's kappa, TPR, TNR; the same on the half of
the records on which the thresholds were chosen and on the other half (by the record id's hash); and
at 100, 70 and 50 % coverage, keeping the claims of which the judge is surest.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trueup.domain.judging import TaskUnit
from trueup.judge.embedded import EMBEDDED_VERSION, STYLES
from trueup.judge.embedded.backend import entails
from trueup.judge.embedded.ruling import Ruling

_COVERAGES = (1.0, 0.7, 0.5)
_VOCABULARY = """audit log retention window export report member region backup key limit request
    policy invoice seat support owner admin archive webhook monitor dashboard alert token session
    cluster latency gateway schedule metric trace event replica quota ledger shipment carrier"""
_NAMES = ["Team", "Enterprise", "Starter", "Lindow", "Marby"]


@dataclass(frozen=True)
class Case:
    """One labelled claim: the texts it is held against and what people say of it."""

    record: str
    texts: tuple[str, ...]
    claim: str
    label: bool


def majority(labels: Sequence[dict[str, Any]]) -> bool | None:
    """The strict majority of the annotators who decided; None for a tie or nobody."""
    votes: list[bool] = [x["entailed"] for x in labels if x.get("entailed") is not None]
    if not votes or 2 * sum(votes) == len(votes):
        return None
    return 2 * sum(votes) > len(votes)


def load(path: Path) -> list[Case]:
    """The labelled claims of a file."""
    cases = []
    for line in path.read_bytes().split(b"\n"):
        if not line.strip():
            continue
        record = json.loads(line)
        given = record.get("context")
        chunks = given if isinstance(given, list) else [given or ""]
        texts = tuple(c["text"] if isinstance(c, dict) else c for c in chunks)
        for claim in record.get("claims", ()):
            label = majority(claim.get("human", ()))
            if label is not None:
                cases.append(Case(str(record["id"]), texts, claim["text"], label))
    return cases


def sentence(rng: random.Random) -> str:
    words = rng.choices(_VOCABULARY.split(), k=rng.randint(6, 14))
    words.insert(2, f"on the {rng.choice(_NAMES)} plan")
    words.append(f"is {rng.randint(2, 400)} {rng.choice(['days', 'GB', 'USD', 'hours'])}")
    return " ".join(words).capitalize() + "."


def made(claims: int, per_record: int = 5, chunks: int = 5) -> Iterator[Case]:
    """Claims of made records: five chunks of eight sentences, every other claim altered."""
    rng = random.Random(7)
    for record in range(claims // per_record):
        texts = [[sentence(rng) for _ in range(8)] for _ in range(chunks)]
        joined = tuple(" ".join(t) for t in texts)
        for n in range(per_record):
            claim = rng.choice(rng.choice(texts))
            if n % 2:
                claim = claim.replace(" is ", " is not ") if n % 4 == 1 else sentence(rng)
            yield Case(f"made-{record}", joined, claim, n % 2 == 0)


def rule_all(cases: Sequence[Case], style: str) -> tuple[list[Ruling], float]:
    """The rulings, and the CPU seconds that they took."""
    start = time.process_time()
    rulings = [entails(c.texts, TaskUnit("u", c.claim), style) for c in cases]
    return rulings, time.process_time() - start


def figures(labels: Sequence[bool], said: Sequence[bool]) -> str:
    """Balanced accuracy, kappa, TPR and TNR of one table, or dashes where one is undefined."""
    n, yes = len(labels), sum(labels)
    if not n or yes in (0, n):
        return f"{n:6}   one class only"
    both = sum(a and b for a, b in zip(labels, said, strict=True))
    neither = sum(not a and not b for a, b in zip(labels, said, strict=True))
    tpr, tnr = both / yes, neither / (n - yes)
    agreed, judged = (both + neither) / n, sum(said) / n
    chance = yes / n * judged + (1 - yes / n) * (1 - judged)
    kappa = (agreed - chance) / (1 - chance)
    return f"{n:6}   {(tpr + tnr) / 2:.3f}     {kappa:.3f}   {tpr:.2f}  {tnr:.2f}"


def chosen_on(case: Case) -> bool:
    """Whether a record is in the half on which the thresholds were chosen."""
    return hashlib.sha256(case.record.encode("utf-8", "surrogatepass")).digest()[0] % 2 == 0


def agreement(name: str, cases: Sequence[Case]) -> None:
    for style in STYLES:
        rulings, seconds = rule_all(cases, style)
        pairs = list(zip(cases, rulings, strict=True))
        print(f"\n{name}, {style}: {len(cases) / seconds:,.0f} claims a CPU second")
        print("                    claims   balanced  kappa   TPR   TNR")
        for half, title in ((True, "half chosen on"), (False, "held-out half")):
            part = [(c.label, r.entailed) for c, r in pairs if chosen_on(c) is half]
            print(f"  {title:16}  {figures([a for a, _ in part], [b for _, b in part])}")
        surest = sorted(pairs, key=lambda p: -p[1].confidence)
        for share in _COVERAGES:
            kept = surest[: round(len(surest) * share)]
            table = figures([c.label for c, _ in kept], [r.entailed for _, r in kept])
            print(f"  {f'{share:.0%} coverage':16}  {table}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--claims", type=int, default=5000)
    args = parser.parse_args()
    print(f"{EMBEDDED_VERSION}\n")
    cases = list(made(args.claims))
    for style in STYLES:
        _, seconds = rule_all(cases, style)
        print(f"made text, {style}: {len(cases) / seconds:,.0f} claims a CPU second")
    for path in args.files:
        agreement(path.stem, load(path))
    if sys.platform != "win32":
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"\npeak memory {peak:,.0f} MB")


if __name__ == "__main__":
    main()
