"""People label claims: joins the store and the pure session.

The screen reads `session`, `task` and `news`, and hands every `Action` to `record` (synchronous:
call it through `asyncio.to_thread`) before it moves. The judge's verdicts and other people's labels
are read from the store by `reveal` alone, after the reveal itself is stored.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Lock
from typing import TYPE_CHECKING

from trueup.domain import metrics
from trueup.domain.assignment import Owners, claim_id, is_assignment, queue, release_id
from trueup.domain.ids import sha256_text
from trueup.domain.ledger import ItemState
from trueup.domain.model import Json, Label, Record, Sample, Unit
from trueup.domain.session import Action, LabelSession, TaskItem
from trueup.domain.tasks import LabelTask, label_task
from trueup.domain.units import CHUNK_SPLITTER, chunk_units
from trueup.errors import ConflictError, StoreError, UsageError
from trueup.services.revealing import Revealed, reveal_unit

if TYPE_CHECKING:
    from trueup.store import Store, StoredLabel

_RECORDS_KEPT = 16


@dataclass(frozen=True, slots=True)
class Policy:
    """The text people label by and its hash, which is stored with each label."""

    text: str
    sha256: str

    @classmethod
    def of(cls, text: str) -> Policy:
        """The policy with this text."""
        return cls(text, sha256_text(text))


@dataclass(frozen=True, slots=True)
class News:
    """What happened in the store since the last look: own events from elsewhere, and answers that
    other annotators took. Nothing of what others said."""

    events: tuple[Label, ...] = ()
    units: tuple[Unit, ...] = ()
    taken: tuple[str, ...] = ()


class LabellingService:
    """One annotator labelling one sample. Thread-safe: the store opens a session per call."""

    def __init__(self, store: Store, sample: Sample, annotator: str, policy: Policy) -> None:
        self._store = store
        self.sample = sample
        self.annotator = annotator
        self.policy = policy
        self.metric = metrics.metric(sample.metric)
        self._records: OrderedDict[str, Record] = OrderedDict()
        self._records_lock = Lock()
        self._seq = 0
        self._owners = Owners.of(sample)
        self._taken_here: set[str] = set()
        self._first_units: dict[str, str] = {}
        self._members = {m.record: m for m in sample.members}

    @classmethod
    def open(cls, store: Store, sample: str, annotator: str, policy: Policy) -> LabellingService:
        """The service for a named sample. Raises UsageError for an unknown sample or no name."""
        found = store.sample(sample)
        if found is None:
            names = ", ".join(s.name for s in store.samples()) or "none yet"
            raise UsageError(
                f"there is no sample {sample!r}",
                hint=f"samples: {names}; draw one with: trueup sample NAME --records 50",
            )
        if not annotator.strip():
            raise UsageError("an annotator is needed", hint="give --annotator NAME")
        return cls(store, found, annotator.strip(), policy)

    # ---- the queue

    def session(self, *, requeue_outdated: bool = False) -> LabelSession:
        """The annotator's session: the queue in order, every event so far replayed.

        `requeue_outdated` puts claims that were labelled under another policy text back as open.
        """
        metric = self.sample.metric
        of_sample = self._of_sample()
        of_mine = self._store.label_events(metric=metric, annotator=self.annotator)
        self._seq = max((s.seq for s in (*of_sample, *of_mine)), default=0)
        self._owners.absorb(s.label for s in of_sample)
        taken = self._owners.others(self.annotator)
        turns = queue(self.sample, self.annotator, taken)
        units = self._units_by_record([t.record for t in turns])
        self._first_units = {r: found[0].key for r, found in units.items() if found}
        items = [TaskItem(u, t.repeat) for t in turns for u in units.get(t.record, ())]
        mine = [s.label for s in of_mine if _is_own(s.label)]
        return LabelSession(
            items,
            mine,
            metric=self.sample.metric,
            annotator=self.annotator,
            sample=self.sample.name,
            policy_sha256=self.policy.sha256,
            requeue_outdated=requeue_outdated,
            extra_units=self._made_units(mine, {i.unit.key for i in items}),
        )

    def is_free(self, record: str) -> bool:
        """Whether an answer is not this annotator's yet and has to be taken before labelling."""
        member = self._members.get(record)
        if member is None or member.overlap:
            return False
        return self._owners.owner.get(record) != self.annotator

    def take(self, record: str) -> bool:
        """Take an answer for this annotator; False when another has it.

        An answer drawn for overlap belongs to everyone. Safe against a race: the event's id is the
        same for everyone, and the store keeps the first.
        """
        if not self.is_free(record):
            return True
        turn = self._owners.turn.get(record, 0)
        event = self._assignment("assign", record, turn)
        try:
            self._store.append_labels([event])
        except ConflictError:
            self._owners.absorb(s.label for s in self._of_sample())
        else:
            self._owners.absorb([event])
            self._taken_here.add(record)
        return self._owners.owner.get(record) == self.annotator

    def release(self, session: LabelSession) -> None:
        """Give back the answers taken since opening of which nothing was said."""
        said = {i.unit.record for i in session.items if session.state(i.key) != ItemState()}
        idle = self._taken_here - said
        events = [
            self._assignment("release", record, self._owners.turn.get(record, 0))
            for record in sorted(idle)
        ]
        self._store.append_labels(events)
        self._owners.absorb(events)
        self._taken_here.clear()

    def _assignment(self, kind: str, record: str, turn: int) -> Label:
        made = claim_id if kind == "assign" else release_id
        meta: dict[str, Json] = {"kind": kind, "record": record, "turn": turn}
        return Label(
            id=made(self.sample.name, self.sample.metric, record, turn),
            unit=self._first_units[record],
            metric=self.sample.metric,
            annotator=self.annotator,
            label=None,
            at=datetime.now(UTC),
            sample=self.sample.name,
            meta=meta,
        )

    # ---- storing and looking

    def deliver(self, item: TaskItem, action: Action) -> News | None:
        """Store what a command on a claim wants stored, taking its answer first where it is free.

        Returns what else happened in the store, or None when another annotator has the answer and
        nothing was stored. Raises StoreError; calling it again stores nothing twice.
        """
        if not self.take(item.unit.record):
            return None
        self.record(action)
        try:
            return self.news()
        except StoreError:
            # The events are on disk; what others did is looked at with the next key.
            return News()

    def record(self, action: Action) -> None:
        """Store what a command wants stored; returns once it is on disk. Safe to call again."""
        if action.units:
            self._store.add_provisional(action.units)
        if action.events:
            self._store.append_labels(action.events)

    def news(self) -> News:
        """Events of this annotator from other terminals, and answers others took, since last."""
        stored = self._store.label_events(metric=self.sample.metric, after_seq=self._seq)
        self._seq = max([self._seq, *(s.seq for s in stored)])
        labels = [s.label for s in stored]
        self._owners.absorb(e for e in labels if e.sample == self.sample.name)
        mine = [e for e in labels if e.annotator == self.annotator and _is_own(e)]
        others = tuple(self._owners.others(self.annotator))
        return News(tuple(mine), self._made_units(mine, set()), others)

    def has(self, record: str) -> bool:
        """Whether a record is at hand, so that `task` needs no look into the store."""
        return record in self._records

    def task(self, item: TaskItem) -> LabelTask:
        """The texts of one claim, blind. Records are read when first shown and a few are kept."""
        return label_task(self.record_of(item.unit), item.unit, self.metric)

    def record_of(self, unit: Unit) -> Record:
        """The record of a unit. Raises StoreError when it is gone."""
        with self._records_lock:
            record = self._records.get(unit.record)
            if record is not None:
                self._records.move_to_end(unit.record)
                return record
        found = self._store.record(unit.record)
        if found is None:
            raise StoreError(f"the record of {unit.id} is not in the store any more")
        with self._records_lock:
            self._records[unit.record] = found
            while len(self._records) > _RECORDS_KEPT:
                self._records.popitem(last=False)
        return found

    def reveal(self, item: TaskItem) -> Revealed:
        """What the judges and other people said of a claim. Call it after the reveal is stored."""
        record = self.record_of(item.unit)
        return reveal_unit(self._store, record, item.unit, self.sample.metric, self.annotator)

    # ---- inside

    def _of_sample(self) -> list[StoredLabel]:
        return self._store.label_events(metric=self.sample.metric, sample=self.sample.name)

    def _units_by_record(self, records: Sequence[str]) -> dict[str, list[Unit]]:
        wanted = list(dict.fromkeys(records))
        if self.metric.units == "chunk":
            self._freeze_chunks(wanted)
        found: dict[str, list[Unit]] = {r: [] for r in wanted}
        for unit in self._store.units(self.metric.units, records=wanted):
            found[unit.record].append(unit)
        return found

    def _freeze_chunks(self, records: Sequence[str]) -> None:
        for record in self._store.iter_records(keys=records):
            if self._store.claim_set(record.key, "chunk") is None:
                self._store.freeze_units(record.key, "chunk", chunk_units(record), CHUNK_SPLITTER)

    def _made_units(self, events: Sequence[Label], known: set[str]) -> tuple[Unit, ...]:
        """The provisional units that these events speak of."""
        keys = {e.unit for e in events if e.meta.get("kind") == "missed"}
        for event in events:
            children = event.meta.get("children")
            if isinstance(children, list):
                keys |= {c for c in children if isinstance(c, str)}
        keys -= known
        return tuple(self._store.units_by_key(keys).values()) if keys else ()


def _is_own(event: Label) -> bool:
    """An adjudication is a decision of its own, never its author's label."""
    return not is_assignment(event) and event.origin == "person"
