"""Names in a text, by their capitals: people, places, products, plans, acronyms."""

from __future__ import annotations

from functools import lru_cache

import regex

from trueup.judge.embedded.units import MONTHS, UNITS
from trueup.judge.embedded.words import normal, stem
from trueup.judge.splitting.frequent import FREQUENT

_CAPITAL = regex.compile(r"(?<![\p{L}\p{N}_'’-])\p{Lu}[\p{L}\p{M}\p{N}_]*+(?:[-.][\p{L}\p{N}]+)*+")
_TOKEN = regex.compile(r"[\p{L}\p{N}][\p{L}\p{M}\p{N}_]*+(?:[-.][\p{L}\p{N}]+)*+")
_START = regex.compile(r"(?:^|[.!?:;…。！？\n|]|^[-*•]|\d[.)])[\s\"'“”‘’„«»(\[*_`#>-]*$")
_ACRONYM = regex.compile(
    r"^(?:\p{Lu}[\p{Lu}\p{N}]+s?|\p{L}*\p{Ll}\p{Lu}[\p{L}\p{N}]*|\p{L}+\p{N}[\p{L}\p{N}]*)$"
)
_NOUNS_CAPITAL = frozenset({"de"})
_TITLE = 0.6
"""Share of capitalised words from which capitals are typography and name nothing."""


@lru_cache(maxsize=4096)
def names(text: str, language: str) -> frozenset[str]:
    """Case-folded names: capitalised inside a sentence, or with capitals inside the word.

    German capitalises every noun, so there only acronyms and words such as "GraphQL" count. The
    first word of a sentence is not known to be a name. Months, units and frequent words are none.
    """
    found = [(m[0], m.start()) for m in _CAPITAL.finditer(text)]
    if not found:
        return frozenset()
    words = regex.findall(r"\p{L}+", text)
    shouting = len(words) > 3 and len(found) >= _TITLE * len(words)
    frequent = FREQUENT.get(language, frozenset())
    out = set()
    for word, at in found:
        folded = word.casefold()
        if folded in frequent or folded in MONTHS or folded in UNITS or len(word) < 2:
            continue
        if _ACRONYM.match(word):
            if not (shouting and word.isupper()):
                out.add(folded)
        elif (
            not shouting
            and language not in _NOUNS_CAPITAL
            and not _START.search(text[max(0, at - 12) : at])
        ):
            out.add(folded)
    return frozenset(out)


@lru_cache(maxsize=4096)
def neighbours(text: str, language: str) -> dict[str, frozenset[str]]:
    """Name to the folded content words directly beside it, on the left marked with "<"."""
    wanted = names(text, language)
    found: dict[str, set[str]] = {}
    tokens = [m[0].casefold() for m in _TOKEN.finditer(text)]
    frequent = FREQUENT.get(language, frozenset())
    for i, token in enumerate(tokens):
        if token not in wanted:
            continue
        beside = found.setdefault(token, set())
        if i and tokens[i - 1] not in frequent and tokens[i - 1] not in wanted:
            beside.add("<" + stem(normal(tokens[i - 1]), language))
        if i + 1 < len(tokens) and tokens[i + 1] not in frequent and tokens[i + 1] not in wanted:
            beside.add(stem(normal(tokens[i + 1]), language))
    return {name: frozenset(b - {"", "<"}) for name, b in found.items()}
