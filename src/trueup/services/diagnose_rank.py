"""Groundedness and correctness by the rank of the first gold chunk: position matters less than
arrival, but not nothing."""

from __future__ import annotations

from collections.abc import Sequence

from trueup.services.diagnose_model import ByRank, Looked
from trueup.stats.intervals import iid_wilson
from trueup.stats.scores import mean_score

_LAST = 10
"""Ranks from here on are counted together."""


def by_rank(looked: Sequence[Looked]) -> tuple[ByRank, ...]:
    """A row for each rank that occurs, failing or not, and one for records where none arrived."""
    groups: dict[int | None, list[Looked]] = {}
    for one in looked:
        if one.has_gold:
            rank = one.first_rank
            groups.setdefault(None if rank is None else min(rank, _LAST), []).append(one)
    made = []
    for rank in sorted(groups, key=lambda r: (r is None, r or 0)):
        some = groups[rank]
        known = [one for one in some if one.failing is not None]
        made.append(
            ByRank(
                rank,
                len(some),
                mean_score([one.groundedness.value for one in some]).mean,
                iid_wilson(sum(not one.failing for one in known), len(known)),
                mean_score(
                    [None if one.correctness is None else one.correctness.value for one in some]
                ).mean,
            )
        )
    return tuple(made)
