"""Folding of a text for the search of quotes, each folded character keeping its origin.

Folded are (`judging.md`, "Locating a quote"): NFKC and composed combining marks, case, quotation
marks and dashes of all kinds, every run of spaces and line ends to one space; dropped are
zero-width characters, soft hyphens, bidi marks and the marks of Markdown. Never folded: what would
become plain digits (superscripts, subscripts, fractions, enclosed digits: `10⁶` is not `106`), and
a double quotation mark after a digit: 5" is not 5'.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from trueup.domain.characters import DASHES, DOUBLE_QUOTES, IGNORABLE, PLAIN_LETTERS, SINGLE_QUOTES
from trueup.domain.clusters import fold_cluster, is_mark
from trueup.domain.markdown import (
    ESCAPE,
    HS,
    LB,
    LINE_START,
    LINK_CLOSES,
    LINK_OPENS,
    MARKS,
    mark_stays,
)
from trueup.domain.model import Span

Breaks = Literal["joined", "kept", "spaced"]
"""What `re-` at a line's end becomes before `opening`: `reopening`, `re-opening` or `re- opening`.
No rule can tell a word that was broken from a compound, so the search tries each."""


class Style(NamedTuple):
    """How to fold where more than one way is right; both sides of a comparison need the same."""

    breaks: Breaks = "joined"
    links: bool = True
    """Drop the brackets and targets of links."""
    lines: bool = True
    """Drop marks at line starts. A quote that was put on one line keeps them inside the line."""


_HYPHENS = "-\u2010\u2011\u00ad"
_SPECIAL = rf"\s{IGNORABLE}{DASHES}{SINGLE_QUOTES}{DOUBLE_QUOTES}"  # each has its own rule

# A character that may need work. It begins with a plain set, so that the engine can skip quickly;
# a lone space and a hyphen inside a line are sorted out by what follows.
_CANDIDATE = re.compile(
    rf"[^\x00-\x08\x0e-\x1b#-)+,./0-Z^a-{{}}\x7f{PLAIN_LETTERS}](?:(?<![ -])|(?=\s))"
)
_PLAIN_RUN = re.compile(rf"[^\x00-\x7f{_SPECIAL}]+")
_SPACES = re.compile(r"\s+")
_BROKEN = re.compile(rf"[{_HYPHENS}]{HS}{LB}{HS}(?=[^\W_])")
_IGNORABLE = re.compile(f"[{IGNORABLE}]+")
_SINGLE = re.compile(f"[{SINGLE_QUOTES}]")
_DOUBLE = re.compile(f'["{DOUBLE_QUOTES}]')
_DASH = re.compile(f"[{DASHES}]")


PLAIN: Final = Style()


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text and where each of its characters came from.

    Segment k covers folded characters from `at[k]` up to the next segment. Where `stop[k]` is -1
    they stand for as many original characters from `start[k]` on; otherwise all of them together
    stand for the original range [start, stop).
    """

    text: str
    at: tuple[int, ...]
    start: tuple[int, ...]
    stop: tuple[int, ...]
    broken: bool = False
    """Whether a hyphen stood at a line break, so that other `Breaks` give other texts."""
    linked: bool = False
    """Whether a link lost its target."""
    lined: bool = False
    """Whether a line lost a mark at its start."""

    def span(self, begin: int, end: int) -> Span | None:
        """The original range of folded [begin, end); None where that would cut a character that
        folds to several (the `s` of a folded `ß`)."""
        whole = self.cover(begin, end)
        first = bisect_right(self.at, begin) - 1
        if self.stop[first] >= 0 and begin != self.at[first]:
            return None
        last = bisect_right(self.at, end - 1) - 1
        after = self.at[last + 1] if last + 1 < len(self.at) else len(self.text)
        return None if self.stop[last] >= 0 and end != after else whole

    def cover(self, begin: int, end: int) -> Span:
        """The smallest original range that holds folded [begin, end)."""
        first = bisect_right(self.at, begin) - 1
        last = bisect_right(self.at, end - 1) - 1
        low, high = self.start[first], self.stop[last]
        if self.stop[first] < 0:
            low += begin - self.at[first]
        if high < 0:
            high = self.start[last] + end - self.at[last]
        return Span(low, high)


