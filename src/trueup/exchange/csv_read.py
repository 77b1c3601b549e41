"""Rows of a CSV file as texts: any encoding and delimiter, no type guessed, no row lost."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from trueup.domain.display import sanitise_stored
from trueup.errors import InputError
from trueup.exchange.csv_safety import restore
from trueup.exchange.entries import FieldError
from trueup.exchange.fields import known_names
from trueup.exchange.reading import Reading, Row

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DELIMITERS = ",\t;|"
_SEP = re.compile(r"\"?sep=([,;\t|])\"?\r?\n")
_LOOKED_AT = 20
_LARGEST_FIELD = 2**31 - 1
"""The largest limit that the csv module takes on every system."""
_BLOCK = 1 << 20
_HEAD_CHARACTERS = 1 << 16


class Table(NamedTuple):
    """How a file is written, and its header."""

    encoding: str
    delimiter: str
    header: tuple[str, ...]
    skipped: int = 0
    """Lines before the header: Excel's `sep=;`."""


def read_csv(path: Path, reading: Reading) -> Iterator[Row]:
    """Each line of the table as an object of texts, by the names of the header.

    Formula protection of `csv_safety` is taken off. The line is that on which the row begins. A row
    with another number of cells than the header, and a quotation mark that is never closed, are
    refused: a table read on past them would be another table.
    """
    table = look(path)
    if table.encoding == "cp1252":
        reading.say(f"{path}: is not UTF-8; read as cp1252 (western Windows)")
    rows = _cells(path, table)
    _, header = next(rows, (0, []))
    names = _names([restore(name).strip() for name in header], path)
    for line, cells in rows:
        try:
            yield Row(path, line, _row(names, cells))
        except FieldError as error:
            reading.refuse(path, line, error)


def look(path: Path) -> Table:
    """Encoding, delimiter and header of a file. Raises InputError where there is no header.

    The delimiter is the one that Excel's `sep=` line names; else the one that finds most known
    names in the header, then rows of one length, then most columns.
    """
    encoding = _encoding(path)
    with path.open(encoding=encoding, newline="") as file:
        head = file.read(_HEAD_CHARACTERS)
    named = _SEP.match(head)
    body = head[named.end() :] if named else head
    best: tuple[tuple[int, bool, int], str, tuple[str, ...]] | None = None
    for delimiter in named[1] if named else _DELIMITERS:
        rows = _first_rows(body, delimiter)
        header = tuple(restore(cell).strip() for cell in rows[0]) if rows else ()
        even = all(len(row) == len(header) for row in rows)
        score = len(set(header) & known_names()), even and len(header) > 1, len(header)
        if best is None or score > best[0]:
            best = score, delimiter, header
    if best is None or not any(best[2]):
        raise InputError("has no header", path=path)
    return Table(encoding, best[1], best[2], skipped=1 if named else 0)


def _first_rows(head: str, delimiter: str) -> list[list[str]]:
    """The first rows that are not blank, without the last one, which may be cut off."""
    csv.field_size_limit(_LARGEST_FIELD)
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(head, newline=""), delimiter=delimiter):
            if any(cell.strip() for cell in row):
                rows.append(row)
            if len(rows) > _LOOKED_AT:
                break
    except csv.Error:
        pass
    return rows[:-1] if len(rows) > 1 else rows


def _encoding(path: Path) -> str:
    """By the byte order mark; else UTF-8 where the whole file is, else cp1252."""
    try:
        with path.open("rb") as file:
            head = file.read(4)
            for mark, name in _BOMS:
                if head.startswith(mark):
                    return name
            for name in ("utf-8", "cp1252"):
                file.seek(0)
                if _decodes(file, name):
                    return name
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from error
    raise InputError(
        "is neither UTF-8 nor cp1252", path=path, hint="save it as UTF-8 and import it again"
    )


def _decodes(file: io.BufferedReader, encoding: str) -> bool:
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        while block := file.read(_BLOCK):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _cells(path: Path, table: Table) -> Iterator[tuple[int, list[str]]]:
    """(line, cells) of each row that is not blank, the header first."""
    csv.field_size_limit(_LARGEST_FIELD)
    begins = 1 + table.skipped
    with path.open(encoding=table.encoding, newline="") as file:
        for _ in range(table.skipped):
            file.readline()
        reader = csv.reader(file, delimiter=table.delimiter, strict=True)
        while True:
            try:
                row = next(reader, None)
            except (csv.Error, UnicodeError) as error:
                raise InputError(
                    _csv_reason(str(error)), path=path, line=begins,
                    hint="quote a cell with quotation marks in it, and double those inside",
                ) from None  # fmt: skip
            if row is None:
                return
            if any(row) and (len(row) > 1 or row[0].strip() or len(table.header) == 1):
                yield begins, row
            begins = reader.line_num + 1 + table.skipped


def _csv_reason(message: str) -> str:
    if "unexpected end of data" in message:
        return "a quotation mark opens here and is never closed"
    if "expected after" in message:
        return "text stands behind the closing quotation mark of a cell"
    return f"is no CSV: {message}"


def _names(header: list[str], path: Path) -> list[str | None]:
    """Column names; None for one without a name (an index that a program wrote)."""
    twice = sorted({name for name in header if name and header.count(name) > 1})
    if twice:
        raise InputError(
            f"two columns are named {twice[0]!r}", path=path, line=1, hint="rename one of them"
        )
    return [None if not name or name == "Unnamed: 0" else name for name in header]


def _row(names: list[str | None], cells: list[str]) -> dict[str, str]:
    if len(cells) > len(names) and not any(cell.strip() for cell in cells[len(names) :]):
        cells = cells[: len(names)]
    if len(cells) != len(names):
        raise FieldError("", f"has {len(cells)} cells where the header has {len(names)}")
    return {
        name: sanitise_stored(restore(cell))
        for name, cell in zip(names, cells, strict=True)
        if name is not None
    }
