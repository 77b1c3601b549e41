"""Where a judge's quote stands in the context (`judging.md`, "Locating a quote").

A quote is looked for in one chunk at a time, first as it is (`exact`), then after folding both
sides (`normalised`), then in parts around an ellipsis (`elided`). Spans are offsets into the
original chunk text. What is not found is `absent` here; `trueup.judge.near` looks for the closest
passage.

Of several occurrences the first one is taken whose ends do not cut a word or a number; where every
one does, the first of all, and `QuoteMatch.cut` says so: a quote `within 15` stands verbatim in
`within 150 days`, but is no evidence for 15.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from trueup.domain.characters import DOUBLE_QUOTES, IGNORABLE, SINGLE_QUOTES, UNSPACED
from trueup.domain.clusters import is_mark
from trueup.domain.folding import PLAIN, Folded, Style, fold
from trueup.domain.markdown import LINE_MARK_INSIDE
from trueup.domain.model import Chunk, Evidence, MatchLevel, Span

LOCATOR_VERSION: Final = "1"
"""Part of a judge's fingerprint: raise it when a quote may be located otherwise than before."""

Cut = Literal["word", "number"]

SHORT_TOKEN = 8
"""A quote of one token is trivial below this length (ideographs and the like count twice)."""

_MAX_OCCURRENCES = 256
_MAX_LAYERS = 8  # of quotation marks around quotation marks
_QUOTES = (re.compile(f'["{DOUBLE_QUOTES}]'), re.compile(f"['{SINGLE_QUOTES}]"))
_FULL_STOPS = ".\u3002\uff0e\uff61\u0964\u06d4"
_ELLIPSIS = re.compile(
    r"(?:[\[(<]\s?)?(?:[\u2025\u2026\u22ef]++\.?|\.(?:\s?\.){2,}+)(?:\s?[\])>])?"
)
_UNSPACED = re.compile(f"[{UNSPACED}]")
_IGNORABLE = re.compile(f"[{IGNORABLE}]")
_JOINERS = frozenset(".,:/'\u2019-\u2212\u2013\u2044\u00b7\u066b\u066c\u00a0\u202f\u2009*^")
_SIGNS = frozenset("-+\u2212\u2013")
_UNIT_SIGNS = frozenset("%\u2030\u00b0")


@dataclass(frozen=True, slots=True)
class QuoteMatch:
    """Where a quote was found: one span, several for `elided`, none for `absent` and `trivial`.

    `cut` says that an end of the match lies inside a word or, worse, inside a number of the text.
    """

    level: MatchLevel
    spans: tuple[Span, ...] = ()
    cut: Cut | None = None


_ABSENT = QuoteMatch("absent")
_TRIVIAL = QuoteMatch("trivial")


class Quote:
    """A quote made ready once to be looked for in many chunks."""

    __slots__ = ("_folded", "core", "parts", "raw", "stopped", "trivial")

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.trivial = is_trivial(raw)
        self.core, self.stopped = _core(raw)
        pieces = _ELLIPSIS.split(self.core)
        cores = (_core(p)[0] for p in pieces)
        self.parts = tuple(filter(None, cores)) if len(pieces) > 1 else ()
        """The parts around an ellipsis; none where there is no ellipsis."""
        self._folded: dict[tuple[str, Style], Folded] = {}

    def folded(self, text: str, style: Style = PLAIN) -> Folded:
        """The fold of the core or of a part."""
        key = (text, style)
        if key not in self._folded:
            self._folded[key] = fold(text, style)
        return self._folded[key]


