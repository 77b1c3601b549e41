"""Cutting a sentence where two statements are joined, only when each stands alone.

"The pump runs at 40 bar and it stops at 60 bar" is two claims. "If it rains and it is cold, …",
"A or B", "says that A and that B", "fast and quiet" stay whole: when in doubt, nothing is cut.
A part stands alone when it has a subject and a finite verb of the lists in `grammar.py`, or when
a semicolon (any language) sets two stretches of some length apart.
"""

from __future__ import annotations

from functools import lru_cache

import regex

from trueup.domain.model import Span
from trueup.judge.splitting.grammar import GRAMMARS, Grammar

_WORD = regex.compile(r"[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’\-]*")
_SEMICOLON = regex.compile(r"[;；][ \t\r\n]*+")
_LETTER = regex.compile(r"[\p{L}\p{N}]")
_OPEN = regex.compile(r"[(（\[“「『«‹{]")
_CLOSE = regex.compile(r"[)）\]”」』»›}]")
_SUBJECT_REACH = 7
"""Words that may stand before the verb of a part that begins with an article or a name."""
_LEAST_WORDS = 2
_LEAST_UNSPACED = 4
_LONGEST = 2000
"""Code points of the longest sentence that is looked into; what is longer is no sentence."""


def clauses(text: str, language: str) -> list[Span]:
    """Spans of the statements of one sentence, trimmed; the whole sentence where it stays whole."""
    if len(text) > _LONGEST:
        return [Span(0, len(text))]
    grammar = GRAMMARS.get(language)
    spans: list[Span] = []
    start = 0
    for left_end, right_start in _points(text, language):
        left, right = text[start:left_end], text[right_start:]
        if _balanced(left) and _stand_alone(left, right, text[left_end:right_start], grammar):
            spans.append(_trim(text, start, left_end))
            start = right_start
    spans.append(_trim(text, start, len(text)))
    return spans


def _points(text: str, language: str) -> list[tuple[int, int]]:
    """(end of the left part, start of the right part) of each place that might be cut."""
    points = [(m.start(), m.end()) for m in _SEMICOLON.finditer(text)]
    pattern = _join(language)
    if pattern is not None:
        points += [(m.start(), m.end()) for m in pattern.finditer(text)]
    return sorted(points)


@lru_cache(maxsize=32)
def _join(language: str) -> regex.Pattern[str] | None:
    grammar = GRAMMARS.get(language)
    if grammar is None:
        return None
    words = "|".join(sorted(grammar.joins))
    return regex.compile(rf"[,;]?[ \t\r\n]+(?:{words})[ \t\r\n]+", regex.I)


def _stand_alone(left: str, right: str, joint: str, grammar: Grammar | None) -> bool:
    if joint.lstrip().startswith((";", "；")) and not joint.strip(" ;；\t\r\n"):
        return _apart(left, right, grammar)
    if grammar is None:
        return False
    before, after = _words(left), _words(right)
    if len(before) < _LEAST_WORDS or len(after) < _LEAST_WORDS:
        return False
    if grammar.scopes.intersection(before) or not _has_statement(before, grammar):
        return False
    return _begins_statement(right, after, grammar, comma="," in joint)


def _apart(left: str, right: str, grammar: Grammar | None) -> bool:
    """Two stretches about a semicolon: both statements, or of a length that no list item has."""
    before, after = _words(left), _words(right)
    if grammar is None:
        return min(len(left.strip()), len(right.strip())) >= _LEAST_UNSPACED and (
            not _is_spaced(left) or min(len(before), len(after)) > _LEAST_WORDS
        )
    if grammar.scopes.intersection(before[:1]):
        return False
    return _has_statement(before, grammar) and _has_statement(after, grammar)


def _is_spaced(text: str) -> bool:
    return regex.search(r"\p{L}\s+\p{L}", text) is not None


def _has_statement(words: list[str], grammar: Grammar) -> bool:
    """A finite verb with something before it."""
    return any(w in grammar.finite for w in words[1:])


def _begins_statement(right: str, words: list[str], grammar: Grammar, *, comma: bool) -> bool:
    """A pronoun and its verb; after a comma also an article or a name, and a verb soon after."""
    first = words[0]
    if first in grammar.pronouns and any(w in grammar.finite for w in words[1:3]):
        return True
    start = _LETTER.search(right)
    named = start is not None and (start[0].isupper() or start[0].isdigit())
    if not comma or not (first in grammar.openers or named):
        return False
    reach = words[1 : 1 + _SUBJECT_REACH]
    verb = next((i for i, w in enumerate(reach) if w in grammar.finite), None)
    return verb is not None and not grammar.scopes.intersection(reach[:verb])


def _words(text: str) -> list[str]:
    return [w.casefold().replace("’", "'") for w in _WORD.findall(text)]


def _balanced(text: str) -> bool:
    """No bracket or quotation is open where the cut would be."""
    return (
        len(_OPEN.findall(text)) == len(_CLOSE.findall(text))
        and text.count('"') % 2 == 0
        and text.count("**") % 2 == 0
        and text.count("`") % 2 == 0
    )


def _trim(text: str, start: int, end: int) -> Span:
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    return Span(left, left + len(piece.strip().rstrip(",;；")))
