"""Judges against each other: what was fixed and broken, and whether chance explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trueup.report.cards import Cards
from trueup.report.figures import Figure, forest
from trueup.report.model import Pairing
from trueup.report.tables import Cell, Link, Table
from trueup.report.words import comparison, estimate, number, p_value

_MAX_UNITS = 60


@dataclass(frozen=True, slots=True)
class PairPart:
    """Two judges against each other."""

    title: str
    sentence: str
    notes: tuple[str, ...]
    fixed: tuple[Cell, ...]
    broken: tuple[Cell, ...]
    n_fixed: int
    n_broken: int


def pair_part(pairing: Pairing, shown: Cards) -> PairPart:
    """One comparison, its units as links where a card shows them."""
    c = pairing.figures
    notes = list(pairing.notes)
    rule, verdicts = pairing.shift_by_rule, pairing.shift_by_verdicts
    if rule is not None and verdicts is not None and not c.identical:
        notes.append(
            f"Of the change in the mean score, {number(rule)} is the evidence rule's doing and "
            f"{number(verdicts)} that of the model's own verdicts."
        )
    fixed, broken = (tuple(_unit(u, shown) for u in ids[:_MAX_UNITS])
                     for ids in (pairing.fixed, pairing.broken))  # fmt: skip
    return PairPart(
        f"{c.b} against {c.a}",
        comparison(pairing),
        tuple(notes),
        fixed,
        broken,
        len(pairing.fixed),
        len(pairing.broken),
    )


def _unit(unit: str, shown: Cards) -> Cell:
    return Link(unit, shown.by_id[unit]) if unit in shown.by_id else unit


def pairs_table(pairs: Sequence[Pairing]) -> Table | None:
    """Every comparison with its differences and p values."""
    if not pairs:
        return None
    rows = tuple(
        (f"{c.b} − {c.a}", f"{c.n_units:,}", f"{c.only_b_right:,}", f"{c.only_a_right:,}",
         estimate(c.delta_agreement), estimate(c.delta_kappa), estimate(c.delta_tnr),
         estimate(c.delta_mean_score), p_value(c.p), p_value(c.p_holm), p_value(c.p_mcnemar_exact))
        for c in (p.figures for p in pairs)
    )  # fmt: skip
    head = ("", "units", "fixed", "broken", "Δ agreement", "Δ kappa", "Δ TNR", "Δ mean score",
            "p", "p, Holm", "p, McNemar")  # fmt: skip
    tests = ", ".join(dict.fromkeys(p.figures.p_method for p in pairs))
    more = (
        "Differences are the first-named judge's minus the second's, on the units that people and "
        f"both decided. p: {tests}. McNemar takes units for independent: naive, too sure of itself."
    )
    if len(pairs) > 1:
        more += (
            " The best of several judges, chosen on the labels that it is measured by, looks "
            "better than it is: confirm it on labels that had no part in the choice."
        )
    return Table("Judges against each other", head, rows, "lnnnnnnnnnn", more)


def pairs_figure(pairs: Sequence[Pairing]) -> Figure | None:
    """The differences in agreement on one scale around zero."""
    rows = [(f"{p.figures.b} − {p.figures.a}", p.figures.delta_agreement) for p in pairs]
    caption = (
        "Right of zero the first-named judge agrees more with people. Lines are 95 % intervals."
    )
    if not rows:
        return None
    return forest("forest-delta", "Difference in agreement", caption, rows, signed=True)
