"""Units that follow from a record alone: its chunks."""

from __future__ import annotations

from collections import Counter

from trueup.domain.model import Record, Unit

CHUNK_SPLITTER = "chunks"


def chunk_units(record: Record) -> tuple[Unit, ...]:
    """One unit per context chunk, in rank order, with ids like `q-0412@c-9930`.

    A chunk id that comes twice in one context gets `~2`, `~3` … so that ids stay apart.
    """
    seen: Counter[str] = Counter()
    units = []
    for rank, chunk in enumerate(record.context or (), 1):
        seen[chunk.id] += 1
        again = f"~{seen[chunk.id]}" if seen[chunk.id] > 1 else ""
        units.append(
            Unit(
                record=record.key,
                id=f"{record.id}@{chunk.id}{again}",
                kind="chunk",
                text=chunk.text,
                ordinal=rank,
                splitter=CHUNK_SPLITTER,
            )
        )
    return tuple(units)
