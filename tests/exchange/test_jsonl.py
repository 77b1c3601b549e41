"""trueup JSONL: what is read, how it is typed, and how a bad line is told."""

from __future__ import annotations

import builtins
import io
import json
from pathlib import Path
from typing import Any

import pytest

from trueup.domain.model import UNKNOWN_TIME, Chunk, Evidence, Span
from trueup.domain.transfer import ImportedRecord
from trueup.domain.units import chunk_units
from trueup.errors import InputError
from trueup.exchange.base import BadLine
from trueup.exchange.entries import recorded_judge
from trueup.exchange.jsonl import read_jsonl

BASE: dict[str, Any] = {"id": "q", "context": "Tea is hot.", "answer": "Tea is hot. It is green."}


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """Reads lines (objects, texts or bytes) as a file."""

    def reader(*lines: object, **options: Any) -> list[ImportedRecord]:
        path = tmp_path / "in.jsonl"
        raw = [
            line if isinstance(line, bytes)
            else (line if isinstance(line, str) else json.dumps(line)).encode()
            for line in lines
        ]  # fmt: skip
        path.write_bytes(b"\n".join(raw))
        return list(read_jsonl(path, **options))

    return reader


def claim(**fields: object) -> dict[str, object]:
    """A record with one claim that has these fields."""
    return {**BASE, "claims": [{"text": "Tea is hot.", **fields}]}


def error_of(read: Any, *lines: object) -> InputError:
    """The error that reading these lines raises."""
    with pytest.raises(InputError) as e:
        read(*lines)
    return e.value


def test_the_example_of_the_contract(read: Any) -> None:
    """Each field of the contract's example arrives where it belongs."""
    (item,) = read(
        {
            "id": "q-0412",
            "question": "How long?",
            "context": [{"id": "c-9930", "text": "90 days.", "source": "docs/a.md"}],
            "answer": "Logs are retained for 90 days. [c-9930]",
            "reference": "30 days.", "gold": ["c-9931"], "retrieved": ["c-9930", "c-0007"],
            "release": "2026-11-30", "slices": {"plan": "team"}, "failing": True,
            "claims": [{
                "id": "q-0412#1", "text": "Logs are retained for 90 days.", "of": "answer",
                "human": [{"annotator": "ana", "entailed": True, "note": None}],
                "judges": {"gpt-4o": {"entailed": True, "evidence": "90 days."}},
            }],
        }
    )  # fmt: skip
    record = item.record
    (unit,) = item.claims["answer_claim"]
    (label,), (verdict,) = item.labels, item.verdicts

    assert (record.id, record.release, record.failing) == ("q-0412", "2026-11-30", True)
    assert record.context == (Chunk("c-9930", "90 days.", "docs/a.md"),)
    assert (record.gold, record.retrieved) == (("c-9931",), ("c-9930", "c-0007"))
    assert record.slices == {"plan": "team"}
    assert (unit.id, unit.ordinal, unit.span, unit.splitter) == (
        "q-0412#1",
        1,
        Span(0, 30),
        "given",
    )
    assert (label.unit, label.annotator, label.label, label.metric) == (
        unit.key, "ana", "entailed", "groundedness",
    )  # fmt: skip
    assert (label.blind, label.origin, label.at) == (True, "person", UNKNOWN_TIME)
    assert verdict.evidence == (Evidence("90 days.", "unlocated"),)
    assert verdict.fingerprint == recorded_judge("gpt-4o", "groundedness").fingerprint
    assert item.judges == (recorded_judge("gpt-4o", "groundedness"),)


@pytest.mark.parametrize(
    ("context", "expected"),
    [
        ("one", (Chunk("c1", "one"),)),
        (["one", "two", "one"], (Chunk("c1", "one"), Chunk("c2", "two"), Chunk("c3", "one"))),
        ([{"text": "x"}, {"id": "c1", "text": "y"}], (Chunk("c1'", "x"), Chunk("c1", "y"))),
        ([{"id": 7, "content": "x", "rank": 1}], (Chunk("7", "x", None, {"rank": 1}),)),
        ([], ()),
        ("", ()),
        (None, None),
    ],
)
def test_context_comes_in_several_forms(read: Any, context: object, expected: object) -> None:
    """Texts and objects; ids are made where there are none; [] and missing stay apart."""
    (item,) = read({**BASE, "context": context})

    assert item.record.context == expected


