"""The disagreements as cards: one per unit, under the answer that it belongs to.

A card holds everything that settles the matter: the claim, what people and the judges say, and each
quote where it stands in the text, or that it stands nowhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from trueup.domain.model import Chunk, Evidence, Span
from trueup.report.model import Disagreement, ReportData
from trueup.report.terms import CAUSES, FLAGS, MATCHES, words

MAX_CARDS = 200
"""Units shown in full; report.json holds all."""
PAGE = 10
"""Answers of one fold."""
_AROUND = 240
"""Characters of the text shown on each side of a quote."""
_MAX_TEXT = 2_000
"""Characters shown of one claim, question or quote."""
_MAX_QUOTES = 4
"""Quotes shown of one verdict."""
_CARD_BUDGET = 400_000
"""Bytes of text in cards, beyond which no more are shown."""
_CONTEXT_BUDGET = 300_000
"""Bytes of whole contexts in one report; beyond it only the passages around quotes."""

Part = tuple[str, bool]
"""A piece of a text, and whether a quote stands there."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A judge's quote and the passage around it; no parts where the quote is absent."""

    text: str
    match: str
    chunk: str | None
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """One judge's verdict that differs from people's."""

    judge: str
    verdict: str
    changed_from: str | None
    cause: str | None
    flags: tuple[str, ...]
    quotes: tuple[Quote, ...]
    more_quotes: int = 0


@dataclass(slots=True)
class Card:
    """One unit on which at least one judge differs from people."""

    anchor: str
    unit: str
    text: str
    human: str
    lenient: bool
    notes: tuple[str, ...]
    said: list[Said] = field(default_factory=list)
    right: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Passage:
    """One text that a unit was judged against, with the quotes marked."""

    chunk: str
    source: str | None
    parts: tuple[Part, ...]


@dataclass(slots=True)
class AnswerCards:
    """The cards of one answer. `passages` is None where whole contexts would grow the page."""

    record: str
    release: str
    question: str | None
    cards: list[Card] = field(default_factory=list)
    passages: tuple[Passage, ...] | None = ()


@dataclass(frozen=True, slots=True)
class Cards:
    """All that is shown, in folds of `PAGE` answers, and where each unit is found."""

    pages: tuple[tuple[AnswerCards, ...], ...]
    shown: int
    total: int
    lenient: int
    strict: int
    anchors: Mapping[str, str]
    """Anchor by the unit's key."""
    by_id: Mapping[str, str]
    """Anchor by the unit's visible id."""


def cards(data: ReportData) -> Cards:
    """Cards in the order of reading: answers with the most claims wrongly passed come first."""
    units: dict[str, list[Disagreement]] = {}
    for d in data.disagreements:
        units.setdefault(d.key, []).append(d)
    answers: dict[tuple[str, str], list[list[Disagreement]]] = {}
    for found in units.values():
        answers.setdefault((found[0].record, found[0].release), []).append(found)
    right = _right(data)
    made: list[AnswerCards] = []
    anchors: dict[str, str] = {}
    by_id: dict[str, str] = {}
    spent = in_cards = 0
    for of_answer in sorted(answers.values(), key=_order):
        room = MAX_CARDS - len(anchors)
        if room <= 0 or in_cards > _CARD_BUDGET:
            break
        one, spent = _answer(of_answer[:room], anchors, by_id, right, spent)
        made.append(one)
        in_cards += sum(map(_bytes_of, one.cards))
    lenient = sum(_lenient(found) for found in units.values())
    return Cards(
        tuple(tuple(made[i : i + PAGE]) for i in range(0, len(made), PAGE)),
        len(anchors),
        len(units),
        lenient,
        len(units) - lenient,
        anchors,
        by_id,
    )


def _lenient(found: Sequence[Disagreement]) -> bool:
    return found[0].human == "not_entailed"


def _order(of_answer: Sequence[Sequence[Disagreement]]) -> tuple[int, int, str, str]:
    lenient = sum(map(_lenient, of_answer))
    first = of_answer[0][0]
    return -lenient, -len(of_answer), first.record, first.release


def _right(data: ReportData) -> dict[str, list[str]]:
    """Judges that agree with people, by the unit's key, for the units on which another differs."""
    wanted = {d.key for d in data.disagreements}
    found: dict[str, list[str]] = {}
    for section in data.agreement:
        for cell in ("both_entailed", "neither_entailed"):
            for key in section.cells.get(cell, ()):
                if key in wanted:
                    found.setdefault(key, []).append(section.figures.judge)
    return found


