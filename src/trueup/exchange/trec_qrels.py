"""Gold grades from files: TREC qrels, BEIR qrels (tab-separated, with a header), or JSONL.

The kind is read from the content of the first line that is not blank, never from the file's name.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from trueup.errors import InputError
from trueup.exchange.trec_jsonl import gold_of, json_rows, question_of
from trueup.exchange.trec_tokens import Words, pair_keys
from trueup.stats.counts import IntArray

_BOM = b"\xef\xbb\xbf"
_BEIR_HEADER = (b"query-id", b"corpus-id", b"score")
_TREC_COLUMNS = 4
_BEIR_COLUMNS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Qrels:
    """Labelled questions and their gold ids.

    `questions`: name → number, 0 … Q−1 (a question whose grades are all below 1 has no gold id: it
    is unanswerable). `question`, `grade` (G,) and `ids` (G, UTF-8) are the gold ids of positive
    grade. An id that is named again for a question counts once, with its highest grade.
    """

    questions: dict[str, int]
    question: IntArray
    grade: IntArray
    ids: list[bytes]
    notes: tuple[str, ...] = ()

    def by_question(self) -> list[dict[str, int]]:
        """Gold ids with grades of each question, in order."""
        gold: list[dict[str, int]] = [{} for _ in self.questions]
        for q, grade, name in zip(
            self.question.tolist(), self.grade.tolist(), self.ids, strict=True
        ):
            gold[q][name.decode()] = grade
        return gold


class _Builder:
    """Collects grades in the order of the file, in columns: there may be millions."""

    def __init__(self) -> None:
        self.questions: dict[bytes, int] = {}
        self.question = array("q")
        self.grade = array("q")
        self.ids: list[bytes] = []

    def name(self, question: bytes) -> int:
        return self.questions.setdefault(question, len(self.questions))

    def add(self, question: bytes, name: bytes, grade: int) -> None:
        number = self.name(question)
        if grade > 0:
            self.question.append(number)
            self.grade.append(grade)
            self.ids.append(name)

    def build(self) -> Qrels:
        questions = {name.decode(): number for name, number in self.questions.items()}
        question, grade = np.array(self.question, np.int64), np.array(self.grade, np.int64)
        made = Qrels(questions, question, grade, self.ids)
        keys = pair_keys(Words.of(self.ids).hashes(), question)
        return made if len(np.unique(keys)) == len(keys) else _once(made)


def _once(qrels: Qrels) -> Qrels:
    """The same gold with each id once a question, under its highest grade."""
    grades: dict[tuple[int, bytes], int] = {}
    differing = 0
    pairs = zip(qrels.question.tolist(), qrels.ids, strict=True)
    for pair, grade in zip(pairs, qrels.grade.tolist(), strict=True):
        known = grades.setdefault(pair, grade)
        differing += known != grade
        grades[pair] = max(known, grade)
    note = f"{differing} gold ids are graded twice: the highest grade counts"
    return Qrels(
        qrels.questions,
        np.fromiter((q for q, _ in grades), np.int64, len(grades)),
        np.fromiter(grades.values(), np.int64, len(grades)),
        [name for _, name in grades],
        (note,) if differing else (),
    )


def read_qrels(path: Path) -> Qrels:
    """Gold grades of a TREC, BEIR or JSONL file.

    TREC: `question iteration id grade`; BEIR: `question<TAB>id<TAB>grade` under its header; JSONL:
    one object a question with `id` and `gold`, a list of ids or an object of grades (a line without
    `gold` is not labelled and left out). Raises InputError with line and field.
    """
    made = _Builder()
    (_read_jsonl if kind_of(path) == "jsonl" else _read_columns)(made, path)
    return made.build()


def kind_of(path: Path) -> str:
    """`jsonl` where the first line that is not blank begins with a brace, else `columns`."""
    with path.open("rb") as file:
        for line in file:
            text = line.removeprefix(_BOM).strip()
            if text:
                return "jsonl" if text.startswith(b"{") else "columns"
    return "columns"


def text_of(raw: bytes, path: Path, line: int) -> str:
    """The bytes as UTF-8. Raises InputError where they are none."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8: {error.reason}", path=path, line=line) from error


def _read_columns(made: _Builder, path: Path) -> None:
    """BEIR parts its three columns by tabs (ids may hold spaces), TREC its four by any space."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            line = raw.removeprefix(_BOM) if number == 1 else raw
            words = line.split()
            if len(words) != _TREC_COLUMNS or line.count(b"\t") == _BEIR_COLUMNS - 1:
                words = _beir_words(line, path, number)
            if not line.isascii():
                text_of(line, path, number)
            if words:
                made.add(words[0], words[-2], _grade(words[-1], path, number))


def _beir_words(line: bytes, path: Path, number: int) -> list[bytes]:
    """Three columns; none for a blank line and the header."""
    words = [word.strip() for word in line.split(b"\t")]
    if len(words) != _BEIR_COLUMNS:
        words = line.split()
    if len(words) not in (0, _BEIR_COLUMNS):
        need = f"{_TREC_COLUMNS} (TREC) or {_BEIR_COLUMNS} (BEIR)"
        raise InputError(f"{len(words)} columns where {need} are needed", path=path, line=number)
    return [] if tuple(words) == _BEIR_HEADER else words


def _grade(word: bytes, path: Path, number: int) -> int:
    try:
        return int(word)
    except ValueError as error:
        said = f"{word.decode('utf-8', 'replace')!r} is not a whole number"
        raise InputError(said, path=path, line=number, field="grade") from error


def _read_jsonl(made: _Builder, path: Path) -> None:
    for line, row in json_rows(path):
        gold = gold_of(row, path, line)
        if gold is None:
            continue
        question = question_of(row, path, line).encode()
        made.name(question)
        for name, grade in gold.items():
            made.add(question, name.encode(), grade)
