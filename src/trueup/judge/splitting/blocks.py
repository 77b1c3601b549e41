"""The blocks of an answer, by lines: paragraphs, list items, headings, code, table rows.

Answers are markdown, or plain text that looks like it. Only what decides whether a line can state
something is read; offsets are code points of the original text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import regex

from trueup.judge.splitting.frequent import FREQUENT, LATIN

Kind = Literal["paragraph", "item", "heading", "code", "row", "rule"]

_LINE_END = regex.compile(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_FENCE = regex.compile(r"[ \t]*(`{3,}|~{3,})")
_HEADING = regex.compile(r"[ ]{0,3}#{1,6}(?:[ \t]|$)")
_BOLD_LINE = regex.compile(r"[ \t]*(\*\*|__)(?=\S)(?:(?!\1).)+[:：]?\1[:：]?[ \t]*$")
_RULE = regex.compile(r"[ ]{0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})$")
_UNDERLINE = regex.compile(r"[ ]{0,3}(?:=+|-{2,})[ \t]*$")
_QUOTE = regex.compile(r"[ \t]*(?:>[ \t]?)+")
_BULLET = regex.compile(
    r"[ \t]*(?:[-*+•‣▪◦●·–—][ \t]+|\(?[a-z]\)[ \t]+|\(?\d{1,2}\)[ \t]+|[①-⑳][ \t]*)"
    r"(?:\[[ xX]\][ \t]+)?"
)
_NUMBERED = regex.compile(r"[ \t]*(\d{1,3})(?:\.[ \t]+|[、．][ \t]*)")
_DELIMITER = regex.compile(r"[ \t]*+\|?[ \t]*+:?-+:?[ \t]*+(?:\|[ \t]*+:?-+:?[ \t]*+)*+\|?[ \t]*+$")
_CELL_EDGE = regex.compile(r"(?<!\\)\|")
_CODE_LIKE = regex.compile(
    r"[{}();=<>$|\\]|^\s*(?:def|class|import|return|SELECT|curl|pip|npm|git|sudo)\b"
)
_INDENT = regex.compile(r"(?: {4}|\t)")
_TERMINAL = regex.compile(r"[.!?…。！？؟۔।:：;；][\"'”’»)\]」』*_]*[ \t]*$")
_LAST_WORD = regex.compile(r"[\p{L}\p{M}]+$")
_SMALL: frozenset[str] = frozenset().union(*(FREQUENT[lang] for lang in LATIN))
_WRAPPED = 50
"""A line at least this long (code points) that ends without a mark goes on in the next one."""


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch [start, end) of one kind, list and quote marks left out.

    `cells` are (header, start, end) of a table row's cells. `bold` is a heading that only bold
    type makes one. `number` is the number of a numbered item.
    """

    kind: Kind
    start: int
    end: int
    cells: tuple[tuple[str, int, int], ...] = ()


@dataclass(slots=True)
class _Line:
    start: int
    end: int
    text: str


def blocks(text: str) -> list[Block]:
    """The blocks of a text in order; blank lines and marks are in none."""
    lines = _lines(text)
    out: list[Block] = []
    reader = _Reader(lines, out)
    while reader.at < len(lines):
        reader.step()
    return out


def _lines(text: str) -> list[_Line]:
    out = []
    start = 0
    for match in _LINE_END.finditer(text):
        out.append(_Line(start, match.start(), text[start : match.start()]))
        start = match.end()
    out.append(_Line(start, len(text), text[start:]))
    return out


