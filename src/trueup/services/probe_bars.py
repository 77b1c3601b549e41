"""Bars on self-tests: [gate.probes] names the highest rate of errors that a judge may show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from trueup.errors import ConfigError
from trueup.judge.probes import KINDS
from trueup.report.words import estimate, number
from trueup.services.calibration_marks import estimate_of
from trueup.stats.estimate import Estimate

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace

NOT_RUN = "this self-test was not run yet"


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: the highest rate, what was measured, and whether it holds (None: not decided)."""

    kind: str
    bar: float
    rate: Estimate
    ok: bool | None
    sentence: str

    def to_json(self) -> dict[str, Any]:
        """As the bars of `validate`."""
        return {
            "name": f"probe_{self.kind}",
            "bar": self.bar,
            "measured": self.rate.to_json(),
            "ok": self.ok,
            "sentence": self.sentence,
        }


def bar_of(kind: str, limit: float, rate: Estimate | None) -> Bar:
    """Held where the upper end of the rate stays within the bar, missed where the lower end is
    above it. Raises ConfigError for a self-test that there is not."""
    if kind not in KINDS:
        raise ConfigError(
            f"trueup.toml: gate.probes.{kind}: there is no such self-test",
            hint=f"known: {', '.join(KINDS)}",
        )
    rate = rate or Estimate.undefined(NOT_RUN)
    ok: bool | None = None
    if rate.low is not None and rate.high is not None:
        ok = True if rate.high <= limit else (False if rate.low > limit else None)
    what = KINDS[kind].error
    sentence = f"probe {kind}: {what}: {estimate(rate)}; at most {number(limit)} is allowed"
    return Bar(kind, limit, rate, ok, sentence)


def stored_bars(workspace: Workspace, fingerprint: str, metric: str) -> list[Bar]:
    """The bars of trueup.toml against what the judge's self-tests gave last."""
    gate: Mapping[str, float] = workspace.settings.gate.probes
    if not gate:
        return []
    kept = (
        workspace.store.probes(metric=metric, fingerprint=fingerprint)
        if workspace.has_store
        else ()
    )
    found = {p.kind: estimate_of(p.body["rate"]) for p in kept}
    return [bar_of(kind, limit, found.get(kind)) for kind, limit in gate.items()]
