"""Reads files through the front door of `exchange`, as an import does."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trueup.domain.model import Label, Record, Unit, Verdict
from trueup.domain.transfer import ImportedRecord
from trueup.exchange.detect import read_files
from trueup.exchange.reading import Reading


@dataclass(frozen=True)
class Read:
    """What came of some files."""

    items: list[ImportedRecord]
    reading: Reading
    formats: list[str]

    @property
    def records(self) -> list[Record]:
        """The records, in order."""
        return [item.record for item in self.items]

    @property
    def units(self) -> list[Unit]:
        """Every unit."""
        return [u for item in self.items for units in item.claims.values() for u in units]

    @property
    def labels(self) -> list[Label]:
        """Every label event."""
        return [label for item in self.items for label in item.labels]

    @property
    def verdicts(self) -> list[Verdict]:
        """Every verdict."""
        return [verdict for item in self.items for verdict in item.verdicts]

    @property
    def judges(self) -> dict[str, str]:
        """Judge's name -> its model."""
        return {spec.name: spec.model for item in self.items for spec in item.judges}

    @property
    def passages(self) -> list[list[str]]:
        """The context of each record as texts; [] where it has none."""
        return [[c.text for c in r.context or ()] for r in self.records]

    def said(self) -> list[tuple[str, str, str]]:
        """(text, metric, value) of each verdict."""
        texts = {u.key: u.text for u in self.units}
        return [(texts[v.unit], v.metric, v.value) for v in self.verdicts]


def read(*paths: Path, **options: Any) -> Read:
    """Read files; options are those of `Reading`, and `format`."""
    format_ = options.pop("format", None)
    reading = Reading(**options)
    formats: list[tuple[str, str]] = []
    items = list(read_files(paths, reading, format=format_, formats=formats))
    return Read(items, reading, [name for _, name in formats])


def written(path: Path, content: object) -> Path:
    """A file of bytes, of a text, of JSON (an object or a list), or of lines (an iterator)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, str):
        path.write_bytes(content.encode("utf-8", "surrogatepass"))
    elif isinstance(content, (dict, list)):
        path.write_text(json.dumps(content, indent=1), "utf-8")
    else:
        assert isinstance(content, Iterable)
        path.write_text("".join(json.dumps(line) + "\n" for line in content), "utf-8")
    return path


def lines(*objects: object) -> Any:
    """Objects to be written a line each."""
    return iter(objects)
