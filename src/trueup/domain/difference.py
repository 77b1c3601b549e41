"""What differs between a quote and the passage that it comes close to, token by token."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher

from trueup.domain.characters import UNSPACED
from trueup.domain.folding import fold
from trueup.domain.model import Span

TOKEN = re.compile(rf"[{UNSPACED}]|(?:(?![{UNSPACED}])\w)+|[^\w\s]")
"""A word, one sign of a script without spaces, or one punctuation mark."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One run that differs: its place in the quote and in the passage. An empty span stands where
    the other side says more."""

    quote: Span
    passage: Span


def difference(quote: str, passage: str) -> tuple[Edit, ...]:
    """The runs that differ, in order, as offsets into the two texts as they are. Tokens that fold
    to the same text do not differ."""
    ours, theirs = _tokens(quote), _tokens(passage)
    matcher = SequenceMatcher(None, [t for t, _ in ours], [t for t, _ in theirs], autojunk=False)
    return tuple(
        Edit(_range(ours, a, b), _range(theirs, c, d))
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    )


def _tokens(text: str) -> list[tuple[str, Span]]:
    found = ((_folded(m[0]), Span(m.start(), m.end())) for m in TOKEN.finditer(text))
    return [(token, span) for token, span in found if token]


def _folded(token: str) -> str:
    if token[0].isalnum():
        return fold(token).text
    # What a lone sign is, its neighbours say: a letter before it puts it inside a line.
    return fold("a" + token).text[1:]


def _range(tokens: list[tuple[str, Span]], begin: int, end: int) -> Span:
    if begin < end:
        return Span(tokens[begin][1].start, tokens[end - 1][1].end)
    at = tokens[begin - 1][1].end if begin else 0
    return Span(at, at)
