"""A number with its uncertainty, or the reason why there is none."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Estimate:
    """A statistic: value and interval, the method of the interval, and why either is null.

    `value is None` is undefined, never "could not"; `reason` then says why. `flags` name what a
    reader should know (`boundary_fallback`, `incompatible`, …). NaN and infinity are refused.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    method: str = ""
    reason: str | None = None
    se: float | None = None
    flags: tuple[str, ...] = ()
    extra: Mapping[str, float | int | str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for number in (self.value, self.low, self.high, self.se):
            if number is not None and not math.isfinite(number):
                raise ValueError(f"an estimate must be finite or None, not {number!r}")
        if self.value is None and self.reason is None:
            raise ValueError("an undefined estimate needs a reason")

    @classmethod
    def undefined(cls, reason: str, method: str = "") -> Estimate:
        """An estimate that does not exist, with the reason."""
        return cls(None, reason=reason, method=method)

    def to_json(self) -> dict[str, object]:
        """The contract's object: value, low, high, method, reason; flags and extra where any."""
        out: dict[str, object] = {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "method": self.method,
            "reason": self.reason,
        }
        if self.se is not None:
            out["se"] = self.se
        if self.flags:
            out["flags"] = list(self.flags)
        out.update(self.extra)
        return out


def mark_weighted(out: object, but: Collection[str] = ()) -> None:
    """Put `"weighted": true` beside every estimate in a JSON object, however deep; not in `but`."""
    if not isinstance(out, dict):
        return
    if "value" in out and "method" in out:
        out["weighted"] = True
        return
    for name, part in out.items():
        if name not in but:
            mark_weighted(part, but)