def _answer(
    of_answer: Sequence[Sequence[Disagreement]],
    anchors: dict[str, str],
    by_id: dict[str, str],
    right: Mapping[str, list[str]],
    spent: int,
) -> tuple[AnswerCards, int]:
    """The cards of an answer, and the bytes of context that are spent by now."""
    first = of_answer[0][0]
    one = AnswerCards(first.record, first.release, _cut(first.question))
    for found in of_answer:
        d = found[0]
        anchor = anchors[d.key] = f"unit-{len(anchors) + 1}"
        by_id.setdefault(d.unit, anchor)
        card = Card(anchor, d.unit, _cut(d.text) or "", d.human, _lenient(found), ())
        card.notes = tuple(_cut(n) or "" for n in d.notes[:_MAX_QUOTES])
        card.said = [_said(x) for x in found]
        card.right = list(right.get(d.key, ()))
        one.cards.append(card)
    size = sum(_bytes(c.text) for c in _texts(of_answer))
    if spent + size > _CONTEXT_BUDGET:
        one.passages = None
        return one, spent
    one.passages = _passages(of_answer)
    return one, spent + size


def _bytes(text: str) -> int:
    return len(escape(text).encode("utf-8", "replace"))


def _bytes_of(card: Card) -> int:
    """Bytes of the texts of a card."""
    quotes = [q for s in card.said for q in s.quotes]
    shown = [p for q in quotes for p, _ in q.parts] + [q.text for q in quotes if not q.parts]
    return sum(map(_bytes, [card.text, *card.notes, *shown]))


def _cut(text: str | None) -> str | None:
    if text is None or len(text) <= _MAX_TEXT:
        return text
    return text[:_MAX_TEXT] + f" … ({len(text) - _MAX_TEXT:,} more characters)"


def _said(d: Disagreement) -> Said:
    texts = {c.id: c.text for c in d.texts}
    changed = None if d.own_verdict == d.verdict else d.own_verdict
    return Said(
        d.judge,
        d.verdict,
        changed,
        None if d.cause is None else words(CAUSES, d.cause),
        tuple(words(FLAGS, f) for f in d.flags),
        tuple(_quote(e, texts) for e in d.evidence[:_MAX_QUOTES]),
        max(0, len(d.evidence) - _MAX_QUOTES),
    )


def _quote(evidence: Evidence, texts: Mapping[str, str]) -> Quote:
    text = texts.get(evidence.chunk or "")
    parts = () if text is None or not evidence.spans else excerpt(text, evidence.spans)
    return Quote(_cut(evidence.quote) or "", words(MATCHES, evidence.match), evidence.chunk, parts)


def excerpt(text: str, spans: Sequence[Span], around: int = _AROUND) -> tuple[Part, ...]:
    """The passage from shortly before the first span to shortly after the last, spans marked."""
    start, end = max(0, spans[0].start - around), min(len(text), spans[-1].end + around)
    start, end = _at_space(text, start, 1), _at_space(text, end, -1)
    start = min(start, spans[0].start)
    end = min(max(end, spans[-1].end), start + _MAX_TEXT)
    parts = marked(text, spans, start, end)
    before = (("… ", False),) if start > 0 else ()
    after = ((" …", False),) if end < len(text) else ()
    return (*before, *parts, *after)


def _at_space(text: str, at: int, step: int) -> int:
    """The nearest place between words, within thirty characters."""
    if at in (0, len(text)):
        return at
    for i in range(30):
        place = at + i * step
        if not 0 < place < len(text):
            return at
        if text[place].isspace():
            return place + (step > 0)
    return at


def marked(
    text: str, spans: Iterable[Span], start: int = 0, end: int | None = None
) -> tuple[Part, ...]:
    """A stretch of a text in pieces, those within a span marked. Spans may overlap."""
    end = len(text) if end is None else end
    parts: list[Part] = []
    at = start
    for span in sorted(spans, key=lambda s: (s.start, s.end)):
        a, b = max(at, span.start), min(end, span.end)
        if b <= a:
            continue
        parts += [(text[at:a], False), (text[a:b], True)]
        at = b
    parts.append((text[at:end], False))
    return tuple(p for p in parts if p[0])


def _texts(of_answer: Sequence[Sequence[Disagreement]]) -> tuple[Chunk, ...]:
    """Every text that the answer's units were judged against, once."""
    chunks: dict[str, Chunk] = {}
    for found in of_answer:
        chunks = {c.id: c for c in found[0].texts} | chunks
    return tuple(chunks.values())


def _passages(of_answer: Sequence[Sequence[Disagreement]]) -> tuple[Passage, ...]:
    """The texts with all their quotes marked."""
    spans: dict[str, list[Span]] = {}
    for e in (e for found in of_answer for d in found for e in d.evidence):
        if e.chunk is not None:
            spans.setdefault(e.chunk, []).extend(e.spans)
    return tuple(
        Passage(c.id, c.source, marked(c.text, spans.get(c.id, ()))) for c in _texts(of_answer)
    )
