"""Which words of the context to mark while the labeller is blind: the claim's own.

Nothing of the judge goes in, so nothing of it can come out. Works on any script: words are runs of
letters and digits, Chinese and Japanese text is matched by pairs of characters.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from trueup.domain.model import Span

_WORD = re.compile(r"[^\W_]+(?:[.,:/'’-][^\W_]+)*")
_IDEOGRAPHS = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_HIRAGANA = re.compile(r"[\u3040-\u309f]+")
"""Pairs of these are endings and particles, which stand everywhere."""
_SHORT = 4
_STEM_KEEPS = 5
_MAX_TERMS = 60
_CLUSTER_GAP = 80
"""Marked words nearer than this, in characters, are one place to look at."""


def claim_pattern(claim: str) -> re.Pattern[str] | None:
    """A pattern that finds the claim's telling words; None where it has none.

    Telling are numbers, words of four letters or more (by their stem, so that `retained` finds
    `retains`), words written in capitals, and pairs of ideographs.
    """
    terms: dict[str, None] = {}
    for run in _IDEOGRAPHS.findall(claim):
        pairs = [run[i : i + 2] for i in range(len(run) - 1)] or [run]
        terms |= dict.fromkeys(re.escape(p) for p in pairs if not _HIRAGANA.fullmatch(p))
    for word in _WORD.findall(_IDEOGRAPHS.sub(" ", claim)):
        if any(c.isdigit() for c in word):
            terms.setdefault(rf"(?<![\w.,]){re.escape(word)}(?![\w]|[.,]\d)")
        elif len(word) >= _SHORT or (word.isupper() and len(word) > 1):
            stem = word[: max(_STEM_KEEPS, len(word) - 3)] if len(word) > _STEM_KEEPS else word
            rest = r"\w*" if len(word) > _STEM_KEEPS else ""
            terms.setdefault(rf"\b{re.escape(stem)}{rest}\b")
    if not terms:
        return None
    return re.compile("|".join(list(terms)[:_MAX_TERMS]), re.IGNORECASE)


def claim_spans(pattern: re.Pattern[str] | None, text: str) -> list[Span]:
    """Where the claim's words stand in a text, in order."""
    if pattern is None:
        return []
    return [Span(m.start(), m.end()) for m in pattern.finditer(text) if m.end() > m.start()]


def clusters(spans: Sequence[Span]) -> list[Span]:
    """Places to look at: marked words that stand close together are one place."""
    found: list[Span] = []
    for span in spans:
        if found and span.start - found[-1].end <= _CLUSTER_GAP:
            found[-1] = Span(found[-1].start, max(span.end, found[-1].end))
        else:
            found.append(span)
    return found


def best_cluster(spans: Sequence[Span], text: str) -> Span | None:
    """The place with the most different words of the claim; the first of equals."""
    best: tuple[int, Span] | None = None
    index = 0
    for place in clusters(spans):
        words = set()
        while index < len(spans) and spans[index].start < place.end:
            words.add(text[spans[index].start : spans[index].end].casefold())
            index += 1
        if best is None or len(words) > best[0]:
            best = (len(words), place)
    return None if best is None else best[1]
