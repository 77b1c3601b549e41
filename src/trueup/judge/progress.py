"""What a run has done so far, and what it did in the end."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from trueup.domain.judging import Judgement, Reply, Usage

_WINDOW_S = 15.0


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The outcome of a run. `units` = entailed + not entailed + undecided, whether stored or not.

    `calls` counts requests sent, retries included; `calls_with_usage` those of them whose tokens
    are known. Tokens are null when no call told them, cost likewise or when the price is unknown:
    never 0 by accident. `reason` says why a run ended early (one of REASONS), else None.
    """

    calls: int = 0
    cached: int = 0
    units: int = 0
    entailed: int = 0
    not_entailed: int = 0
    undecided: Mapping[str, int] = field(default_factory=dict)
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float = 0.0
    calls_with_usage: int = 0
    records: int = 0
    records_failed: int = 0
    held: int = 0
    flags: Mapping[str, int] = field(default_factory=dict)
    answered_models: Mapping[str, int] = field(default_factory=dict)
    system_fingerprints: Mapping[str, int] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)
    """A first message for each reason of failure."""
    warnings: tuple[str, ...] = ()
    reason: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields of the contract's `judge` object, then those that explain them."""
        return {
            "calls": self.calls,
            "cached": self.cached,
            "units": self.units,
            "entailed": self.entailed,
            "not_entailed": self.not_entailed,
            "undecided": dict(sorted(self.undecided.items())),
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost": self.cost,
            "seconds": round(self.seconds, 3),
            "calls_with_usage": self.calls_with_usage,
            "records": self.records,
            "records_failed": self.records_failed,
            "flags": dict(sorted(self.flags.items())),
            "answered_models": dict(self.answered_models),
            "system_fingerprints": dict(self.system_fingerprints),
            "notes": dict(self.notes),
            "failures": dict(self.failures),
            "warnings": list(self.warnings),
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Progress:
    """One moment of a run. `rate` is records a second over the last seconds, `eta_s` the time left;
    both are null while nothing is known. `limit` is how many calls may be under way at present.
    The last event of a run carries its `summary`."""

    done: int
    total: int
    units: int
    calls: int
    seconds: float
    rate: float | None = None
    eta_s: float | None = None
    cost: float | None = None
    limit: int = 0
    under_way: int = 0
    held: int = 0
    undecided: int = 0
    answered_models: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    summary: RunSummary | None = None


def printable(text: str) -> str:
    """A message that quotes a server or a model, without what a terminal would obey."""
    return text if text.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in text)


def _tail(model: str) -> str:
    return model.rpartition("/")[2]


class Tally:
    """Counts as replies arrive."""

    def __init__(self, total: int, model: str, *, cached: int = 0) -> None:
        self.total = total
        self.model = model
        self.cached = cached
        self.done = self.failed = self.calls = self.calls_with_usage = self.held = 0
        self.entailed = self.not_entailed = 0
        self.undecided: Counter[str] = Counter()
        self.flags: Counter[str] = Counter()
        self.models: Counter[str] = Counter()
        self.fingerprints: Counter[str] = Counter()
        self.notes: dict[str, str] = {}
        self.failures: dict[str, str] = {}
        self.warnings: list[str] = []
        self.input_tokens: int | None = None
        self.output_tokens: int | None = None
        self.cost: float | None = None
        self._recent: deque[tuple[float, int]] = deque()

    def answered(self, reply: Reply) -> None:
        """Count who answered, and notice when that changes under one name."""
        if reply.answered_model:
            self._identity(self.models, reply.answered_model, "model")
        if reply.system_fingerprint:
            self._identity(self.fingerprints, reply.system_fingerprint, "system fingerprint")
        for name, note in reply.notes.items():
            self.notes.setdefault(name, note)

    def used(self, usage: Usage, cost: float | None) -> None:
        """Count one request and its tokens, whatever became of it."""
        self.calls += 1
        if usage.input_tokens is not None or usage.output_tokens is not None:
            self.calls_with_usage += 1
            self.input_tokens = (self.input_tokens or 0) + (usage.input_tokens or 0)
            self.output_tokens = (self.output_tokens or 0) + (usage.output_tokens or 0)
        if cost is not None:
            self.cost = (self.cost or 0.0) + cost

    def judged(self, judgement: Judgement) -> None:
        """Count the verdicts of a call."""
        for verdict in judgement.verdicts:
            if verdict.value == "entailed":
                self.entailed += 1
            elif verdict.value == "not_entailed":
                self.not_entailed += 1
            else:
                self.undecided[verdict.reason or "missing_verdict"] += 1
            self.flags.update(verdict.flags)

    def failure(self, reason: str, message: str | None) -> None:
        """Keep the first message of each reason."""
        self.failures.setdefault(reason, printable(message or reason))

    def warn(self, text: str) -> None:
        """Say something once."""
        if text not in self.warnings:
            self.warnings.append(text)

    def progress(self, now: float, *, limit: int = 0, under_way: int = 0) -> Progress:
        """A snapshot, `now` in seconds since the start."""
        rate = self._rate(now)
        left = self.total - self.done
        return Progress(
            done=self.done,
            total=self.total,
            units=self.entailed + self.not_entailed + self.undecided.total(),
            calls=self.calls,
            seconds=now,
            rate=rate,
            eta_s=left / rate if rate else None,
            cost=self.cost,
            limit=limit,
            under_way=under_way,
            held=self.held,
            undecided=self.undecided.total(),
            answered_models=tuple(self.models),
            warnings=tuple(self.warnings),
        )

    def summary(self, seconds: float, reason: str | None) -> RunSummary:
        """The outcome."""
        return RunSummary(
            calls=self.calls,
            cached=self.cached,
            units=self.entailed + self.not_entailed + self.undecided.total(),
            entailed=self.entailed,
            not_entailed=self.not_entailed,
            undecided=dict(self.undecided),
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
            cost=self.cost,
            seconds=seconds,
            calls_with_usage=self.calls_with_usage,
            records=self.done,
            records_failed=self.failed,
            held=self.held,
            flags=dict(self.flags),
            answered_models=dict(self.models),
            system_fingerprints=dict(self.fingerprints),
            notes=dict(self.notes),
            failures=dict(self.failures),
            warnings=tuple(self.warnings),
            reason=reason,
        )

    def _identity(self, seen: Counter[str], name: str, what: str) -> None:
        new = name not in seen
        seen[name] += 1
        if not new:
            return
        if len(seen) > 1:
            first = next(iter(seen))
            self.warn(f"the {what} behind {self.model!r} changed during the run: {first}, {name}")
        if what == "model" and not _tail(name).startswith(_tail(self.model)):
            self.warn(f"{self.model!r} was asked and {name!r} answered")

    def _rate(self, now: float) -> float | None:
        self._recent.append((now, self.done))
        while len(self._recent) > 2 and self._recent[1][0] < now - _WINDOW_S:
            self._recent.popleft()
        then, before = self._recent[0]
        return (self.done - before) / (now - then) if now > then and self.done > before else None
