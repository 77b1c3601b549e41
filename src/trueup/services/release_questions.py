"""What is asked about a release: may it go out, and what moved since an earlier one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from trueup.errors import UsageError
from trueup.services.scoring import Scores, row_of

if TYPE_CHECKING:
    from trueup.services.score_gate import GateResult, Term
    from trueup.services.score_moves import Against
    from trueup.services.score_series import SeriesRow
    from trueup.services.workspace import Workspace


def newest_release(found: Scores, releases: Sequence[str] = (), against: str | None = None) -> str:
    """The last release (of these) that has scores, else the last one; never the one compared to."""
    scored = {r.release for r in found.series}
    order = [r for r in found.releases if r != against and (not releases or r in releases)]
    return next((r for r in reversed(order) if r in scored), order[-1] if order else "")


def against_release(workspace: Workspace, found: Scores, before: str, after: str) -> Against:
    """Each metric and retrieval of one release against an earlier one (see score_moves).

    Raises UsageError for the same release twice, or where several judges could be meant.
    """
    from trueup.services.score_moves import against

    if before == after or not after:
        raise UsageError(f"there is no later release than {before} to set against it")
    old: dict[str, SeriesRow] = {}
    new: dict[str, SeriesRow] = {}
    for metric in dict.fromkeys(r.metric for r in found.series):
        for rows, release in ((old, before), (new, after)):
            row = row_of(workspace, found, metric, release)
            if row is not None:
                rows[metric] = row
    return against(workspace, old, new, before, after)


def gate_release(
    workspace: Workspace,
    found: Scores,
    terms: Sequence[Term],
    release: str,
    allow: frozenset[str] = frozenset(),
) -> GateResult:
    """Hold a release against bars (see score_gate).

    Raises UsageError where the release has no score of a metric, or several judges could be meant.
    """
    from trueup.services.score_gate import RETRIEVAL, gate

    rows = {}
    for term in terms:
        if term.name in RETRIEVAL:
            continue
        row = row_of(workspace, found, term.name, release)
        if row is None:
            raise UsageError(
                f"{release or 'the workspace'} has no score of {term.name}",
                hint=f"trueup judge --metric {term.name}",
            )
        rows[term.name] = row
    return gate(workspace, terms, rows, release, allow=allow)
