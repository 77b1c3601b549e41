"""Caps on calls and cost, and what a task is likely to take."""

from __future__ import annotations

from dataclasses import dataclass

from trueup.domain.judging import JudgeTask, Usage
from trueup.domain.model import JudgeSpec
from trueup.errors import UsageError
from trueup.judge.templates import asks_evidence

_CHARS_PER_TOKEN = 4
_TOKENS_PER_ENTRY = 30
_TOKENS_PER_QUOTE = 60


@dataclass(frozen=True, slots=True)
class Price:
    """Cost per million tokens, in whatever currency the user counts."""

    input: float
    output: float

    def of(self, usage: Usage) -> float | None:
        """Cost of a call; None where the server did not say how many tokens it took."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        return (usage.input_tokens * self.input + usage.output_tokens * self.output) / 1e6


def estimate(spec: JudgeSpec, task: JudgeTask) -> Usage:
    """Tokens that asking about a task will roughly take: four characters a token, and per claim its
    echo and, where quotes are asked for, one of them. For `--dry-run` and cost caps, not for bills.
    """
    data = sum(len(t) for t in (task.question, task.answer, task.reference) if t)
    data += sum(len(c.text) + len(c.id) for c in task.context or ())
    claims = sum(len(u.text) + len(u.context or "") for u in task.units)
    entry = _TOKENS_PER_ENTRY + (_TOKENS_PER_QUOTE if asks_evidence(spec.prompt_text) else 0)
    return Usage(
        (len(spec.prompt_text) + data + claims) // _CHARS_PER_TOKEN,
        claims // _CHARS_PER_TOKEN + entry * len(task.units),
    )


class Budget:
    """Grants calls until a cap is reached. Calls under way are counted with their estimate, so
    that many at once do not overshoot; a call whose usage stays unknown keeps its estimate."""

    def __init__(
        self,
        max_calls: int | None = None,
        max_cost: float | None = None,
        price: Price | None = None,
    ) -> None:
        if max_cost is not None and price is None:
            raise UsageError(
                "a cost cap needs the price of the judge",
                hint="set price_per_million of this judge in trueup.toml, or use --max-calls",
            )
        self._max_calls = max_calls
        self._max_cost = max_cost
        self._price = price
        self._calls = 0
        self._cost = 0.0

    @property
    def capped(self) -> bool:
        """Whether there is any cap."""
        return self._max_calls is not None or self._max_cost is not None

    def take(self, spec: JudgeSpec, task: JudgeTask) -> float | None:
        """Grant one call: its estimated cost, to be settled later; None when a cap is reached."""
        if self._max_calls is not None and self._calls >= self._max_calls:
            return None
        cost = 0.0
        if self._max_cost is not None and self._price is not None:
            cost = self._price.of(estimate(spec, task)) or 0.0
            if self._cost + cost > self._max_cost:
                return None
        self._calls += 1
        self._cost += cost
        return cost

    def settle(self, estimated: float, actual: float | None) -> None:
        """Put the real cost in place of the estimate."""
        if actual is not None and self._max_cost is not None:
            self._cost += actual - estimated