def test_missing_is_not_empty(read: Any) -> None:
    """No context, no gold, no failing: unknown, not empty or false."""
    (item,) = read({"id": "q", "answer": "a"})
    assert (item.record.context, item.record.gold, item.record.failing) == (None, None, None)
    (item,) = read({**BASE, "gold": []})
    assert item.record.gold == ()


def test_ids_that_are_numbers_become_their_digits(read: Any) -> None:
    """Nineteen digits are nineteen digits, everywhere that an id may stand."""
    (item,) = read(
        '{"id": 1344900117571260919, "release": 2, "answer": "a", "gold": [1, "b"], '
        '"retrieved": [12345678901234567890123], "context": [{"id": 3, "text": "t"}], '
        '"claims": [{"claim_id": 8, "text": "a", "human": [{"annotator": 4, "entailed": true}]}]}'
    )
    record = item.record

    assert (record.id, record.release) == ("1344900117571260919", "2")
    assert (record.gold, record.retrieved) == (("1", "b"), ("12345678901234567890123",))
    assert record.context is not None
    assert record.context[0].id == "3"
    assert (item.claims["answer_claim"][0].id, item.labels[0].annotator) == ("8", "4")


def test_a_record_without_an_id_gets_one_from_its_content(read: Any) -> None:
    """The same content has the same id at every import; other content another."""
    a, b, again = read({"answer": "a"}, {"answer": "b"}, {"answer": "a", "id": None})

    assert a.record == again.record
    assert a.record.id != b.record.id
    assert len(a.record.id) == 12


@pytest.mark.parametrize(
    ("value", "label", "verdict"),
    [(True, "entailed", "entailed"), (False, "not_entailed", "not_entailed"),
     (None, "unsure", "undecided")],
)  # fmt: skip
def test_true_false_and_null(read: Any, value: object, label: str, verdict: str) -> None:
    """A person who says neither is unsure; a judge who says neither is undecided."""
    entry = {"entailed": value}
    (item,) = read(claim(human=[{"annotator": "ana", **entry}], judges={"j": entry}))

    assert (item.labels[0].label, item.verdicts[0].value) == (label, verdict)
    assert item.verdicts[0].reason == (None if value is not None else "missing_verdict")


@pytest.mark.parametrize("value", ["true", 1, 0, "yes", 1.0, [], {}, "NaN"])
@pytest.mark.parametrize("where", ["human", "judges"])
def test_anything_else_is_an_error_with_line_and_field(
    read: Any, value: object, where: str
) -> None:
    """Strict typing: no truth is guessed from a text or a number."""
    entry = {"entailed": value}
    given = [{"annotator": "a", **entry}] if where == "human" else {"j": entry}
    line = json.dumps(claim(**{where: given})).replace('"NaN"', "NaN")
    error = error_of(read, BASE, "", line)

    field = "claims[0].human[0].entailed" if where == "human" else "claims[0].judges.j.entailed"
    assert (error.line, error.field) == (3, field)
    assert "must be true, false or null" in str(error)
    assert "in.jsonl:3" in str(error)


