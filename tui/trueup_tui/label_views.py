"""From the session to what the widgets show. The judge's words come in through `revealed` alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from trueup.domain.highlights import best_cluster, claim_pattern, claim_spans, clusters
from trueup.domain.ledger import ItemState
from trueup.domain.model import Label, Span
from trueup.domain.tasks import LabelTask
from trueup.services.revealing import JudgeSays, Revealed
from trueup_tui.document import EAGER, Section
from trueup_tui.theme import SIGNS
from trueup_tui.widgets.evidence import Place

SLICE = 20_000
"""Characters whose words are marked between two keys, in a very long context."""

_LONG = 160
"""A claim or question longer than this may not fit the card, and stands whole in the pane too."""


@lru_cache(maxsize=64)
def _pattern(claim: str) -> re.Pattern[str] | None:
    return claim_pattern(claim)


def sections_of(
    task: LabelTask, state: ItemState, revealed: Revealed | None, *, with_source: bool
) -> list[Section]:
    """The pane's sections: what was revealed, the passages, then texts too long for the card.

    In a very long context the claim's words are marked afterwards (`words_in`).
    """
    words = _pattern(task.claim or task.question or "")
    highlight = not is_very_long(task)
    found: list[Section] = []
    if revealed is not None:
        found.append(_revealed_section(revealed))
    count = len(task.passages)
    for index, passage in enumerate(task.passages):
        title = passage.title if count == 1 else f"{index + 1}/{count}  {passage.title}"
        section = Section(title, passage.text, index)
        if highlight:
            section.marks["mark_words"] = claim_spans(words, passage.text)
        quotes = _quotes(revealed, passage.id)
        if quotes:
            section.marks["mark_quote"] = quotes
        own = _own_quote(state, passage.id, passage.text, index)
        if own is not None:
            section.marks["mark_own"] = [own]
        found.append(section)
    if task.missing is not None:
        found.append(Section("Nothing to hold the claim against", task.missing))
    if with_source and task.source:
        section = Section(task.source_name, task.source)
        if task.span is not None:
            section.marks["mark_span"] = [task.span]
        found.append(section)
    if task.claim_context:
        found.append(Section("The claim speaks of", task.claim_context))
    for title, text in (("Question", task.question or ""), ("Claim", task.claim)):
        if len(text) > _LONG or "\n" in text:
            found.append(Section(title, text))
    return found


def is_very_long(task: LabelTask) -> bool:
    """Whether marking the claim's words would hold up the keys."""
    return sum(len(p.text) for p in task.passages) > EAGER


def words_in(task: LabelTask, passage: int, start: int) -> list[Span]:
    """The claim's words in one slice of a passage, from an offset on."""
    words = _pattern(task.claim or task.question or "")
    text = task.passages[passage].text[start : start + SLICE]
    return [Span(start + s.start, start + s.end) for s in claim_spans(words, text)]


def places_of(sections: Sequence[Section]) -> list[Place]:
    """Where to look, in order: the judge's quotes and one's own, else runs of the claim's words."""
    strong = [
        Place(i, span)
        for i, s in enumerate(sections)
        for role in ("mark_quote", "mark_own")
        for span in s.marks.get(role, ())
    ]
    weak = [
        Place(i, span)
        for i, s in enumerate(sections)
        for span in clusters(s.marks.get("mark_words", ()))
    ]
    return strong + weak


def best_place(sections: Sequence[Section]) -> Place | None:
    """The place to show first: a quote, else where most words of the claim stand together."""
    for index, section in enumerate(sections):
        for role in ("mark_quote", "mark_own"):
            if section.marks.get(role):
                return Place(index, section.marks[role][0])
    best: tuple[int, Place] | None = None
    for index, section in enumerate(sections):
        spans = section.marks.get("mark_words", [])
        place = best_cluster(spans, section.text)
        if place is None:
            continue
        inside = {
            section.text[s.start : s.end].casefold()
            for s in spans
            if place.start <= s.start < place.end
        }
        if best is None or len(inside) > best[0]:
            best = (len(inside), Place(index, place))
    return None if best is None else best[1]


def _quotes(revealed: Revealed | None, chunk: str) -> list[Span]:
    """Where the judges' quotes stand in a chunk, in order and without overlaps."""
    if revealed is None:
        return []
    spans = sorted(
        (span.start, span.end)
        for said in revealed.judges
        for e in said.verdict.evidence
        if e.chunk == chunk
        for span in e.spans
    )
    merged: list[Span] = []
    for start, end in spans:
        if merged and start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(end, merged[-1].end))
        else:
            merged.append(Span(start, end))
    return merged


def _own_quote(state: ItemState, chunk: str, text: str, index: int) -> Span | None:
    if not state.quote or state.where is None:
        return None
    start, end = state.where.get("start"), state.where.get("end")
    here = state.where.get("passage") == index or (
        state.where.get("passage") is None and state.where.get("chunk") == chunk
    )
    if here and isinstance(start, int) and isinstance(end, int) and end <= len(text):
        return Span(start, end)
    return None


def _revealed_section(revealed: Revealed) -> Section:
    """Verdicts and labels as text, each verdict in its colour."""
    section = Section("Revealed", "")
    lines: list[str] = []
    at = 0
    for line, role in (
        *(row for said in revealed.judges for row in _judge_lines(said)),
        *(_label_line(label) for label in revealed.labels),
    ):
        if role:
            section.marks.setdefault(role, []).append(Span(at, at + len(line)))
        lines.append(line)
        at += len(line) + 1
    section.text = (
        "\n".join(lines) or "no judge has ruled on this claim, and nobody else has labelled it"
    )
    return section


def _judge_lines(said: JudgeSays) -> list[tuple[str, str]]:
    verdict = said.verdict
    sign = SIGNS[verdict.value]
    line = f"{sign.glyph} {_flat(said.judge)}: {sign.word}"
    if verdict.reason:
        line += f" ({verdict.reason})"
    if verdict.own_value != verdict.value:
        line += f"; said {SIGNS[verdict.own_value].word}, the evidence rule changed it"
    lines = [(line, sign.role)]
    for e in verdict.evidence:
        where = f"in {_flat(e.chunk)}" if e.chunk and e.spans else "found nowhere in the context"
        lines.append((f"    “{_flat(e.quote)}” ({e.match}, {where})", ""))
    return lines


def _label_line(label: Label) -> tuple[str, str]:
    sign = SIGNS[label.label]
    note = f": {_flat(label.note)}" if label.note else ""
    return (f"{sign.glyph} {_flat(label.annotator)}: {sign.word}{note}", sign.role)


def _flat(text: str) -> str:
    """A text that may hold line ends, on one line."""
    return " ".join(text.split())
