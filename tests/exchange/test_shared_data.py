"""The real label sets import whole: no claim, label or verdict is lost, and none is made up."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from shared import shared_dir
from trueup.domain.transfer import ImportCounts
from trueup.exchange.jsonl import read_jsonl
from trueup.exchange.jsonl_write import write_jsonl
from trueup.store import Store

FILES = {
    "summhay": ImportCounts(records=200, units=1419, verdicts=6 * 1419, labels=1419, judges=6),
    "quintd1": ImportCounts(
        records=663, units=3636, verdicts=3 * 3636 + 3591, labels=4081, judges=4
    ),
    "mtrag_human": ImportCounts(records=363, units=363, verdicts=2 * 363, labels=1078, judges=2),
}


@pytest.fixture(params=FILES)
def name(request: pytest.FixtureRequest) -> str:
    """One of the three files."""
    return str(request.param)


@pytest.fixture
def path(name: str) -> Path:
    """Where that file is."""
    return shared_dir() / "data" / "groundedness" / f"{name}.jsonl"


@pytest.fixture
def raw(path: Path) -> list[dict[str, Any]]:
    """The file as plain JSON."""
    with path.open(encoding="utf-8", newline="\n") as file:
        return [json.loads(line) for line in file]


def test_every_claim_label_and_verdict_arrives(
    name: str, path: Path, raw: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Counts per judge, per annotator and per value equal those of the plain JSON."""
    with Store.open(tmp_path / "trueup.db", create=True) as store:
        assert store.import_records(read_jsonl(path)) == FILES[name]
        claims = [c for r in raw for c in r["claims"]]
        people = Counter((h["annotator"], h["entailed"]) for c in claims for h in c["human"])
        ruled = Counter((j, v["entailed"]) for c in claims for j, v in c["judges"].items())
        values = {"entailed": True, "not_entailed": False, "unsure": None, "undecided": None}

        labels = [e.label for e in store.label_events()]
        assert Counter((x.annotator, values[x.label or ""]) for x in labels) == people
        names = {j.fingerprint: j.spec.name for j in store.judges()}
        verdicts = list(store.verdicts(metric="groundedness"))
        assert Counter((names[v.fingerprint], values[v.value]) for v in verdicts) == ruled
        quotes = [v["evidence"] for c in claims for v in c["judges"].values() if v["evidence"]]
        assert Counter(e.quote for v in verdicts for e in v.evidence) == Counter(quotes)


def test_texts_arrive_character_by_character(
    path: Path, raw: list[dict[str, Any]], tmp_path: Path
) -> None:
    """Answers, questions, chunks and claims are those of the plain JSON, odd line ends and all."""
    with Store.open(tmp_path / "trueup.db", create=True) as store:
        store.import_records(read_jsonl(path))
        records = list(store.iter_records())
        units = store.units("answer_claim")

    assert [r.id for r in records] == [r["id"] for r in raw]
    assert [r.answer for r in records] == [r["answer"] for r in raw]
    assert [r.question for r in records] == [r["question"] for r in raw]
    assert [[(c.id, c.text) for c in r.context or ()] for r in records] == [
        [(c["id"], c["text"]) for c in r["context"]] for r in raw
    ]
    assert [u.text for u in units] == [c["text"] for r in raw for c in r["claims"]]
    answers = {r.key: r.answer for r in records}
    for unit in units:
        if unit.span is not None:
            assert answers[unit.record][unit.span.start : unit.span.end] == unit.text


def test_a_second_import_and_a_round_trip_change_nothing(
    name: str, path: Path, tmp_path: Path
) -> None:
    """Importing again finds everything; the export makes the same store elsewhere."""
    with (
        Store.open(tmp_path / "a.db", create=True) as first,
        Store.open(tmp_path / "b.db", create=True) as second,
    ):
        first.import_records(read_jsonl(path))
        again = first.import_records(read_jsonl(path))
        assert again == ImportCounts(records_unchanged=FILES[name].records)
        export = tmp_path / "export.jsonl"
        export.write_text("".join(write_jsonl(first.export_records())), "utf-8", newline="\n")
        assert second.import_records(read_jsonl(export)) == FILES[name]
        assert "".join(write_jsonl(second.export_records())) == export.read_text("utf-8")
        assert first.import_records(second.export_records()) == again
