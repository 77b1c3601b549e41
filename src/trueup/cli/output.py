"""The only writer of stdout and stderr.

Results go to stdout: words and tables for people, or one JSON object (`--json`). Everything else,
progress included, goes to stderr. Text from records, judges and people passes `display`, so that no
control character of the data reaches the terminal.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from trueup.domain.display import display
from trueup.errors import UsageError

if TYPE_CHECKING:
    from rich.progress import Progress


@dataclass(slots=True)
class Output:
    """How one command speaks: `as_json` keeps stdout to one object; `verbosity` -1 is quiet."""

    as_json: bool = False
    verbosity: int = 0
    debug: bool = False

    def result(self, command: str, data: dict[str, Any], human: Callable[[], str]) -> None:
        """The command's answer: `{"schema": "trueup.COMMAND/1", …}`, or what `human` writes."""
        if self.as_json:
            self.json({"schema": f"trueup.{command}/1", **data})
        elif text := human():
            self.text(text)

    def json(self, data: dict[str, Any]) -> None:
        """One strict JSON object on stdout: UTF-8, no NaN."""
        self.raw(json.dumps(data, ensure_ascii=False, allow_nan=False, indent=2) + "\n")

    def text(self, text: str) -> None:
        """Lines for people on stdout."""
        self.raw(safe(text) + "\n")

    def raw(self, text: str) -> None:
        """Bytes as they are on stdout: files and JSON, whose escapes are their own."""
        _write(sys.stdout, text)

    def file(self, path: Path, lines: Iterable[str]) -> int:
        """Write lines to a file whole or not at all; returns how many. Raises UsageError."""
        draft = path.with_name(path.name + ".part")
        count = 0
        try:
            with draft.open("w", encoding="utf-8", newline="") as file:
                for line in lines:
                    file.write(line)
                    count += 1
            draft.replace(path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise UsageError(
                f"cannot write {path}: {error.strerror or error}",
                hint="name another file with -o, in a directory that is there",
            ) from error
        return count

    def info(self, text: str) -> None:
        """A remark on stderr; silent with -q."""
        if self.verbosity >= 0:
            _write(sys.stderr, safe(text) + "\n")

    def detail(self, text: str) -> None:
        """A remark on stderr that only -v shows."""
        if self.verbosity >= 1:
            _write(sys.stderr, safe(text) + "\n")

    def warning(self, text: str) -> None:
        """A warning on stderr."""
        _write(sys.stderr, f"warning: {safe(text)}\n")

    def error(self, message: str, hint: str | None = None) -> None:
        """What happened and where, and what to do, on stderr."""
        _write(sys.stderr, f"error: {safe(message)}\n")
        if hint:
            _write(sys.stderr, f"hint: {safe(hint)}\n")

    @contextmanager
    def progress(self, label: str, total: int | None = None) -> Iterator[Callable[..., None]]:
        """A bar with rate and time left on a terminal's stderr; nothing elsewhere.

        Yields `advance(n=1, total=None, note="")`.
        """
        if self.verbosity < 0 or not sys.stderr.isatty():
            yield lambda n=1, total=None, note="": None
            return
        with _bar() as bar:
            task = bar.add_task(label, total=total, note="")

            def advance(n: float = 1, total: float | None = None, note: str = "") -> None:
                bar.update(task, advance=n, total=total, note=safe(note))

            yield advance


def _bar() -> Progress:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        SpinnerColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class _Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:,.0f}/s" if task.speed else "", style="dim")

    class _Note(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(str(task.fields.get("note", "")), style="dim")

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeRemainingColumn(),
        _Note(),
        console=Console(stderr=True, no_color=bool(os.environ.get("NO_COLOR"))),
        transient=True,
    )


def safe(text: str) -> str:
    """Text with no control character but the line feed."""
    return "\n".join(display(line) for line in text.split("\n"))


def table(rows: Iterable[Sequence[str]], header: Sequence[str], right: Sequence[int] = ()) -> str:
    """Columns aligned by what a terminal shows; `right` names the columns set to the right."""
    from rich.cells import cell_len

    cells = [[display(str(c)) for c in row] for row in [header, *rows]]
    widths = [max(cell_len(row[i]) for row in cells) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        parts = [
            " " * (w - cell_len(c)) + c if i in right else c + " " * (w - cell_len(c))
            for i, (c, w) in enumerate(zip(row, widths, strict=True))
        ]
        return "  ".join(parts).rstrip()

    return "\n".join([line(cells[0]), "  ".join("─" * w for w in widths), *map(line, cells[1:])])


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
    except UnicodeEncodeError:
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()
