"""A report as a pandas DataFrame: one row a figure, for a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trueup.stats.estimate import Estimate

if TYPE_CHECKING:
    import pandas as pd

    from trueup.report.model import ReportData

COLUMNS = ("judge", "against", "part", "figure", "estimand", "value", "low", "high", "method",
           "reason", "weighted")  # fmt: skip


def to_frame(data: ReportData) -> pd.DataFrame:
    """Figures of each judge, of its slices and releases, and of each comparison.

    `against` is the other judge of a difference; `part` is empty or `NAME=VALUE`; `estimand` is
    per claim, per answer, or naive. Null values are NaN, and `reason` says why.
    """
    import pandas as pd

    return pd.DataFrame(list(_rows(data)), columns=list(COLUMNS))


def _rows(data: ReportData) -> Iterator[dict[str, Any]]:
    for section in data.agreement:
        a = section.figures
        whole = {"judge": a.judge, "weighted": a.weighted}
        corrected = {"corrected_rate": a.corrected_rate}
        if a.corrected_rate_alt is not None:
            corrected["corrected_rate_alt"] = a.corrected_rate_alt
        for name, e in {**a.figures, **corrected}.items():
            estimand = "per answer" if name.endswith("mean_score") else "per claim"
            yield _row(e, figure=name, estimand=estimand, **whole)
        for name, e in a.per_answer.items():
            yield _row(e, figure=name, estimand="per answer", **whole)
        for name, e in a.naive.items():
            yield _row(e, figure=name, estimand="naive", judge=a.judge, weighted=False)
        for by, parts in a.by_slice.items():
            for value, part in parts.items():
                for name, e in part.figures.items():
                    yield _row(e, figure=name, part=f"{by}={value}", **whole)
        for one in section.corrected:
            yield _row(one.rate, figure="corrected_rate", part=f"{one.by}={one.value}", **whole)
    for c in (pairing.figures for pairing in data.comparisons):
        for name in ("delta_agreement", "delta_kappa", "delta_tnr", "delta_mean_score"):
            yield _row(getattr(c, name), judge=c.b, against=c.a, figure=name, weighted=c.weighted)


def _row(e: Estimate, **about: Any) -> dict[str, Any]:
    told = {"against": None, "part": "", "estimand": "per claim", **about}
    return {
        **told, "value": e.value, "low": e.low, "high": e.high, "method": e.method,
        "reason": e.reason,
    }  # fmt: skip
