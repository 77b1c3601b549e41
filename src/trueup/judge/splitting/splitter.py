"""From an answer to its claims: sentences that state something, each with its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from trueup.domain.model import Span
from trueup.judge.splitting.blocks import Block, blocks
from trueup.judge.splitting.language import guess_language
from trueup.judge.splitting.sentences import CITATION, sentences

SPLITTER_VERSION = "embedded/1"

_CITATIONS = regex.compile(rf"[ \t]*(?:{CITATION})", regex.I)
_STATES = regex.compile(r"\p{L}")
_QUESTION = regex.compile(r"[?？؟]['\"”’»)\]」*_]*$")
_GREETING = regex.compile(
    r"^(?:hello|hi|hey|dear|thanks|thank you|sure|certainly|of course|great question|hallo|guten tag|"
    r"danke|bonjour|merci|hola|gracias|i hope (?:this|that) helps|let me know|feel free|"
    r"here (?:is|are)\b.*:$|bitte sehr)\b.{0,60}$",
    regex.I,
)
_DECLINES = regex.compile(
    r"\b(?:i (?:do not|don['’]t|cannot|can['’]t|could not|couldn['’]t) (?:know|find|answer|say|tell|"
    r"determine)|i(?:['’]m| am) (?:not sure|sorry|unable|afraid)|(?:the )?(?:provided )?(?:context|"
    r"documents?|documentation|passages?|sources?|text)s? (?:do(?:es)? not|don['’]t|doesn['’]t) "
    r"(?:say|state|mention|contain|include|provide|specify|cover|tell)|no information|not enough "
    r"information|ich weiß (?:es )?nicht|keine (?:angaben|information)|je ne sais pas|aucune "
    r"information|no lo sé|no sé|não sei|ninguna información)\b|分かりません|わかりません|不知道|没有提到"
    r"|无法回答|لا أعرف|لا أعلم",
    regex.I,
)
_PRONOUN = regex.compile(
    r"^(?:it|they|this|that|these|those|he|she|its|their|his|her|er|sie|es|diese[rsnm]?|il|elle|ils|"
    r"elles|cela|ce|él|ella|ellos|esto|eso|ele|ela|これ|それ|它|他|她|这|那)(?![\p{L}])",
    regex.I,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim: `span` is its place in the answer, `context` the sentence that a leading pronoun
    points back to."""

    text: str
    span: Span
    context: str | None = None


@dataclass(frozen=True, slots=True)
class SplitResult:
    """The claims of an answer; `abstained` where it only declines to answer."""

    claims: tuple[Claim, ...]
    abstained: bool = False


def split_claims(text: str) -> SplitResult:
    """Split a text into claims. Never raises; a text that states nothing has no claims."""
    language = guess_language(text)
    found: list[Claim] = []
    declined = False
    for block in blocks(text):
        for span, shown in _statements(text, block, language):
            if _DECLINES.search(shown):
                declined = True
                continue
            context = found[-1].text if found and _PRONOUN.match(shown) else None
            found.append(Claim(shown, span, context))
    return SplitResult(tuple(found), declined and not found)


def _statements(text: str, block: Block, language: str) -> Iterator[tuple[Span, str]]:
    if block.kind == "row":
        cells = [(name, text[a:b].strip()) for name, a, b in block.cells]
        shown = "; ".join(f"{name}: {cell}" if name else cell for name, cell in cells)
        yield Span(block.start, block.end), shown
        return
    if block.kind not in {"paragraph", "item"}:
        return
    for inside in sentences(text[block.start : block.end], language):
        span = Span(block.start + inside.start, block.start + inside.end)
        shown = _CITATIONS.sub("", text[span.start : span.end]).strip()
        states = _STATES.search(shown) and not _QUESTION.search(shown)
        if states and not _GREETING.match(shown):
            yield span, shown
