"""Quotes as files give them, and the error of a field that cannot be read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

from trueup.domain.model import Evidence, MatchLevel, Span
from trueup.exchange.base import id_text

_MATCHES = frozenset(get_args(MatchLevel))


class FieldError(Exception):
    """A field that cannot be read, before it is known which line it stands in."""

    def __init__(self, field_name: str, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.field = field_name
        self.message = message
        self.hint = hint


def read_evidence(value: Any, where: str) -> tuple[Evidence, ...]:
    """Quotes as a text, a list of texts, or objects with `quote`, `match`, `chunk`, `spans`."""
    if value is None or value == "":
        return ()
    items = value if isinstance(value, list) else [value]
    found = []
    for i, item in enumerate(items):
        if isinstance(item, str):
            if item:
                found.append(Evidence(item, "unlocated"))
            continue
        quote = item.get("quote", item.get("text")) if isinstance(item, dict) else None
        if not isinstance(quote, str):
            raise FieldError(f"{where}[{i}]", "must be a text or an object with a quote")
        match = item.get("match") or "unlocated"
        if match not in _MATCHES:
            raise FieldError(f"{where}[{i}].match", f"must be one of {', '.join(sorted(_MATCHES))}")
        spans = _spans(item, f"{where}[{i}]")
        found.append(Evidence(quote, cast("MatchLevel", match), id_text(item.get("chunk")), spans))
    return tuple(found)


def _spans(item: Mapping[str, Any], where: str) -> tuple[Span, ...]:
    pairs = item.get("spans")
    if pairs is None:
        pairs = [[item["start"], item["end"]]] if {"start", "end"} <= item.keys() else []
    try:
        spans = tuple(Span(int(start), int(end)) for start, end in pairs)
    except (TypeError, ValueError):
        raise FieldError(f"{where}.spans", "must be pairs of offsets") from None
    if any(not 0 <= s.start <= s.end for s in spans):
        raise FieldError(f"{where}.spans", "must be pairs of offsets, start before end")
    return spans
