"""People label claims: joins the store and the pure session.

The screen reads `session`, `task` and `news`, and hands every `Action` to `record` (synchronous:
call it through `asyncio.to_thread`) before it moves. The judge's verdicts and other people's labels
are read from the store by `reveal` alone, after the reveal itself is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from trueup.domain.assignment import Owners, claim_id, is_assignment, queue, release_id
from trueup.domain.ledger import ItemState
from trueup.domain.model import Json, Label, Sample, Unit
from trueup.domain.session import LabelSession, TaskItem
from trueup.domain.units import CHUNK_SPLITTER, chunk_units
from trueup.errors import ConflictError, UsageError
from trueup.services.claim_service import ClaimService, News, Policy
from trueup.services.discordance import asked

if TYPE_CHECKING:
    from trueup.store import Store, StoredLabel

__all__ = ["LabellingService", "News", "Policy"]


class LabellingService(ClaimService):
    """One annotator labelling one sample. Thread-safe: the store opens a session per call."""

    def __init__(self, store: Store, sample: Sample, annotator: str, policy: Policy) -> None:
        super().__init__(store, sample.metric, policy)
        self.sample = sample
        self.title = sample.name
        self.annotator = annotator
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
            extra_units=self.made_units(mine, {i.unit.key for i in items}),
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

    def news(self) -> News:
        """Events of this annotator from other terminals, and answers others took, since last."""
        stored = self._store.label_events(metric=self.sample.metric, after_seq=self._seq)
        self._seq = max([self._seq, *(s.seq for s in stored)])
        labels = [s.label for s in stored]
        self._owners.absorb(e for e in labels if e.sample == self.sample.name)
        mine = [e for e in labels if e.annotator == self.annotator and _is_own(e)]
        others = tuple(self._owners.others(self.annotator))
        return News(tuple(mine), self.made_units(mine, set()), others)

    # ---- inside

    def _of_sample(self) -> list[StoredLabel]:
        return self._store.label_events(metric=self.sample.metric, sample=self.sample.name)

    def _units_by_record(self, records: Sequence[str]) -> dict[str, list[Unit]]:
        wanted = list(dict.fromkeys(records))
        if self.metric.units == "chunk":
            self._freeze_chunks(wanted)
        found: dict[str, list[Unit]] = {r: [] for r in wanted}
        for unit in asked(self._store, self.sample):
            if unit.record in found:
                found[unit.record].append(unit)
        return found

    def _freeze_chunks(self, records: Sequence[str]) -> None:
        for record in self._store.iter_records(keys=records):
            if self._store.claim_set(record.key, "chunk") is None:
                self._store.freeze_units(record.key, "chunk", chunk_units(record), CHUNK_SPLITTER)


def _is_own(event: Label) -> bool:
    """An adjudication is a decision of its own, never its author's label."""
    return not is_assignment(event) and event.origin == "person"