class _Reader:
    """Walks the lines once; `number` is the last item number, so that "30. April" is no item."""

    def __init__(self, lines: list[_Line], out: list[Block]) -> None:
        self.lines = lines
        self.out = out
        self.at = 0
        self.number = 0
        self.open = False
        self.blank = True

    def step(self) -> None:
        """Read the block that begins at the current line."""
        line = self.lines[self.at]
        if not line.text.strip():
            self.open, self.blank = False, True
            self.at += 1
            return
        if not (self._fence(line) or self._table() or self._single(line)):
            self._prose(line)
        self.blank = False

    def _fence(self, line: _Line) -> bool:
        match = _FENCE.match(line.text)
        if match is None:
            return False
        mark = match[1]
        end = self.at + 1
        while end < len(self.lines) and not self.lines[end].text.strip().startswith(mark):
            end += 1
        last = min(end, len(self.lines) - 1)
        self._add("code", line.start, self.lines[last].end)
        self.at = last + 1
        return True

    def _table(self) -> bool:
        """A header row, a row of dashes, and rows as long as lines hold a bar."""
        if self.at + 1 >= len(self.lines) or "|" not in self.lines[self.at].text:
            return False
        delimiter = self.lines[self.at + 1].text
        if "-" not in delimiter or not _DELIMITER.match(delimiter):
            return False
        names = [self._clean(a, b) for a, b in _cells(self.lines[self.at])]
        if len(_cells(self.lines[self.at + 1])) != len(names):
            return False
        self.at += 2
        while self.at < len(self.lines) and "|" in self.lines[self.at].text:
            self._row(names)
        self.open = False
        return True

    def _row(self, names: list[str]) -> None:
        line = self.lines[self.at]
        padded = names + [""] * max(0, len(_cells(line)) - len(names))
        cells = tuple((name, a, b) for name, (a, b) in zip(padded, _cells(line), strict=False))
        filled = [(n, a, b) for n, a, b in cells if a < b]
        if filled:
            self.out.append(Block("row", filled[0][1], filled[-1][2], tuple(filled)))
        self.at += 1

    def _clean(self, start: int, end: int) -> str:
        line = self.lines[self.at]
        return line.text[start - line.start : end - line.start].strip(" \t*_`")

    def _single(self, line: _Line) -> bool:
        """Headings, rules and indented code: blocks of one line."""
        kind: Kind | None = None
        if _HEADING.match(line.text) or (_BOLD_LINE.match(line.text) and not self._ends(line)):
            kind = "heading"
        elif self.open and _UNDERLINE.match(line.text) and self._underlines(line):
            self.out[-1] = Block("heading", self.out[-1].start, self.out[-1].end)
            kind = "rule"
        elif _RULE.match(line.text):
            kind = "rule"
        elif self.blank and _INDENT.match(line.text) and self._is_code(line):
            kind = "code"
        if kind is None:
            return False
        self._add(kind, line.start, line.end)
        self.open = False
        self.at += 1
        return True

    def _underlines(self, line: _Line) -> bool:
        last = self.out[-1]
        return last.kind == "paragraph" and last.start >= self.lines[self.at - 1].start

    def _is_code(self, line: _Line) -> bool:
        after_item = bool(self.out) and self.out[-1].kind == "item"
        return not after_item and _CODE_LIKE.search(line.text) is not None

    @staticmethod
    def _ends(line: _Line) -> bool:
        """Whether bold type holds a whole sentence, so that the line is no heading."""
        return regex.search(r"[.!?。！？؟।][*_ \t]*$", line.text) is not None

    def _prose(self, line: _Line) -> None:
        offset = quote.end() if (quote := _QUOTE.match(line.text)) else 0
        marker = self._marker(line.text[offset:])
        start = line.start + offset + marker
        if line.text[start - line.start :].strip():
            if marker:
                self._add("item", start, line.end)
            elif self.open and self._goes_on(line, start):
                last = self.out[-1]
                self.out[-1] = Block(last.kind, last.start, line.end)
            else:
                self._add("paragraph", start, line.end)
            self.open = True
        self.at += 1

    def _marker(self, text: str) -> int:
        """Length of a list marker; numbers count when they begin at 1 or go on."""
        if match := _BULLET.match(text):
            return match.end()
        match = _NUMBERED.match(text)
        if match and int(match[1]) in (1, self.number + 1):
            self.number = int(match[1])
            return match.end()
        return 0

    def _goes_on(self, line: _Line, start: int) -> bool:
        """Whether the line continues the block before it (a soft line break)."""
        before = self.lines[self.at - 1].text
        first = line.text[start - line.start :].lstrip()[:1]
        if _QUOTE.match(line.text) and not _QUOTE.match(before):
            return False
        if first.islower():
            return True
        if before.endswith(("  ", "\\")) or _TERMINAL.search(before[-40:]):
            return len(before) >= _WRAPPED and not before.endswith(("  ", "\\"))
        return len(before) >= _WRAPPED or _hangs(before)

    def _add(self, kind: Kind, start: int, end: int) -> None:
        self.out.append(Block(kind, start, end))


def _hangs(text: str) -> bool:
    """Whether a line stops at a comma, or at a small word that something must follow."""
    text = text.rstrip()
    word = _LAST_WORD.search(text[-40:])
    return text.endswith(",") or (word is not None and word[0] in _SMALL)


def _cells(line: _Line) -> list[tuple[int, int]]:
    """Trimmed (start, end) of each cell, outer bars dropped."""
    edges = [m.start() for m in _CELL_EDGE.finditer(line.text)]
    inner = line.text.strip()
    starts = [0, *(e + 1 for e in edges)]
    ends = [*edges, len(line.text)]
    spans = list(zip(starts, ends, strict=True))
    if inner.startswith("|"):
        spans = spans[1:]
    if inner.endswith("|") and len(spans) > 1:
        spans = spans[:-1]
    return [_trim(line, a, b) for a, b in spans]


def _trim(line: _Line, start: int, end: int) -> tuple[int, int]:
    piece = line.text[start:end]
    left = len(piece) - len(piece.lstrip())
    width = len(piece.strip())
    return line.start + start + left, line.start + start + left + width
