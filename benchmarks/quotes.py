"""Locating quotes: quotes a CPU second, and the ratio to a bare `str.find`.

    python benchmarks/quotes.py [--quotes 100000] [--per-context 5] [--characters 4000]

Contexts are made text with typography and Markdown; quotes are what judges make of its sentences:
verbatim, restyled (curly marks, spaces, case), with emphasis left out, elided, reworded. Each
context is indexed once for all its quotes; making the index counts. Target: 7,000 a CPU second.
"""

from __future__ import annotations

import argparse
import random
import time
from collections import Counter
from collections.abc import Callable

from trueup.domain.model import Chunk
from trueup.domain.text import ChunkIndex, ContextIndex
from trueup.judge.near import locate_evidence

_WORDS = """
    audit log retention plan team enterprise days after window removed export report user access
    region backup key limit request policy invoice seat support hours weekly owner admin status
    größe straße für naïve café régime niño 90 30 4.5 1,000 2019-2020 −7 v2.1 snake_case c-9930
"""
_CURLY = str.maketrans({"'": "\u2019", "-": "\u2013", " ": "\u00a0"})
_WARPS: dict[str, Callable[[str], str]] = {
    "verbatim": str,
    "typography": lambda s: s.translate(_CURLY),
    "reflowed": lambda s: "\n  ".join(s.split(" ", 3)),
    "case": str.upper,
    "plain": lambda s: s.replace("**", "").replace("`", ""),
    "quoted": lambda s: f'"{s}"',
    "elided": lambda s: " ".join(s.split()[:3]) + " ... " + " ".join(s.split()[-3:]),
    "reworded": lambda s: " ".join(w if i % 5 else "indeed" for i, w in enumerate(s.split())),
}


def sentence(rng: random.Random) -> str:
    words = [rng.choice(_WORDS.split()) for _ in range(rng.randint(8, 20))]
    if rng.random() < 0.4:
        at = rng.randrange(len(words))
        words[at] = f"**{words[at]}**" if rng.random() < 0.5 else f"`{words[at]}`"
    if rng.random() < 0.2:
        words.insert(2, '"really"')
    return " ".join(words).capitalize() + "."


def context(rng: random.Random, characters: int) -> tuple[str, list[str]]:
    sentences: list[str] = []
    while sum(map(len, sentences)) < characters:
        sentences.append(sentence(rng))
    return "".join(s + (" " if rng.random() < 0.7 else "\n- ") for s in sentences), sentences


def work(args: argparse.Namespace) -> list[tuple[str, list[tuple[str, str]]]]:
    """Contexts with their quotes: [(text, [(kind, quote)])]."""
    rng = random.Random(args.seed)
    made = []
    for _ in range(args.quotes // args.per_context):
        text, sentences = context(rng, args.characters)
        kinds = rng.choices(list(_WARPS), k=args.per_context)
        made.append((text, [(k, _WARPS[k](rng.choice(sentences))) for k in kinds]))
    return made


def cpu(run: Callable[[], object]) -> float:
    begin = time.process_time()
    run()
    return time.process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quotes", type=int, default=100_000)
    parser.add_argument("--per-context", type=int, default=5)
    parser.add_argument("--characters", type=int, default=4000)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    made = work(args)
    total = sum(len(quotes) for _, quotes in made)
    levels: dict[str, Counter[str]] = {k: Counter() for k in _WARPS}

    def naive() -> None:
        for text, quotes in made:
            for _, quote in quotes:
                text.find(quote)

    def located() -> None:
        for text, quotes in made:
            index = ChunkIndex(text)
            for kind, quote in quotes:
                levels[kind][index.locate(quote).level] += 1

    def with_near() -> None:
        for text, quotes in made:
            index = ContextIndex([Chunk("c", text)])
            for _, quote in quotes:
                locate_evidence(quote, index)

    find_s, locate_s, near_s = cpu(naive), cpu(located), cpu(with_near)
    print(f"{total:,} quotes, {len(made):,} contexts of {args.characters:,} characters")
    print(f"str.find           {find_s:7.2f} CPU s  {total / find_s:10,.0f} a second")
    print(f"locate             {locate_s:7.2f} CPU s  {total / locate_s:10,.0f} a second"
          f"  = {locate_s / find_s:.1f}x str.find")  # fmt: skip
    print(f"locate, then near  {near_s:7.2f} CPU s  {total / near_s:10,.0f} a second"
          f"  = {near_s / find_s:.1f}x str.find")  # fmt: skip
    print(f"target 7,000 a second: {total / locate_s / 7000:.2f}x of it")
    for kind, counts in levels.items():
        print(f"  {kind:11} {dict(counts)}")


if __name__ == "__main__":
    main()