@pytest.mark.parametrize(
    ("line", "field", "message"),
    [
        ({**BASE, "answer": 5}, "answer", "must be a text, not 5"),
        ({**BASE, "id": ["x"]}, "id", "must be a text or a number, not list"),
        ({**BASE, "id": True}, "id", "must be a text or a number, not True"),
        ({**BASE, "failing": "no"}, "failing", "must be true, false or null"),
        ({**BASE, "gold": "c1"}, "gold", "must be a list"),
        ({**BASE, "gold": [""]}, "gold[0]", "is empty"),
        ({**BASE, "gold": [True]}, "gold[0]", "must be a text or a number"),
        ({**BASE, "context": 5}, "context", "must be a text or a list, not a number"),
        ({**BASE, "context": {"text": "x"}}, "context", "must be a text or a list, not an object"),
        ({**BASE, "context": ["a", None]}, "context[1]", "must be a text or an object"),
        ({**BASE, "context": [{"id": "x"}]}, "context[0].text", "is missing"),
        ({**BASE, "context": [{"text": 5}]}, "context[0].text", "must be a text"),
        ({**BASE, "slices": {"a": []}}, "slices.a", "must be"),
        ({**BASE, "claims": {"text": "x"}}, "claims", "must be a list"),
        ({**BASE, "claims": ["x"]}, "claims[0]", "must be an object"),
        (claim(text=None), "claims[0].text", "must be a text, not null"),
        ({**BASE, "claims": [{"id": "x"}]}, "claims[0].text", "is missing"),
        (claim(of="question"), "claims[0].of", "must be answer or reference"),
        (claim(start=3, end=900), "claims[0].start", "not within the text"),
        (claim(ordinal=10**9), "claims[0].ordinal", "must be from 0"),
        (claim(human={"a": True}), "claims[0].human", "must be a list"),
        (claim(human=[{"entailed": True}]), "claims[0].human[0].annotator", "is missing"),
        (claim(human=[{"annotator": "a"}]), "claims[0].human[0].entailed", "is missing"),
        (
            claim(human=[{"annotator": "a", "entailed": True, "label": "not_entailed"}]),
            "claims[0].human[0].entailed", "contradicts",
        ),
        (
            claim(human=[{"annotator": "a", "entailed": True, "at": "noon"}]),
            "claims[0].human[0].at", "no ISO 8601 time",
        ),
        (
            claim(human=[{"annotator": "a", "entailed": True, "metric": "fluency"}]),
            "claims[0].human[0].metric", "no metric is named 'fluency'",
        ),
        (
            claim(human=[{"annotator": "a", "entailed": True, "metric": "contextual_recall"}]),
            "claims[0].human[0].metric", "not asked of",
        ),
        (
            claim(human=[{"annotator": "a", "entailed": True, "origin": "god"}]),
            "claims[0].human[0].origin", "must be one of",
        ),
        (claim(judges={"j": {"evidence": "x"}}), "claims[0].judges.j.entailed", "is missing"),
        (claim(judges={"j": True}), "claims[0].judges.j", "must be"),
        (
            claim(judges={"j": {"entailed": True, "evidence": 5}}),
            "claims[0].judges.j.evidence[0]", "must be a text or an object",
        ),
        (
            claim(judges={"j": [{"entailed": True}, {"entailed": False}]}),
            "claims[0].judges.j[1]", "a second verdict",
        ),
        (
            {**BASE, "claims": [{"id": "x", "text": "a"}, {"id": "x", "text": "b"}]},
            "claims[1].id", "names two claims",
        ),
        (
            {**BASE, "labels": [{"annotator": "a", "claim": "no such", "entailed": True}]},
            "labels[0].claim", "none of the record's claims",
        ),
        ({"id": "q", "text": "a", "score": 3}, "answer", "keys here: id, text, score"),
    ],
)  # fmt: skip
def test_a_wrong_field_is_named(read: Any, line: object, field: str, message: str) -> None:
    """File, line, field, and what was expected there."""
    error = error_of(read, BASE, line)

    assert (error.line, error.field) == (2, field)
    assert message in error.reason


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"id": 1, }', "not JSON"),
        (b"id,answer", "not JSON"),
        (b"[1, 2]", "must be an object, not a list"),
        (b"null", "must be an object, not null"),
        (b'{"answer": "\xff"}', "not UTF-8 at byte 13"),
        (b'{"answer": ' + b"[" * 100_000, "nested too deeply"),
        (b'{"answer": "\\ud83d", "x": ' + b"[" * 100_000 + b"}", "nested too deeply"),
        (b'{"answer": "a", "n": ' + b"9" * 5000 + b"}", "number out of range"),
        (b'{"answer": "a"} {"answer": "b"}', "not JSON"),
        (b'{"answer": "tab\there"}', "not JSON"),
    ],
)
def test_a_line_that_is_no_json_is_told_with_its_number(
    read: Any, line: bytes, message: str
) -> None:
    """Blank lines count; nothing ends in a traceback."""
    error = error_of(read, BASE, b"", line)

    assert error.line == 3
    assert message in str(error)


def test_bad_lines_can_be_gathered_instead(read: Any) -> None:
    """With a list for them, bad lines are left out, each with its number, field and reason."""
    bad: list[BadLine] = []
    items = read(BASE, "{", {**BASE, "id": "r", "answer": 5}, {**BASE, "id": "s"}, bad=bad)

    assert [i.record.id for i in items] == ["q", "s"]
    assert [(b.line, b.field) for b in bad] == [(2, None), (3, "answer")]
    assert bad[1].reason == "must be a text, not 5"


