"""One annotator's labelling session, free of any screen and of any input or output.

The session holds a queue of claims and the annotator's own events. A command (`mark`, `undo`,
`split`, …) changes nothing: it returns an `Action`, the events to store. Only after they are stored
does `commit` apply them and move the cursor, so that nothing shown as saved is unsaved.

Verdicts, evidence and other people's labels never enter: what a session does not hold, no view of
it can show.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from uuid import uuid4

from trueup.domain.claim_queue import ClaimQueue, TaskItem
from trueup.domain.ledger import (
    STATE_META,
    ItemKey,
    Ledger,
    describe,
    restored,
    state_meta,
)
from trueup.domain.model import Json, Label, LabelValue, Origin, Unit
from trueup.domain.provisional import child_units, missed_unit

__all__ = ["Action", "LabelSession", "Progress", "TaskItem"]

_PACE_WINDOW = 50
_PACE_LEAST = 3
"""Marks before a pace is told: fewer say nothing of how long the rest will take."""


@dataclass(frozen=True, slots=True)
class Action:
    """What a command wants stored. `units` are to be stored before `events`.

    `said` tells the person what will have happened. `advance` is whether the cursor then moves on,
    `goto` the claim it then stands on. Without events nothing is to be stored, and `said` tells
    why.
    """

    said: str
    events: tuple[Label, ...] = ()
    units: tuple[Unit, ...] = ()
    advance: bool = False
    goto: ItemKey | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the annotator is. `pace_s`: median seconds a claim, None before the third mark."""

    done: int
    total: int
    position: int
    skipped: int
    pace_s: float | None
    left_s: float | None


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _new_id() -> str:
    return uuid4().hex


