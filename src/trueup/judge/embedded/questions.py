"""The two metrics judged against the question: is a chunk useful, does a claim address it?

Both are rough: no figure of people's judgement stands behind their thresholds (the card says so).
"""

from __future__ import annotations

from collections.abc import Sequence

import regex

from trueup.judge.embedded.guards import Side, replaced
from trueup.judge.embedded.names import names
from trueup.judge.embedded.passages import Held, held
from trueup.judge.embedded.quantities import quantities
from trueup.judge.embedded.ruling import Ruling, confidence, share_text
from trueup.judge.embedded.words import normal, terms

USEFUL_AT = 0.45
"""Coverage of the question by a chunk from which the chunk is useful."""
ADDRESSES_AT = 0.25
"""Coverage of the question by a claim from which the claim addresses it."""
_SHORT = 6
"""Content terms of a claim so short that the kind of its answer counts more than shared words."""

_ASKS_NUMBER = regex.compile(
    r"\bhow (?:long|many|much|often|far|old|big|large|fast|high)\b|\bwhat (?:is the )?(?:number"
    r"|price|cost|"
    r"limit|percentage|date|year|time)\b|\bwhen\b|\bwhich year\b|\bwie (?:lange|viele?|oft|hoch"
    r"|groß|alt)\b"
    r"|\bwann\b|\bcombien\b|\bquand\b|\bcuánt[oa]s?\b|\bcuándo\b|\bquant[oaie]\b|\bquando\b"
    r"|\bhoe ?"
    r"(?:lang|veel|vaak)\b|\bwanneer\b|\bсколько\b|\bкогда\b|كم|متى|कितन|कब|多少|几|幾|多久|何时"
    r"|いくつ|いくら"
    r"|どのくらい|いつ|何年|얼마|언제|몇"
)
_ASKS_NAME = regex.compile(
    r"\b(?:who|whom|whose|where|which|wer|wem|wo|welche[rsnm]?|qui|où|quel(?:le)?s?|quién(?:es)?"
    r"|dónde|cuál(?:es)?"
    r"|chi|dove|quale|quem|onde|qual|wie|waar|welke|кто|где|какой|какая)\b|من|أين|कौन|कहाँ|谁|誰"
    r"|哪|だれ|どこ|どの|누가|어디"
)


def useful(question: str, chunk: str, chunks: Sequence[str], style: str) -> Ruling:
    """Whether a chunk covers what the question asks about; `quoted` gives its best sentence.

    Words are weighted by their rarity among all chunks: what every chunk has tells none apart.
    """
    among, one = held(chunks), held([chunk])
    wanted = _wanted(question, one, among)
    total = sum(wanted.values())
    if not total or not one.passages:
        return Ruling(False, 0.0, (), "the question or the chunk has no word that tells anything")
    covered = sum(w for t, w in wanted.items() if one.same(t)) / total
    if covered < USEFUL_AT or style == "plain":
        return Ruling(covered >= USEFUL_AT, confidence(covered, USEFUL_AT), (), share_text(covered))
    best = max(
        one.passages, key=lambda p: sum(w for t, w in wanted.items() if _has(one, t, p.terms))
    )
    if reason := replaced(Side(question, one.language), Side(chunk, one.language)):
        return Ruling(False, 0.1, (), reason)
    return Ruling(True, confidence(covered, USEFUL_AT), (best.text,), share_text(covered))


def addresses(question: str, claim: str, style: str) -> Ruling:
    """Whether a claim shares the question's words, or is of the kind that was asked for.

    The kind (a number to "how many", a name to "who") is looked at by `quoted` only.
    """
    asked = held([question])
    said = held([claim])
    wanted = set(terms(question, asked.language))
    if not wanted or not said.passages:
        return Ruling(False, 0.0, (), "the question or the claim has no word that tells anything")
    covered = sum(bool(said.same(t)) for t in wanted) / len(wanted)
    quotes = (question.strip(),) if style == "quoted" else ()
    if covered >= ADDRESSES_AT:
        return Ruling(True, confidence(covered, ADDRESSES_AT), quotes, share_text(covered))
    if style == "quoted" and _is_of_kind(question, claim, said):
        return Ruling(True, 0.3, quotes, "the claim is of the kind that was asked for")
    return Ruling(False, confidence(covered, ADDRESSES_AT), (), share_text(covered))


def _wanted(question: str, one: Held, among: Held) -> dict[str, float]:
    return {t: among.weight(t) for t in terms(question, one.language)}


def _has(one: Held, term: str, there: frozenset[str]) -> bool:
    return not there.isdisjoint(one.same(term))


def _is_of_kind(question: str, claim: str, said: Held) -> bool:
    if len(set(terms(claim, said.language))) > _SHORT:
        return False
    asked = normal(question)
    if _ASKS_NUMBER.search(asked):
        return bool(quantities(claim))
    return bool(_ASKS_NAME.search(asked)) and bool(names(f"· {claim}", said.language))