class ChunkIndex:
    """One chunk's text, folded once, on first need, for all its quotes."""

    __slots__ = ("_folded", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded: dict[Style, Folded] = {}

    def locate(self, quote: str | Quote) -> QuoteMatch:
        """Match level and spans of a quote in this chunk."""
        wanted = Quote(quote) if isinstance(quote, str) else quote
        if wanted.trivial:
            return _TRIVIAL
        return self.exact(wanted) or self.normalised(wanted) or self.elided(wanted) or _ABSENT

    def exact(self, quote: Quote) -> QuoteMatch | None:
        """The quote as a substring."""
        size = len(quote.raw)
        spans = (Span(i, i + size) for i in _finds(self.text, quote.raw))
        return self._first_whole("exact", spans)

    def normalised(self, quote: Quote) -> QuoteMatch | None:
        """The folded quote, without outer quotation marks and final full stop, as a substring of
        the folded text. A full stop of the text is in the span where the quote has one too."""
        found: QuoteMatch | None = None
        for folded, (needle,) in self._variants(quote, (quote.core,)):
            spans = _spans(folded, needle)
            if quote.stopped:
                spans = (with_full_stop(self.text, s) for s in spans)
            match = self._first_whole("normalised", spans)
            if match and match.cut is None:
                return match
            found = found or match
        return found

    def elided(self, quote: Quote) -> QuoteMatch | None:
        """The parts around an ellipsis, each whole, in order, without overlap."""
        if all(map(is_trivial, quote.parts)):
            return None
        for folded, needles in self._variants(quote, quote.parts):
            spans: list[Span] = []
            for needle in needles:
                after = spans[-1].end if spans else 0
                later = (s for s in _spans(folded, needle) if s.start >= after)
                match = self._first_whole("elided", later)
                if match is None or match.cut:
                    break
                spans.extend(match.spans)
            else:
                return QuoteMatch("elided", tuple(spans))
        return None

    def folded(self, style: Style = PLAIN) -> Folded:
        """The folded text, made once."""
        if style not in self._folded:
            self._folded[style] = fold(self.text, style)
        return self._folded[style]

    def _variants(
        self, quote: Quote, texts: Sequence[str]
    ) -> Iterator[tuple[Folded, tuple[str, ...]]]:
        """Ways to fold both sides alike: links with their targets where the quote states a target
        itself, other hyphens and line starts only where there are any."""
        plain = [quote.folded(t) for t in texts]
        links = not any(f.linked for f in plain)
        ours = self.folded(Style(links=links))
        styles = [Style(links=links)]
        if ours.broken or any(f.broken for f in plain):
            styles += [Style("kept", links), Style("spaced", links)]
        if any(f.lined for f in plain) or (ours.lined and any(map(_has_line_mark, texts))):
            styles.append(Style(links=links, lines=False))
        for style in styles:
            needles = tuple(quote.folded(t, style).text.strip(" ") for t in texts)
            if all(needles):
                yield self.folded(style), needles

    def _first_whole(self, level: MatchLevel, spans: Iterable[Span]) -> QuoteMatch | None:
        """The first span that cuts no word and no number, else the first."""
        first: QuoteMatch | None = None
        for span in spans:
            cut = token_cut(self.text, span)
            if cut is None:
                return QuoteMatch(level, (span,))
            first = first or QuoteMatch(level, (span,), cut)
        return first


class ContextIndex:
    """The chunks of one context, each folded at most once for all the quotes of a record."""

    def __init__(self, chunks: Iterable[Chunk]) -> None:
        self.chunks = tuple(chunks)
        self.indexes = tuple(ChunkIndex(c.text) for c in self.chunks)

    def find(self, quote: str | Quote) -> tuple[int | None, QuoteMatch]:
        """The best match and the position of its chunk: the strongest level first, then one that
        cuts no token, then the first chunk."""
        wanted = Quote(quote) if isinstance(quote, str) else quote
        if wanted.trivial:
            return None, _TRIVIAL
        for search in (ChunkIndex.exact, ChunkIndex.normalised, ChunkIndex.elided):
            best: tuple[int, QuoteMatch] | None = None
            for position, index in enumerate(self.indexes):
                match = search(index, wanted)
                if match and match.cut is None:
                    return position, match
                if match and best is None:
                    best = (position, match)
            if best:
                return best
        return None, _ABSENT

    def locate(self, quote: str | Quote) -> Evidence:
        """The quote as evidence: chunk id, match level, spans."""
        position, match = self.find(quote)
        raw = quote if isinstance(quote, str) else quote.raw
        chunk = None if position is None else self.chunks[position].id
        return Evidence(raw, match.level, chunk, match.spans)


def locate_quote(quote: str, text: str) -> QuoteMatch:
    """Where one quote stands in one text. For several quotes of one text keep a ChunkIndex."""
    return ChunkIndex(text).locate(quote)


def locate_in_chunks(quote: str, chunks: Iterable[Chunk]) -> Evidence:
    """The best place of one quote in a context. For several quotes keep a ContextIndex."""
    return ContextIndex(chunks).locate(quote)


def is_trivial(quote: str) -> bool:
    """Whether a quote proves nothing wherever it stands: empty, punctuation, one short token."""
    tokens = 0
    for token in quote.split():
        weight = sum(1 + bool(_UNSPACED.match(c)) for c in token if c.isalnum())
        tokens += weight > 0
        if tokens > 1 or weight >= SHORT_TOKEN:
            return False
    return True


def token_cut(text: str, span: Span) -> Cut | None:
    """What an end of the span cuts apart: a word, or a number (its digits, sign or fraction).

    Scripts that write no space between words have no words to cut.
    """
    start, end = span.start, span.end
    kinds = (_cut_at(text, start), _cut_at(text, end))
    if "number" in kinds or _drops_sign(text, start) or _drops_unit(text, end):
        return "number"
    return "word" if "word" in kinds else None


def _cut_at(text: str, at: int) -> Cut | None:
    """What a boundary at an offset cuts; invisible characters around it do not count."""
    left, right = at - 1, at
    while left >= 0 and _IGNORABLE.match(text, left):
        left -= 1
    while right < len(text) and _IGNORABLE.match(text, right):
        right += 1
    if left < 0 or right >= len(text):
        return None
    accent = is_mark(text[right])
    while left > 0 and is_mark(text[left]):
        left -= 1
    before, after = text[left], text[right]
    if accent:
        return "number" if _is_digit(before) else "word"
    if before.isalnum() and after.isalnum():
        if _is_digit(before) and _is_digit(after):
            return "number"
        return None if _UNSPACED.match(before) or _UNSPACED.match(after) else "word"
    after_joiner = before in _JOINERS and _is_digit(text[left - 1 : left]) and _is_digit(after)
    before_joiner = after in _JOINERS and _is_digit(text[right + 1 : right + 2])
    return "number" if after_joiner or (before_joiner and _is_digit(before)) else None


def _is_digit(char: str) -> bool:
    """Digits, powers and fractions, but not ideographs that are also numerals."""
    return char.isnumeric() and not _UNSPACED.match(char)


def _drops_sign(text: str, start: int) -> bool:
    if not 0 < start < len(text) or not _is_digit(text[start]):
        return False
    return text[start - 1] in _SIGNS and not (start > 1 and text[start - 2].isalnum())


def _drops_unit(text: str, end: int) -> bool:
    return 0 < end < len(text) and text[end] in _UNIT_SIGNS and _is_digit(text[end - 1])


def _core(quote: str) -> tuple[str, bool]:
    """A quote without outer spaces, outer quotation marks and one final full stop; whether there
    was a full stop."""
    text, stopped = _trimmed(quote), False
    for _ in range(_MAX_LAYERS):
        if not text:
            break
        before = text
        if not stopped and text[-1] in _FULL_STOPS and text[-2:-1] not in tuple(_FULL_STOPS):
            text, stopped = _trimmed(text[:-1]), True
        text = _trimmed(_unquoted(text))
        if text == before:
            break
    return text, stopped


def with_full_stop(text: str, span: Span) -> Span:
    """The span, and the full stop that follows it in the text."""
    more = text[span.end : span.end + 1]
    return Span(span.start, span.end + 1) if more and more in _FULL_STOPS else span


def _trimmed(text: str) -> str:
    """Without outer spaces and invisible characters."""
    start, end = 0, len(text)
    while start < end and (text[start].isspace() or _IGNORABLE.match(text, start)):
        start += 1
    while end > start and (text[end - 1].isspace() or _IGNORABLE.match(text, end - 1)):
        end -= 1
    return text[start:end]


def _unquoted(text: str) -> str:
    """Without the quotation marks at both ends, or a lone one at either end."""
    kinds = [
        next((k for k in _QUOTES if k.match(text, i)), None) for i in (0, max(len(text) - 1, 0))
    ]
    first, last = kinds
    if first and last and len(text) > 1:
        return text[1:-1]
    if first and len(first.findall(text)) % 2:
        return text[1:]
    if last and len(last.findall(text)) % 2:
        return text[:-1]
    return text


def _has_line_mark(text: str) -> bool:
    return LINE_MARK_INSIDE.search(text) is not None


def _finds(text: str, needle: str) -> Iterator[int]:
    """Offsets of the first occurrences of a needle, overlapping ones too."""
    at = text.find(needle)
    for _ in range(_MAX_OCCURRENCES):
        if at < 0:
            return
        yield at
        at = text.find(needle, at + 1)


def _spans(folded: Folded, needle: str) -> Iterator[Span]:
    """Original spans of the occurrences that cut no folded character."""
    for at in _finds(folded.text, needle):
        span = folded.span(at, at + len(needle))
        if span is not None:
            yield span
