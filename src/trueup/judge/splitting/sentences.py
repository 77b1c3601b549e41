"""Sentence boundaries with offsets: sentencex, with the hard cases put right.

sentencex works offline, knows the terminators and abbreviations of many languages and keeps
offsets. Around it stand three things: what holds a full stop but ends nothing (addresses, code,
figures, initials, abbreviations) is masked one for one before it looks; boundaries that it does not
propose (after closing brackets, after an ellipsis) are added; and it is fed in windows, because its
time grows with the square of a text without spaces.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import regex
import sentencex

from trueup.domain.model import Span
from trueup.judge.splitting.abbreviations import ALWAYS, BEFORE_NUMBER, MAY_END, MONTHS
from trueup.judge.splitting.frequent import FREQUENT
from trueup.judge.splitting.language import guess_language

_WINDOW = 700
_LONGEST_WINDOW = 5600
"""Code points that sentencex gets at once; a longer stretch without a boundary is cut anyway."""
_CLOSERS = r"[\"'”’»)\]）」』】》*_]"
_MARKS = r"[.!?…。！？｡؟۔।॥]"
_ID = r"\^?[\p{L}\p{N}_.:#/+\-]{1,60}+(?:[ ]\d{1,4}+)?+"
CITATION = (
    rf"(?:\[{_ID}(?:[ ]?[,;][ ]?{_ID}){{0,19}}+\](?!\()"
    r"|【[^】\n]{1,80}+】"
    r"|\((?:sources?|quellen?|fuentes?|réf|ref|citation|see also)[.:]? ?[^()\n]{0,120}+\)"
    r"|[¹²³⁰⁴-⁹]{1,4}+)"
)
"""A reference to a source: `[c-9930]`, `[1, 2]`, `【4†source】`, `(source: …)`, `¹`."""
_CITED_END = regex.compile(
    rf"(?<={_MARKS}|{_MARKS}{_CLOSERS})[ \t]*+(?:{CITATION}[ \t]*+)++", regex.I
)
_ANY_CITATION = regex.compile(CITATION, regex.I)
_ADDRESS = regex.compile(
    r"(?:https?|ftp)://[^\s<>\"'）」。，]++|www\.[^\s<>\"'）」。，]++|`[^`\n]{1,200}+`"
    r"|(?<![\w.+\-])[\w.+\-]{1,64}+@[\w\-]{1,64}+(?:\.[\w\-]{1,64}+)++",
    regex.I,
)
_GLUED = regex.compile(r"(?<=[\p{L}\p{N}_)\]])\.(?=[\p{Ll}\p{N}_])|(?<=\p{N}|^|\s)[.](?=\p{N})")
_DOTTED = regex.compile(r"(?:(?<![\p{L}\p{N}])\p{L}\.[ \u00a0\u202f]?){2,}")
_WORD_STOP = regex.compile(
    r"(?<![\p{L}\p{M}\p{N}.])([\p{L}\p{M}][\p{L}\p{M}.\-]*)\.(?=\s|$|[,;:)])"
)
_INITIAL = regex.compile(r"(?<![\p{L}\p{N}])(\p{Lu}\p{M}*)\.(?=[ \u00a0]?\p{Lu})")
_ORDINAL = regex.compile(r"(?<![\p{L}\p{N}.,])\d{1,4}\.(?=\s+([\p{L}]+))")
_NEXT_WORD = regex.compile(r"\s*[\"'“„«(\[*_]*([\p{L}\p{M}]+)?")
_EXTRA = regex.compile(
    rf"(?<!{_MARKS})(?:[!?…。！？｡؟۔।॥]++{_CLOSERS}*+|\.{{2,}}+{_CLOSERS}*+|\.{_CLOSERS}++)\s++"
    rf"|\.(?=\s++[\"“„«(\[*_]++\p{{Lu}})\s++"
    rf"|(?<![。！？｡])[。！？｡]++{_CLOSERS}*+"
)
_GOES_ON = regex.compile(r"\s*[,;:，、；：)\]）」』]")
_QUOTE_ENDS = frozenset("」』”")
"""After these a Japanese sentence goes on with と: "he said"."""
_MARK_SET = frozenset(".!?…。！？｡؟۔।॥")
_MARK_AT_END = regex.compile(rf"{_MARKS}{_CLOSERS}{{0,8}}$")
_NO_SPACE = regex.compile(r"(?<=[\p{L}\p{N}]{2})[.!?](?=(\p{Lu}\p{Ll}*+)\s)")
_SPACE = regex.compile(r"\s")
_UNFIT = regex.compile(r"[\ud800-\udfff]")
"""Lone surrogates, which cannot be handed on as UTF-8."""
_LETTER_OR_FIGURE = regex.compile(r"[\p{L}\p{N}]")
_OPENING = regex.compile(r"[\"'“„«‘(\[（「『《*_\s]{0,20}+")
_PAIRS = {"(": ")", "（": "）", "“": "”", "「": "」", "『": "』", "《": "》", "„": "“", "«": "»"}
_PAIR_LIMIT = 400


def sentences(text: str, language: str | None = None) -> list[Span]:
    """Spans of the sentences of one block of prose, trimmed; their order is the text's.

    A citation after a sentence's mark belongs to that sentence. `language` is an ISO 639-1 code,
    guessed where None. Line ends inside the block count as spaces.
    """
    language = language or guess_language(text)
    masked = _mask(text, language)
    cuts = _boundaries(masked, language)
    inside = _inside_pairs(masked) if len(cuts) > 0 else []
    spans: list[Span] = []
    start = 0
    for cut in [*_outside(sorted(cuts), inside), len(text)]:
        span = _trimmed(text, start, cut)
        if span is not None and _continues(text, span, bool(spans)):
            spans[-1] = Span(spans[-1].start, span.end)
        elif span is not None:
            spans.append(span)
        start = cut
    return spans


def _continues(text: str, span: Span, has_previous: bool) -> bool:
    """A piece without a letter or figure, or a citation alone, ends the sentence before it."""
    if not has_previous:
        return False
    piece = text[span.start : span.end]
    return _LETTER_OR_FIGURE.search(_ANY_CITATION.sub("", piece)) is None


def _trimmed(text: str, start: int, end: int) -> Span | None:
    piece = text[start:end]
    width = len(piece.strip())
    if width == 0:
        return None
    left = start + len(piece) - len(piece.lstrip())
    return Span(left, left + width)


def _mask(text: str, language: str) -> str:
    """A text of the same length in which only full stops that may end a sentence are left."""
    text = _UNFIT.sub("x", _SPACE.sub(" ", text))
    text = _ADDRESS.sub(lambda m: _letters(m[0]), text)
    text = _CITED_END.sub(lambda m: " " * len(m[0]), text)
    text = _ANY_CITATION.sub(lambda m: "x" * len(m[0]), text)
    text = _GLUED.sub("x", text)
    text = _DOTTED.sub(lambda m: _keep_last(m, language), text)
    text = _INITIAL.sub(lambda m: m[0] if _starts(m, language) else m[1] + "x", text)
    text = _ORDINAL.sub(lambda m: m[0] if not _is_ordinal(m) else m[0][:-1] + "x", text)
    return _WORD_STOP.sub(lambda m: _stop(m, language), text)


def _letters(text: str) -> str:
    """Letters in place of an address; a mark at its end is the sentence's."""
    body = text.rstrip(".!?,;:") if not text.startswith("`") else text
    return "x" * len(body) + text[len(body) :]


