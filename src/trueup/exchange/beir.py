"""Reads retrieval data, BEIR's and TREC's: queries, corpus, qrels and runs, from several files."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trueup.domain.transfer import ImportedRecord
from trueup.errors import InputError
from trueup.exchange.base import id_text, raw_lines
from trueup.exchange.entries import FieldError
from trueup.exchange.jsonl import read_object
from trueup.exchange.jsonl_write import record_line
from trueup.exchange.outside import left_over
from trueup.exchange.reading import Reading, Row
from trueup.exchange.rows import rows_of
from trueup.exchange.trec_qrels import read_qrels, text_of

CONTEXT = 10
"""So many of a run's first documents become the context, where the corpus has their texts."""
_RUN_COLUMNS = 6


@dataclass(slots=True)
class _Data:
    """Everything the files say, by query."""

    queries: dict[str, Row] = field(default_factory=dict)
    gold: dict[str, dict[str, int]] = field(default_factory=dict)
    runs: dict[str, list[str]] = field(default_factory=dict)
    texts: dict[str, dict[str, Any]] = field(default_factory=dict)
    has_corpus: bool = False


def read_retrieval(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """One record for each query of any of the files.

    Qrels give `gold` (no grade above 0: unanswerable), a run gives `retrieved` in trec_eval's
    order; both go to records of the workspace with that id, where there are any and no file of
    queries names it. The corpus gives the texts of gold chunks, and of the run's first ones as
    context.
    """
    data = _Data()
    corpora = []
    for path in paths:
        kind = _kind(path)
        if kind == "qrels":
            _add_gold(data, path)
        elif kind == "run":
            _add_run(data, path)
        elif kind == "corpus":
            corpora.append(path)
        else:
            _add_queries(data, path, reading)
    names = dict.fromkeys([*data.queries, *data.gold, *data.runs])
    if corpora and not names:
        raise InputError(
            "is a corpus: texts without questions", path=corpora[0],
            hint="give queries and qrels with it: trueup import corpus.jsonl queries.jsonl "
            "qrels/test.tsv",
        )  # fmt: skip
    for path in corpora:
        _add_texts(data, path, reading)
    for name in names:
        yield from _records(name, data, paths[0], reading)


def _kind(path: Path) -> str:
    """corpus, queries, qrels or run, by the first line that is not blank."""
    first = next(raw_lines(path), None)
    if first is None:
        raise InputError("is empty", path=path)
    line = first[1].lstrip()
    if line[:1] == b"{":
        return "corpus" if b'"title"' in line else "queries"
    return "run" if len(line.split()) == _RUN_COLUMNS and b"\t" not in line[:3] else "qrels"


def _add_gold(data: _Data, path: Path) -> None:
    qrels = read_qrels(path)
    for name, grades in zip(qrels.questions, qrels.by_question(), strict=True):
        data.gold.setdefault(name, {}).update(grades)


def _add_run(data: _Data, path: Path) -> None:
    """Ids by score as 32-bit floats, the highest first; equal scores by id, the highest first."""
    scores: dict[str, array[float]] = {}
    ids: dict[str, list[str]] = {}
    for number, raw in raw_lines(path):
        words = text_of(raw, path, number).split()
        if len(words) != _RUN_COLUMNS:
            what = f"{len(words)} columns where {_RUN_COLUMNS} are needed"
            raise InputError(what, path=path, line=number)
        try:
            score = float(words[4])
        except ValueError:
            what = f"{words[4]!r} is no number"
            raise InputError(what, path=path, line=number, field="score") from None
        scores.setdefault(words[0], array("f")).append(score)
        ids.setdefault(words[0], []).append(words[2])
    for name, given in ids.items():
        ordered = sorted(zip(scores[name], given, strict=True), reverse=True)
        data.runs[name] = list(dict.fromkeys(doc for _, doc in ordered))


def _add_queries(data: _Data, path: Path, reading: Reading) -> None:
    for row in rows_of([path], reading):
        name = id_text(row.value.get("_id"))
        if name is None or not isinstance(row.value.get("text"), str):
            error = FieldError("_id" if name is None else "text", "is missing")
            reading.refuse(row.path, row.line, error)
        elif name in data.queries and data.queries[name].value != row.value:
            first = data.queries[name].line
            reading.refuse(
                row.path, row.line, FieldError("_id", f"{name!r} is on line {first}, too")
            )
        else:
            data.queries[name] = row


def _add_texts(data: _Data, path: Path, reading: Reading) -> None:
    """The texts that are needed; a corpus may have millions of others."""
    wanted = {doc for grades in data.gold.values() for doc in grades}
    wanted |= {doc for docs in data.runs.values() for doc in docs[:CONTEXT]}
    data.has_corpus = True
    for row in rows_of([path], reading):
        name = id_text(row.value.get("_id"))
        if name in wanted and isinstance(row.value.get("text"), str):
            chunk: dict[str, Any] = {"id": name, "text": row.value["text"]}
            title = row.value.get("title")
            if isinstance(title, str) and title:
                chunk["meta"] = {"title": title}
            data.texts[str(name)] = chunk


def _records(name: str, data: _Data, path: Path, reading: Reading) -> Iterator[ImportedRecord]:
    row = data.queries.get(name)
    known = reading.lookup(name) if row is None else ()
    bases: list[dict[str, Any]] = [record_line(k.record) for k in known]
    if row is not None:
        question = {"question": row.value["text"], "meta": left_over(row.value, ("_id", "text"))}
        bases = [{"id": name, "answer": "", **question}]
    where = (str(path), None) if row is None else (str(row.path), row.line)
    for base in bases or [{"id": name, "answer": ""}]:
        value = {**base, **_retrieval(name, data, base, reading)}
        try:
            yield read_object(value, reading.entries, *where)
        except FieldError as error:
            reading.refuse(Path(where[0]), where[1], error)


def _retrieval(name: str, data: _Data, base: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    """Gold and retrieved ids, and the texts that the corpus has of them."""
    found: dict[str, Any] = {}
    grades = data.gold.get(name)
    if grades is not None:
        found["gold"] = list(grades)
        if any(grade != 1 for grade in grades.values()):
            found["meta"] = {**base.get("meta", {}), "grades": grades}
        texts = [data.texts[doc]["text"] for doc in grades if doc in data.texts]
        if texts:
            found["gold_context"] = texts
    if name in data.runs:
        found["retrieved"] = data.runs[name]
        first = data.runs[name][:CONTEXT]
        chunks = [data.texts[doc] for doc in first if doc in data.texts]
        if chunks and "context" not in base:
            found["context"] = chunks
    if data.has_corpus:
        needed = {*(grades or ()), *data.runs.get(name, [])[:CONTEXT]}
        reading.count("documents are not in the corpus", len(needed - data.texts.keys()))
    return found
