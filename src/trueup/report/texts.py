"""The texts that a unit is judged against, and where a judge's quotes stand in them."""

from __future__ import annotations

from functools import lru_cache

from trueup.domain.metrics import MetricSpec
from trueup.domain.model import Chunk, Evidence, Record, Unit
from trueup.domain.text import ContextIndex


def texts_against(metric: MetricSpec, record: Record, unit: Unit) -> tuple[Chunk, ...]:
    """The chunks of the context, the chunk itself, or the one text that the metric names."""
    if metric.units == "chunk":
        same = (c for c in record.context or () if c.text == unit.text)
        return (next(same, Chunk(unit.id, unit.text)),)
    if metric.against == "context":
        return record.context or ()
    text = {"question": record.question, "reference": record.reference, "answer": record.answer}
    told = text[metric.against]
    return (Chunk(metric.against, told),) if told else ()


def located(evidence: Evidence, texts: tuple[Chunk, ...]) -> Evidence:
    """A quote that was stored as it came is located now; others stay as they are."""
    if evidence.match != "unlocated":
        return evidence
    return _index(tuple((c.id, c.text) for c in texts)).locate(evidence.quote)


@lru_cache(maxsize=64)
def _index(texts: tuple[tuple[str, str], ...]) -> ContextIndex:
    return ContextIndex(Chunk(i, t) for i, t in texts)