@pytest.mark.parametrize("lines", [(), (b"", b"  \r"), ("{",)])
def test_a_file_without_a_record_is_an_error(read: Any, lines: tuple[object, ...]) -> None:
    """Never success with nothing."""
    bad: list[BadLine] = []
    with pytest.raises(InputError, match=r"holds no record|none of its 1 lines"):
        read(*lines, bad=bad)


def test_lines_end_in_line_feeds_only(read: Any) -> None:
    """A BOM, CRLF, blank lines, U+2028 and a missing last line feed are fine."""
    first = b"\xef\xbb\xbf" + json.dumps({**BASE, "answer": "a\u2028b\u0085c"}).encode() + b"\r"
    raw = json.dumps({**BASE, "id": "r", "answer": "x\u2028y\x0c"}, ensure_ascii=False)
    items = read(first, b"", b" \t\r", raw)

    assert [i.record.answer for i in items] == ["a\u2028b\u0085c", "x\u2028y\x0c"]
    assert [i.line for i in items] == [1, 4]


def test_claims_are_numbered_by_position_and_kind(read: Any) -> None:
    """Equal sentences stay two claims, each at its own place."""
    (item,) = read(
        {
            "id": "q", "answer": "Yes. No. Yes.", "reference": "Yes. Indeed.",
            "claims": [{"text": "Yes."}, {"text": "Indeed.", "of": "reference"},
                       {"claim": "Yes."}, {"text": "Maybe."}],
        }
    )  # fmt: skip
    answers, references = item.claims["answer_claim"], item.claims["reference_claim"]

    assert [(u.id, u.ordinal, u.span) for u in answers] == [
        ("q#1", 1, Span(0, 4)), ("q#2", 2, Span(9, 13)), ("q#3", 3, None),
    ]  # fmt: skip
    assert [(u.id, u.span) for u in references] == [("q#r1", Span(5, 12))]
    assert len({u.key for u in answers}) == 3


@pytest.mark.parametrize(
    ("given", "span", "meta"),
    [
        ({"start": 12, "end": 24}, Span(12, 24), {}),
        ({"start": 0}, Span(0, 11), {}),
        ({"end": 11}, Span(0, 11), {}),
        ({"start": 5}, None, {"start": 5}),
        ({"end": 3}, None, {"end": 3}),
        ({"start": None, "end": None}, None, {}),
        ({}, Span(0, 11), {}),
    ],
)
def test_a_span_is_taken_where_it_fits(
    read: Any, given: dict[str, object], span: Span | None, meta: dict[str, object]
) -> None:
    """Both offsets count; one alone only where the claim's text stands there, else it is kept."""
    (item,) = read(claim(**given))
    (unit,) = item.claims["answer_claim"]

    assert (unit.span, unit.meta) == (span, meta)


def test_unknown_keys_are_kept(read: Any) -> None:
    """At every level; a `meta` object is their base; NaN among them is null."""
    line = json.dumps(
        {
            **BASE, "score": 0, "meta": {"model": "m"}, "context": [{"text": "t", "rank": 3}],
            "claims": [{
                "text": "Tea is hot.", "weight": 2, "evidence": "e",
                "human": [{"annotator": "a", "entailed": True, "label": "ok", "spans": []}],
                "judges": {"j": {"entailed": True, "score": 0.5, "reason": "because"}},
            }],
        }
    ).replace('"score": 0,', '"score": NaN,')  # fmt: skip
    (item,) = read(line)

    assert item.record.meta == {"score": None, "model": "m"}
    assert item.record.context is not None
    assert item.record.context[0].meta == {"rank": 3}
    assert item.claims["answer_claim"][0].meta == {"weight": 2, "evidence": "e"}
    assert item.labels[0].meta == {"label": "ok", "spans": []}
    assert item.verdicts[0].meta == {"score": 0.5, "reason": "because"}
    assert item.verdicts[0].reason is None
    (item,) = read({**BASE, "model": "outer", "meta": {"model": "inner"}})
    assert item.record.meta == {"model": "outer", "meta": {"model": "inner"}}
    (item,) = read({**BASE, "meta": "a text"})
    assert item.record.meta == {"meta": "a text"}


def test_nan_is_nothing(read: Any) -> None:
    """Where a text should be it is missing; it never becomes the text nan."""
    (item,) = read('{"id": NaN, "question": NaN, "context": NaN, "answer": "a", "reference": NaN}')

    assert (item.record.question, item.record.context, item.record.reference) == (None, None, None)
    assert "nan" not in repr(item.record).lower()


