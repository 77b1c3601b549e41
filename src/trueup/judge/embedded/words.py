"""Texts as bags of stems: words of any script, pairs of characters where words are not spaced."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import regex

from trueup.domain.evidence_checks import numbers_in
from trueup.judge.splitting.frequent import FREQUENT

_WORD = regex.compile(r"\p{L}[\p{L}\p{M}]*(?:['’\-][\p{L}\p{M}]+)*|\p{N}+(?:[.,:]\p{N}+)*")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}ー々]+")
_STEMMERS = {
    "en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian",
    "pt": "portuguese", "nl": "dutch", "sv": "swedish", "da": "danish", "ru": "russian",
    "tr": "turkish", "ar": "arabic",
}  # fmt: skip
_ANY: frozenset[str] = frozenset().union(*FREQUENT.values())


@dataclass(frozen=True, slots=True)
class Words:
    """A text's content stems with how often each stands in it, and its numbers."""

    stems: Mapping[str, int]
    numbers: frozenset[str]

    def __or__(self, other: Words) -> Words:
        merged = dict(self.stems)
        for stem, count in other.stems.items():
            merged[stem] = merged.get(stem, 0) + count
        return Words(merged, self.numbers | other.numbers)


@lru_cache(maxsize=20_000)
def words(text: str, language: str) -> Words:
    """The content words of a text as stems of a language; frequent words carry nothing."""
    counts: dict[str, int] = {}
    for token in _WORD.findall(text.casefold()):
        for stem in _pieces(token, language):
            counts[stem] = counts.get(stem, 0) + 1
    return Words(counts, frozenset(numbers_in(text)))


def _pieces(token: str, language: str) -> list[str]:
    if _UNSPACED.match(token):
        return [token[i : i + 2] for i in range(max(1, len(token) - 1))]
    if is_frequent(token, language):
        return []
    parts = token.replace("’", "'").split("-")
    return [stem(p.removesuffix("'s"), language) for p in parts if p]


def is_frequent(word: str, language: str) -> bool:
    """Whether a word says next to nothing in its language."""
    return word in FREQUENT.get(language, _ANY)


@lru_cache(maxsize=50_000)
def stem(word: str, language: str) -> str:
    """The stem by Snowball's rules, where there are some for the language; else the word."""
    name = _STEMMERS.get(language)
    if name is None or not word[:1].isalpha() or len(word) < 4:
        return word
    return str(_stemmer(name).stemWord(word))


@lru_cache(maxsize=16)
def _stemmer(name: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(name)