class LabelSession(ClaimQueue):
    """Cursor, marks and undo over a queue of claims. Not thread-safe; belongs to one screen."""

    def __init__(
        self,
        items: Sequence[TaskItem],
        events: Iterable[Label],
        *,
        metric: str,
        annotator: str,
        sample: str | None = None,
        policy_sha256: str | None = None,
        requeue_outdated: bool = False,
        extra_units: Iterable[Unit] = (),
        origin: Origin = "person",
        seen: bool = False,
        stepwise: bool = False,
        clock: Callable[[], datetime] = _utc_now,
        new_id: Callable[[], str] = _new_id,
    ) -> None:
        """A session over a queue and the events so far, in stored order.

        `requeue_outdated` opens claims again that were labelled under another policy text.
        `extra_units` are claims made while labelling that the events speak of. `seen` is for a
        queue that shows the judge's verdicts: no label is blind then. `stepwise` begins at the
        first claim and goes to the one below after a mark, open or not.
        """
        self.metric = metric
        self.annotator = annotator
        self.sample = sample
        self._origin: Origin = origin
        self._seen = seen
        self._stepwise = stepwise
        self._new_id = new_id
        ledger = Ledger(policy_sha256)
        for event in events:
            ledger.absorb(event, own=event.annotator == annotator)
        super().__init__(items, extra_units, ledger, requeue_outdated=requeue_outdated, clock=clock)
        if stepwise:
            self._cursor = 0

    # ---- what the screen reads

    def progress(self) -> Progress:
        """Counts, pace and the time left at that pace."""
        total, left = len(self._items), len(self._open)
        window = self._ledger.pace_ms[-_PACE_WINDOW:]
        pace = statistics.median(window) / 1000 if len(window) >= _PACE_LEAST else None
        return Progress(
            done=total - left,
            total=total,
            position=self._cursor + 1 if total else 0,
            skipped=sum(self.state(k).skipped for k in self._open),
            pace_s=pace,
            left_s=None if pace is None else pace * left,
        )

    # ---- commands: each returns what is to be stored, and changes nothing

    def mark(self, label: LabelValue) -> Action:
        """Label the current claim, or relabel it. A bad split is marked by `split`."""
        item = self._here()
        event = self._event(item, "mark", label=label, ms=self._elapsed_ms())
        return Action(label.replace("_", " "), (event,), advance=True)

    def split(self, texts: Sequence[str], source: str = "") -> Action:
        """Flag the current claim as badly split and put its parts behind it.

        `source` is the text that the claim was taken from, to find the spans of the parts.
        Two parts or more are needed, each of them new and not empty.
        """
        item = self._here()
        children = child_units(item.unit, texts, source)
        if len(children) < 2:
            return Action("a split needs two or more different parts")
        keys: list[Json] = [u.key for u in children]
        event = self._event(item, "split", label="bad_split", ms=self._elapsed_ms(), children=keys)
        goto = (children[0].key, item.repeat)
        return Action(f"split into {len(children)} claims", (event,), children, True, goto)

    def add_missed(self, text: str, source: str = "", start: int | None = None) -> Action:
        """Add a claim that the split missed; it is then labelled like any other.

        `start` is the offset in `source` (the answer) where the person marked it.
        """
        item = self._here()
        unit = missed_unit(item.unit, text, source, start)
        if unit is None:
            return Action("a missed claim needs some text")
        added = TaskItem(unit, item.repeat)
        if added.key in self._index:
            return Action("that claim is already in the queue")
        event = self._event(added, "missed", label=None)
        return Action("claim added", (event,), (unit,), True, added.key)

    def comment(self, note: str) -> Action:
        """Put a comment to the current claim; an empty one takes it away."""
        item = self._here()
        state = self.state(item.key)
        note = note.strip()
        if note == (state.note or ""):
            return Action("comment unchanged")
        event = replace(self._event(item, "note", label=state.label), note=note or None)
        return Action("comment saved" if note else "comment removed", (event,))

    def quote(self, quote: str | None, where: dict[str, Json] | None = None) -> Action:
        """Keep the sentence that supports the claim as the person's own evidence.

        `where` says where it stands: chunk id, start and end. None takes the quote away.
        """
        item = self._here()
        state = self.state(item.key)
        if not quote and not state.quote:
            return Action("no evidence to take away")
        event = self._event(item, "quote", label=state.label, where=where if quote else None)
        return Action(
            "evidence saved" if quote else "evidence removed",
            (replace(event, quote=quote or None),),
        )

    def skip(self) -> Action:
        """Leave an unlabelled claim for later; a labelled one keeps its label."""
        item = self._here()
        if self.state(item.key).label is not None:
            return Action("already labelled", advance=True)
        return Action("skipped for now", (self._event(item, "skip", label=None),), advance=True)

    def reveal(self) -> Action:
        """Ask to see the judge's verdict and other people's labels: recorded, never taken back."""
        item = self._here()
        state = self.state(item.key)
        if state.revealed:
            return Action("already revealed")
        event = self._event(item, "reveal", label=state.label)
        blind = state.blind if state.label is not None else False
        return Action("revealed", (replace(event, blind=blind),))

    def undo(self) -> Action:
        """Take back the last thing done, and go to its claim. The history keeps both."""
        undone = self._ledger.last_undoable()
        if undone is None:
            return Action("nothing to undo")
        back = restored(undone, self._ledger.before(undone))
        event = replace(
            back,
            id=self._new_id(),
            at=self._clock(),
            blind=back.blind if back.label else not self._saw(undone.unit),
            meta={**back.meta, "kind": "undo", "undoes": undone.id},
        )
        return Action(f"undone: {describe(undone)}", (event,), goto=(undone.unit, undone.repeat))

    # ---- after storing

    def commit(self, action: Action) -> None:
        """Apply an action whose events are stored, then move the cursor."""
        origin = self.current
        self._units |= {u.key: u for u in action.units}
        for event in action.events:
            self._ledger.absorb(event, own=True)
        self._refresh()
        self._stand_on(origin)
        if action.goto is not None and action.goto in self._index:
            self.goto(self._index[action.goto])
        elif action.advance:
            self._advance()

    def apply(self, events: Iterable[Label], units: Iterable[Unit] = ()) -> int:
        """Take in this annotator's events of elsewhere, in stored order; returns how many are new.

        Own events may be among them: their stored order wins over the order they were made in.
        """
        origin = self.current
        self._units |= {u.key: u for u in units}
        new = sum(self._ledger.absorb(e, own=False) for e in events)
        self._refresh()
        self._stand_on(origin)
        return new

    def drop_answers(self, records: Iterable[str]) -> int:
        """Leave out answers that belong to someone else now, unless something was said of them.

        Returns how many claims left the queue.
        """
        mine = {i.unit.record for i in self._items if self._ledger.top(i.key)}
        gone = (set(records) - mine) & {i.unit.record for i in self._base}
        if not gone:
            return 0
        before, origin, old = len(self._items), self.current, self._cursor
        self._base = [i for i in self._base if i.unit.record not in gone]
        self._refresh(reshape=True)
        if not self._stand_on(origin):
            self._cursor = min(old, max(0, len(self._items) - 1))
            self._shown = self._clock()
            if self._items and not self.is_open(self._items[self._cursor].key):
                self._advance()
        return before - len(self._items)

    # ---- inside

    def _here(self) -> TaskItem:
        item = self.current
        if item is None:
            raise LookupError("the queue is empty")
        return item

    def _saw(self, unit: str) -> bool:
        """Whether the judge's verdict on a claim was seen before."""
        return self._seen or self._ledger.seen(unit)

    def _elapsed_ms(self) -> int:
        return max(0, round((self._clock() - self._shown).total_seconds() * 1000))

    def _event(
        self,
        item: TaskItem,
        kind: str,
        *,
        label: LabelValue | None,
        ms: int | None = None,
        **meta: Json,
    ) -> Label:
        """An event that carries the whole state of the claim with one thing changed.

        A comment to a label keeps the label's blindness, policy and time: it is not given anew.
        """
        top = self._ledger.top(item.key)
        anew = kind in {"mark", "split"} or top is None or top.label is None
        kept = state_meta(top, *(("where",) if anew else STATE_META))
        changed = {k: v for k, v in {**kept, **meta}.items() if meta.get(k, v) is not None}
        fresh = Label(
            id=self._new_id(),
            unit=item.unit.key,
            metric=self.metric,
            annotator=self.annotator,
            label=label,
            at=self._clock(),
            blind=not self._saw(item.unit.key),
            note=top.note if top else None,
            quote=top.quote if top else None,
            policy_sha256=self._ledger.policy_sha256,
            ms=ms,
            origin=self._origin,
            sample=self.sample,
            repeat=item.repeat,
            meta={**changed, "kind": kind},
        )
        if anew or top is None:
            return fresh
        return replace(fresh, blind=top.blind, policy_sha256=top.policy_sha256, ms=top.ms)

    def _advance(self) -> None:
        """After a mark: the next open claim; where all are labelled, the claim below."""
        target = None if self._stepwise else self._next_open(self._cursor)
        self.goto(self._cursor + 1 if target is None else target)
