"""What a person sees of a claim before answering: the texts, and nothing that a judge or another
person said."""

from __future__ import annotations

from dataclasses import dataclass

from trueup.domain.metrics import MetricSpec
from trueup.domain.model import Record, Span, Unit


@dataclass(frozen=True, slots=True)
class Passage:
    """One text that a claim is held against; `id` is the chunk's, or says which text it is."""

    title: str
    text: str
    id: str


@dataclass(frozen=True, slots=True)
class LabelTask:
    """One claim with its question, the text it was taken from, and what it is held against.

    `claim` is empty where the unit is a whole chunk, which then is the only passage.
    `missing` says why there is nothing to hold the claim against.
    """

    record_id: str
    unit_id: str
    claim: str
    ask: str
    question: str | None
    source_name: str
    source: str
    span: Span | None
    claim_context: str | None
    passages: tuple[Passage, ...]
    missing: str | None = None


def label_task(record: Record, unit: Unit, metric: MetricSpec) -> LabelTask:
    """The view of one unit of a record under a metric."""
    source_name, source = _source(record, unit)
    passages = _passages(record, unit, metric)
    return LabelTask(
        record_id=record.id,
        unit_id=unit.id,
        claim="" if unit.kind in {"chunk", "answer"} else unit.text,
        ask=metric.question,
        question=record.question,
        source_name=source_name,
        source=source,
        span=_span(unit, source),
        claim_context=unit.context,
        passages=passages,
        missing=None if passages else _missing(record, metric),
    )


def source_text(record: Record, unit: Unit) -> str:
    """The text that a claim was taken from: the answer, or the reference answer."""
    return _source(record, unit)[1]


def _source(record: Record, unit: Unit) -> tuple[str, str]:
    if unit.kind == "reference_claim":
        return "Reference", record.reference or ""
    if unit.kind == "chunk":
        return "", ""
    return "Answer", record.answer


def _passages(record: Record, unit: Unit, metric: MetricSpec) -> tuple[Passage, ...]:
    if metric.units == "chunk":
        name = next((c.id for c in record.context or () if c.text == unit.text), unit.id)
        return (Passage("chunk", unit.text, name),)
    if metric.against == "context":
        return tuple(
            Passage(" · ".join(p for p in (c.id, c.source) if p), c.text, c.id)
            for c in record.context or ()
        )
    texts = {"question": record.question, "reference": record.reference, "answer": record.answer}
    text = texts[metric.against]
    return (Passage(metric.against, text, metric.against),) if text else ()


def _missing(record: Record, metric: MetricSpec) -> str:
    if metric.against == "context":
        return (
            "no context was given with this record"
            if record.context is None
            else "retrieval returned nothing for this question"
        )
    return f"this record has no {metric.against}"


def _span(unit: Unit, source: str) -> Span | None:
    """The claim's place in its source; a span that does not fit the text is not shown."""
    if unit.span is not None and 0 <= unit.span.start < unit.span.end <= len(source):
        return unit.span
    at = source.find(unit.text) if unit.text else -1
    return None if at < 0 else Span(at, at + len(unit.text))
