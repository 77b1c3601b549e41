"""Tells the format of a file from its content, and names its reader without importing the others.

A format that can be read has a module here; one that is only recognised says so. Its importer goes
into `READERS` when it exists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from trueup.errors import InputError, UsageError

if TYPE_CHECKING:
    from trueup.exchange.base import Reader

FORMATS = (
    "jsonl", "csv", "parquet", "ragas", "deepeval", "eval-lib", "phoenix", "trulens", "langfuse",
    "promptfoo", "openai-evals", "ragtruth", "ragchecker", "beir", "trec", "label-studio",
)  # fmt: skip
"""Every format of the contract."""

READERS: dict[str, str] = {"jsonl": "trueup.exchange.jsonl:read_jsonl"}
"""Format -> `module:function` (a base.Reader). Imported when a file of that format is read."""

_HEAD = 1 << 16
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "parquet"),
    (b"PK\x03\x04", "a zip archive (or a spreadsheet): unpack it, or save it as CSV"),
    (b"\x1f\x8b", "a gzip archive: unpack it first"),
    (b"SQLite format 3", "an SQLite database: name it with -C or TRUEUP_DATABASE_URL"),
    (b"%PDF", "a PDF"),
)
_PICKLE = re.compile(rb"\x80[\x02-\x05]|c[\w.]+\n[\w.]+\n|\(?[dlip]p?\d+\n")
"""Binary protocols, and the first opcodes of the old text protocol."""
_SIGNS: tuple[tuple[frozenset[str], str], ...] = tuple(
    (frozenset(keys.split()), name)
    for keys, name in (
        ("context.span_id", "phoenix"),
        ("span_id annotator_kind", "phoenix"),
        ("trace_id observation_id source", "langfuse"),
        ("trace_id type parent_observation_id", "langfuse"),
        ("source_id labels response", "ragtruth"),
        ("source_id source_info", "ragtruth"),
        ("app_id record_id events", "trulens"),
        ("app_name record_id input output", "trulens"),
        ("query expected_chunks", "trulens"),
        ("_id text", "beir"),
        ("spec", "openai-evals"),
        ("run_id event_id type data", "openai-evals"),
        ("item sample", "openai-evals"),
        ("input ideal", "openai-evals"),
        ("evalId results", "promptfoo"),
        ("testCases", "deepeval"),
        ("data annotations", "label-studio"),
        ("data predictions", "label-studio"),
        ("session_id data", "eval-lib"),
        ("test_cases metrics", "eval-lib"),
    )
)
"""Keys of the first object that only one format has together. The first that fits decides."""


def reader_for(path: Path, format: str | None = None) -> tuple[str, Reader]:  # noqa: A002 (the name users type)
    """(format, reader) of a file: as its content says, or `format` where it is given.

    Raises UsageError for an unknown format, InputError for a file that is none of them or one that
    is recognised but cannot be read.
    """
    if format is not None and format not in FORMATS:
        raise UsageError(f"unknown format {format!r}", hint="one of: " + ", ".join(FORMATS))
    name = sniff(path) if format is None else format
    if name not in READERS:
        raise InputError(
            f"looks like {name}, which cannot be read yet",
            path=path,
            hint="convert it to trueup JSONL: one record a line, see the guide on formats",
        )
    if format is not None:
        _refuse_binary(path, _head(path))
    module, _, function = READERS[name].partition(":")
    return name, cast("Reader", getattr(import_module(module), function))


def sniff(path: Path) -> str:
    """The format of a file, from its first 64 KB. Raises InputError for what is no text format."""
    head = _head(path)
    if head.startswith(b"PAR1"):
        return "parquet"
    _refuse_binary(path, head)
    text = head.decode("utf-8-sig", "replace").lstrip()
    if not text:
        raise InputError("is empty", path=path)
    if text[0] in "{[":
        return _json_kind(text)
    if text[0] == "<":
        raise InputError("is XML or HTML, no format of trueup", path=path)
    return _table_kind(text)


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error


def _refuse_binary(path: Path, head: bytes) -> None:
    if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        if path.suffix in {".csv", ".tsv", ".txt"}:
            return
        raise InputError("is UTF-16", path=path, hint="save it as UTF-8")
    for magic, what in _MAGIC:
        if head.startswith(magic):
            raise InputError(f"is {what}", path=path)
    if _PICKLE.match(head):
        raise InputError(
            "is a Python pickle, which could run any program and is never opened",
            path=path,
            hint="write the data as JSONL",
        )
    if b"\x00" in head:
        raise InputError("is a binary file, no text", path=path)


def _json_kind(text: str) -> str:
    """The format of JSON text by the keys of its first object."""
    first, whole_line = _first_object(text)
    keys = _keys(first)
    for signs, name in _SIGNS:
        if signs <= keys:
            return name
    if whole_line:
        return "jsonl"
    inner = _keys(first.get("results")) if isinstance(first, dict) else set()
    if {"query", "response"} <= inner:
        return "ragchecker"
    if isinstance(first, dict) and first.get("object") == "list":
        return "openai-evals"
    if keys & {"actual_output", "retrieval_context", "actualOutput"}:
        return "deepeval"
    if keys & {"user_input", "contexts", "retrieved_contexts", "metric_input"} or _annotations(
        first
    ):
        return "ragas"
    return "jsonl"


def _first_object(text: str) -> tuple[Any, bool]:
    """(the first object, whether it fills its line). An object cut off by the head is read so far
    as its keys stand there."""
    line, newline, _ = text.partition("\n")
    parse: tuple[Callable[[], Any], ...] = (
        lambda: json.loads(line),
        lambda: json.JSONDecoder().raw_decode(text)[0],
    )
    for i, attempt in enumerate(parse):
        try:
            value = attempt()
        except (ValueError, RecursionError):
            continue
        if isinstance(value, list):
            value = value[0] if value else {}
            return value, False
        return value, i == 0
    # Longer than the head: the keys that are spelt out there are what we know.
    return dict.fromkeys(_spelt_keys(text)), not newline and text[0] == "{"


def _spelt_keys(text: str) -> list[str]:
    parts = text.split('"')
    return [key for key, after in zip(parts[1::2], parts[2::2], strict=False) if after[:1] == ":"]


def _keys(value: Any) -> set[str]:
    if isinstance(value, list):
        value = value[0] if value else None
    return set(value) if isinstance(value, dict) else set()


def _annotations(first: Any) -> bool:
    """ragas' metric annotations: a list of objects with `metric_input` per metric."""
    return isinstance(first, dict) and any("metric_input" in _keys(v) for v in first.values())


def _table_kind(text: str) -> str:
    line = text.partition("\n")[0].rstrip("\r")
    fields = line.split()
    if len(fields) == 6 and fields[1].upper() == "Q0":
        return "trec"
    if len(fields) == 4 and fields[1] in {"0", "Q0"} and fields[3].lstrip("-").isdigit():
        return "trec"
    if line.split("\t") == ["query-id", "corpus-id", "score"]:
        return "beir"
    return "csv"
