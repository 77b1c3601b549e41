"""What goes to a judge and what is kept of its reply: shared by the judge and the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trueup.domain.model import Chunk, Verdict


@dataclass(frozen=True, slots=True)
class TaskUnit:
    """One unit to rule on: its key, its text, and the text that resolves a pronoun."""

    key: str
    text: str
    context: str | None = None


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """One record's units under one metric, for one repeat: what a call asks about."""

    record: str
    record_id: str
    metric: str
    units: tuple[TaskUnit, ...]
    question: str | None = None
    context: tuple[Chunk, ...] | None = None
    answer: str | None = None
    reference: str | None = None
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call; None where the server did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a backend answered, unread: `text` is the content that the reader parses."""

    text: str
    finish_reason: str | None = None
    refusal: str | None = None
    answered_model: str | None = None
    system_fingerprint: str | None = None
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Judgement:
    """One stored call: the reply (or its failure) and the verdicts read from it.

    Keyed by (record, metric, call fingerprint, repeat, part). `failure` is one of REASONS.
    """

    record: str
    metric: str
    call_fingerprint: str
    fingerprint: str
    repeat: int
    part: int
    reply: Reply | None
    failure: str | None
    verdicts: tuple[Verdict, ...]
    cost: float | None = None
    seconds: float = 0.0
    attempts: int = 1
    notes: Mapping[str, str] = field(default_factory=dict)
