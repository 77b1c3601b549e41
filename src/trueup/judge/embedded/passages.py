"""A context as weighted sentences, and how well they cover a claim."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log

from trueup.domain.model import Chunk
from trueup.judge.embedded.words import Words, words
from trueup.judge.splitting.blocks import blocks
from trueup.judge.splitting.language import guess_language
from trueup.judge.splitting.sentences import sentences

_NEAR = 86.0
"""Similarity (0 to 100) from which two long stems count as one word spelt twice."""
_SHORTEST_NEAR = 5
_NUMBER_WEIGHT = 1.5


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a chunk: its text stands verbatim in the chunk."""

    chunk: int
    text: str
    words: Words


@dataclass(frozen=True, slots=True)
class Passage:
    """A whole context, or whatever a claim is held against."""

    language: str
    chunks: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    all_words: Words
    spread: dict[str, int] = field(repr=False)
    """stem → in how many sentences it stands."""

    def weight(self, stem: str) -> float:
        """Rarity within the context: 1 for a word of every sentence, more for a rarer one."""
        n = len(self.sentences)
        rarity = 1.0 + log((1 + n) / (1 + self.spread.get(stem, 0)))
        return rarity * (_NUMBER_WEIGHT if stem[:1].isdigit() else 1.0)

    def coverage(self, claim: Words, by: Words) -> float:
        """Share of the claim's weight whose words stand in `by`; 0 for a claim without words."""
        total = sum(self.weight(s) for s in claim.stems)
        if not total:
            return 0.0
        return sum(self.weight(s) for s in claim.stems if _has(by, s)) / total


def passage(texts: Sequence[str]) -> Passage:
    """Index some texts; the same texts are indexed once."""
    return _passage(tuple(texts))


def chunk_texts(context: Sequence[Chunk] | None) -> list[str]:
    """The texts of a context."""
    return [c.text for c in context or ()]


@lru_cache(maxsize=64)
def _passage(texts: tuple[str, ...]) -> Passage:
    language = guess_language(" ".join(texts)[:4000])
    found = [
        Sentence(i, piece, words(piece, language))
        for i, text in enumerate(texts)
        for piece in _sentence_texts(text, language)
    ]
    spread: dict[str, int] = {}
    everything = Words({}, frozenset())
    for sentence in found:
        everything = everything | sentence.words
        for stem in sentence.words.stems:
            spread[stem] = spread.get(stem, 0) + 1
    return Passage(language, texts, tuple(found), everything, spread)


def _sentence_texts(text: str, language: str) -> list[str]:
    out = []
    for block in blocks(text):
        inside = text[block.start : block.end]
        if block.kind in {"row", "code", "heading"}:
            out.append(inside)
        else:
            out += [inside[s.start : s.end] for s in sentences(inside, language)]
    return [t for t in out if t.strip()]


def _has(by: Words, stem: str) -> bool:
    if stem in by.stems:
        return True
    if stem[:1].isdigit():
        return stem in by.numbers
    return len(stem) >= _SHORTEST_NEAR and _near(stem, tuple(by.stems))


@lru_cache(maxsize=100_000)
def _near(stem: str, vocabulary: tuple[str, ...]) -> bool:
    from rapidfuzz import fuzz, process

    long_ones = [v for v in vocabulary if len(v) >= _SHORTEST_NEAR and v[0] == stem[0]]
    return process.extractOne(stem, long_ones, scorer=fuzz.ratio, score_cutoff=_NEAR) is not None
