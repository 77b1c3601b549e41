"""What a claim is held against, as sentences with terms, and how well they cover it.

Rarity is measured within the text itself: a term that stands in every sentence tells little. The
frequent words of a language are dropped before (`words.py`). An inverted index makes one claim cost
as much as its own terms, whatever the length of the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import log

import regex

from trueup.judge.embedded.words import terms
from trueup.judge.splitting.blocks import Kind, blocks
from trueup.judge.splitting.language import guess_language
from trueup.judge.splitting.sentences import sentences

_LONGEST = 320
"""Code points of a passage: longer ones (JSON, CSV) are cut at their strongest separators."""
_CUTS = (
    regex.compile(r"(?<=[}\]]),?\s*|\n+|(?<=[;；])\s*"),
    regex.compile(r"(?<=[,，、])\s*|\s*[|•]\s*"),
    regex.compile(r"\s+"),
)
_NEAR = 80.0
_SHORTEST_NEAR = 5
_PREFIX = 4
_NUMBER_WEIGHT = 1.5
_COMPOUNDING = frozenset({"de", "nl", "sv", "da"})


@dataclass(frozen=True, slots=True)
class Passage:
    """One sentence (or table row, or piece of JSON) of one text, verbatim.

    `around` are the terms that hold for it without standing in it: those of the heading above and
    of a table's headers.
    """

    text: str
    place: int
    """Which of the texts it stands in."""
    terms: frozenset[str]
    around: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Held:
    """The texts that claims are held against, indexed once."""

    texts: tuple[str, ...]
    language: str
    passages: tuple[Passage, ...]
    postings: dict[str, tuple[int, ...]] = field(repr=False)
    prefixes: dict[str, tuple[str, ...]] = field(repr=False)
    _near: dict[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)

    def weight(self, term: str) -> float:
        """Rarity of a term: 1 where every passage has it, about 1 + log n where none has."""
        n = len(self.passages)
        rarity = 1.0 + log((1 + n) / (1 + len(self.postings.get(term, ()))))
        return rarity * (_NUMBER_WEIGHT if term[:1].isdigit() else 1.0)

    def same(self, term: str) -> tuple[str, ...]:
        """The terms of the texts that count as this one: itself, and spellings close to it."""
        known = self._near.get(term)
        if known is None:
            known = self._near[term] = tuple(self._find(term))
        return known

    def _find(self, term: str) -> Iterable[str]:
        if term in self.postings:
            return (term,)
        if len(term) < _SHORTEST_NEAR or not term[0].isalpha():
            return ()
        from rapidfuzz import fuzz

        found = [t for t in self.prefixes.get(term[:_PREFIX], ()) if fuzz.ratio(t, term) >= _NEAR]
        if not found and self.language in _COMPOUNDING:
            found = [
                t for t in self.postings if len(t) >= _SHORTEST_NEAR and (t in term or term in t)
            ]
        return found


def held(texts: Sequence[str]) -> Held:
    """Index some texts; the same texts are indexed once while they are in use."""
    return _held(tuple(texts))


@lru_cache(maxsize=64)
def _held(texts: tuple[str, ...]) -> Held:
    language = guess_language("\n".join(t[:2000] for t in texts[:8]))
    found = [p for place, text in enumerate(texts) for p in _passages(place, text, language)]
    postings: dict[str, list[int]] = {}
    for at, passage in enumerate(found):
        for term in passage.terms | passage.around:
            postings.setdefault(term, []).append(at)
    prefixes: dict[str, list[str]] = {}
    for term in postings:
        prefixes.setdefault(term[:_PREFIX], []).append(term)
    return Held(
        texts,
        language,
        tuple(found),
        {t: tuple(p) for t, p in postings.items()},
        {p: tuple(ts) for p, ts in prefixes.items()},
    )


def _passages(place: int, text: str, language: str) -> Iterator[Passage]:
    """The passages of one text, in order."""
    above: frozenset[str] = frozenset()
    for block in blocks(text):
        inside = text[block.start : block.end]
        if block.kind == "heading":
            above = frozenset(terms(inside, language))
            yield Passage(inside.strip(), place, above)
        elif block.kind != "rule":
            around = above.union(*(terms(name, language) for name, _, _ in block.cells))
            for piece in _pieces(block.kind, inside, language):
                yield Passage(piece, place, frozenset(terms(piece, language)), around)


def _pieces(kind: Kind, inside: str, language: str) -> Iterator[str]:
    if kind == "row":
        found = [inside]
    elif kind == "code":
        found = inside.splitlines()
    else:
        found = [inside[s.start : s.end] for s in sentences(inside, language)]
    for piece in found:
        yield from _shortened(piece)


def _shortened(piece: str, level: int = 0) -> list[str]:
    """A piece, cut where it is too long for one passage, at the strongest separator there is."""
    piece = piece.strip()
    if len(piece) <= _LONGEST or level == len(_CUTS):
        return [piece] if piece else []
    parts = []
    start = 0
    for match in _CUTS[level].finditer(piece):
        if match.end() > start:
            parts.append(piece[start : match.end()])
            start = match.end()
    parts.append(piece[start:])
    out: list[str] = []
    run = ""
    for part in parts:
        if len(run) + len(part) > _LONGEST and run:
            out += _shortened(run, level + 1)
            run = ""
        run += part
    return out + _shortened(run, level + 1)
