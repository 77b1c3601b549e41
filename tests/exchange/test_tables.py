"""CSV and Parquet: encodings, delimiters, types, claims in rows, columns named by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from exchange_help import lines, read, written
from trueup.domain.model import Span
from trueup.errors import InputError, UsageError
from trueup.exchange.fields import field_of, fields_of


@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", False), ("utf-8-sig", False), ("utf-16", False), ("utf-16-be", None),
        ("utf-32", False), ("cp1252", True),
    ],
)  # fmt: skip
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_and_delimiters(
    encoding: str, said: bool | None, delimiter: str, end: str, tmp_path: Path
) -> None:
    """Told from the file; a guess (cp1252) is said."""
    rows = [["id", "question", "answer"], ["1", '"Wie, hoch?"', "Über 5; oder"], ["2", "", "ö"]]
    text = end.join(delimiter.join(_quoted(c, delimiter) for c in row) for row in rows)
    raw = text.encode(encoding)
    if said is None:
        raw = b"\xfe\xff" + raw
    found = read(written(tmp_path / "any.dat", raw))

    assert [(r.id, r.question, r.answer) for r in found.records] == [
        ("1", '"Wie, hoch?"', "Über 5; oder"), ("2", None, "ö"),
    ]  # fmt: skip
    assert any("cp1252" in note for note in found.reading.notes) is bool(said)


def _quoted(cell: str, delimiter: str) -> str:
    needed = '"' in cell or delimiter in cell
    return '"' + cell.replace('"', '""') + '"' if needed else cell


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('id,answer\n1,"never closed\n2,b\n3,c\n', 2, "never closed"),
        ('id,answer\n1,"a"b\n', 2, "behind the closing quotation mark"),
        ("id,answer\n1,a\n2,b,c\n", 3, "3 cells where the header has 2"),
        ("id,answer\n1,a\n\n2\n", 4, "1 cells where the header has 2"),
        ("id,id,answer\n1,2,a\n", 1, "two columns are named 'id'"),
        ("id,answer,failing\n1,a,perhaps\n", 2, "must be true, false"),
        ("id,answer,context\n1,a,\"['x', oops']\"\n", 2, "looks like a list"),
        ('id,answer,slices\n1,a,"plan"\n', 2, "must be an object"),
    ],
)
def test_a_broken_row_is_named(text: str, line: int, message: str, tmp_path: Path) -> None:
    """By its line and column; no row is read into its neighbour."""
    with pytest.raises(InputError, match=message) as e:
        read(written(tmp_path / "t.csv", text))
    assert e.value.line == line


def test_bad_rows_may_be_left_out(tmp_path: Path) -> None:
    """Each with its line; the others are read."""
    bad: list[Any] = []
    path = written(tmp_path / "t.csv", "id,answer,failing\n1,a,no\n2,b,x\n3\n4,d,\n")
    found = read(path, bad=bad)

    assert [(r.id, r.failing) for r in found.records] == [("1", False), ("4", None)]
    assert [b.line for b in bad] == [3, 4]


def test_a_table_of_nothing_is_no_success(tmp_path: Path) -> None:
    """A header alone, or only bad rows."""
    with pytest.raises(InputError, match="holds no record"):
        read(written(tmp_path / "t.csv", "id,answer\n"))
    with pytest.raises(InputError, match=r"\(1 bad lines\)"):
        read(written(tmp_path / "t.csv", "id,answer\n1\n"), bad=[])


@pytest.mark.parametrize(
    ("columns", "message"),
    [("Frage,Antwort", "Frage, Antwort"), ("a", "its columns: a"), ("question,id", "question, id")],
)
def test_an_unknown_table_lists_its_columns(columns: str, message: str, tmp_path: Path) -> None:
    """And says how to name them."""
    path = written(tmp_path / "t.csv", f"{columns}\n{columns}\n")
    with pytest.raises(InputError, match=message) as e:
        read(path)
    assert "--map COLUMN=FIELD" in (e.value.hint or "")


def test_columns_are_named_by_hand(tmp_path: Path) -> None:
    """`--map` for records, slices, metadata, labels of people and verdicts of judges."""
    path = written(
        tmp_path / "t.csv",
        "Frage,Antwort,Plan,ana,gpt,Rest,weg\nWas?,Das.,team,ja,False,r,w\nWer?,Der.,,,1,,\n",
    )
    mapping = {
        "Frage": "question", "Antwort": "answer", "Plan": "slices.plan", "ana": "human.ana",
        "gpt": "judges.gpt-4o", "weg": "-",
    }  # fmt: skip
    found = read(path, mapping=mapping)

    assert [(r.question, r.answer) for r in found.records] == [("Was?", "Das."), ("Wer?", "Der.")]
    assert [r.slices for r in found.records] == [{"plan": "team"}, {}]
    assert [(x.annotator, x.label) for x in found.labels] == [("ana", "entailed")]
    assert [v.value for v in found.verdicts] == ["not_entailed", "entailed"]
    assert found.judges == {"gpt-4o": ""}
    assert [(u.text, u.splitter) for u in found.units] == [
        ("Das.", "whole-answer"), ("Der.", "whole-answer"),
    ]  # fmt: skip
    assert found.records[0].meta == {"Rest": "r"}


def test_a_column_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    """A name with a slip of the finger does not silently map nothing."""
    path = written(tmp_path / "t.csv", "q,answer\nx,y\n")
    with pytest.raises(UsageError, match="no column 'Q'") as e:
        read(path, mapping={"Q": "question"})
    assert "q, answer" in (e.value.hint or "")


def test_paths_into_json_are_mapped_too(tmp_path: Path) -> None:
    """`data.question` of rows, in JSON Lines, in a list, and in the one list of an object."""
    rows = [
        {"data": {"q": "Q1", "text": "A1"}, "n": 1},
        {"data": {"q": "Q2", "text": "A2"}, "n": 2},
    ]
    mapping = {"data.q": "question", "data.text": "answer", "n": "id"}
    for content in (lines(*rows), rows):
        found = read(written(tmp_path / "t.json", content), mapping=mapping, format="jsonl")
        assert [(r.id, r.question, r.answer) for r in found.records] == [
            ("1", "Q1", "A1"), ("2", "Q2", "A2"),
        ]  # fmt: skip
    nested = written(tmp_path / "n.json", {"examples": [{"question": "q", "answer": "a"}]})
    assert read(nested, format="jsonl").records[0].answer == "a"


def test_a_list_of_our_own_records(tmp_path: Path) -> None:
    """JSON over several lines, as a list or one after another, is read as its lines would be."""
    claims = [{"text": "A.", "human": [{"annotator": "ana", "entailed": True}]}]
    rows = [{"id": i, "answer": "A.", "label": "finance", "claims": claims} for i in (1, 2)]
    pretty = "\n".join(json.dumps(row, indent=2) for row in rows)
    whole = read(written(tmp_path / "l.json", lines(*rows)))
    for content in (rows, pretty, {"items": rows}):
        found = read(written(tmp_path / "l.json", content))
        assert found.records == whole.records
        assert found.labels == whole.labels
    assert [i.line for i in read(written(tmp_path / "l.json", pretty)).items] == [1, 17]


def test_rows_of_claims_become_records(tmp_path: Path) -> None:
    """Rows of one id are one record; the same text of one annotator again is a second claim."""
    path = written(
        tmp_path / "t.csv",
        "id,answer,claim,annotator,entailed,note\n"
        "q1,A. B. A.,A.,ana,yes,\n"
        "q1,,A.,bo,no,why\n"
        "q1,,B.,ana,unsure,\n"
        "q2,C.,C.,ana,bad split,\n"
        "q1,A. B. A.,A.,ana,no,\n",
    )
    found = read(path)
    units = {u.key: u.id for u in found.units}

    assert [(r.id, r.answer) for r in found.records] == [("q1", "A. B. A."), ("q2", "C.")]
    assert [(u.id, u.text) for u in found.units] == [
        ("q1#1", "A."), ("q1#2", "B."), ("q1#3", "A."), ("q2#1", "C."),
    ]  # fmt: skip
    assert [(units[x.unit], x.annotator, x.label, x.note) for x in found.labels] == [
        ("q1#1", "ana", "entailed", None), ("q1#1", "bo", "not_entailed", "why"),
        ("q1#2", "ana", "unsure", None), ("q1#3", "ana", "not_entailed", None),
        ("q2#1", "ana", "bad_split", None),
    ]  # fmt: skip


def test_rows_of_verdicts_and_of_wide_columns(tmp_path: Path) -> None:
    """A `judge` column makes rows verdicts; `human.X` and `judge.Y` columns stand side by side."""
    path = written(
        tmp_path / "t.csv",
        "id,claim_id,claim,metric,judge,model,entailed,evidence,human.ana,judge.lex\n"
        "q,c1,A.,,gpt,gpt-4o,0,quote,T,F\nq,c1,A.,,old,,1,,,\nq,r1,B.,contextual_recall,gpt,,t,,,\n",
    )
    found = read(path)

    assert sorted(found.said()) == [
        ("A.", "groundedness", "entailed"), ("A.", "groundedness", "not_entailed"),
        ("A.", "groundedness", "not_entailed"), ("B.", "contextual_recall", "entailed"),
    ]  # fmt: skip
    assert {(s.name, s.metric, s.model) for item in found.items for s in item.judges} == {
        ("gpt", "groundedness", "gpt-4o"), ("gpt", "contextual_recall", ""),
        ("old", "groundedness", ""), ("lex", "groundedness", ""),
    }  # fmt: skip
    assert [u.kind for u in found.units] == ["answer_claim", "reference_claim"]
    assert [(x.annotator, x.label) for x in found.labels] == [("ana", "entailed")]
    assert {v.evidence[0].quote for v in found.verdicts if v.evidence} == {"quote"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,answer,claim,annotator,entailed\n1,a,x,ana,1\n1,b,y,ana,1\n", "differs from line 2"),
        ("id,claim,annotator,judge,entailed\n1,x,ana,gpt,1\n", "whose is this row"),
        ("id,claim_id,claim,annotator,entailed\n1,c,x,a,1\n1,c,y,a,1\n", "names two claims"),
        ("id,claim,annotator,entailed\n1,,ana,1\n", "field claim: is empty"),
        ("id,claim_id,claim,judge,entailed\n1,c,x,g,1\n1,c,x,g,0\n", "second verdict"),
        ("id,claim,annotator,entailed,metric\n1,x,a,1,beauty\n", "no metric is named 'beauty'"),
        ("unit,record,annotator,label\nu,r,a,entailed\n", "labels on units"),
    ],
)
def test_rows_that_contradict_each_other(text: str, message: str, tmp_path: Path) -> None:
    """Are refused: nothing is chosen for the person."""
    with pytest.raises(InputError, match=message):
        read(written(tmp_path / "t.csv", text))


def test_several_annotators_of_whole_answers(tmp_path: Path) -> None:
    """Rows without a claim rule on the whole answer, once for each annotator."""
    path = written(
        tmp_path / "t.csv", "question,answer,annotator,label\nq,A.,ana,1\nq,A.,bo,0\nq,B.,ana,1\n"
    )
    found = read(path)

    assert [(u.text, u.ordinal) for u in found.units] == [("A.", 1), ("B.", 1)]
    assert [(x.annotator, x.label) for x in found.labels] == [
        ("ana", "entailed"), ("bo", "not_entailed"), ("ana", "entailed"),
    ]  # fmt: skip


def test_names_of_columns() -> None:
    """In any case, with spaces; our own name stands above another tool's for the same field."""
    names = ("User Input", "Ground-Truth", "human.ana", "judge.x", "prompt")
    assert [field_of(n) for n in names] == [
        "question", "reference", "human.ana", "judges.x", None,
    ]  # fmt: skip
    assert fields_of(["input", "question", "x"]) == {"question": "question"}


