"""Sentences of a text as ranges, for picking one with a key. Rough on purpose: a person sees the
result before it is kept."""

from __future__ import annotations

import re

from trueup.domain.model import Span

_END = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？．]+[」』”）]*|\n+|\r\n")
_LONGEST = 2000


def sentences(text: str) -> list[Span]:
    """Ranges of the sentences of a text, without the space around them, in order."""
    found: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        _add(found, text, start, match.end())
        start = match.end()
    _add(found, text, start, len(text))
    return found


def _add(found: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    while end - start > _LONGEST:
        found.append(Span(start, start + _LONGEST))
        start += _LONGEST
    if end > start:
        found.append(Span(start, end))