@pytest.mark.parametrize("word", ["unsure", "bad_split", "not_a_claim", "entailed"])
def test_flags_are_labels(read: Any, word: str) -> None:
    """A label by its name needs no `entailed`."""
    (item,) = read(claim(human=[{"annotator": "a", "label": word}]))

    assert item.labels[0].label == word


def test_every_field_of_a_label(read: Any) -> None:
    """What our own exports write is read back."""
    entry = {
        "annotator": "ana", "undo": True, "id": "e-1", "at": "2024-01-01T13:30:45-08:00",
        "blind": False, "quote": "hot", "policy_sha256": "ab", "ms": 1200,
        "origin": "adjudication", "sample": "s", "repeat": 1, "note": "n",
        "metric": "answer_relevancy",
    }  # fmt: skip
    (item,) = read(claim(human=[entry, {"annotator": "b", "entailed": True, "evidence": "hot"}]))
    first, second = item.labels

    assert (first.label, first.id, first.at.isoformat()) == (
        None, "e-1", "2024-01-01T21:30:45+00:00",
    )  # fmt: skip
    assert (first.blind, first.quote, first.policy_sha256, first.ms) == (False, "hot", "ab", 1200)
    assert (first.origin, first.sample, first.repeat, first.note, first.metric) == (
        "adjudication", "s", 1, "n", "answer_relevancy",
    )  # fmt: skip
    assert (second.quote, second.meta) == ("hot", {})


def test_two_entries_of_one_annotator_are_two_events(read: Any) -> None:
    """Both are kept, in order; saying the same twice is two events too; ids are repeatable."""
    entries = [{"annotator": "ana", "entailed": value} for value in (True, False, True)]
    (item,), (again,) = read(claim(human=entries)), read(claim(human=entries))

    assert [x.label for x in item.labels] == ["entailed", "not_entailed", "entailed"]
    assert len({x.id for x in item.labels}) == 3
    assert item.labels == again.labels


def test_chunks_carry_labels_and_verdicts(read: Any) -> None:
    """Then every chunk of the record is a unit, and the metric is context relevancy."""
    (item,) = read(
        {
            **BASE,
            "context": [
                {"id": "a", "text": "x", "judges": {"j": {"entailed": False}}},
                {"id": "b", "text": "y", "human": [{"annotator": "ana", "entailed": True}]},
            ],
        }
    )

    assert item.claims == {"chunk": chunk_units(item.record)}
    assert (item.labels[0].unit, item.labels[0].metric) == (
        item.claims["chunk"][1].key, "context_relevancy",
    )  # fmt: skip
    assert item.verdicts[0].unit == item.claims["chunk"][0].key


def test_a_claim_of_the_reference_is_about_recall(read: Any) -> None:
    """`of` decides the metric unless an entry names one, by any of its names."""
    entries = [{"annotator": "a", "entailed": True, "metric": m}
               for m in (None, "correctness_recall")]  # fmt: skip
    (item,) = read({**claim(of="reference", human=entries), "reference": "Tea is hot."})
    assert [x.metric for x in item.labels] == ["contextual_recall", "correctness_recall"]
    (item,) = read(claim(human=[{"annotator": "a", "entailed": True, "metric": "faithfulness"}]))
    assert item.labels[0].metric == "groundedness"


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        (None, ()),
        ("", ()),
        ([], ()),
        ("a", (Evidence("a", "unlocated"),)),
        (["a", "b"], (Evidence("a", "unlocated"), Evidence("b", "unlocated"))),
        (
            [{"quote": "a", "match": "exact", "chunk": 7, "spans": [[0, 1]]}],
            (Evidence("a", "exact", "7", (Span(0, 1),)),),
        ),
        ({"text": "a", "start": 2, "end": 3}, (Evidence("a", "unlocated", None, (Span(2, 3),)),)),
    ],
)
def test_evidence_comes_in_several_forms(read: Any, evidence: object, expected: object) -> None:
    """A text, a list of texts, or objects; what was not located is not said to be."""
    (item,) = read(claim(judges={"j": {"entailed": True, "evidence": evidence}}))

    assert item.verdicts[0].evidence == expected


