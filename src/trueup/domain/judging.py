"""What goes to a judge and what is kept of its reply: shared by the judge and the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from trueup.domain.model import Chunk, Span, Verdict

RETRY_LATER = frozenset(
    {
        "timeout",
        "rate_limit",
        "auth",
        "quota",
        "bad_response",
        "not_found",
        "budget",
        "cancelled",
    }
)
"""Reasons that say nothing of the record: a later run asks again, and its verdict takes the place
of the undecided one. Every other reason stays until the judge, the claims or the record change."""


@dataclass(frozen=True, slots=True)
class TaskUnit:
    """One unit to rule on: its key, its text, and the text that resolves a pronoun.

    `span` is its place in the answer (or reference), where it is known.
    """

    key: str
    text: str
    context: str | None = None
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class JudgeTask:
    """One record's units under one metric, for one repeat: what a call asks about.

    `part` numbers the task's first call; who plans passes one more than the highest part stored
    for (record, metric, call fingerprint, repeat), 0 where there is none.
    """

    record: str
    record_id: str
    metric: str
    units: tuple[TaskUnit, ...]
    question: str | None = None
    context: tuple[Chunk, ...] | None = None
    answer: str | None = None
    reference: str | None = None
    repeat: int = 0
    part: int = 0


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call; None where the server did not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What a backend answered, unread: `text` is the content that the reader parses.

    It holds no NUL and no lone surrogate, so that any database stores it. `notes` say how the call
    differed from what was asked (parameters that the server refused and that were left out).
    """

    text: str
    finish_reason: str | None = None
    refusal: str | None = None
    answered_model: str | None = None
    system_fingerprint: str | None = None
    usage: Usage = field(default_factory=Usage)
    notes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Judgement:
    """One stored call: the reply (or its failure) and the verdicts read from it.

    Keyed by (record, metric, call fingerprint, repeat, part). `failure` is one of REASONS. `asked`
    holds the unit keys in the order of the prompt's numbers, without which the reply cannot be read
    again. `verdicts` may cover fewer units: what a reply left out is asked again in a later part.
    `attempts` counts the requests sent (0: nothing had to be asked). `cost` is null where the price
    or the usage is unknown.
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
    asked: tuple[str, ...] = ()
