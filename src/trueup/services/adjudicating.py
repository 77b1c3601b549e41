"""Claims on which people differ: one person decides, and each decision is an event of its own.

Also decided here: what people made of badly split claims, and claims they found missing. Both stay
provisional until `next_claim_sets` takes them into the next version of the claim set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from trueup.domain.ids import content_id
from trueup.domain.model import Label, Unit
from trueup.domain.session import LabelSession, TaskItem
from trueup.domain.transfer import ClaimSetInfo, ImportedRecord
from trueup.services.claim_service import ClaimService, News, Policy

if TYPE_CHECKING:
    from trueup.domain.model import Sample
    from trueup.store import Store


@dataclass(frozen=True, slots=True)
class Dispute:
    """One claim with everyone's current label of the first showing."""

    unit: Unit
    labels: tuple[Label, ...]


def disputes(units: Mapping[str, Unit], labels: Iterable[Label]) -> list[Dispute]:
    """Claims that people do not agree on, that someone found badly split, or added.

    Only people's labels of the first showing count; decisions are looked at by the caller. Parts
    of a split are no disputes of their own: they come up when the split is accepted. Claims stand
    in the order of `units`.
    """
    by_unit: dict[str, list[Label]] = {}
    for label in labels:
        if label.origin == "person" and label.repeat == 0 and label.unit in units:
            by_unit.setdefault(label.unit, []).append(label)
    found = []
    for key, unit in units.items():
        if unit.parent is not None and unit.provisional:
            continue
        given = sorted(by_unit.get(key, ()), key=lambda e: e.annotator)
        values = {e.label for e in given}
        if len(values) > 1 or "bad_split" in values or (unit.provisional and given):
            found.append(Dispute(unit, tuple(given)))
    return found


class AdjudicationService(ClaimService):
    """One adjudicator and the disputed claims of a metric, of one sample or of the workspace."""

    def __init__(
        self,
        store: Store,
        metric: str,
        adjudicator: str,
        policy: Policy,
        sample: Sample | None = None,
    ) -> None:
        super().__init__(store, metric, policy)
        self.annotator = adjudicator
        self.sample = sample
        self.title = f"adjudicate {sample.name if sample else self.metric.name}"
        self._people: dict[str, tuple[Label, ...]] = {}
        self._seq = 0

    def session(self) -> LabelSession:
        """The disputed claims; those decided already, by whomever, are not open."""
        stored = self._store.label_events(metric=self.metric.name)
        self._seq = max((s.seq for s in stored), default=0)
        units = self._units([s.label for s in stored])
        current = self._store.current_labels(metric=self.metric.name)
        self._people = {}
        for label in sorted(current, key=lambda e: e.annotator):
            if label.origin == "person" and label.repeat == 0 and label.unit in units:
                self._people[label.unit] = (*self._people.get(label.unit, ()), label)
        found = disputes(units, current)
        decided = [e for e in (s.label for s in stored) if e.origin == "adjudication"]
        return LabelSession(
            [TaskItem(d.unit) for d in found],
            [e for e in decided if e.unit in units],
            extra_units=self.made_units(decided, {d.unit.key for d in found}),
            metric=self.metric.name,
            annotator=self.annotator,
            sample=self.sample.name if self.sample else None,
            policy_sha256=self.policy.sha256,
            origin="adjudication",
        )

    def people(self, item: TaskItem) -> tuple[Label, ...]:
        """Everyone's current label of a claim, with notes and quotes."""
        return self._people.get(item.unit.key, ())

    def news(self) -> News:
        """Decisions of others since the last look."""
        stored = self._store.label_events(metric=self.metric.name, after_seq=self._seq)
        self._seq = max([self._seq, *(s.seq for s in stored)])
        events = tuple(s.label for s in stored if s.label.origin == "adjudication")
        return News(events, self.made_units(events, set()))

    def offered_parts(self, item: TaskItem) -> tuple[str, ...]:
        """The parts that someone split a claim into; of several splits the first annotator's."""
        for label in self.people(item):
            children = label.meta.get("children")
            if label.label == "bad_split" and isinstance(children, list):
                units = self._store.units_by_key([c for c in children if isinstance(c, str)])
                return tuple(units[c].text for c in children if c in units)
        return ()

    def next_claim_sets(self, session: LabelSession) -> int:
        """Take accepted splits and additions into the next version of each claim set.

        Labels of every metric go with the claims that stay; verdicts stay with the old version,
        whose scores are untouched. Returns how many answers have a new claim set.
        """
        made = 0
        for record_key, changes in accepted(session).items():
            record = self._store.record(record_key)
            old = self._store.units(self.metric.units, records=[record_key])
            if record is None or not changes.fit(old):
                continue
            version = old[0].claim_set + 1
            new = {k: replace(u, claim_set=version) for k, u in next_units(old, changes).items()}
            info = ClaimSetInfo(self.metric.units, version, "adjudicated")
            claims = {self.metric.units: tuple(new.values())}
            self._store.import_records([ImportedRecord(record, claims, sets=(info,))], update=True)
            self._carry_labels({k: u.key for k, u in new.items()})
            made += 1
        return made

    def _carry_labels(self, renamed: Mapping[str, str]) -> None:
        """Give the claims of the new version the current labels of the old ones, by everyone."""
        self._store.append_labels(
            replace(
                label,
                id=content_id("carried", [label.id, renamed[label.unit]]),
                unit=renamed[label.unit],
                meta={"kind": "carried", "from": label.id},
            )
            for label in self._store.current_labels(units=list(renamed))
        )

    def _units(self, events: Sequence[Label]) -> dict[str, Unit]:
        """Units in question: of the current claim sets, with parts and additions behind them."""
        drawn = [m.record for m in self.sample.members] if self.sample else None
        units = self._store.units(self.metric.units, records=drawn, provisional=True)
        labelled = {e.unit for e in events}
        return {u.key: u for u in units if u.key in labelled}


