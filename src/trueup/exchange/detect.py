"""Tells the format of a file from its content, and names its reader without importing the others.

A format that can be read has a module here; one that is only recognised says so. Its importer goes
into `READERS` when it exists.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from trueup.domain.transfer import ImportedRecord
from trueup.errors import InputError, UsageError

if TYPE_CHECKING:
    from trueup.exchange.reading import Importer, Reading

FORMATS = (
    "jsonl", "csv", "parquet", "ragas", "deepeval", "eval-lib", "phoenix", "trulens", "langfuse",
    "promptfoo", "openai-evals", "ragtruth", "ragchecker", "beir", "trec", "label-studio", "mlflow",
)  # fmt: skip
"""Every format that can be read."""

READERS: dict[str, str] = {
    "jsonl": "trueup.exchange.jsonl:import_jsonl",
    "csv": "trueup.exchange.tables:read_tables",
    "parquet": "trueup.exchange.tables:read_tables",
    "ragas": "trueup.exchange.ragas:read_ragas",
    "deepeval": "trueup.exchange.deepeval:read_deepeval",
    "eval-lib": "trueup.exchange.eval_lib:read_eval_lib",
    "phoenix": "trueup.exchange.phoenix:read_phoenix",
    "trulens": "trueup.exchange.trulens:read_trulens",
    "langfuse": "trueup.exchange.langfuse:read_langfuse",
    "promptfoo": "trueup.exchange.promptfoo:read_promptfoo",
    "openai-evals": "trueup.exchange.openai_evals:read_openai_evals",
    "ragtruth": "trueup.exchange.ragtruth:read_ragtruth",
    "ragchecker": "trueup.exchange.ragchecker:read_ragchecker",
    "beir": "trueup.exchange.beir:read_retrieval",
    "trec": "trueup.exchange.beir:read_retrieval",
    "label-studio": "trueup.exchange.label_studio_file:read_label_studio",
    "mlflow": "trueup.exchange.mlflow:read_mlflow",
}
"""Format -> `module:function` (a reading.Importer). Imported when a file of that format is read."""

TOGETHER = frozenset({"phoenix", "langfuse", "ragtruth", "beir", "trec", "label-studio"})
"""Formats whose files are parts of one whole: all files of one import are read in one call."""

_HEAD = 1 << 16
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PAR1", "parquet"),
    (b"PK\x03\x04", "a zip archive (or a spreadsheet): unpack it, or save it as CSV"),
    (b"\x1f\x8b", "a gzip archive: unpack it first"),
    (b"SQLite format 3", "an SQLite database: name it with -C or TRUEUP_DATABASE_URL"),
    (b"%PDF", "a PDF"),
)
_YAML = re.compile(r"\A(?:---\s|%YAML)|!!python/|\A[\w-]+:(?:\s*$|\s+[^,\t;|\n]*$)", re.MULTILINE)
_PICKLE = re.compile(rb"\x80[\x02-\x05]|c[\w.]+\n[\w.]+\n(?=[().]|p\d+\n)|\(?[dlip]p?\d+\n")
"""Binary protocols, and the first opcodes of the old text protocol."""
_SIGNS: tuple[tuple[frozenset[str], str], ...] = tuple(
    (frozenset(keys.split()), name)
    for keys, name in (
        ("context.span_id", "phoenix"),
        ("span_id annotator_kind", "phoenix"),
        ("traceId observationId source", "langfuse"),
        ("trace_id observation_id source", "langfuse"),
        ("traceId type parentObservationId", "langfuse"),
        ("trace_id type parent_observation_id", "langfuse"),
        ("source_id labels response", "ragtruth"),
        ("source_id source_info", "ragtruth"),
        ("app_id record_id events", "trulens"),
        ("app_name record_id input output", "trulens"),
        ("app_id record_id record_json", "trulens"),
        ("query expected_chunks", "trulens"),
        ("query expected_response", "trulens"),
        ("_id text", "beir"),
        ("spec", "openai-evals"),
        ("run_id event_id type data", "openai-evals"),
        ("item sample", "openai-evals"),
        ("datasource_item results", "openai-evals"),
        ("input ideal", "openai-evals"),
        ("evalId results", "promptfoo"),
        ("testIdx promptIdx", "promptfoo"),
        ("testCases", "deepeval"),
        ("goldens", "deepeval"),
        ("data annotations", "label-studio"),
        ("data predictions", "label-studio"),
        ("annotation_id annotator lead_time", "label-studio"),
        ("session_id data", "eval-lib"),
        ("test_cases metrics", "eval-lib"),
        ("input actual_output extra_fields", "eval-lib"),
        ("inputs outputs", "mlflow"),
        ("inputs expectations", "mlflow"),
        ("user_input response", "ragas"),
        ("user_input retrieved_contexts", "ragas"),
        ("user_input reference", "ragas"),
        ("query gt_answer retrieved_context", "ragchecker"),
    )
)
"""Keys of the first object, or columns of a table, that only one format has together. The first
that fits decides."""
_DEEPEVAL = frozenset({"actual_output", "actualOutput", "retrieval_context", "expected_output"})


def reader_for(path: Path, format: str | None = None) -> tuple[str, Importer]:  # noqa: A002 (the name users type)
    """(format, reader) of a file: as its content says, or `format` where it is given.

    Raises UsageError for an unknown format, InputError for a file that is none of them.
    """
    if format is not None and format not in FORMATS:
        raise UsageError(f"unknown format {format!r}", hint="one of: " + ", ".join(FORMATS))
    if format is None:
        name = sniff(path)
    else:
        name = format
        head = _head(path)
        if not (head.startswith(b"PAR1") and name not in {"jsonl", "trec", "beir"}):
            _refuse_binary(path, head)
    module, _, function = READERS[name].partition(":")
    return name, cast("Importer", getattr(import_module(module), function))


def read_files(
    paths: Sequence[Path],
    reading: Reading,
    *,
    format: str | None = None,  # noqa: A002 (the name users type)
    formats: list[tuple[str, str]] | None = None,
) -> Iterator[ImportedRecord]:
    """The records of files, in order; files that belong together are read together.

    `formats` gets (path, format) of each. Raises InputError for files without a record: an import
    of nothing is never a success; and UsageError where `--map` names a column of none of them.
    """
    groups: list[tuple[Importer, list[Path]]] = []
    for path in paths:
        name, importer = reader_for(path, format)
        if formats is not None:
            formats.append((str(path), name))
        same = next((g for g in groups if g[0] is importer), None) if name in TOGETHER else None
        if same is None:
            groups.append((importer, [path]))
        else:
            same[1].append(path)
    for importer, group in groups:
        found = False
        for item in importer(group, reading):
            found = True
            yield item
        if not found:
            reading.check_mapping()
            raise InputError(_nothing(group, reading), path=group[0], hint=_why(reading))
    reading.check_mapping()


def _nothing(paths: Sequence[Path], reading: Reading) -> str:
    bad = sum(line.path in set(map(str, paths)) for line in reading.bad or ())
    return f"holds no record that can be read ({bad} bad lines)" if bad else "holds no record"


def _why(reading: Reading) -> str | None:
    return "; ".join(reading.notes) or None


def sniff(path: Path) -> str:
    """The format of a file, from its first 64 KB. Raises InputError for what is no text format."""
    head = _head(path)
    if head.startswith(b"PAR1"):
        from trueup.exchange.parquet_read import columns_of

        return _by_keys(set(columns_of(path))) or "parquet"
    _refuse_binary(path, head)
    wide = head[:2] in {b"\xff\xfe", b"\xfe\xff"}
    text = head.decode("utf-16" if wide else "utf-8-sig", "replace").lstrip()
    if not text:
        raise InputError("is empty", path=path)
    if text[0] in "{[":
        if wide:
            raise InputError("is UTF-16", path=path, hint="save it as UTF-8")
        return _json_kind(text)
    if text[0] == "<":
        raise InputError(
            "is XML or HTML, no format of trueup", path=path,
            hint="export the data as JSON Lines, CSV or Parquet",
        )  # fmt: skip
    if _YAML.search(text):
        raise InputError(
            "is YAML, which can name programs to run and is not read", path=path,
            hint="write the data as JSONL",
        )  # fmt: skip
    return _table_kind(path, text)


def _by_keys(keys: set[str]) -> str | None:
    for signs, name in _SIGNS:
        if signs <= keys:
            return name
    return "deepeval" if "input" in keys and keys & _DEEPEVAL else None


def _head(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(_HEAD)
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error


def _refuse_binary(path: Path, head: bytes) -> None:
    if head[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        return  # UTF-16 with its mark, which tables may be
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
        raise InputError(
            "is a binary file, no text", path=path,
            hint="if it is UTF-16 without a byte order mark, save it as UTF-8",
        )  # fmt: skip


def _json_kind(text: str) -> str:
    """The format of JSON text by the keys of its first object."""
    first, whole_line = _first_object(text)
    keys = _keys(first)
    if keys & {"answer", "claims"} and "annotation_id" not in keys:
        return _flat_kind(first, keys)  # trueup's own names
    if name := _by_keys(keys):
        return name
    inner = _keys(first.get("results")) if isinstance(first, dict) else set()
    if {"query", "response"} <= inner:
        return "ragchecker"
    if isinstance(first, dict) and first.get("object") == "list":
        return "openai-evals"
    if isinstance(first, dict) and isinstance(first.get("results"), dict):
        return "promptfoo"
    if not whole_line and keys & _DEEPEVAL:
        return "deepeval"
    return _flat_kind(first, keys)


def _flat_kind(first: Any, keys: set[str]) -> str:
    """ragas' tables and annotations; else our own."""
    columns = isinstance(first, dict) and isinstance(first.get("question"), list)
    if "metric_input" in keys or columns or _annotations(first):
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


def _table_kind(path: Path, text: str) -> str:
    line = text.partition("\n")[0].rstrip("\r")
    fields = line.split()
    if len(fields) == 6 and fields[1].upper() == "Q0":
        return "trec"
    if len(fields) == 4 and fields[1] in {"0", "Q0"} and fields[3].lstrip("-").isdigit():
        return "trec"
    if line.split("\t") == ["query-id", "corpus-id", "score"]:
        return "beir"
    from trueup.exchange.csv_read import look

    return _by_keys(set(look(path).header)) or "csv"
