"""Which entry of a reply speaks of which claim.

By number when the echoed text agrees with the claim of that number, else by the echoed text (equal
texts in order); anything else is an extra. A claim gets one verdict: entries that repeat it with
the same verdict count once, entries that contradict each other count as none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from trueup.judge.parse import Item

_SPACE = re.compile(r"\s+")
_NUMBERED = re.compile(r"^\(?\d{1,3}[.)]\s+")
_OUTER = " \t\"'“”„‘’«»‹›`*_.;:。"
_TYPOGRAPHY = str.maketrans("‘’‚‛“”„‟«»‐‑‒–—―−", '\'\'\'\'""""""-------')


@dataclass(frozen=True, slots=True)
class Matched:
    """One entry (or None) for each claim, and the entries that speak of none of them.

    A conflict is an entry without a verdict, with the flag `conflicting_verdicts`.
    """

    claims: tuple[Item | None, ...]
    extras: tuple[Item, ...] = ()


def match(items: Sequence[Item], texts: Sequence[str]) -> Matched:
    """Give the entries to the claims with these texts, as the prompt numbered them from 1."""
    if len(items) == len(texts) and all(
        i.number == n and i.text == t for n, (i, t) in enumerate(zip(items, texts, strict=True), 1)
    ):
        return Matched(tuple(items))
    given: list[list[Item]] = [[] for _ in texts]
    folded = [fold(t) for t in texts]
    places: dict[str, list[int]] = {}
    for at, text in enumerate(folded):
        places.setdefault(text, []).append(at)
    later = []
    for item in items:
        number = _by_number(item, folded)
        if number is None:
            later.append(item)
        else:
            given[number].append(item)
    extras = [i for i in later if not _by_text(i, places, given)]
    return Matched(tuple(_one(g) for g in given), tuple(extras))


def fold(text: str) -> str:
    """An echo without what copying changes: case, spaces, typography, outer marks, a number."""
    text = unicodedata.normalize("NFKC", text).translate(_TYPOGRAPHY).casefold()
    text = _SPACE.sub(" ", text).strip()
    return _NUMBERED.sub("", text).strip(_OUTER) or text


def _by_number(item: Item, folded: Sequence[str]) -> int | None:
    number = item.number
    if number is None or item.text is None or not 1 <= number <= len(folded):
        return None
    return number - 1 if fold(item.text) == folded[number - 1] else None


def _by_text(item: Item, places: Mapping[str, Sequence[int]], given: Sequence[list[Item]]) -> bool:
    same = places.get(fold(item.text)) if item.text is not None else None
    if not same:
        return False
    given[min(same, key=lambda i: len(given[i]))].append(item)
    return True


def _one(items: Sequence[Item]) -> Item | None:
    if len(items) < 2:
        return items[0] if items else None
    first = items[0]
    if any(i.entailed is not first.entailed for i in items):
        return Item(
            first.number,
            first.text,
            None,
            problem="the reply contradicts itself on this claim",
            flags=("conflicting_verdicts",),
        )
    quotes = tuple(dict.fromkeys(q for i in items for q in i.quotes))
    return replace(first, quotes=quotes, flags=(*first.flags, "repeated"))
