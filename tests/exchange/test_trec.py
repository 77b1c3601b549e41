"""Run and gold files: what is read, in which order, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from trueup.errors import InputError, UsageError
from trueup.exchange import trec_run
from trueup.exchange.trec import read_hits, read_qrels
from trueup.exchange.trec_tokens import Words, columns
from trueup.stats.retrieval_hits import Hits
from trueup.stats.retrieval_summary import summarise


@pytest.fixture
def write(tmp_path: Path):  # type: ignore[no-untyped-def]
    def put(name: str, text: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return put


def hits(write, run: str | bytes, qrels: str | bytes, **options) -> Hits:  # type: ignore[no-untyped-def]
    return read_hits(write("run", run), write("qrels", qrels), **options)


def ranks(made: Hits) -> dict[tuple[str, int], int]:
    """(question, grade) to rank; enough to tell hits apart in these small runs."""
    return {
        (made.questions[q], int(g)): int(r)
        for q, r, g in zip(made.hit_question, made.hit_rank, made.hit_grade, strict=True)
    }


def test_scores_decide_and_not_the_rank_column(write) -> None:  # type: ignore[no-untyped-def]
    """A run sorted by document is read by its scores."""

    run = "q Q0 a 1 1.5 t\nq Q0 b 2 9.5 t\nq Q0 c 3 4 t\n"

    assert ranks(hits(write, run, "q 0 a 1\nq 0 b 2\nq 0 c 3\n")) == {
        ("q", 2): 1,
        ("q", 3): 2,
        ("q", 1): 3,
    }


def test_ties_go_by_id_descending_or_keep_the_file(write) -> None:  # type: ignore[no-untyped-def]
    """trec_eval puts c before b; `ties="file"` keeps b first."""

    run, qrels = "q Q0 b 1 1.0 t\nq Q0 c 2 1.0 t\nq Q0 a 3 1.0 t\n", "q 0 b 1\n"

    assert ranks(hits(write, run, qrels)) == {("q", 1): 2}
    assert ranks(hits(write, run, qrels, ties="file")) == {("q", 1): 1}


def test_scores_are_compared_as_32_bit_floats(write) -> None:  # type: ignore[no-untyped-def]
    """16777217 and 16777216 are one number there, so the id decides."""

    run = "q Q0 a 1 16777217 t\nq Q0 b 2 16777216 t\n"

    assert ranks(hits(write, run, "q 0 a 1\n")) == {("q", 1): 2}


def test_a_repeated_id_counts_once_at_its_first_rank(write) -> None:  # type: ignore[no-untyped-def]
    """The worse of two scores of an id is a repeated place and no second hit."""

    made = hits(write, "q Q0 a 1 1 t\nq Q0 b 2 2 t\nq Q0 a 3 3 t\n", "q 0 a 1\n")

    assert ranks(made) == {("q", 1): 1}
    assert made.n_repeated_ids == 1


def test_lines_of_a_question_need_not_be_together(write) -> None:  # type: ignore[no-untyped-def]
    """Interleaved questions give the same ranks, and a note says what was done."""

    run = "p Q0 a 1 3 t\nq Q0 a 1 1 t\np Q0 b 2 2 t\nq Q0 b 2 2 t\n"
    made = hits(write, run, "p 0 b 1\nq 0 b 2\n")

    assert ranks(made) == {("p", 1): 2, ("q", 2): 1}
    assert any("not grouped by question" in note for note in made.notes)


@pytest.mark.parametrize("size", [7, 64, 200])
def test_blocks_may_end_anywhere(write, monkeypatch: pytest.MonkeyPatch, size: int) -> None:  # type: ignore[no-untyped-def]
    """Questions that span blocks, and blocks smaller than a line, change nothing."""

    run = "".join(
        f"q{q}\tQ0  d{d:03d} {d} {100 - d}.5 tag\r\n" for q in range(9) for d in range(q + 1)
    )
    qrels = "".join(f"q{q} 0 d{q:03d} {q + 1}\n" for q in range(9))
    whole = ranks(hits(write, run, qrels))
    monkeypatch.setattr(trec_run, "_BLOCK", size)

    assert whole == {(f"q{q}", q + 1): q + 1 for q in range(9)}
    assert ranks(hits(write, run, qrels)) == whole


def test_a_hash_never_decides_a_hit(write, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    """With a hash of one bit every other line looks like gold; only the gold id is a hit."""

    run = "".join(f"q Q0 d{i} {i} {100 - i} t\n" for i in range(40))
    monkeypatch.setattr(trec_run, "pair_keys", lambda ids, _: ids & np.uint64(1))

    assert ranks(hits(write, run, "q 0 d7 1\n")) == {("q", 1): 8}


def test_questions_without_gold_or_without_run_are_counted(write) -> None:  # type: ignore[no-untyped-def]
    """Unlabelled: only in the run. Absent: only in the gold. Unanswerable: no positive grade."""

    made = summarise(
        hits(write, "q1 Q0 a 1 1 t\nq9 Q0 a 1 1 t\n", "q1 0 a 1\nq2 0 a 1\nq3 0 a 0\n"), [1]
    )

    assert made.at[1].recall.value == 0.5
    counts = (made.n_questions, made.n_absent, made.n_unanswerable, made.n_unlabelled)
    assert counts == (2, 1, 1, 1)


def test_gold_that_nobody_retrieved_is_noted(write) -> None:  # type: ignore[no-untyped-def]
    """ "013" in the run and 13 in the gold never meet: the note says how many."""

    made = summarise(hits(write, "q Q0 013 1 1 t\nq Q0 12 2 1 t\n", "q 0 13 1\nq 0 12 1\n"), [2])

    assert made.at[2].recall.value == 0.5
    assert any(note.startswith("at least 1 gold ids were never") for note in made.notes)


def test_blank_lines_and_a_missing_last_newline_are_no_fault(write) -> None:  # type: ignore[no-untyped-def]
    """Both are common at the end of files."""

    made = hits(write, "\nq Q0 a 1 2 t\n\n  \nq Q0 b 2 1 t", "\nq 0 b 1\n\n")

    assert ranks(made) == {("q", 1): 2}


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("q Q0 a 1 2 t\nq Q0 b 2 1\n", r"run:2: 5 columns where 6 are needed"),
        ("q Q0 a 1 2 t\n\nq Q0 b 2 1 my tag\n", r"run:3: 7 columns where 6 are needed"),
        ("q Q0 a 1 2\nq Q0 b 2 1 my tag\n", r"run:1: 5 columns where 6 are needed"),
        ("q Q0 a 1 2 t\nq Q0 b 2 high t\n", r"run:2: field score: 'high' is not a number"),
        ("q Q0 a 1 2 t\nq Q0 b 2 nan t\n", r"run:2: field score: 'nan' is not a number"),
        ("q Q0 a 1 2 t\nq Q0 b 2 1_0 t\n", r"run:2: field score: '1_0' is not a number"),
        (b"q\xff Q0 a 1 2 t\n", r"run:1: not UTF-8"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(write, run: str, message: str) -> None:  # type: ignore[no-untyped-def]
    """File, line and what is wrong with it."""

    with pytest.raises(InputError, match=message):
        hits(write, run, "q 0 a 1\n")


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ("q 0 a\n\nq a\n", r"qrels:3: 2 columns where 4 \(TREC\) or 3 \(BEIR\) are needed"),
        ("q 0 a 1\nq 0 b x\n", r"qrels:2: field grade: 'x' is not a whole number"),
        ('{"id": "q", "gold": ["a"]}\n{"id": \n', r"qrels:2: not JSON"),
        ('{"id": "q", "gold": "a"}\n', r"qrels:1: field gold: a list of ids is needed"),
        ('{"id": "q", "gold": {"a": 0.5}}\n', r"qrels:1: field gold: grades must be whole"),
        ('{"id": "q", "gold": [null]}\n', r"qrels:1: field gold: .*NoneType"),
        ('{"gold": ["a"]}\n', r"qrels:1: field id: no question id"),
        ('{"id": "q"}\n[1]\n', r"qrels:2: not a JSON object"),
    ],
)
def test_gold_that_cannot_be_read_is_named(write, qrels: str, message: str) -> None:  # type: ignore[no-untyped-def]
    """File, line, field and what is wrong with it."""

    with pytest.raises(InputError, match=message):
        hits(write, "q Q0 a 1 2 t\n", qrels.replace("q 0 a\n", "q 0 a 1\n"))


def test_files_that_are_not_there_are_named(tmp_path: Path) -> None:
    """Before anything is read."""

    with pytest.raises(InputError, match="no such file"):
        read_hits(tmp_path / "run", tmp_path / "qrels")


def test_a_scored_run_needs_gold(write) -> None:  # type: ignore[no-untyped-def]
    """A TREC run carries none itself."""

    with pytest.raises(UsageError, match="carries no gold"):
        read_hits(write("run", "q Q0 a 1 2 t\n"))


def test_beir_gold_with_and_without_header(write) -> None:  # type: ignore[no-untyped-def]
    """Three columns by tabs, so that an id may hold a space; the header is no judgement."""

    made = read_qrels(write("q.tsv", "query-id\tcorpus-id\tscore\nq1\tfees 2\t1\nq2\tx\t0\n"))

    assert list(made.questions) == ["q1", "q2"]
    assert made.by_question() == [{"fees 2": 1}, {}]


def test_gold_named_twice_counts_once_under_its_highest_grade(write) -> None:  # type: ignore[no-untyped-def]
    """Only where the grades differ is there something to say."""

    same = read_qrels(write("same", "q 0 a 1\nq 0 a 1\n"))
    differing = read_qrels(write("differing", "q 0 a 1\nq 0 b 1\nq 0 a 3\n"))

    assert same.by_question() == [{"a": 1}]
    assert same.notes == ()
    assert differing.by_question() == [{"a": 3, "b": 1}]
    assert differing.notes == ("1 gold ids are graded twice: the highest grade counts",)


def test_a_byte_order_mark_is_no_part_of_the_first_id(write) -> None:  # type: ignore[no-untyped-def]
    """Gold files from spreadsheets begin with one."""

    assert list(read_qrels(write("q", b"\xef\xbb\xbfq1 0 a 1\n")).questions) == ["q1"]


def test_a_jsonl_run_keeps_its_order(write) -> None:  # type: ignore[no-untyped-def]
    """Ids, pairs and objects; a list keeps its order whatever its scores say."""

    run = (
        '{"id": "q1", "retrieved": ["x", "a"]}\n'
        '{"id": 2, "retrieved": [["a", 0.1], ["x", 0.9]]}\n'
        '{"qid": "q3", "retrieved": [{"id": 7}]}\n'
        '{"qid": "q4", "retrieved": null}\n'
    )
    gold = '{"id": "q1", "gold": ["a"]}\n{"id": "2", "gold": {"a": 2}}\n{"id": "q3", "gold": [7]}\n'

    made = hits(write, run, gold)

    assert ranks(made) == {("q1", 1): 2, ("2", 2): 1, ("q3", 1): 1}
    assert made.n_unlabelled == 1


def test_a_jsonl_run_may_carry_its_own_gold(write) -> None:  # type: ignore[no-untyped-def]
    """Records with `retrieved` and `gold` are a run and its gold at once."""

    run = (
        '{"id": "q1", "retrieved": ["a"], "gold": ["a"]}\n'
        '{"id": "q2", "retrieved": ["a"], "gold": []}\n{"id": "q3", "retrieved": ["a"]}\n'
    )
    made = summarise(read_hits(write("run.jsonl", run)), [1])

    assert made.at[1].recall.value == 1.0
    assert (made.n_questions, made.n_unanswerable, made.n_unlabelled) == (1, 1, 1)


def test_gold_in_jsonl_serves_a_scored_run(write) -> None:  # type: ignore[no-untyped-def]
    """Formats of run and gold are independent."""

    made = hits(write, "q1 Q0 12 1 2.5 t\n", '{"id": "q1", "gold": [12]}\n')

    assert ranks(made) == {("q1", 1): 1}


@pytest.mark.parametrize(
    "text",
    ["0", "-0.0", "7.051219", "-3", "+2", "1e-40", "3.4e38", "1e39", ".5", "5.", "00012.50",
     "12.345678901234567", "0.1234567890123456789012345", "123456789012345678",
     "1234567890123456789", "16777217", "8388608.500000001", "0.000000000000000001", "inf"],
)  # fmt: skip
def test_numbers_are_read_as_the_nearest_32_bit_float(text: str) -> None:
    """Short decimals by one exact division, all others as `float` has them."""

    with np.errstate(over="ignore"):
        want = np.float32(float(text))

    assert Words.of([b"1", text.encode(), b"22.5"]).singles().tolist() == [1.0, want, 22.5]


@pytest.mark.parametrize("text", ["", "-", ".", "1.2.3", "1-2", "abc", "--1", "0x10", "1 2"])
def test_what_is_no_number_is_nan(text: str) -> None:
    """The reader then names the line."""

    assert np.isnan(Words.of([text.encode()]).singles()).all()


def test_words_are_compared_to_the_last_byte() -> None:
    """Equal beginnings, equal lengths and a difference in the ninth byte are told apart."""

    words = Words.of([b"a", b"a", b"abcdefgh1", b"abcdefgh2", b"abcdefgh", b"abcdefgh"])

    assert words.starts_a_run().tolist() == [True, False, True, True, True, False]
    hashes = words.hashes().tolist()
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 4
    assert Words.of([b"a"]).hashes().tolist() == hashes[:1]


def test_an_empty_block_has_no_words() -> None:
    """A file of blank lines is an empty run."""

    assert [len(w.start) for w in columns(b"\n \n", 6, Path("run"), 1)] == [0] * 6
