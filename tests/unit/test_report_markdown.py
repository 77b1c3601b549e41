"""The report as Markdown: tables keep their columns whatever the texts hold."""

from __future__ import annotations

import re
from typing import Any

import pytest

from report_help import NO, YES, Answer, Claim, claims, report
from shared import golden_cases
from trueup.domain.model import Chunk
from trueup.report.markdown import text, to_markdown

HOSTILE = [
    "if (a || b) use `x|y`\nnext line", "r\\|1", "\\", "|", "\\\\|", "a\r\nb\u2028c\x0bd",
    "# not a heading", "- not a list", "![x](javascript:alert(1))", "<script>alert(1)</script>",
    "**bold** _it_ ~~gone~~", "&lt;b&gt;", "\u202ereversed", "\x1b[31mred", "trailing\\",
]  # fmt: skip
_UNESCAPED_PIPE = re.compile(r"(?<!\\)(?:\\\\)*\|")


def columns(row: str) -> int:
    """Pipes that part cells: those behind an odd number of backslashes are text."""
    return len(_UNESCAPED_PIPE.findall(row))


def tables(markdown: str) -> list[list[str]]:
    """Runs of lines that begin with a pipe."""
    found: list[list[str]] = [[]]
    for line in markdown.split("\n"):
        if line.startswith("|"):
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return [t for t in found if t]


def markdown_of(*texts: str) -> str:
    """A report in which these texts stand in every place that takes a text."""
    answers = [
        Answer([Claim(t, NO, {t: (YES, t)}), Claim("other", YES, {t: YES})], name=t, question=t,
               context=(Chunk(t, f"a {t} b"),), slices={t: t}, release=t)
        for t in texts
    ]  # fmt: skip
    return to_markdown(report(answers, texts, name=texts[0]))


@pytest.mark.parametrize("given", HOSTILE)
def test_no_text_breaks_a_table(given: str) -> None:
    """Every row of a table has as many columns as its head, and stays one line."""
    found = tables(markdown_of(given))

    assert found
    assert [{columns(row) for row in t} for t in found if len({columns(r) for r in t}) > 1] == []


@pytest.mark.parametrize("case", golden_cases("report", "md-table"))
def test_golden_tables(case: dict[str, Any]) -> None:
    """Pipes, line feeds and a backslash before a pipe."""
    for t in tables(markdown_of(*case["input"].values())):
        assert len({columns(row) for row in t}) == 1


@pytest.mark.parametrize("given", HOSTILE)
def test_a_text_is_one_line_and_comes_back_when_unescaped(given: str) -> None:
    """Escapes hide nothing: without them the text is there, spaces collapsed."""
    from trueup.domain.display import display

    escaped = text(given)

    assert "\n" not in escaped
    assert "\x1b" not in escaped
    plain = re.sub(r"\\([\\`*_{}\[\]<>()#+!|~&])", r"\1", escaped)
    assert plain == " ".join(display(given.replace("\r\n", "\n").replace("\n", " ")).split())


def test_the_same_data_give_the_same_bytes() -> None:
    """No clock and no order of a set."""
    assert markdown_of("a", "b") == markdown_of("a", "b")


def test_both_estimands_the_naive_column_and_the_bounds_are_shown() -> None:
    """A column each; abstentions carry their bounds; the design says what it gives."""
    answers = [Answer(claims("111 100 011 11u"), slices={"plan": "team"}) for _ in range(6)]
    told = to_markdown(report(answers))

    assert "| figure | per claim [95 % interval] | per answer | naive interval | method |" in told
    assert "Had everyone decided everything, the agreement would lie between" in told
    assert "can and cannot" in told
    assert "PPI\\+\\+" in told
