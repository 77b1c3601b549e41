"""Judges against each other: what was fixed and broken, and whether chance explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

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
        notes.append(_split(rule, verdicts))
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


def _split(rule: float, verdicts: float) -> str:
    """The change of the mean score by its two sources."""
    parts = [round(rule, 3), round(verdicts, 3)]
    if not any(parts):
        return "The mean score is the same: neither the evidence rule nor the verdicts moved it."
    if not parts[0]:
        return "The evidence rule has no part in the change of the mean score."
    return (
        f"Of the change of the mean score, {number(rule)} is the evidence rule's doing and "
        f"{number(verdicts)} that of the model's own verdicts."
    )


def _unit(unit: str, shown: Cards) -> Cell:
    return Link(unit, shown.by_id[unit]) if unit in shown.by_id else unit


def pairs_table(pairs: Sequence[Pairing]) -> Table | None:
    """Who is right where the other is wrong, and whether chance explains it."""
    if not pairs:
        return None
    rows = tuple(
        (f"{c.b} − {c.a}", f"{c.n_units:,}", f"{c.only_b_right:,}", f"{c.only_a_right:,}",
         p_value(c.p), p_value(c.p_holm), p_value(c.p_mcnemar_exact))
        for c in (p.figures for p in pairs)
    )  # fmt: skip
    head = ("", "units", "fixed", "broken", "p", "p, Holm", "p, McNemar")
    tests = ", ".join(dict.fromkeys(p.figures.p_method for p in pairs))
    more = (
        "Fixed: units that the first-named judge gets right and the other wrong; broken: the "
        f"reverse. p: {tests}. McNemar takes units for independent: naive, too sure of itself."
    )
    if len(pairs) > 1:
        more += (
            " The best of several judges, chosen on the labels that it is measured by, looks "
            "better than it is: confirm it on labels that had no part in the choice."
        )
    return Table("Who is right where the other is wrong", head, rows, "lnnnnnn", more)


def pairs_figure(pairs: Sequence[Pairing]) -> Figure | None:
    """The differences in agreement on one scale around zero, with every difference below."""
    rows = [(f"{p.figures.b} − {p.figures.a}", p.figures.delta_agreement) for p in pairs]
    caption = "Right of zero, the first-named is right more often. Lines are 95% intervals."
    if not rows:
        return None
    figure = forest("forest-delta", "Difference in agreement", caption, rows, signed=True)
    table = Table(
        "Differences, first-named judge minus the other",
        ("", "agreement", "kappa", "TNR", "mean score"),
        tuple(
            (f"{c.b} − {c.a}", estimate(c.delta_agreement), estimate(c.delta_kappa),
             estimate(c.delta_tnr), estimate(c.delta_mean_score))
            for c in (p.figures for p in pairs)
        ),
        "lnnnn",
    )  # fmt: skip
    return replace(figure, table=table, wide=True)