def fold(text: str, style: Style = PLAIN) -> Folded:
    """Fold a text."""
    if not (_CANDIDATE.search(text) or (style.lines and LINE_START.match(text))):
        return Folded(text.lower(), (0,), (0,), (-1,))
    return _Folder(text, style).run()


class _Folder:
    """One pass over one text."""

    def __init__(self, text: str, style: Style) -> None:
        self.text = text
        self.style = style
        self.broken = self.linked = self.lined = False
        self.out: list[str] = []
        self.length = 0
        self.at: list[int] = []
        self.start: list[int] = []
        self.stop: list[int] = []
        self.next = -1  # original offset that would continue the open one-to-one segment

    def run(self) -> Folded:
        text, size = self.text, len(self.text)
        position = self.line_start(0) or 0
        while position < size:
            found = _CANDIDATE.search(text, position)
            here = found.start() if found else size
            if here > position:
                self.plain(position, here)
            if found is None:
                break
            position = _RULES[text[here]](self, here)
        return Folded(
            "".join(self.out), tuple(self.at or (0,)), tuple(self.start or (0,)),
            tuple(self.stop or (-1,)), self.broken, self.linked, self.lined,
        )  # fmt: skip

    # -- writing ---------------------------------------------------------------------------------

    def plain(self, begin: int, end: int) -> None:
        """Text that only needs its case folded; a space after a space is left out."""
        if self.text[begin] == " " and self.ends_with_space():
            begin += 1
        if begin < end:
            self.one_to_one(self.text[begin:end].lower(), begin)

    def one_to_one(self, folded: str, origin: int) -> None:
        """Write characters that stand for as many original ones."""
        if origin != self.next:
            self.at.append(self.length)
            self.start.append(origin)
            self.stop.append(-1)
        self.out.append(folded)
        self.length += len(folded)
        self.next = origin + len(folded)

    def together(self, folded: str, begin: int, end: int) -> None:
        """Write characters that all together stand for an original range."""
        if not folded:
            return
        if len(folded) == end - begin == 1:
            self.one_to_one(folded, begin)
            return
        self.at.append(self.length)
        self.start.append(begin)
        self.stop.append(end)
        self.out.append(folded)
        self.length += len(folded)
        self.next = -1

    def space(self, begin: int, end: int) -> None:
        if self.out and not self.ends_with_space():
            self.together(" ", begin, end)

    def ends_with_space(self) -> bool:
        return bool(self.out) and self.out[-1][-1] == " "

    def reopen(self, here: int) -> int | None:
        """Take back the last folded character, the base of the combining mark at `here`, and say
        where its original begins; None where no character stands before the mark."""
        if not self.out or self.ends_with_space():
            return None
        at, begin, end = self.at[-1], self.start[-1], self.stop[-1]
        size = self.length - at
        if end < 0:
            begin, end, size = begin + size - 1, begin + size, 1
        if end < here and not _IGNORABLE.fullmatch(self.text, end, here):
            return None
        self.out[-1] = self.out[-1][:-size]
        if not self.out[-1]:
            del self.out[-1]
        self.length -= size
        self.next = begin
        if self.length == at:
            del self.at[-1], self.start[-1], self.stop[-1]
            self.next = -1
        return begin

    def before(self, here: int) -> str:
        """The base character before an offset, a line end at the text's start."""
        while here > 0:
            here -= 1
            char = self.text[here]
            if char < "\u00ad" or not (is_mark(char) or _IGNORABLE.match(char)):
                return char
        return "\n"

    def after(self, here: int) -> str:
        """The visible character from an offset on, a line end at the text's end."""
        while here < len(self.text):
            char = self.text[here]
            if char < "\u00ad" or not _IGNORABLE.match(char):
                return char
            here += 1
        return "\n"

    # -- reading: each rule takes the offset of its first character and returns where it ended -----

    def line_start(self, here: int) -> int | None:
        """The end of the line end at an offset and of the marks that follow it."""
        found = LINE_START.match(self.text, here) if self.style.lines else None
        self.lined = self.lined or found is not None
        return found.end() if found else None

    def white(self, here: int) -> int:
        end = self.line_start(here)
        if end is None:
            found = _SPACES.match(self.text, here)
            assert found is not None
            end = found.end()
        self.space(here, end)
        return end

    def ignorable(self, here: int) -> int:
        found = _BROKEN.match(self.text, here) or _IGNORABLE.match(self.text, here)
        assert found is not None
        return found.end()

    def hyphen(self, here: int) -> int:
        """A dash, or a hyphen at a line break: joined between letters, kept beside a digit."""
        broken = _BROKEN.match(self.text, here)
        before = self.before(here)
        if broken is None or not before.isalnum():
            self.one_to_one("-", here)
            return here + 1
        self.broken = True
        letters = not (before.isnumeric() or self.text[broken.end()].isnumeric())
        if self.style.breaks != "joined" or not letters:
            self.one_to_one("-", here)
        if self.style.breaks == "spaced" or (self.style.breaks == "joined" and not letters):
            self.space(here + 1, broken.end())
        return broken.end()

    def quotation(self, here: int) -> int:
        inches = self.before(here).isdecimal() and _DOUBLE.match(self.text[here])
        self.one_to_one('"' if inches else "'", here)
        return here + 1

    def mark(self, here: int) -> int:
        """A run of one of `*_~|` or backticks: dropped, unless it belongs to a word or number."""
        found = MARKS.match(self.text, here)
        assert found is not None
        end = found.end()
        if mark_stays(found[0], self.before(here), self.after(end)):
            self.one_to_one(found[0], here)
        return end

    def escape(self, here: int) -> int:
        """A backslash before a mark: the mark is meant literally."""
        if ESCAPE.match(self.text, here):
            self.together(self.text[here + 1], here, here + 2)
            return here + 2
        self.one_to_one("\\", here)
        return here + 1

    def bracket(self, here: int) -> int:
        """The brackets and target of a link; any other bracket stays."""
        pattern = LINK_CLOSES if self.text[here] == "]" else LINK_OPENS
        found = pattern.match(self.text, here) if self.style.links else None
        if found:
            self.linked = True
            return found.end()
        self.one_to_one(self.text[here], here)
        return here + 1

    def letters(self, here: int) -> int:
        """A run of other characters beyond ASCII: NFKC, composed, case folded."""
        text = self.text
        found = _PLAIN_RUN.match(text, here)
        assert found is not None
        end = found.end()
        base = self.reopen(here) if is_mark(text[here]) else None
        if base is None:
            folded = found[0].casefold()
            if len(folded) == end - here and unicodedata.is_normalized("NFKC", folded):
                self.one_to_one(folded, here)
                return end
        else:
            here = base
        run = text[here:end]
        index, size = 0, len(run)
        while index < size:
            stop = index + 1
            while stop < size and (is_mark(run[stop]) or _IGNORABLE.match(run[stop])):
                stop += 1
            self.together(fold_cluster(run[index:stop]), here + index, here + stop)
            index = stop
        return end


Rule = Callable[[_Folder, int], int]


class _Rules(dict[str, Rule]):
    """The rule of each candidate character; filled as characters are met."""

    def __missing__(self, char: str) -> Rule:
        rule = _Folder.letters
        if char.isspace():
            rule = _Folder.white
        elif _IGNORABLE.match(char):
            rule = _Folder.ignorable
        elif _SINGLE.match(char) or _DOUBLE.match(char):
            rule = _Folder.quotation
        elif _DASH.match(char) or char == "-":
            rule = _Folder.hyphen
        self[char] = rule
        return rule


_RULES = _Rules(
    dict.fromkeys("*_~|`", _Folder.mark)
    | dict.fromkeys("![]", _Folder.bracket)
    | {"\\": _Folder.escape}
)