def test_a_recorded_judge_is_its_name_model_and_prompt(read: Any) -> None:
    """Declared in an entry or for the record; the same declaration is the same judge."""
    plain = claim(judges={"j": {"entailed": True}})
    inline = claim(judges={"j": {"entailed": True, "model": "m", "prompt": "p"}})
    declared = {**plain, "judges": {"j": {"model": "m", "prompt": "p"}}}
    longer = {**BASE, "id": "r", "claims": plain["claims"]}
    prints = [read(line)[0].verdicts[0].fingerprint for line in (plain, inline, declared, longer)]

    assert prints[0] == prints[3] != prints[1] == prints[2]


def test_several_verdicts_of_one_judge_on_one_claim(read: Any) -> None:
    """Repeats and metrics stand in a list."""
    entries = [{"entailed": True}, {"entailed": False, "repeat": 1},
               {"entailed": None, "metric": "answer_relevancy", "reason": "refusal"}]  # fmt: skip
    (item,) = read(claim(judges={"j": entries, "k": None}))

    assert [(v.repeat, v.metric, v.value) for v in item.verdicts] == [
        (0, "groundedness", "entailed"),
        (1, "groundedness", "not_entailed"),
        (0, "answer_relevancy", "undecided"),
    ]
    assert item.verdicts[2].reason == "refusal"


def test_labels_beside_the_claims(read: Any) -> None:
    """They name their claim by id or text, equal texts in order; other `labels` are metadata."""
    line = {
        "id": "q", "answer": "Yes. Yes.", "claims": [{"text": "Yes."}, {"text": "Yes."}],
        "labels": [{"annotator": "a", "claim": "Yes.", "entailed": True},
                   {"annotator": "a", "claim": "Yes.", "entailed": False},
                   {"annotator": "b", "claim_id": "q#2", "entailed": True}],
    }  # fmt: skip
    (item,) = read(line)
    units = item.claims["answer_claim"]

    assert [x.unit for x in item.labels] == [units[0].key, units[1].key, units[1].key]
    (item,) = read({**BASE, "labels": ["a", "b"]})
    assert item.labels == ()


def test_names_of_other_tools(read: Any) -> None:
    """Their fields are ours; ours wins where both are given; several references are joined."""
    a, b, c = read(
        {"user_input": "q", "response": "a", "retrieved_contexts": ["c1"], "reference": "g",
         "retrieved_context_ids": ["x"], "reference_context_ids": [1]},
        {"input": "q", "actual_output": "a", "retrieval_context": ["c"], "expected_output": "g"},
        {"question": "q", "input": "other", "answer": "a", "contexts": ["c"],
         "ground_truths": ["g1", "g2"]},
    )  # fmt: skip

    assert (a.record.question, a.record.answer, a.record.reference) == ("q", "a", "g")
    assert (a.record.retrieved, a.record.gold) == (("x",), ("1",))
    assert (b.record.question, b.record.answer, b.record.reference) == ("q", "a", "g")
    assert c.record.question == "q"
    assert c.record.reference == "g1\n\ng2"
    assert c.record.meta == {"input": "other", "references": ["g1", "g2"]}


def test_what_no_database_stores_is_replaced(read: Any) -> None:
    """NUL and lone surrogates become visible characters; a pair is one character."""
    (item,) = read(rb'{"id": "a\u0000", "answer": "x \ud83d y \ud83d\ude00", "k\u0000": "\u0000"}')

    assert (item.record.id, item.record.answer) == ("a\u2400", "x \ufffd y 😀")
    assert item.record.meta == {"k\u2400": "\u2400"}


def test_progress_counts_bytes(read: Any, tmp_path: Path) -> None:
    """Every byte of a line is told once."""
    told: list[int] = []
    read(BASE, BASE, progress=told.append)

    assert sum(told) == (tmp_path / "in.jsonl").stat().st_size


def test_nothing_that_the_data_names_is_opened(
    read: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The only file that reading opens is the one that was asked for."""
    opened: list[str] = []
    real = io.open

    def spy(file: Any, *args: Any, **kwargs: Any) -> Any:
        opened.append(str(file))
        return real(file, *args, **kwargs)

    line = {**BASE, "context_file": "../../etc/passwd", "file_name": "/etc/hostname",
            "context": [{"text": "t", "source": "/etc/passwd"}]}  # fmt: skip
    (tmp_path / "in.jsonl").write_text(json.dumps(line))
    monkeypatch.setattr(io, "open", spy)
    monkeypatch.setattr(builtins, "open", spy)
    list(read_jsonl(tmp_path / "in.jsonl"))

    assert opened == [str(tmp_path / "in.jsonl")]
