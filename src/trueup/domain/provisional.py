"""Claims that a person makes while labelling: parts of a bad split, and claims the split missed.

They are provisional until an adjudicator takes them into the next version of the claim set. Their
ids come from their content alone, so two people who make the same claim make one unit.
"""

from __future__ import annotations

from collections.abc import Sequence

from trueup.domain.ids import content_id
from trueup.domain.model import Span, Unit

_STRIDE = 1000
"""Ordinals of made claims lie behind those of the claim set, in groups by their parent."""


def child_units(parent: Unit, texts: Sequence[str], source: str = "") -> tuple[Unit, ...]:
    """The parts of a badly split claim, in order, empty and repeated ones left out.

    `source` is the answer (or reference): a part found in it verbatim keeps its span there.
    """
    parts = list(dict.fromkeys(t.strip() for t in texts))
    return tuple(
        Unit(
            record=parent.record,
            id=f"{parent.id}.{number}",
            kind=parent.kind,
            text=text,
            ordinal=_STRIDE * (parent.ordinal + 1) + number,
            span=_span(text, source, parent.span),
            claim_set=parent.claim_set,
            splitter="person",
            parent=parent.key,
            provisional=True,
            context=parent.context,
        )
        for number, text in enumerate((p for p in parts if p and p != parent.text), start=1)
    )


def missed_unit(beside: Unit, text: str, source: str = "", start: int | None = None) -> Unit | None:
    """A claim of the same answer that the split missed; None for an empty text.

    `start` is the offset in `source` where the person marked it.
    """
    text = text.strip()
    if not text:
        return None
    near = None if start is None else Span(start, start)
    stem = beside.id.split("#", 1)[0]
    return Unit(
        record=beside.record,
        id=f"{stem}#+{content_id('missed', text)[:4]}",
        kind=beside.kind,
        text=text,
        ordinal=_STRIDE * _STRIDE + (start or 0),
        span=_span(text, source, near),
        claim_set=beside.claim_set,
        splitter="person",
        provisional=True,
    )


def _span(text: str, source: str, near: Span | None) -> Span | None:
    """Where a text stands in its source: at or after `near` if it can, else at its first place."""
    at = source.find(text, near.start) if near is not None else -1
    if at < 0:
        at = source.find(text)
    return None if at < 0 else Span(at, at + len(text))
