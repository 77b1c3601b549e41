"""A page of sections: sentences, figures and tables. As HTML and as Markdown.

The same promises as the calibration report: one file, no script, nothing from outside, and every
text of data escaped and made safe to show.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from trueup.report.figures import Figure
from trueup.report.html import policy, shared_environment, style_sheet
from trueup.report.markdown import table as markdown_table
from trueup.report.markdown import text
from trueup.report.tables import Cell, Table

_CODE = re.compile(r"`([^`\n]{1,80})`")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page; sentences may hold commands in backticks."""

    title: str
    sentences: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True, slots=True)
class SimplePage:
    """A whole page."""

    title: str
    lead: str
    sections: tuple[Section, ...]


def to_html(page: SimplePage) -> str:
    """The page as one HTML file. The same page gives the same bytes."""
    css = style_sheet()
    environment = shared_environment().overlay()
    environment.filters = environment.filters | {"pieces": _pieces}
    template = environment.get_template("simple.html.j2")
    return template.render(page=page, css=css, csp=policy(css)) + "\n"


def to_markdown(page: SimplePage) -> str:
    """The page as Markdown; a figure is its table."""
    return "\n".join(_lines(page)).rstrip() + "\n"


def _pieces(sentence: str) -> list[tuple[str, str]]:
    """A sentence in pieces: plain text, and commands in backticks."""
    found: list[tuple[str, str]] = []
    at = 0
    for match in _CODE.finditer(sentence):
        found += [("text", sentence[at : match.start()]), ("code", match[1])]
        at = match.end()
    return [*found, ("text", sentence[at:])]


def _lines(page: SimplePage) -> Iterator[str]:
    yield f"# {text(page.title)}"
    yield ""
    yield _sentence(page.lead)
    for section in page.sections:
        yield f"\n## {text(section.title)}\n"
        yield from (f"- {_sentence(s)}" for s in section.sentences)
        for table in (*(f.table for f in section.figures), *section.tables):
            yield f"\n**{text(table.caption)}**\n"
            yield from markdown_table(
                [text(h) for h in table.head], ([_cell(c) for c in row] for row in table.rows)
            )
            if table.more:
                yield f"\n{_sentence(table.more)}"


def _cell(cell: Cell) -> str:
    return text(cell if isinstance(cell, str) else cell.text)


def _sentence(sentence: str) -> str:
    """A sentence as Markdown; the spaces around a command stay."""
    made = ""
    for kind, piece in _pieces(sentence):
        if kind == "code":
            made += f"`{piece}`"
        else:
            body = text(piece)
            left = " " if piece[:1].isspace() else ""
            right = " " if body and piece[-1:].isspace() else ""
            made += f"{left}{body}{right}"
    return made
