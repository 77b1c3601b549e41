"""Which language a text is in: by script where that decides, else by hits of frequent words."""

from __future__ import annotations

import regex

from trueup.judge.splitting.frequent import FREQUENT, LATIN

_SAMPLE = 4000
_WORD = regex.compile(r"\p{Latin}[\p{Latin}\p{M}'’]*")
_SCRIPTS = (
    ("ja", regex.compile(r"[\p{Hiragana}\p{Katakana}]")),
    ("ko", regex.compile(r"\p{Hangul}")),
    ("zh", regex.compile(r"\p{Han}")),
    ("ar", regex.compile(r"\p{Arabic}")),
    ("hi", regex.compile(r"\p{Devanagari}")),
    ("ru", regex.compile(r"\p{Cyrillic}")),
    ("el", regex.compile(r"\p{Greek}")),
    ("he", regex.compile(r"\p{Hebrew}")),
    ("th", regex.compile(r"\p{Thai}")),
)
_LATIN = regex.compile(r"\p{Latin}")
_LETTERS = {
    "ñ¿¡": ("es",),
    "ß": ("de",),
    "äöü": ("de", "sv", "tr"),
    "œêèù": ("fr",),
    "ç": ("fr", "pt", "tr"),
    "ãõ": ("pt",),
    "ìò": ("it",),
    "å": ("sv", "da"),
    "øæ": ("da",),
    "łżśąęćń": ("pl",),
    "řěůť": ("cs",),
    "ğşı": ("tr",),
}
"""Letters that few languages have: they decide between languages that share their small words."""
_LETTER = {
    letter: tuple(LATIN.index(lang) for lang in langs)
    for letters, langs in _LETTERS.items()
    for letter in letters
}
_INDEX: dict[str, tuple[int, ...]] = {}


def _index() -> dict[str, tuple[int, ...]]:
    """Word to the positions in LATIN of the languages that list it; built once."""
    if not _INDEX:
        for word in sorted(set().union(*(FREQUENT[lang] for lang in LATIN))):
            _INDEX[word] = tuple(i for i, lang in enumerate(LATIN) if word in FREQUENT[lang])
    return _INDEX


def guess_language(text: str) -> str:
    """ISO 639-1 code of a text's language; "en" where nothing tells (an empty text, bare names).

    Only the first 4,000 characters are looked at. Japanese is told from Chinese by any kana.
    """
    head = text[:_SAMPLE]
    if head.isascii():
        return _by_words(head)
    latin = len(_LATIN.findall(head))
    counts = [(lang, len(pattern.findall(head))) for lang, pattern in _SCRIPTS]
    kana = counts[0][1]
    best, hits = max(counts, key=lambda c: c[1])
    # A CJK character carries about as much as three Latin letters.
    weight = 3 if best in ("ja", "ko", "zh") else 1
    if hits * weight < latin or hits == 0:
        return _by_words(head)
    return "ja" if best == "zh" and kana * 10 >= hits else best


def _by_words(text: str) -> str:
    scores = [0] * len(LATIN)
    index = _index()
    for word in _WORD.findall(text.casefold()):
        for position in index.get(word, ()):
            scores[position] += 1
    if not text.isascii():
        for letter in set(text.casefold()) & _LETTER.keys():
            for position in _LETTER[letter]:
                scores[position] += 1
    return LATIN[scores.index(max(scores))]
