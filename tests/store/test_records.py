"""Records, claim sets and units: in, out again, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from store_help import claims, item, label, record, verdict
from trueup.domain.model import Chunk, Unit
from trueup.domain.transfer import ClaimSetInfo, ImportCounts
from trueup.domain.units import chunk_units
from trueup.errors import ConflictError, InputError, StoreError
from trueup.exchange.entries import recorded_judge
from trueup.store import Store


def test_a_record_comes_back_as_it_was(store: Store) -> None:
    """Every field of a record and of its chunks survives."""
    full = record(
        reference="90 days.", gold=(), gold_context=("x", "x"), retrieved=("c-2", "c-1"),
        release="2026-11-30", failing=True,
    )  # fmt: skip
    store.import_records([item(full)])

    assert store.record(full.key) == full
    assert next(store.iter_records()).version_id == full.version_id


@pytest.mark.parametrize("context", [None, (), (Chunk("a", ""), Chunk("a", "same id"))])
def test_no_context_and_an_empty_one_stay_apart(store: Store, context: object) -> None:
    """Missing, empty and repeated chunks are three things."""
    one = record(context=context, question=None, gold=None, slices={}, meta={})
    store.import_records([item(one)])

    assert store.record(one.key) == one


def test_importing_twice_changes_nothing(store: Store) -> None:
    """The second import finds everything there."""
    one, spec = record(), recorded_judge("old", "groundedness")
    unit = claims(one)[0]
    whole = item(one, verdicts=(verdict(unit, spec),), labels=(label(unit),), judges=(spec,))

    assert store.import_records([whole]) == ImportCounts(
        records=1, units=2, verdicts=1, labels=1, judges=1
    )
    assert store.import_records([whole]) == ImportCounts(records_unchanged=1)
    assert store.counts().verdicts == 1


def test_other_content_under_the_same_id_is_a_conflict_and_nothing_is_stored(store: Store) -> None:
    """The message names file, line, record and field; the rest of the import is undone."""
    store.import_records([item(record(), path="a.jsonl", line=3)])
    changed = item(record(answer="No."), path="b.jsonl", line=7)

    with pytest.raises(ConflictError, match=r"b\.jsonl:7: record 'q-1': answer .*a\.jsonl:3") as e:
        store.import_records([item(record("q-2")), changed])
    assert "--update" in (e.value.hint or "")
    assert [r.id for r in store.iter_records()] == ["q-1"]


def test_update_keeps_the_old_version(store: Store) -> None:
    """New texts make a new current record; the old one and its labels stay readable."""
    old = record()
    new = record(answer="They are kept for ever.")
    store.import_records([item(old, labels=(label(claims(old)[0]),))])
    counts = store.import_records([item(new)], update=True)

    assert (counts.records, counts.records_updated) == (0, 1)
    assert [r.answer for r in store.iter_records()] == [new.answer]
    assert store.record(old.key) == old
    assert len(store.current_labels()) == 1
    back = store.import_records([item(old)], update=True)
    assert back.records_updated == 1
    assert [r.key for r in store.iter_records()] == [old.key]


def test_corrected_annotations_keep_verdicts_and_labels(store: Store) -> None:
    """A new gold list is an update of the same record: its units stay."""
    old = record()
    store.import_records([item(old, labels=(label(claims(old)[0]),))])
    new = record(
        gold=("c-2",), context=(replace(old.context[0], source="moved.md"), old.context[1])
    )
    with pytest.raises(ConflictError, match="gold"):
        store.import_records([item(new)])
    store.import_records([item(new)], update=True)

    assert list(store.iter_records()) == [new]
    assert store.count_units("answer_claim") == 2
    assert len(store.current_labels()) == 1


def test_two_lines_of_one_import_that_differ_are_named_both(store: Store) -> None:
    """A repeated id within a file is reported with both lines, and --update does not help."""
    first = item(record(), path="f.jsonl", line=2)
    second = item(record(answer="Other."), path="f.jsonl", line=4)
    for update in (False, True):
        with pytest.raises(ConflictError, match=r"f\.jsonl:4.*f\.jsonl:2") as e:
            store.import_records([first, second], update=update)
        assert "--update" not in (e.value.hint or "")


def test_two_equal_lines_of_one_import_merge(store: Store) -> None:
    """Equal content twice is one record with the labels of both lines."""
    one = record()
    unit = claims(one)[0]
    counts = store.import_records(
        [item(one, labels=(label(unit, "ana"),)), item(one, labels=(label(unit, "ben"),))]
    )

    assert (counts.records, counts.records_unchanged, counts.labels) == (1, 1, 2)


def test_the_same_id_in_two_releases_is_two_records(store: Store) -> None:
    """A record belongs to a release."""
    store.import_records([item(record(release=r)) for r in ("1", "2", "2")])

    assert store.releases() == [("1", 1), ("2", 1)]
    assert store.count_records(releases=["2"]) == 1
    assert len(store.find_records("q-1")) == 2
    assert len(store.find_records("q-1", "2")) == 1
    assert {(r.id, r.release) for r in store.record_refs().values()} == {("q-1", "1"), ("q-1", "2")}


def test_records_come_in_import_order_over_many_pages(store: Store) -> None:
    """Streaming does not change the order, and keys may pick some."""
    all_records = [record(f"q-{n:03}") for n in range(600)]
    store.import_records(map(item, all_records))

    assert [r.id for r in store.iter_records()] == [r.id for r in all_records]
    some = [all_records[500].key, all_records[3].key]
    assert [r.id for r in store.iter_records(keys=some)] == ["q-003", "q-500"]
    units = store.units("answer_claim", records=some)
    assert [u.id for u in units] == ["q-003#1", "q-003#2", "q-500#1", "q-500#2"]


def test_an_error_in_the_stream_leaves_nothing(store: Store) -> None:
    """A reader that fails after many records undoes them all."""

    def items() -> object:
        yield from (item(record(f"q-{n}")) for n in range(1000))
        raise InputError("line 1001 is bad")

    with pytest.raises(InputError, match="line 1001"):
        store.import_records(items())  # type: ignore[arg-type]
    assert store.counts().records == 0


def test_other_claims_are_a_conflict_or_a_new_version(store: Store) -> None:
    """Frozen claims never change silently; with update they become version 2 and labels follow."""
    one = record()
    store.import_records([item(one, labels=(label(claims(one)[0]),))])
    again = claims(one, "Logs are kept.")
    changed = item(
        one, claims={"answer_claim": again}, labels=(label(again[0], "ben"),), path="f", line=1
    )
    with pytest.raises(ConflictError, match="claim units differ"):
        store.import_records([changed])
    counts = store.import_records([changed], update=True)

    assert (counts.units, counts.labels) == (1, 1)
    units = store.units("answer_claim")
    assert [(u.text, u.claim_set) for u in units] == [("Logs are kept.", 2)]
    assert [x.annotator for x in store.current_labels(units=[units[0].key])] == ["ben"]
    assert len(store.current_labels()) == 2
    assert store.import_records([changed]) == ImportCounts(records_unchanged=1)


def test_freezing_happens_once(store: Store) -> None:
    """The first split stays; an empty one is remembered as split."""
    one, two = record("q-1"), record("q-2")
    store.import_records([item(one, claims={}), item(two, claims={})])
    assert [r.id for r in store.records_without_units("answer_claim")] == ["q-1", "q-2"]
    first = claims(one)
    assert store.freeze_units(one.key, "answer_claim", first, "rules/1") == list(first)
    again = store.freeze_units(one.key, "answer_claim", claims(one, "Other."), "rules/2")
    store.freeze_units(two.key, "answer_claim", [], "rules/1", meta={"abstained": True})

    assert [u.key for u in again] == [u.key for u in first]
    assert list(store.records_without_units("answer_claim")) == []
    assert store.claim_set(two.key, "answer_claim") == ClaimSetInfo(
        "answer_claim", 1, "rules/1", {"abstained": True}
    )
    assert store.claim_set(two.key, "chunk") is None


def test_provisional_units_stand_apart(store: Store) -> None:
    """Children of a bad split are there when asked for, and only then."""
    one = record()
    store.import_records([item(one)])
    parent = claims(one)[0]
    child = Unit(
        one.key, "q-1#1.1", "answer_claim", "Logs are kept.", 3, parent=parent.key,
        provisional=True, splitter="ana", meta={"by": "ana"},
    )  # fmt: skip
    store.add_provisional([child])
    store.add_provisional([child])

    assert len(store.units("answer_claim")) == 2
    assert store.units("answer_claim", provisional=True)[-1] == child
    assert store.find_unit("q-1#1.1") == [child]
    with pytest.raises(InputError, match="no such claim set"):
        store.add_provisional([replace(child, claim_set=9)])
    with pytest.raises(InputError, match="not provisional"):
        store.add_provisional([replace(child, provisional=False)])


def test_units_are_found_by_id_and_key(store: Store) -> None:
    """People type ids, programs use keys."""
    one = record()
    chunks = chunk_units(one)
    store.import_records([item(one, claims={"answer_claim": claims(one), "chunk": chunks})])

    assert store.units("chunk") == list(chunks)
    assert store.find_unit("q-1@c-1") == [chunks[0]]
    assert store.find_unit(chunks[1].key) == [chunks[1]]
    assert store.find_unit("nothing") == []
    assert store.units_by_key([chunks[0].key, "0" * 32]) == {chunks[0].key: chunks[0]}
    assert store.count_units("chunk") == 2


def test_texts_are_stored_once(store: Store) -> None:
    """A chunk that recurs in every record, and as a unit, is one text."""
    for first in (0, 25):
        records = [record(f"q-{n}") for n in range(first, first + 25)]
        store.import_records(item(r, claims={"chunk": chunk_units(r)}) for r in records)
    with store.db.reading() as connection:
        bodies = [b for (b,) in connection.exec_driver_sql('SELECT body FROM "text"')]

    assert bodies.count("Logs are kept for 90 days on every plan.") == 1
    assert len(bodies) == len(set(bodies))


def test_an_unknown_record_or_unit_is_said(store: Store) -> None:
    """A key that nothing has is an error of the caller, not an empty answer."""
    with pytest.raises(StoreError, match="no record"):
        store.freeze_units("0" * 32, "answer_claim", [], "x")
    with pytest.raises(StoreError, match="no unit"):
        store.append_label(label(claims(record())[0]))
    with pytest.raises(InputError, match="unknown unit"):
        store.import_records([item(claims={}, labels=(label(claims(record("other"))[0]),))])
