"""Folding of one base character with its combining marks."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from trueup.domain.characters import DASHES, DOUBLE_QUOTES, IGNORABLE, SINGLE_QUOTES

_IGNORABLE = re.compile(f"[{IGNORABLE}]+")
_QUOTE = re.compile(f'["{DOUBLE_QUOTES}{SINGLE_QUOTES}]')
_DASH = re.compile(f"[{DASHES}]")


@lru_cache(maxsize=8192)
def is_mark(char: str) -> bool:
    """Whether a character belongs to the one before it: a combining mark, a later Hangul jamo."""
    return (
        (char > "\u02ff" and unicodedata.category(char)[0] == "M")
        or "\u1161" <= char <= "\u11ff"
        or "\ud7b0" <= char <= "\ud7fb"
        or char == "\U00016d67"  # the one letter that composes (Kirat Rai, Unicode 16)
    )


@lru_cache(maxsize=8192)
def fold_cluster(cluster: str) -> str:
    """NFKC and case folding of one base character with its marks."""
    cluster = _IGNORABLE.sub("", cluster)
    if not cluster:
        return ""
    if _is_protected(cluster[0]):
        return unicodedata.normalize("NFC", cluster)
    folded = unicodedata.normalize("NFKC", cluster).casefold()
    folded = unicodedata.normalize("NFKC", folded)
    folded = _DASH.sub("-", _QUOTE.sub("'", folded))
    # A spacing accent decomposes to a space and a mark: it is no space.
    return cluster if folded[:1].isspace() else folded


def _is_protected(char: str) -> bool:
    """Whether NFKC would take a meaning away: a power, an index, a fraction, an enclosed digit."""
    kind = unicodedata.decomposition(char).partition(" ")[0]
    if kind in ("<super>", "<sub>", "<fraction>"):
        return True
    if char.isdecimal():
        return False
    return any(c.isdecimal() for c in unicodedata.normalize("NFKC", char))