def _keep_last(match: regex.Match[str], language: str) -> str:
    """Letters with full stops (U.S., z. B., a.m.): only the last stop may end a sentence."""
    found = match[0]
    body = found.rstrip()
    word = regex.sub(r"\s", "", body).casefold().rstrip(".")
    out = body[:-1].replace(".", "x").replace(" ", "x").replace("\u00a0", "x")
    may = word not in ALWAYS and _begins_sentence(match.string, match.end(), language)
    return out + ("." if may else "x") + found[len(body) :]


def _starts(match: regex.Match[str], language: str) -> bool:
    """A single letter and then The, It, Der …: "plan B. The" ends, "J. Smith" does not."""
    return _begins_sentence(match.string, match.end(), language)


def _begins_sentence(text: str, at: int, language: str) -> bool:
    """Whether a capitalised frequent word follows, or nothing at all."""
    match = _NEXT_WORD.match(text, at)
    word = match[1] if match else None
    if not word:
        return not text[at:].strip()
    return not word[0].islower() and word.casefold() in FREQUENT.get(language, frozenset())


def _is_ordinal(match: regex.Match[str]) -> bool:
    word = match[1]
    return word[0].islower() or word.casefold() in MONTHS


def _stop(match: regex.Match[str], language: str) -> str:
    """A word and its full stop: masked after an abbreviation, the abbreviation masked at an end."""
    word = match[1].casefold()
    after = match.string[match.end() : match.end() + 2].strip()
    if word in ALWAYS or (word in BEFORE_NUMBER and after[:1].isdigit()):
        return match[1] + "x"
    if word in MAY_END:
        ends = _begins_sentence(match.string, match.end(), language)
        return "x" * len(match[1]) + "." if ends else match[1] + "x"
    return match[0]


