"""Whatever the store holds comes out as JSONL that makes the same store, byte for byte."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trueup.domain.model import (
    UNKNOWN_TIME,
    Chunk,
    Evidence,
    JudgeSpec,
    Label,
    Record,
    Span,
    Unit,
    UnitKind,
    Verdict,
)
from trueup.domain.transfer import ClaimSetInfo, ImportedRecord, label_id
from trueup.domain.units import CHUNK_SPLITTER, chunk_units
from trueup.exchange.entries import Entries, recorded_judge
from trueup.exchange.jsonl import read_jsonl, read_line
from trueup.exchange.jsonl_write import item_line, write_jsonl
from trueup.store import Store

ALPHABET = "aB1 .\t\r\n\u2028\x1f\x85\"\\{}[],:#@~'é\u0301\u202e\ufffd漢😀"
texts = st.text(ALPHABET, max_size=12)
words = st.text(ALPHABET, min_size=1, max_size=6)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | texts
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)  # fmt: skip
metas = st.dictionaries(texts | st.sampled_from(["meta", "id", "label", "reason"]), json_values,
                        max_size=2)  # fmt: skip
chunks = st.builds(Chunk, words, texts, st.none() | texts, metas)
times = st.just(UNKNOWN_TIME) | st.integers(1, 4 * 10**15).map(
    lambda microseconds: UNKNOWN_TIME + timedelta(microseconds=microseconds)
)
reasons = st.sampled_from(["parse", "missing_verdict"])
METRICS: dict[UnitKind, list[str]] = {
    "answer_claim": ["groundedness", "answer_relevancy", "correctness_precision"],
    "reference_claim": ["contextual_recall", "correctness_recall"],
    "chunk": ["context_relevancy"],
}


@st.composite
def records(draw: st.DrawFn) -> Record:
    """A record with every optional field there or not."""
    ids = st.lists(words, max_size=2).map(tuple)
    return Record(
        id=draw(words),
        answer=draw(texts),
        question=draw(st.none() | texts),
        context=draw(st.none() | st.lists(chunks, max_size=3).map(tuple)),
        reference=draw(st.none() | texts),
        gold=draw(st.none() | ids),
        gold_context=draw(st.none() | st.lists(texts, max_size=2).map(tuple)),
        retrieved=draw(st.none() | ids),
        release=draw(texts),
        failing=draw(st.none() | st.booleans()),
        slices=draw(st.dictionaries(texts, texts, max_size=2)),
        meta=draw(metas),
    )


@st.composite
def judges(draw: st.DrawFn, metric: str) -> JudgeSpec:
    """A recorded judge, declared or not, or one of ours."""
    if draw(st.booleans()):
        declared = st.none() | words
        return recorded_judge(draw(words), metric, draw(declared), draw(declared))
    return JudgeSpec(
        name=draw(words), backend="openai", metric=metric, model=draw(words),
        prompt_text=draw(texts), evidence=draw(st.sampled_from(["off", "flag", "required"])),
        params=draw(st.dictionaries(words, st.integers() | texts, max_size=2)),
        claims_per_call=draw(st.none() | st.just(5)),
    )  # fmt: skip


@st.composite
def claim_units(draw: st.DrawFn, record: Record, kind: UnitKind, version: int) -> tuple[Unit, ...]:
    """Claims of one claim set, some provisional, in the order of the store."""
    source = (record.reference or "") if kind == "reference_claim" else record.answer
    names = draw(st.lists(words, max_size=3, unique=True))
    units = []
    for n, name in enumerate(names, 1):
        end = draw(st.integers(0, len(source)))
        units.append(
            Unit(
                record=record.key, id=name, kind=kind, claim_set=version,
                text=draw(texts | st.just(source[:end])), ordinal=draw(st.just(n) | st.just(n + 3)),
                span=draw(st.none() | st.integers(0, end).map(lambda a, b=end: Span(a, b))),
                splitter=draw(st.sampled_from(["given", "rules/1"])),
                context=draw(st.none() | texts), meta=draw(metas),
            )
        )  # fmt: skip
    loose = draw(st.integers(0, len(units)))
    frozen = sorted(units[loose:], key=lambda u: u.ordinal)
    parent = frozen[0].key if frozen else None
    return (*frozen, *(replace(u, provisional=True, parent=parent) for u in units[:loose]))


@st.composite
def verdicts_on(draw: st.DrawFn, unit: Unit, spec: JudgeSpec) -> Verdict:
    """A verdict with evidence of every form."""
    value = draw(st.sampled_from(["entailed", "not_entailed", "undecided"]))
    spans = st.lists(st.integers(0, 9).map(lambda n: Span(n, n + 2)), max_size=2).map(tuple)
    located = st.builds(
        Evidence, texts, st.sampled_from(["exact", "absent", "unlocated"]), st.none() | words, spans
    )
    loose = st.builds(Evidence, words, st.just("unlocated"))
    return Verdict(
        unit=unit.key, metric=spec.metric, fingerprint=spec.fingerprint, value=value,
        own_value=draw(st.just(value) | st.sampled_from(["entailed", "undecided"])),
        reason=draw(reasons) if value == "undecided" else None,
        evidence=draw(st.lists(located | loose, max_size=2).map(tuple)),
        flags=draw(st.lists(words, max_size=2).map(tuple)),
        repeat=draw(st.integers(0, 2)), meta=draw(metas),
    )  # fmt: skip


@st.composite
def labels_on(draw: st.DrawFn, unit: Unit) -> Label:
    """A label event of any kind, with an id of its own or the usual one."""
    values = ["entailed", "not_entailed", "unsure", "bad_split", "not_a_claim", None]
    bare = Label(
        id="", unit=unit.key, metric=draw(st.sampled_from(METRICS[unit.kind])),
        annotator=draw(words), label=draw(st.sampled_from(values)), at=draw(times),
        blind=draw(st.booleans()), note=draw(st.none() | texts), quote=draw(st.none() | texts),
        policy_sha256=draw(st.none() | st.just("ab" * 32)),
        ms=draw(st.none() | st.integers(0, 2**50)),
        origin=draw(st.sampled_from(["person", "constructed", "adjudication"])),
        sample=draw(st.none() | words), repeat=draw(st.integers(0, 1)), meta=draw(metas),
    )  # fmt: skip
    own = draw(st.none() | st.uuids().map(str))
    return replace(bare, id=own or label_id(bare))


@st.composite
def items(draw: st.DrawFn) -> ImportedRecord:
    """A record with claim sets, chunk units, verdicts and labels, in the order of the store."""
    record = draw(records())
    claims: dict[UnitKind, tuple[Unit, ...]] = {}
    sets = []
    kinds: list[UnitKind] = ["answer_claim", "reference_claim"]
    for kind in kinds:
        last = draw(st.integers(0, 2))
        units: tuple[Unit, ...] = ()
        for version in range(1, last + 1):
            units += draw(claim_units(record, kind, version))
            splitter = draw(st.sampled_from(["given", "rules/1"]))
            meta = draw(st.just({}) | st.just({"abstained": True}))
            sets.append(ClaimSetInfo(kind, version, splitter, meta, current=version == last))
        if units:
            claims[kind] = units
    if draw(st.booleans()):
        if record.context:
            claims["chunk"] = chunk_units(record)
        sets.append(ClaimSetInfo("chunk", 1, CHUNK_SPLITTER))
    every = [u for units in claims.values() for u in units]
    labels: list[Label] = []
    verdicts: dict[tuple[str, str, str, int], Verdict] = {}
    specs: dict[tuple[str, str], JudgeSpec] = {}
    for unit in every:
        labels += draw(st.lists(labels_on(unit), max_size=2, unique_by=lambda x: x.id))
        if draw(st.booleans()):
            spec = draw(judges(draw(st.sampled_from(METRICS[unit.kind]))))
            specs[spec.fingerprint, spec.metric] = spec
            for v in draw(st.lists(verdicts_on(unit, spec), max_size=2)):
                verdicts[unit.key, v.fingerprint, v.metric, v.repeat] = v
    return ImportedRecord(
        record=record, claims=claims, verdicts=tuple(verdicts.values()), labels=tuple(labels),
        judges=tuple(specs.values()), sets=tuple(sorted(sets, key=lambda s: (s.kind, s.version))),
    )  # fmt: skip


def plain(item: ImportedRecord) -> ImportedRecord:
    """An item with its labels by unit: their order from unit to unit is no content."""
    return replace(item, labels=tuple(sorted(item.labels, key=lambda label: label.unit)))


@given(items())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_line_reads_back_as_the_same_item(item: ImportedRecord) -> None:
    """Record, units, verdicts, labels and judges of a line are those that were written."""
    line = json.dumps(item_line(item)).encode()
    back = read_line(line, Entries())

    assert back.record == item.record
    assert back.record.version_id == item.record.version_id
    mine = [u for units in item.claims.values() for u in units]
    assert sorted([u for units in back.claims.values() for u in units], key=str) == sorted(
        mine, key=str
    )
    assert sorted(back.verdicts, key=str) == sorted(item.verdicts, key=str)
    assert sorted(back.labels, key=str) == sorted(item.labels, key=str)
    used = {(v.fingerprint, v.metric) for v in item.verdicts}
    assert {(s.fingerprint, s.metric) for s in back.judges} == used
    assert all(spec in item.judges for spec in back.judges)


@given(st.lists(items(), max_size=3, unique_by=lambda i: (i.record.id, i.record.release)))
@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
def test_an_export_makes_the_same_store(given_items: list[ImportedRecord]) -> None:
    """Export, import into an empty store, export again: the same bytes, and nothing new."""
    with tempfile.TemporaryDirectory() as folder:
        first, second = (Store.open(Path(folder) / n, create=True) for n in ("a.db", "b.db"))
        first.import_records(given_items)
        path = Path(folder) / "export.jsonl"
        path.write_text("".join(write_jsonl(first.export_records())), "utf-8", newline="\n")
        if given_items:
            second.import_records(read_jsonl(path))
        again = "".join(write_jsonl(second.export_records()))

        assert again.encode() == path.read_bytes()
        assert list(map(plain, second.export_records())) == list(map(plain, first.export_records()))
        if given_items:
            counts = first.import_records(read_jsonl(path))
            assert (counts.records, counts.units, counts.verdicts, counts.labels) == (0, 0, 0, 0)
        first.close()
        second.close()
