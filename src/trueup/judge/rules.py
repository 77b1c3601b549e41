"""From entries to verdicts: quotes are located, the evidence rule is applied, doubts are flagged.

Flags on a verdict that the judge itself calls entailed:
    no_evidence            quotes were asked for and none was given
    quote_absent           a quote stands nowhere in the text that the claim is judged against
    quote_elided           a quote has parts left out
    quote_trivial          a quote is empty, punctuation or one short token
    quote_cut              a quote ends inside a word of the text
    quote_cut_number       a quote ends inside a number: 15 out of 150
    quote_unrelated        a quote shares no content with the claim
    instruction_like       a quote reads like an instruction to the judge
    same_quote_everywhere  every entailed claim of the reply rests on one and the same quote
    evidence_rule          the rule made it not entailed
On any verdict: several_objects, repeated, conflicting_verdicts, evidence_malformed (the reply).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trueup.domain.evidence_checks import instruction_like, shares_content
from trueup.domain.judging import JudgeTask, TaskUnit
from trueup.domain.metrics import METRICS
from trueup.domain.model import Chunk, Evidence, Verdict, VerdictValue
from trueup.domain.text import ContextIndex, Quote
from trueup.judge.parse import Item
from trueup.judge.planning import Bound
from trueup.judge.render import unit_chunk

_LOCATED = frozenset({"exact", "normalised"})
_LONGER = 20
_KEPT = 2_000
_TELLING = 8
"""A word of that many letters, in quote and claim, is content: no function word is as long."""
_LEVEL_FLAGS = {"absent": "quote_absent", "elided": "quote_elided", "trivial": "quote_trivial"}


def texts_against(task: JudgeTask, unit: TaskUnit | None = None) -> tuple[Chunk, ...]:
    """The texts in which a unit's quotes have to stand: the chunks, or the one text as a chunk."""
    spec = METRICS[task.metric]
    if spec.units == "chunk":
        chunk = unit_chunk(task, unit) if unit is not None else None
        return (chunk,) if chunk is not None else task.context or ()
    if spec.against == "context":
        return task.context or ()
    text = {"question": task.question, "reference": task.reference, "answer": task.answer}
    return (Chunk(spec.against, text[spec.against] or ""),)


class EvidenceReader:
    """Applies one judge's evidence rule: `off`, `flag` or `required`."""

    def __init__(self, bound: Bound) -> None:
        self._bound = bound
        self._rule = bound.spec.evidence

    def verdicts(
        self, task: JudgeTask, items: Sequence[Item | None], flags: tuple[str, ...] = ()
    ) -> list[Verdict]:
        """One verdict for each unit of the task; `flags` are those of the whole reply."""
        indexes: dict[str, ContextIndex] = {}
        verdicts = [
            self._verdict(task, unit, item, flags, indexes)
            for unit, item in zip(task.units, items, strict=True)
        ]
        return _one_quote_for_all(task, verdicts)

    def _verdict(
        self,
        task: JudgeTask,
        unit: TaskUnit,
        item: Item | None,
        flags: tuple[str, ...],
        indexes: dict[str, ContextIndex],
    ) -> Verdict:
        if item is None or item.entailed is None:
            reason = "missing_verdict" if item is None else "schema"
            own = item.flags if item is not None else ()
            return self._make(task, unit, "undecided", "undecided", (*own, *flags), reason=reason)
        own_value: VerdictValue = "entailed" if item.entailed else "not_entailed"
        found = self._locate(task, unit, item.quotes, indexes)
        doubts, sound = _doubts(task, unit, item, found)
        every = (*item.flags, *flags, *(doubts if item.entailed else ()))
        value = own_value
        if own_value == "entailed" and self._rule == "required" and not sound:
            value, every = "not_entailed", (*every, "evidence_rule")
        evidence = tuple(e for e, _ in found)
        return self._make(task, unit, value, own_value, every, evidence=evidence)

    def _locate(
        self,
        task: JudgeTask,
        unit: TaskUnit,
        quotes: Sequence[str],
        indexes: dict[str, ContextIndex],
    ) -> list[tuple[Evidence, str | None]]:
        """(evidence, what the match cuts) of each quote."""
        if not quotes:
            return []
        key = unit.key if METRICS[task.metric].units == "chunk" else ""
        index = indexes.get(key)
        if index is None:
            index = indexes[key] = ContextIndex(texts_against(task, unit))
        return [_evidence(index, q) for q in quotes]

    def _make(
        self,
        task: JudgeTask,
        unit: TaskUnit,
        value: VerdictValue,
        own_value: VerdictValue,
        flags: tuple[str, ...],
        *,
        reason: str | None = None,
        evidence: tuple[Evidence, ...] = (),
    ) -> Verdict:
        return Verdict(
            unit=unit.key,
            metric=task.metric,
            fingerprint=self._bound.fingerprint,
            value=value,
            own_value=own_value,
            reason=reason,
            evidence=evidence,
            flags=tuple(dict.fromkeys(flags)),
            repeat=task.repeat,
        )