@dataclass(slots=True)
class Changes:
    """What was accepted in one answer: claims replaced by parts, and claims added."""

    parts: dict[str, tuple[Unit, ...]]
    added: list[Unit]

    def fit(self, units: Sequence[Unit]) -> bool:
        """Whether these are still the claims that the decisions were about."""
        keys = {u.key for u in units}
        versions = {u.claim_set for u in units}
        return set(self.parts) <= keys and {u.claim_set for u in self.added} <= versions


def accepted(session: LabelSession) -> dict[str, Changes]:
    """The decisions of a session that change a claim set, by record."""
    units = {i.unit.key: i.unit for i in session.items}
    found: dict[str, Changes] = {}
    for item in session.items:
        label = session.state(item.key).label
        here = found.setdefault(item.unit.record, Changes({}, []))
        if label == "bad_split" and not item.unit.provisional:
            here.parts[item.unit.key] = _leaves(session, units, item)
        elif item.unit.provisional and item.unit.parent is None and label not in _NO_CLAIM:
            here.added.append(item.unit)
    return {record: c for record, c in found.items() if c.parts or c.added}


_NO_CLAIM = {None, "not_a_claim"}


def _leaves(session: LabelSession, units: Mapping[str, Unit], item: TaskItem) -> tuple[Unit, ...]:
    """The parts of a split, parts of parts in their place, without those that are no claims."""
    found: list[Unit] = []
    for key in session.children(item.key):
        if key not in units:
            continue
        label = session.state((key, item.repeat)).label
        if label == "bad_split":
            found += _leaves(session, units, TaskItem(units[key], item.repeat))
        elif label != "not_a_claim":
            found.append(units[key])
    return tuple(found)


def next_units(old: Sequence[Unit], changes: Changes) -> dict[str, Unit]:
    """The claims of the next version by the key of the unit they come from, numbered anew."""
    chosen: list[Unit] = []
    for unit in old:
        chosen += changes.parts.get(unit.key, (unit,))
    chosen += changes.added
    return {
        unit.key: replace(unit, ordinal=number, provisional=False)
        for number, unit in enumerate(chosen, 1)
    }
