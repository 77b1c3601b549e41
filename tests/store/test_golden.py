"""Golden cases of the store: dirty texts, instants, merging; the same on both databases."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from shared import golden_cases
from store_help import claims, item, judge, judgement, label, record, verdict
from trueup.domain.judging import Reply
from trueup.domain.model import Chunk, Evidence
from trueup.exchange.jsonl_write import write_jsonl
from trueup.store import Store

Case = dict[str, Any]


def dirty_store(target: str | Path, case: Case) -> list[str]:
    """A store that took in the case's texts in every place; its export."""
    given = case["input"]
    context = given.get("context", "\x00")
    meta = given.get("metadata", {"\x00": ["\ud83d", "\x00"]})
    one = record(
        "q\x00", answer=given.get("answer", "a\x00"), context=(Chunk("c\x00", context),),
        slices={"\x00": "\ud83d"}, meta=meta, release="\x00", gold=("\x00",),
    )  # fmt: skip
    units = claims(one, "page\x00 1", "\ud83d")
    spec = judge()
    event = label(units[0], "ana\x00", note="\x00\ud83d", quote="\ud83d", meta={"\x00": "\ud83d"},
                  id="e\x00", sample="s\x00")  # fmt: skip
    ruled = verdict(
        units[0], spec, evidence=(Evidence("\x00\ud83d", "exact", "c\x00"),), meta={"\x00": 1}
    )
    with Store.open(target, create=True) as store:
        counts = store.import_records(
            [item(record("before")), item(one, claims={"answer_claim": units}, labels=(event,)),
             item(record("after"))]
        )  # fmt: skip
        assert counts.records == 3
        reply = Reply("raw \x00 \ud83d", "stop", answered_model="m\x00")
        store.sink(spec).commit([judgement(one, spec, (ruled,), reply=reply)])
        assert store.import_records([item(one, claims={"answer_claim": units}, labels=(event,))])
        assert [r.id for r in store.iter_records()] == ["before", "q\u2400", "after"]
        assert store.find_records("q\u2400")
        return list(write_jsonl(store.export_records()))


@pytest.mark.service
@pytest.mark.parametrize("case", golden_cases("store", "nul", "surrogate"))
def test_dirty_texts_are_stored_alike(
    case: Case, tmp_path: Path, new_postgres: Callable[[], str]
) -> None:
    """NUL and lone surrogates anywhere: nothing is lost, and both databases export the same."""
    exports = [dirty_store(tmp_path / "trueup.db", case), dirty_store(new_postgres(), case)]

    assert exports[0] == exports[1]
    assert len(exports[0]) == 3
    "".join(exports[0]).encode()
    assert "\\u0000" not in "".join(exports[0])


@pytest.mark.parametrize("case", golden_cases("store", "timezone"))
def test_an_aware_time_is_the_same_instant(case: Case, store: Store) -> None:
    """Read back and exported in UTC, with Z."""
    store.import_records([item()])
    at = datetime.fromisoformat(case["input"]["created_at"])
    store.append_label(label(claims(record())[0], at=at))
    (event,) = store.label_events()

    assert event.label.at == at
    assert f'"at": "{case["check"]["instant"]}"' in next(write_jsonl(store.export_records()))


@pytest.mark.parametrize("case", golden_cases("store", "merge"))
def test_merging_another_database_keeps_every_row(case: Case, tmp_path: Path) -> None:
    """Row numbers that collide mean nothing: identity is content."""
    with (
        Store.open(tmp_path / "a.db", create=True) as first,
        Store.open(tmp_path / "b.db", create=True) as second,
    ):
        for store, key in ((first, "db_a"), (second, "db_b")):
            for name in case["input"][key]:
                one = record(name)
                store.import_records([item(one, labels=(label(claims(one)[0]),))])
        counts = first.import_records(second.export_records())

        assert (counts.records, counts.labels) == (2, 2)
        assert first.counts().records == len(first.label_events()) == case["check"]["rows"]