def _evidence(index: ContextIndex, raw: str) -> tuple[Evidence, str | None]:
    if len(raw) > _LONGER * max((len(c.text) for c in index.chunks), default=0) + _LONGER:
        # No folding makes a quote shorter than that: it stands in none of the texts.
        return Evidence(raw[:_KEPT], "absent"), None
    position, match = index.find(Quote(raw))
    chunk = None if position is None else index.chunks[position].id
    return Evidence(raw, match.level, chunk, match.spans), match.cut


def _doubts(
    task: JudgeTask, unit: TaskUnit, item: Item, found: Sequence[tuple[Evidence, str | None]]
) -> tuple[list[str], bool]:
    """(flags, whether the quotes carry an entailed verdict under the rule `required`).

    Sound: at least one quote is found, and every quote that says anything is found, cuts no number,
    and is not an instruction that has nothing to do with the claim.
    """
    if not found:
        return (["no_evidence"] if item.asked_evidence else []), False
    flags: list[str] = []
    located, sound = False, True
    for evidence, cut in found:
        if evidence.match not in _LOCATED:
            flags.append(_LEVEL_FLAGS.get(evidence.match, "quote_absent"))
            sound = sound and evidence.match == "trivial"
            continue
        located = True
        if cut is not None:
            flags.append("quote_cut" if cut == "word" else "quote_cut_number")
            sound = sound and cut != "number"
        unrelated = _unrelated(task, unit, evidence.quote)
        instructing = instruction_like(evidence.quote)
        if unrelated:
            flags.append("quote_unrelated")
        if instructing:
            flags.append("instruction_like")
        sound = sound and not (unrelated and instructing)
    return flags, located and sound


def _unrelated(task: JudgeTask, unit: TaskUnit, quote: str) -> bool:
    """Whether quote and claim have nothing in common, where they ought to."""
    if METRICS[task.metric].against == "question":
        return False
    claim = unit.text if unit.context is None else f"{unit.text} {unit.context}"
    # The full comparison costs more than all else about a quote, and mostly one look is enough.
    if any(len(w) >= _TELLING for w in set(quote.split()).intersection(claim.split())):
        return False
    return not shares_content(quote, claim)


def _one_quote_for_all(task: JudgeTask, verdicts: list[Verdict]) -> list[Verdict]:
    """Flag a reply that rests several claims, and all that it calls entailed, on one quote."""
    entailed = [i for i, v in enumerate(verdicts) if v.own_value == "entailed" and v.evidence]
    claimed = sum(v.own_value == "entailed" for v in verdicts)
    if len(entailed) < 2 or len(entailed) < claimed:
        return verdicts
    quotes = {e.quote.strip() for i in entailed for e in verdicts[i].evidence}
    texts = {task.units[i].text for i in entailed}
    if len(quotes) != 1 or len(texts) < 2:
        return verdicts
    for i in entailed:
        verdict = verdicts[i]
        verdicts[i] = replace(verdict, flags=(*verdict.flags, "same_quote_everywhere"))
    return verdicts
