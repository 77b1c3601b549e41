"""Annotations of Phoenix's spans: whose they are, and what they say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from trueup.exchange.base import id_text
from trueup.exchange.entries import FieldError
from trueup.exchange.outside import judge_name, object_in, our_metric, said
from trueup.exchange.reading import Row
from trueup.exchange.whole import Said

_PEOPLE = "HUMAN"
_KINDS = frozenset({"HUMAN", "LLM", "CODE"})


@dataclass(frozen=True, slots=True)
class Note:
    """One annotation: the span it is on, the document's position where it is on one."""

    span: str
    position: int | None
    said: Said
    row: Row


@dataclass(slots=True)
class Notes:
    """Annotations by span, until their spans are known."""

    by_span: dict[str, list[Note]] = field(default_factory=dict)

    def add(self, note: Note) -> None:
        """Keep one."""
        self.by_span.setdefault(note.span, []).append(note)

    def take(self, span: str) -> list[Note]:
        """Those of a span, once."""
        return self.by_span.pop(span, [])

    def rest(self) -> Iterator[tuple[str, list[Note]]]:
        """Those that nobody took."""
        yield from self.by_span.items()


def annotation(row: Row) -> Note:
    """An annotation of a row. Raises FieldError for one without a span or of an unknown kind."""
    value = row.value
    span = id_text(value.get("span_id") or value.get("context.span_id"))
    if span is None:
        raise FieldError("span_id", "is missing")
    kind = str(value.get("annotator_kind") or "").upper()
    if kind not in _KINDS:
        raise FieldError("annotator_kind", f"must be HUMAN, LLM or CODE, not {kind!r}")
    name = str(value.get("annotation_name") or value.get("name") or "")
    metadata = object_in(value.get("metadata"))
    label, score, note = (_result(value, part) for part in ("label", "score", "explanation"))
    means = said(label) if label not in (None, "") else None
    person = kind == _PEOPLE
    author = id_text(value.get("user_id") or metadata.get("annotator") or value.get("identifier"))
    model = metadata.get("model") if isinstance(metadata.get("model"), str) else None
    position = position_of(value)
    event = value.get("id") or value.get("annotation_id")
    return Note(
        span,
        position,
        Said(
            metric=our_metric(name) if position is None else "context_relevancy",
            means=means,
            person=(author or "phoenix") if person else None,
            judge=judge_name("phoenix", name, model),
            note=note if isinstance(note, str) and note else None,
            at=_time(value.get("updated_at") or value.get("created_at")),
            event=f"phoenix:{event}" if person and event else None,
            name=name,
            raw=score if label in (None, "") else label,
            model=model,
        ),
        row,
    )


def position_of(value: Mapping[str, Any]) -> int | None:
    """The place of a document among those retrieved, from 0. Raises FieldError for no number."""
    found = value.get("document_position")
    if found is None or found == "" or found != found:
        return None
    try:
        return int(float(found))
    except (TypeError, ValueError, OverflowError):
        raise FieldError("document_position", f"must be a whole number, not {found!r}") from None


def _result(value: Mapping[str, Any], part: str) -> Any:
    nested = object_in(value.get("result"))
    return value.get(f"result.{part}", nested.get(part, value.get(part)))


def _time(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
