"""How many records of each stratum: merging of thin strata, and sizes by shares within bounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

LEAST = 2
"""Records drawn of a stratum at least: one alone has no variance."""


@dataclass(frozen=True, slots=True)
class Stratum:
    """A name and the records it holds."""

    name: str
    records: tuple[str, ...]

    @property
    def size(self) -> int:
        """N_h."""
        return len(self.records)


def groups_to_fit(sizes: Sequence[int], n: int) -> list[list[int]]:
    """Neighbouring strata (by index, in order) that must be one for n records to serve them.

    The smallest goes to its smaller neighbour as long as it holds fewer than two records or there
    are more than n/2; one group always remains.
    """
    groups = [[h] for h in range(len(sizes))]
    while len(groups) > 1:
        held = [sum(sizes[h] for h in group) for group in groups]
        thin = min(range(len(groups)), key=lambda i: (held[i], i))
        if held[thin] >= LEAST and len(groups) <= max(1, n // LEAST):
            break
        beside = [i for i in (thin - 1, thin + 1) if 0 <= i < len(groups)]
        low, high = sorted((thin, min(beside, key=lambda i: (held[i], i))))
        groups[low : high + 1] = [groups[low] + groups[high]]
    return groups


def merged_to_fit(strata: Sequence[Stratum], n: int) -> tuple[list[Stratum], tuple[str, ...]]:
    """Strata that n records can serve (`groups_to_fit`), and a note for each that was made."""
    kept: list[Stratum] = []
    notes: list[str] = []
    for group in groups_to_fit([s.size for s in strata], n):
        parts = [strata[h] for h in group]
        kept.append(
            Stratum(" + ".join(s.name for s in parts), tuple(r for s in parts for r in s.records))
        )
        if len(parts) > 1:
            named = ", ".join(f"{s.name} ({s.size} records)" for s in parts)
            notes.append(f"merged into one stratum: {named}")
    return kept, tuple(notes)


def allocate(sizes: Sequence[int], n: int, shares: Sequence[float]) -> tuple[int, ...]:
    """n_h, adding up to min(n, N): as proportional to `shares` as the bounds allow.

    Each stratum gets at least two (or all it has, or what n allows) and at most N_h; the rest goes
    by largest remainders. A share of 0 gets the least.
    """
    total = min(n, sum(sizes))
    least = LEAST if total >= sum(min(size, LEAST) for size in sizes) else total // len(sizes)
    floor = [min(size, least) for size in sizes]
    fixed: dict[int, int] = {}
    while True:
        free = [h for h in range(len(sizes)) if h not in fixed]
        left = total - sum(fixed.values())
        # with no share left to go by, what remains is spread by size
        by = shares if any(shares[h] for h in free) else sizes
        mass = sum(by[h] for h in free)
        target = {h: left * by[h] / mass for h in free}
        over = {h: sizes[h] for h in free if target[h] > sizes[h]}
        under = {h: floor[h] for h in free if target[h] < floor[h]}
        if not over and not under:
            return _rounded(fixed, target, len(sizes), total)
        excess = sum(target[h] - sizes[h] for h in over)
        lack = sum(floor[h] - target[h] for h in under)
        # fixing the side that binds harder first keeps the sum within reach
        fixed |= over if excess >= lack else under


def _rounded(
    fixed: dict[int, int], target: dict[int, float], n_strata: int, total: int
) -> tuple[int, ...]:
    sizes = [fixed[h] if h in fixed else int(target[h]) for h in range(n_strata)]
    by_remainder = sorted(target, key=lambda h: (int(target[h]) - target[h], h))
    for h in by_remainder[: total - sum(sizes)]:
        sizes[h] += 1
    return tuple(sizes)
