"""What the services behind the claim screens share: records at hand, texts, storing, revealing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING

from trueup.domain import metrics
from trueup.domain.ids import sha256_text
from trueup.domain.model import Label, Record, Unit
from trueup.domain.session import Action, LabelSession, TaskItem
from trueup.domain.tasks import LabelTask, label_task
from trueup.errors import StoreError
from trueup.services.revealing import Revealed, reveal_unit

if TYPE_CHECKING:
    from trueup.services.overview import SampleOverview
    from trueup.store import Store

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


class ClaimService(ABC):
    """One person and a queue of claims of one metric. Thread-safe."""

    title: str
    annotator: str

    def __init__(self, store: Store, metric: str, policy: Policy) -> None:
        self._store = store
        self.metric = metrics.metric(metric)
        self.policy = policy
        self._records: OrderedDict[str, Record] = OrderedDict()
        self._records_lock = Lock()

    @abstractmethod
    def session(self) -> LabelSession:
        """The queue with the person's events so far."""

    @abstractmethod
    def news(self) -> News:
        """What happened elsewhere since the last look."""

    def is_free(self, record: str) -> bool:
        """Whether an answer has to be taken before labelling."""
        return False

    def take(self, record: str) -> bool:
        """Take an answer for this person; False when another has it."""
        return True

    def release(self, session: LabelSession) -> None:  # noqa: B027 (nothing to give back by default)
        """Give back the answers taken of which nothing was said."""

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
        return reveal_unit(self._store, record, item.unit, self.metric.name, self.annotator)

    def overview(self) -> tuple[SampleOverview, ...]:
        """Where every sample of the workspace stands."""
        from trueup.services.overview import overview

        return overview(self._store, self.policy.sha256)

    def people(self, item: TaskItem) -> tuple[Label, ...]:
        """Labels that stand beside the claim; none where people label blind."""
        return ()

    def made_units(self, events: Iterable[Label], known: set[str]) -> tuple[Unit, ...]:
        """The provisional units that events speak of: parts of splits, missed claims."""
        keys = set()
        for event in events:
            if event.meta.get("kind") == "missed":
                keys.add(event.unit)
            children = event.meta.get("children")
            if isinstance(children, list):
                keys |= {c for c in children if isinstance(c, str)}
        keys -= known
        return tuple(self._store.units_by_key(keys).values()) if keys else ()
