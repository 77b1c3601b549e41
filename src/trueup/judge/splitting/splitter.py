"""From an answer to its claims, without a model: the splitter of the built-in judge.

Blocks, then sentences, then clauses that stand alone; table rows become "header: value". What
states nothing (headings, questions, greetings, citations, code, declining to answer) is no claim.
A claim that begins with a word that points back carries the sentence that it points to, and a list
item the line that introduces the list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import regex

from trueup.domain.model import Span
from trueup.judge.splitting.blocks import Block, blocks
from trueup.judge.splitting.clauses import clauses
from trueup.judge.splitting.declining import declines, is_filler, is_lead_in, is_question
from trueup.judge.splitting.grammar import GRAMMARS, LINKING, PRONOUNS, UNSPACED_PRONOUNS
from trueup.judge.splitting.language import guess_language
from trueup.judge.splitting.sentences import CITATION, sentences

SPLITTER_VERSION = "embedded/1"
"""Name and version of this splitter: part of every claim set that it makes."""

_TRAILING = regex.compile(rf"(?:[ \t\r\n]*(?:{CITATION}))++[ \t]*$", regex.I)
_LEADING = regex.compile(rf"^(?:(?:{CITATION})[ \t:]*)++", regex.I)
_ADDRESSES = regex.compile(
    r"(?:https?://|www\.)\S++|\[[^\]\n]{0,200}\]\([^)\s]{0,500}\)|<[^<>\n]{1,200}>"
)
_LETTER = regex.compile(r"\p{L}")
_WORD = regex.compile(r"[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}'’\-]*")
_DIGIT = regex.compile(r"\p{N}")
_UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Hangul}]")
_ENDED = regex.compile(r"[.!。！।॥۔…][\"'”’»)\]」』*_]*$")
_TAIL = 1500
"""How far from a sentence's end (code points) citations are looked for."""
_TITLE_WORDS = 8


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim of an answer.

    `span` is its place in the answer and `sentence` that of the sentence it stands in (code points,
    half open). `text` is the answer's text there, except for a table row, where the headers stand
    before the values. `context` is the text that a leading pronoun or a bare list item needs.
    """

    text: str
    span: Span
    sentence: Span
    context: str | None = None


@dataclass(frozen=True, slots=True)
class SplitResult:
    """The claims in the order of the answer; `abstained` where it only declines to answer."""

    claims: tuple[Claim, ...]
    abstained: bool = False


def split_claims(text: str, *, of: Literal["answer", "reference"] = "answer") -> SplitResult:
    """Split a text into claims. Deterministic; any text is taken, also one that states nothing.

    `of` says what the text is: a reference may be a bare fragment ("30 days on the Team plan"), so
    all of it is one claim where nothing else in it is; an answer that is a bare name states none.
    """
    walk = _Walk(text, guess_language(text))
    for block in blocks(text):
        walk.block(block)
    if not walk.claims and not walk.declined and of == "reference":
        walk.whole()
    return SplitResult(tuple(walk.claims), walk.declined and not walk.claims)


class _Walk:
    """One pass over the blocks. `subject` is the last sentence that names what it speaks of."""

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.language = language
        self.claims: list[Claim] = []
        self.declined = False
        self.subject: str | None = None
        self.lead_in: str | None = None

    def block(self, block: Block) -> None:
        """Take the claims of one block."""
        if block.kind in ("paragraph", "heading"):
            self.lead_in = None
        if block.kind == "row":
            self._row(block)
        elif block.kind == "heading":
            self.subject = self.text[block.start : block.end].strip("#*_= \t\r\n") or None
        elif block.kind in ("paragraph", "item"):
            self._prose(block)

    def whole(self) -> None:
        """All of the text as one claim, where it has a letter or a figure."""
        span = self._bare(Span(0, len(self.text)))
        piece = self.text[span.start : span.end]
        if regex.search(r"[\p{L}\p{N}]", piece) and not is_question(piece):
            self.claims.append(Claim(piece, span, span))

    def _row(self, block: Block) -> None:
        cells = [(name, self.text[a:b]) for name, a, b in block.cells]
        shown = "; ".join(f"{name}: {cell}" if name else cell for name, cell in cells if cell)
        if len(cells) > 1 and _LETTER.search(shown):
            span = Span(block.start, block.end)
            self.claims.append(Claim(shown, span, span))

    def _prose(self, block: Block) -> None:
        inside = self.text[block.start : block.end]
        for found in sentences(inside, self.language):
            span = self._bare(Span(block.start + found.start, block.start + found.end))
            piece = self.text[span.start : span.end]
            if is_lead_in(piece):
                self.lead_in = piece
            elif self._states(piece, block):
                self._sentence(span, piece, block)

    def _bare(self, span: Span) -> Span:
        """A sentence without citations and space at its ends."""
        piece = self.text[span.start : span.end]
        tail = piece[-_TAIL:]
        width = len(piece) - len(tail) + len(_TRAILING.sub("", tail).rstrip())
        head = _LEADING.match(piece[:width])
        start = head.end() if head and head.end() < width else 0
        body = piece[start:width]
        left = span.start + start + len(body) - len(body.lstrip())
        return Span(left, left + len(body.strip()))

    def _states(self, piece: str, block: Block) -> bool:
        """Whether a sentence states something, if only that nothing is known."""
        if is_question(piece) or is_filler(piece):
            return False
        if declines(piece):
            return True
        bare = (
            _ADDRESSES.sub(" ", piece) if "://" in piece or "](" in piece or "<" in piece else piece
        )
        if not _LETTER.search(bare):
            return block.kind == "item" and bool(_DIGIT.search(bare)) and self.lead_in is not None
        return block.kind == "item" or not self._is_title(bare, block)

    def _is_title(self, piece: str, block: Block) -> bool:
        """A short line without a verb, a figure or a closing mark: a title, a name, a fragment."""
        if _UNSPACED.search(piece):
            return not _ENDED.search(piece) and len(piece) <= 6 and not _DIGIT.search(piece)
        words = _WORD.findall(piece)
        if len(words) > _TITLE_WORDS or _DIGIT.search(piece):
            return False
        if _ENDED.search(piece) and any(not w[0].isupper() for w in words[1:]):
            return False
        grammar = GRAMMARS.get(self.language)
        if grammar and any(w.casefold() in grammar.finite for w in words[1:]):
            return False
        alone = self.text.strip() == self.text[block.start : block.end].strip()
        return not alone or len(words) < 3

    def _sentence(self, span: Span, piece: str, block: Block) -> None:
        parts = clauses(piece, self.language)
        back = self._points_back(piece)
        before = self.subject
        for number, part in enumerate(parts):
            text = piece[part.start : part.end]
            if declines(text):
                self.declined = True
                continue
            if number:
                context = piece if self._points_back(text) else None
            else:
                context = self._context(block, back=back, before=before)
            place = Span(span.start + part.start, span.start + part.end)
            self.claims.append(Claim(text, place, span, context))
        if not back or before is None:
            self.subject = piece

    def _context(self, block: Block, *, back: bool, before: str | None) -> str | None:
        if back and before is not None:
            return before
        return self.lead_in if block.kind == "item" else None

    def _points_back(self, piece: str) -> bool:
        """Whether the first word that may be a subject is one that points back."""
        bare = piece.lstrip("*_\"'“”«»„([> ")
        if bare.startswith(UNSPACED_PRONOUNS):
            return True
        pronouns = PRONOUNS.get(self.language, frozenset())
        words = [w.casefold().replace("’", "'") for w in _WORD.findall(bare[:120])[:5]]
        for word in words:
            if word in pronouns:
                return True
            if word not in LINKING:
                return False
        return False
