"""What one annotator has said of each claim: the events replayed into states, and the undo stack.

Every event carries the whole state of its claim (label, note, quote), so the last event is the
current one; `meta.kind` says what the person did: mark, split, missed, note, quote, skip, reveal,
undo. An undo event names the event it takes back; a reveal can never be taken back.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from trueup.domain.model import Json, Label, LabelValue

ItemKey: TypeAlias = tuple[str, int]
"""Unit key and showing: 0 the first, 1 the second."""

IDLE_MS = 10 * 60 * 1000
"""A claim longer on screen was left alone, not thought about: it does not count for the pace."""

STATE_META = ("children", "where")
"""What of an event's meta belongs to the state of the claim: the parts of a split, the place of
the person's own evidence."""


@dataclass(frozen=True, slots=True)
class ItemState:
    """What the annotator has said of one claim so far."""

    label: LabelValue | None = None
    note: str | None = None
    quote: str | None = None
    blind: bool = True
    skipped: bool = False
    revealed: bool = False
    outdated: bool = False
    """Labelled under another policy text than the present one."""
    where: Mapping[str, Json] | None = None
    """Place of the person's own evidence: chunk, start, end."""


class Ledger:
    """Events of one annotator, replayed. `touched` collects the keys changed since last asked."""

    def __init__(self, policy_sha256: str | None) -> None:
        self.policy_sha256 = policy_sha256
        self.pace_ms: list[int] = []
        self._stacks: dict[ItemKey, list[Label]] = {}
        self._revealed: set[ItemKey] = set()
        self._known: set[str] = set()
        self._undo: list[tuple[ItemKey, str]] = []
        self._touched: set[ItemKey] = set()
        self._reshaped = True

    def top(self, key: ItemKey) -> Label | None:
        """The event that says how things stand with a claim."""
        stack = self._stacks.get(key)
        return stack[-1] if stack else None

    def state(self, key: ItemKey) -> ItemState:
        """What this annotator has said of a claim in one showing."""
        top = self.top(key)
        revealed = key in self._revealed
        if top is None:
            return ItemState(revealed=revealed)
        where = top.meta.get("where")
        return ItemState(
            label=top.label,
            note=top.note,
            quote=top.quote,
            blind=top.blind,
            skipped=top.label is None and top.meta.get("kind") == "skip",
            revealed=revealed,
            outdated=top.label is not None and top.policy_sha256 != self.policy_sha256,
            where=where if isinstance(where, dict) else None,
        )

    def seen(self, unit: str) -> bool:
        """Whether the judge's verdict on a claim was seen in any showing."""
        return (unit, 0) in self._revealed or (unit, 1) in self._revealed

    def children(self, key: ItemKey) -> tuple[str, ...]:
        """Unit keys of the parts, where the claim stands as badly split."""
        top = self.top(key)
        found = top.meta.get("children") if top and top.label == "bad_split" else None
        return tuple(c for c in found if isinstance(c, str)) if isinstance(found, list) else ()

    def missed(self) -> list[ItemKey]:
        """Claims that this annotator added and has not taken back, in the order of adding."""
        return [
            key
            for key, stack in self._stacks.items()
            if any(e.meta.get("kind") == "missed" for e in stack)
        ]

    def take_touched(self) -> tuple[set[ItemKey], bool]:
        """Keys whose state changed since the last call, and whether the queue's shape did."""
        touched, reshaped = self._touched, self._reshaped
        self._touched, self._reshaped = set(), False
        return touched, reshaped

    def absorb(self, event: Label, *, own: bool) -> bool:
        """Take in one event; True when it was new.

        `own` events can be undone here. A known event moves to the end of its claim's history:
        events read back come in stored order, which wins over the order they were made in.
        """
        key = (event.unit, event.repeat)
        kind = event.meta.get("kind")
        stack = self._stacks.setdefault(key, [])
        self._touched.add(key)
        if event.id in self._known:
            self._move_last(stack, event.id)
            return False
        self._known.add(event.id)
        if kind == "reveal":
            self._revealed.add(key)
            return True
        if kind in {"split", "missed", "undo"} or self.children(key):
            self._reshaped = True
        if kind == "undo":
            undone = event.meta.get("undoes")
            stack[:] = [e for e in stack if e.id != undone]
            self._undo = [u for u in self._undo if u[1] != undone]
            return True
        stack.append(event)
        if own:
            self._undo.append((key, event.id))
            if kind in {"mark", "split"} and event.ms is not None and event.ms < IDLE_MS:
                self.pace_ms.append(event.ms)
        return True

    def last_undoable(self) -> Label | None:
        """The last own event that still stands; what was changed elsewhere since is passed over."""
        while self._undo:
            key, event_id = self._undo[-1]
            top = self.top(key)
            if top is not None and top.id == event_id:
                return top
            self._undo.pop()
        return None

    def before(self, event: Label) -> Label | None:
        """The event that stood before the one on top of a claim's history."""
        stack = self._stacks.get((event.unit, event.repeat), [])
        return stack[-2] if len(stack) > 1 else None

    def _move_last(self, stack: list[Label], event_id: str) -> None:
        for index, event in enumerate(stack):
            if event.id == event_id and index != len(stack) - 1:
                stack.append(stack.pop(index))
                self._reshaped = True
                return


def state_meta(event: Label | None, *names: str) -> dict[str, Json]:
    """The named parts of an event's meta that belong to the claim's state."""
    return {} if event is None else {k: v for k, v in event.meta.items() if k in names}


def restored(undone: Label, before: Label | None) -> Label:
    """`undone` with the label, note and quote of the event before it, or with none."""
    if before is None:
        return replace(undone, label=None, note=None, quote=None, ms=None, meta={})
    return replace(
        undone,
        label=before.label,
        note=before.note,
        quote=before.quote,
        blind=before.blind,
        policy_sha256=before.policy_sha256,
        ms=before.ms,
        meta=state_meta(before, *STATE_META),
    )


def describe(event: Label) -> str:
    """What an event did, in a few words for the person who did it."""
    words = {
        "split": "split",
        "note": "comment",
        "quote": "evidence",
        "skip": "skip",
        "missed": "added claim",
    }
    kind = event.meta.get("kind")
    if isinstance(kind, str) and kind in words:
        return words[kind]
    return (event.label or "no label").replace("_", " ")