def test_spans_and_kinds_of_claims_in_rows(tmp_path: Path) -> None:
    """Offsets as numbers, what a claim is of, and metadata of the claim's row."""
    path = written(
        tmp_path / "t.csv",
        "id,answer,reference,claim,of,start,end,annotator,label,source\n"
        "q,A. A.,R.,A.,answer,3,5,ana,entailed,form\nq,,,R.,reference,,,ana,not a claim,\n",
    )
    found = read(path)
    first, second = found.units

    assert (first.span, first.meta) == (Span(3, 5), {"source": "form"})
    assert (second.kind, second.span, second.meta) == ("reference_claim", Span(0, 2), {})
    assert [(x.metric, x.label) for x in found.labels] == [
        ("groundedness", "entailed"), ("contextual_recall", "not_a_claim"),
    ]  # fmt: skip
    with pytest.raises(InputError, match="field start: must be a whole number"):
        read(written(tmp_path / "b.csv", "id,answer,claim,start\nq,a,a,1.5\n"))


def test_gold_in_cells(tmp_path: Path) -> None:
    """One id is one id, whatever is in it; several are a list; none at all is not labelled."""
    path = written(
        tmp_path / "g.csv",
        "id,gold,retrieved,gold_context\n"
        '1,"a, b;c",,text\n2,"[""a"", 7]","[\'x\']","[""t""]"\n3,[],,\n',
    )
    one, two, three = read(path).records

    assert (one.gold, one.retrieved, one.gold_context) == (("a, b;c",), None, ("text",))
    assert (two.gold, two.retrieved, two.gold_context) == (("a", "7"), ("x",), ("t",))
    assert three.gold == ()


def test_a_column_of_labels_that_is_none(tmp_path: Path) -> None:
    """A `label` that is a category is refused with the way out of it."""
    path = written(tmp_path / "t.csv", "id,answer,label\n1,a,finance\n")
    with pytest.raises(InputError, match="field label") as e:
        read(path)
    assert "--map label=meta.label" in (e.value.hint or "")
    assert read(path, mapping={"label": "meta.label"}).records[0].meta == {"label": "finance"}