def _boundaries(masked: str, language: str) -> set[int]:
    cuts = {c for c in _proposed(masked, language) if _fits(masked, c)}
    cuts.update(m.end() for m in _EXTRA.finditer(masked) if _fits(masked, m.end()))
    frequent = FREQUENT.get(language, frozenset())
    cuts.update(m.end() for m in _NO_SPACE.finditer(masked) if m[1].casefold() in frequent)
    cuts.discard(len(masked))
    return cuts


def _proposed(masked: str, language: str) -> set[int]:
    """What sentencex proposes, window by window; a window ends where a sentence does."""
    code = language if language != "th" else "en"
    cuts: set[int] = set()
    start, size = 0, _WINDOW
    while start < len(masked):
        piece = masked[start : start + size]
        found = [int(b["start_index"]) for b in _segment(code, piece)][1:]
        if start + size >= len(masked):
            cuts.update(start + f for f in found)
            break
        if not found and size < _LONGEST_WINDOW:
            size *= 2
            continue
        cuts.update(start + f for f in found)
        step = found[-1] if found else piece.rfind(" ") + 1 or len(piece)
        start, size = start + step, _WINDOW
    return cuts


@lru_cache(maxsize=512)
def _segment(language: str, piece: str) -> list[Any]:
    return list(sentencex.get_sentence_boundaries(language, piece))


def _fits(masked: str, cut: int) -> bool:
    """A boundary stands after a mark; no small letter, comma or closing bracket follows it."""
    before = masked[max(0, cut - 300) : cut].rstrip()
    if before[-1:] not in _MARK_SET and not _MARK_AT_END.search(before[-20:]):
        return False
    if _GOES_ON.match(masked, cut) or (
        before[-1:] in _QUOTE_ENDS and masked[cut : cut + 1] == "と"
    ):
        return False
    first = _OPENING.match(masked, cut)
    at = first.end() if first else cut
    return not masked[at : at + 1].islower()


def _inside_pairs(masked: str) -> list[tuple[int, int]]:
    """Stretches between brackets or quotation marks, where a sentence is not cut."""
    out = []
    for match in regex.finditer(r"[(（“「『《«]", masked):
        close = masked.find(_PAIRS[match[0]], match.end(), match.end() + _PAIR_LIMIT)
        if close > 0:
            out.append((match.start(), close))
    return out


def _outside(cuts: list[int], inside: list[tuple[int, int]]) -> list[int]:
    out = []
    at, reach = 0, -1
    for cut in cuts:
        while at < len(inside) and inside[at][0] < cut:
            reach = max(reach, inside[at][1])
            at += 1
        if cut > reach:
            out.append(cut)
    return out


def without_citations(text: str) -> str:
    """A text with spaces in place of its references to sources."""
    return _ANY_CITATION.sub(" ", text)
