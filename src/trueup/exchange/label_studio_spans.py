"""Spans that people mark in Label Studio, whose offsets count UTF-16 units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trueup.exchange.outside import object_in


def evidence_of(result: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any] | None:
    """A marked span: `quote`, `start` and `end` in code points of the task's text, its label.

    The quote is the result's own text; it is looked for in the text that was shown (`to_name`), at
    its offsets read as UTF-16 units, else nearest to them. Offsets are null where it is not there.
    None for a result without a text.
    """
    value = object_in(result.get("value"))
    quote = value.get("text")
    if not isinstance(quote, str) or not quote:
        return None
    labels = value.get("labels", value.get("hypertextlabels"))
    start = _offset(value)
    at = None
    source = data.get(str(result.get("to_name")))
    if isinstance(source, str):
        at = locate(source, quote, start)
    return {
        "quote": quote,
        "start": at,
        "end": None if at is None else at + len(quote),
        "label": labels[0] if isinstance(labels, list) and labels else None,
    }


def _offset(value: Mapping[str, Any]) -> int:
    overall = object_in(value.get("globalOffsets")).get("start")
    start = overall if isinstance(overall, int) else value.get("start")
    return start if isinstance(start, int) else 0


def locate(text: str, quote: str, start: int) -> int | None:
    """Where the quote stands in the text, in code points; `start` counts UTF-16 units."""
    guess = from_utf16(text, start)
    if text.startswith(quote, guess):
        return guess
    places = []
    at = text.find(quote)
    while at >= 0:
        places.append(at)
        at = text.find(quote, at + 1)
    return min(places, key=lambda p: abs(p - guess), default=None)


def from_utf16(text: str, units: int) -> int:
    """The index in code points of an offset that counts UTF-16 units, as JavaScript does."""
    if text.isascii():
        return units
    seen = 0
    for i, char in enumerate(text):
        if seen >= units:
            return i
        seen += 2 if char > "\uffff" else 1
    return len(text)
