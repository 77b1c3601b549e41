"""Small records, claims, judges and labels for the tests of the store and of exchange."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from trueup.domain.judging import Judgement, Reply, Usage
from trueup.domain.model import (
    Chunk,
    Evidence,
    JudgeSpec,
    Label,
    LabelValue,
    Record,
    Span,
    Unit,
    Verdict,
    VerdictValue,
)
from trueup.domain.transfer import ImportedRecord

AT = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def record(name: str = "q-1", **changes: Any) -> Record:
    """A record with two chunks, one of them shared by all."""
    fields: dict[str, Any] = {
        "id": name,
        "answer": f"Logs of {name} are kept for 90 days. They are encrypted.",
        "question": f"How long are logs of {name} kept?",
        "context": (
            Chunk("c-1", "Logs are kept for 90 days on every plan.", "docs/logs.md"),
            Chunk("c-2", f"{name} is a product."),
        ),
        "gold": ("c-1",),
        "slices": {"plan": "team"},
        "meta": {"source": "test", "n": [1, None, 2.5]},
    }
    return Record(**fields | changes)


def claims(of: Record, *texts: str) -> tuple[Unit, ...]:
    """Claims of an answer, numbered."""
    texts = texts or ("Logs are kept for 90 days.", "They are encrypted.")
    return tuple(
        Unit(of.key, f"{of.id}#{n}", "answer_claim", text, n, Span(n, n + 4))
        for n, text in enumerate(texts, 1)
    )


def judge(name: str = "current", **changes: Any) -> JudgeSpec:
    """An OpenAI-compatible judge."""
    fields: dict[str, Any] = {
        "name": name, "backend": "openai", "metric": "groundedness", "model": "small",
        "prompt_text": f"prompt of {name}", "params": {"temperature": 0},
    }  # fmt: skip
    return JudgeSpec(**fields | changes)


def verdict(
    unit: Unit, spec: JudgeSpec, value: VerdictValue = "entailed", **changes: Any
) -> Verdict:
    """A verdict with one quote."""
    fields: dict[str, Any] = {
        "unit": unit.key, "metric": spec.metric, "fingerprint": spec.fingerprint,
        "value": value, "own_value": value,
        "evidence": (Evidence("90 days", "exact", "c-1", (Span(18, 25),)),),
    }  # fmt: skip
    return Verdict(**fields | changes)


def label(
    unit: Unit, annotator: str = "ana", value: LabelValue | None = "entailed", **changes: Any
) -> Label:
    """A label event."""
    fields: dict[str, Any] = {
        "id": f"{annotator}/{unit.id}/{value}", "unit": unit.key, "metric": "groundedness",
        "annotator": annotator, "label": value, "at": AT,
    }  # fmt: skip
    return Label(**fields | changes)


def item(of: Record | None = None, **changes: Any) -> ImportedRecord:
    """An imported record with two claims."""
    of = of or record()
    fields: dict[str, Any] = {"record": of, "claims": {"answer_claim": claims(of)}}
    return ImportedRecord(**fields | changes)


def judgement(
    of: Record,
    spec: JudgeSpec,
    verdicts: tuple[Verdict, ...],
    *,
    text: str = '{"verdicts": []}',
    **changes: Any,
) -> Judgement:
    """A call on a record, answered."""
    fields: dict[str, Any] = {
        "record": of.key, "metric": spec.metric, "call_fingerprint": spec.call_fingerprint,
        "fingerprint": spec.fingerprint, "repeat": 0, "part": 0,
        "reply": Reply(text, "stop", answered_model="small-2026", usage=Usage(100, 20)),
        "failure": None, "verdicts": verdicts, "cost": 0.01, "seconds": 0.5,
        "asked": tuple(v.unit for v in verdicts),
    }  # fmt: skip
    return Judgement(**fields | changes)
