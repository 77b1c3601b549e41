"""What the design of a sample can and cannot estimate, and figures with the latter taken out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from trueup.stats.estimate import Estimate
from trueup.stats.sampling import CANNOT_GIVE
from trueup.stats.summary import AgreementSummary

_REASONS: Mapping[str, str] = {
    "discordant": "the sample was drawn to compare two judges: it says how they differ, and "
    "nothing of how good either is",
}


def cannot_give(design: str, origin: str) -> tuple[str, ...]:
    """Names of the figures that labels of a design cannot give, as the report names them."""
    missing: Sequence[str] = dict(CANNOT_GIVE).get(design, ())  # type: ignore[call-overload]
    return tuple(missing) if origin == "people" else ()


def within_design(a: AgreementSummary, design: str) -> AgreementSummary:
    """The summary with every estimate null that the design cannot give; counts stay."""
    if (why := _REASONS.get(design)) is None:
        return a
    none = Estimate.undefined(why)
    return replace(
        a,
        figures=dict.fromkeys(a.figures, none),
        per_answer=dict.fromkeys(a.per_answer, none),
        naive={},
        design_effect=None,
        expected_agreement=None,
        prevalence_index=None,
        bias=None,
        abstention=replace(a.abstention, human_rate=None, judge_rate=None, worst=None, best=None),
        by_slice={},
        warnings=(),
        corrected_rate=none,
        corrected_rate_alt=None,
    )
