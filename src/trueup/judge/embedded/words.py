"""Texts as terms: stems of words in any script, pairs of characters where words are not spaced."""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Any

import regex

from trueup.judge.splitting.frequent import FREQUENT

UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー々"
TOKEN = regex.compile(
    rf"(?P<pairs>[{UNSPACED}]++)"
    rf"|(?P<number>\p{{N}}++(?:[.,:’'\u00a0\u202f]\p{{N}}++)*+)"
    rf"|(?P<word>[[\p{{L}}]--[{UNSPACED}]][[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]]*+(?:['’][[\p{{L}}\p{{M}}]--[{UNSPACED}]]++)*+)",
    regex.V1,
)
_STEMMERS = {
    "en": "english", "de": "german", "fr": "french", "es": "spanish", "it": "italian",
    "pt": "portuguese", "nl": "dutch", "sv": "swedish", "da": "danish", "tr": "turkish",
    "id": "indonesian", "pl": "polish", "cs": "czech", "ru": "russian", "ar": "arabic",
    "hi": "hindi", "el": "greek",
}  # fmt: skip
_MARKS = regex.compile(r"[\u0300-\u036f\u064b-\u0652\u0670\u0640]")
_GROUPED = regex.compile(r"(?<=\d)[,’'\u00a0\u202f](?=\d{3}(?!\d))")
_GRAM_LITTLE = frozenset("はがをにでとものはのへや的了是在和有也都就不")
"""Single characters that only bind: a pair of two of them says nothing."""


def normal(text: str) -> str:
    """NFKC and case folded; combining accents of Latin, Greek, Cyrillic and Arabic dropped."""
    if text.isascii():
        return text.casefold()
    folded = unicodedata.normalize("NFKC", text).casefold()
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", folded)))


def terms(text: str, language: str) -> tuple[str, ...]:
    """The content terms of a text in order, frequent words left out.

    Numbers are terms too, their grouping marks dropped ("1,000" is "1000").
    """
    found: list[str] = []
    for match in TOKEN.finditer(normal(text)):
        kind = match.lastgroup
        if kind == "word":
            term = stem(match[0], language)
            if term:
                found.append(term)
        elif kind == "number":
            found.append(_GROUPED.sub("", match[0]))
        else:
            run = match[0]
            pairs = (run[i : i + 2] for i in range(max(1, len(run) - 1)))
            found.extend(p for p in pairs if not _GRAM_LITTLE.issuperset(p))
    return tuple(found)


@lru_cache(maxsize=100_000)
def stem(word: str, language: str) -> str:
    """The stem of a folded word, "" for a frequent one that says nothing by itself."""
    word = word.replace("’", "'")
    if word in _frequent(language):
        return ""
    word = word.removesuffix("'s").removesuffix("'")
    if word[1:2] == "'" or word.startswith("qu'"):
        word = word.partition("'")[2]
        if word in _frequent(language):
            return ""
    if len(word) < 2:
        return word if not word.isascii() else ""
    name = _STEMMERS.get(language)
    if name is None or len(word) < 4:
        return word
    return str(_stemmer(name).stemWord(word))


@lru_cache(maxsize=64)
def _frequent(language: str) -> frozenset[str]:
    """Frequent words in folded form; of a language without a list, none."""
    return frozenset(normal(w).replace("’", "'") for w in FREQUENT.get(language, ()))


@lru_cache(maxsize=64)
def _stemmer(name: str) -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer(name)
