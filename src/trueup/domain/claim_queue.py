"""The queue of claims and the cursor in it: order, moving, and which claims are still open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from trueup.domain.ledger import ItemKey, ItemState, Ledger
from trueup.domain.model import Unit


@dataclass(frozen=True, slots=True)
class TaskItem:
    """One claim to label, in one showing."""

    unit: Unit
    repeat: int = 0
    key: ItemKey = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", (self.unit.key, self.repeat))

    @property
    def answer(self) -> ItemKey:
        """The record key and showing: the claims of one answer stand together."""
        return (self.unit.record, self.repeat)


class ClaimQueue:
    """Claims in order, answer by answer, and the one the person is at. Changes nothing but that."""

    def __init__(
        self,
        items: Sequence[TaskItem],
        units: Iterable[Unit],
        ledger: Ledger,
        *,
        requeue_outdated: bool,
        clock: Callable[[], datetime],
    ) -> None:
        self._base = list(items)
        self._units = {u.key: u for u in units}
        self._ledger = ledger
        self._requeue = requeue_outdated
        self._clock = clock
        self._items: list[TaskItem] = []
        self._index: dict[ItemKey, int] = {}
        self._open: set[ItemKey] = set()
        self._cursor = 0
        self._shown = clock()
        self._refresh()
        first = self._next_open(len(self._items) - 1)
        self._cursor = first if first is not None else max(0, len(self._items) - 1)

    @property
    def items(self) -> Sequence[TaskItem]:
        """The queue, children of split claims and missed claims in their places."""
        return self._items

    @property
    def cursor(self) -> int:
        """Index of the current claim in `items`."""
        return self._cursor

    @property
    def current(self) -> TaskItem | None:
        """The claim on the screen; None when the queue is empty."""
        return self._items[self._cursor] if self._items else None

    def state(self, key: ItemKey) -> ItemState:
        """What this annotator has said of a claim in one showing."""
        return self._ledger.state(key)

    def children(self, key: ItemKey) -> tuple[str, ...]:
        """Unit keys of the parts of a claim that stands as badly split."""
        return self._ledger.children(key)

    def is_open(self, key: ItemKey) -> bool:
        """Whether a claim of the queue still waits for a label."""
        return key in self._open

    def answer_items(self) -> Sequence[tuple[int, TaskItem]]:
        """The claims of the current answer with their indices."""
        if not self._items:
            return ()
        first, last = self._answer_bounds(self._cursor)
        return [(i, self._items[i]) for i in range(first, last)]

    # ---- moving: each returns whether the cursor moved

    def goto(self, index: int) -> bool:
        """Stand on the claim with this index."""
        if not 0 <= index < len(self._items) or index == self._cursor:
            return False
        self._cursor = index
        self._shown = self._clock()
        return True

    def next_claim(self) -> bool:
        """The claim below."""
        return self.goto(self._cursor + 1)

    def previous_claim(self) -> bool:
        """The claim above."""
        return self.goto(self._cursor - 1)

    def next_answer(self) -> bool:
        """The first claim of the next answer."""
        return bool(self._items) and self.goto(self._answer_bounds(self._cursor)[1])

    def previous_answer(self) -> bool:
        """The first claim of the answer before."""
        if not self._items:
            return False
        first, _ = self._answer_bounds(self._cursor)
        return first > 0 and self.goto(self._answer_bounds(first - 1)[0])

    def next_unlabelled(self) -> bool:
        """The next claim without a label, round the end; skipped ones come last."""
        target = self._next_open(self._cursor)
        return target is not None and self.goto(target)

    # ---- inside

    def _refresh(self, *, reshape: bool = False) -> None:
        """Bring the queue and the set of open claims up to date with the ledger."""
        touched, reshaped = self._ledger.take_touched()
        if reshape or reshaped:
            self._arrange()
            touched = set(self._index)
            self._open.clear()
        for key in touched & self._index.keys():
            state = self._ledger.state(key)
            if state.label is None or (self._requeue and state.outdated):
                self._open.add(key)
            else:
                self._open.discard(key)

    def _arrange(self) -> None:
        """Queue order: parts after the claim they are of, missed claims last in their answer."""
        missed: dict[ItemKey, list[TaskItem]] = {}
        for unit, repeat in self._ledger.missed():
            if unit in self._units:
                item = TaskItem(self._units[unit], repeat)
                missed.setdefault(item.answer, []).append(item)
        placed: dict[ItemKey, TaskItem] = {}
        for index, item in enumerate(self._base):
            self._place(item, placed)
            last = index + 1 == len(self._base) or self._base[index + 1].answer != item.answer
            for extra in missed.get(item.answer, ()) if last else ():
                self._place(extra, placed)
        self._items = list(placed.values())
        self._index = {key: i for i, key in enumerate(placed)}

    def _place(self, item: TaskItem, placed: dict[ItemKey, TaskItem]) -> None:
        if item.key in placed:
            return
        placed[item.key] = item
        for key in self._ledger.children(item.key):
            if key in self._units:
                self._place(TaskItem(self._units[key], item.repeat), placed)

    def _answer_bounds(self, index: int) -> tuple[int, int]:
        answer = self._items[index].answer
        first = last = index
        while first > 0 and self._items[first - 1].answer == answer:
            first -= 1
        while last < len(self._items) and self._items[last].answer == answer:
            last += 1
        return first, last

    def _stand_on(self, item: TaskItem | None) -> bool:
        if item is not None and item.key in self._index:
            self._cursor = self._index[item.key]
            return True
        self._cursor = min(self._cursor, max(0, len(self._items) - 1))
        return item is None

    def _next_open(self, start: int) -> int | None:
        """Index of the next open claim after `start`, round the end; skipped ones last."""
        count, skipped = len(self._items), None
        for step in range(1, count + 1):
            index = (start + step) % count
            key = self._items[index].key
            if key not in self._open:
                continue
            if not self.state(key).skipped:
                return index
            if skipped is None:
                skipped = index
        return skipped
