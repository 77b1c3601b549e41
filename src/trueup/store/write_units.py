"""Writes claim sets and their units: frozen once, a change is a new version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection, select, update

from trueup.domain.display import sanitise_stored
from trueup.domain.model import Unit, UnitKind
from trueup.domain.transfer import ClaimSetInfo
from trueup.store.bulk import Structure, batches, insert_rows, select_in
from trueup.store.columns import dump_json
from trueup.store.reading import S, unit_extras
from trueup.store.tables import ClaimSetRow, UnitRow

_SET_COLUMNS = ("id", "record_id", "kind", "version", "splitter", "current", "meta")
_UNIT_COLUMNS = (
    "id", "key", "claim_set_id", "ordinal", "name", "text_id", "span_start", "span_end",
    "provisional", "extras",
)  # fmt: skip


@dataclass(slots=True)
class StoredSet:
    """A claim set that is stored: unit key -> row id, frozen ones apart from provisional ones."""

    id: int
    version: int
    current: bool
    splitter: str
    frozen: dict[str, int] = field(default_factory=dict)
    provisional: dict[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Draft:
    """Units of one kind and version that are to be in the store for a record."""

    record: int
    info: ClaimSetInfo
    units: tuple[Unit, ...]
    versioned: bool = False
    """The version is said by its source: only that version can be the same set."""


Sets = dict[tuple[int, UnitKind], dict[int, StoredSet]]


class UnitWriter:
    """Stores claim sets. `ids` maps unit keys, as the caller gave them, to row ids."""

    def __init__(self, structure: Structure) -> None:
        self.structure = structure
        self.connection: Connection = structure.connection
        self.ids: dict[str, int] = {}
        self.records: dict[int, int] = {}
        """Unit row -> record row."""
        self.new = 0
        self._sets: list[tuple[StoredSet, Draft]] = []
        self._units: list[tuple[int, int, Unit, str]] = []
        self._retired: list[int] = []

    def stored(self, records: Sequence[int]) -> Sets:
        """The claim sets of records: (record, kind) -> version -> set."""
        sets: Sets = {}
        by_id: dict[int, StoredSet] = {}
        for batch in batches(records):
            for row in self.connection.execute(select(S).where(S.c.record_id.in_(batch))):
                one = by_id[row.id] = StoredSet(row.id, row.version, row.current, row.splitter)
                sets.setdefault((row.record_id, row.kind), {})[row.version] = one
        query = "SELECT id, key, claim_set_id, provisional FROM unit WHERE claim_set_id IN"
        for number, key, owner, provisional in select_in(self.connection, query, by_id):
            one = by_id[owner]
            (one.provisional if provisional else one.frozen)[bytes(key).hex()] = number
        return sets

    def put(self, draft: Draft, versions: dict[int, StoredSet], *, update: bool) -> bool:
        """Store a draft; False where a claim set with other content stands in its way.

        With the same content as a stored version (the current one first) it is that version; else,
        with `update`, it becomes the next version. `versions` are those stored; they gain the new.
        """
        if not versions and not any(u.provisional for u in draft.units):
            self._take(
                draft.units, self._add_set(draft, draft.info.version, versions), draft.record
            )
            return True
        frozen = [u for u in draft.units if not u.provisional]
        found = _same(frozen, draft, versions)
        if found is None:
            taken = draft.info.version in versions
            if taken and not update:
                return False
            version = max(versions) + 1 if taken else draft.info.version
            found = self._add_set(draft, version, versions)
        renamed = self._take(frozen, found, draft.record)
        loose = [
            replace(u, parent=renamed.get(u.parent or "", u.parent))
            for u in draft.units
            if u.provisional
        ]
        self._take(loose, found, draft.record)
        return True

    def add_loose(self, unit: Unit, to: StoredSet, record: int) -> None:
        """Add a provisional unit to a stored claim set; one that is there is left as it is."""
        self._take([unit], to, record)

    def flush(self) -> None:
        """Write what was put."""
        for batch in batches(self._retired):
            self.connection.execute(update(S).where(S.c.id.in_(batch)).values(current=False))
        sets = [
            (
                one.id, draft.record, draft.info.kind, one.version, one.splitter, one.current,
                dump_json(dict(draft.info.meta)) if draft.info.meta else None,
            )
            for one, draft in self._sets
        ]  # fmt: skip
        insert_rows(self.connection, ClaimSetRow, _SET_COLUMNS, sets)
        texts = self._texts()
        rows = []
        for (number, owner, unit, splitter), text in zip(self._units, texts, strict=True):
            extras, span = unit_extras(unit, splitter), unit.span
            rows.append(
                (
                    number, bytes.fromhex(unit.key), owner, unit.ordinal, sanitise_stored(unit.id),
                    text, None if span is None else span.start, None if span is None else span.end,
                    unit.provisional, None if extras is None else dump_json(extras),
                )
            )  # fmt: skip
        insert_rows(self.connection, UnitRow, _UNIT_COLUMNS, rows)
        self._sets, self._units, self._retired = [], [], []

    def _texts(self) -> list[int]:
        """The text of each new unit: chunks share theirs with the context."""
        units = [unit for _, _, unit, _ in self._units]
        shared = self.structure.intern(u.text for u in units if u.kind == "chunk")
        own = iter(self.structure.add_texts([u.text for u in units if u.kind != "chunk"]))
        return [shared[u.text] if u.kind == "chunk" else next(own) for u in units]

    def _add_set(self, draft: Draft, version: int, versions: dict[int, StoredSet]) -> StoredSet:
        current = version > max(versions, default=0)
        if current:
            for old in versions.values():
                if old.current:
                    old.current = False
                    self._retired.append(old.id)
        one = StoredSet(self.structure.next_id(ClaimSetRow), version, current, draft.info.splitter)
        self._sets.append((one, draft))
        versions[version] = one
        return one

    def _take(self, units: Sequence[Unit], to: StoredSet, record: int) -> dict[str, str]:
        """Note the row of each unit, adding those that are not there: given key -> stored key."""
        renamed = {}
        for unit in units:
            own = unit if unit.claim_set == to.version else replace(unit, claim_set=to.version)
            place = to.provisional if unit.provisional else to.frozen
            key = own.key
            number = place.get(key)
            if number is None:
                number = place[key] = self.structure.next_id(UnitRow)
                self._units.append((number, to.id, own, to.splitter))
                self.new += 1
            renamed[unit.key] = key
            self.ids[unit.key] = number
            self.records[number] = record
        return renamed


def _same(
    units: Sequence[Unit], draft: Draft, versions: Mapping[int, StoredSet]
) -> StoredSet | None:
    """The stored version with exactly these units: that number first, the current one next."""
    version = draft.info.version
    order = sorted(versions.values(), key=lambda s: (s.version != version, not s.current))
    for one in order:
        if draft.versioned and one.version != version:
            continue
        if len(one.frozen) == len(units) and all(
            (u if u.claim_set == one.version else replace(u, claim_set=one.version)).key
            in one.frozen
            for u in units
        ):
            return one
    return None
