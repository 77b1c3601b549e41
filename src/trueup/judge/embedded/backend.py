"""The embedded judge as a backend: it answers in the same JSON as any other judge."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from trueup.domain.judging import JudgeTask, Reply, TaskUnit, Usage
from trueup.domain.metrics import METRICS
from trueup.domain.model import JudgeSpec
from trueup.judge.base import CallFailed
from trueup.judge.embedded.guards import veto
from trueup.judge.embedded.passages import Passage, Sentence, chunk_texts, passage
from trueup.judge.embedded.words import words

EMBEDDED_VERSION = "trueup-embedded/1"
STYLES = ("plain", "quoted")

PLAIN_AT = 0.60
"""Coverage of the claim by the whole context from which `plain` says entailed."""
ONE_AT, TWO_AT = 0.50, 0.55
"""Coverage by one sentence, and by two together, from which `quoted` says entailed."""
USEFUL_AT = 0.45
"""Coverage of the question by a chunk from which the chunk counts as useful."""
ADDRESSES_AT = 0.2
"""Coverage of the question by a claim from which the claim counts as addressing it."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the judge says of a unit: `confidence` is 0 at the threshold and 1 far from it."""

    entailed: bool
    confidence: float
    quotes: tuple[str, ...] = ()
    why: str = ""


class EmbeddedBackend:
    """Lexical coverage, in two styles: `plain` over the whole context, `quoted` by one sentence or
    two as verbatim evidence, with guards that veto."""

    async def complete(self, spec: JudgeSpec, task: JudgeTask) -> Reply:
        """Rule on every unit of the task. Raises CallFailed for a style it does not have."""
        if spec.prompt not in STYLES:
            raise CallFailed("not_found", f"no style {spec.prompt!r}", scope="run")
        rulings = [(unit, rule(task, unit, spec.prompt)) for unit in task.units]
        entries = [
            {
                "number": number,
                "claim": unit.text,
                "entailed": ruling.entailed,
                "evidence": list(ruling.quotes),
                "confidence": round(ruling.confidence, 3),
                "why": ruling.why,
            }
            for number, (unit, ruling) in enumerate(rulings, start=1)
        ]
        return Reply(
            text=json.dumps({"claims": entries}, ensure_ascii=False),
            finish_reason="stop",
            answered_model=EMBEDDED_VERSION,
            usage=Usage(0, 0),
        )

    async def aclose(self) -> None:
        """Nothing to give back."""


def rule(task: JudgeTask, unit: TaskUnit, style: str) -> Ruling:
    """The ruling on one unit, by what its metric holds it against."""
    against = METRICS[task.metric].against
    if against == "question":
        floor = USEFUL_AT if METRICS[task.metric].units == "chunk" else ADDRESSES_AT
        return _covers_question(task.question or "", unit.text, floor)
    if against == "context":
        return entails(chunk_texts(task.context), unit.text, style)
    return entails([(task.reference if against == "reference" else task.answer) or ""],
                   unit.text, style)  # fmt: skip


def entails(texts: Sequence[str], claim: str, style: str) -> Ruling:
    """Whether the texts cover a claim."""
    held = passage(texts)
    if style == "plain":
        covered = held.coverage(words(claim, held.language), held.all_words)
        return Ruling(covered >= PLAIN_AT, _confidence(covered, PLAIN_AT))
    return _quoted(held, claim)


def _quoted(held: Passage, claim: str) -> Ruling:
    chosen, covered = best_sentences(held, claim)
    if not chosen:
        return Ruling(False, 1.0, why="nothing in the context shares a word with the claim")
    floor = ONE_AT if len(chosen) == 1 else TWO_AT
    quotes = tuple(s.text for s in chosen)
    confidence = _confidence(covered, floor)
    if covered < floor:
        return Ruling(False, confidence, (), f"{covered:.0%} of the claim is covered")
    reason = veto(claim, " ".join(quotes), " ".join(held.chunks), held.language)
    if reason:
        return Ruling(False, min(1.0, 0.5 + confidence / 2), (), reason)
    return Ruling(True, confidence, quotes, f"{covered:.0%} of the claim is covered")


def best_sentences(held: Passage, claim: str) -> tuple[tuple[Sentence, ...], float]:
    """The sentence that covers the claim best, with a second one where the first is not enough."""
    wanted = words(claim, held.language)
    scored = [(held.coverage(wanted, s.words), s) for s in held.sentences]
    if not scored:
        return (), 0.0
    best, first = max(scored, key=lambda pair: pair[0])
    if best <= 0:
        return (), 0.0
    if best >= ONE_AT:
        return (first,), best
    joint, second = max(
        ((held.coverage(wanted, first.words | s.words), s) for _, s in scored if s is not first),
        key=lambda pair: pair[0],
        default=(best, first),
    )
    return ((first, second), joint) if joint > best else ((first,), best)


def _covers_question(question: str, text: str, floor: float) -> Ruling:
    held = passage([text])
    covered = held.coverage(words(question, held.language), held.all_words)
    return Ruling(covered >= floor, _confidence(covered, floor), (), f"{covered:.0%} covered")


def _confidence(value: float, floor: float) -> float:
    """How far from the threshold, as a share of the room on that side."""
    room = 1 - floor if value >= floor else floor
    return abs(value - floor) / room if room else 1.0
