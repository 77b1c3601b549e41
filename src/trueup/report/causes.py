"""Why a judge and people may differ, as far as the texts can tell.

Each cause is a rule over the claim, the texts and the judge's quotes: it can err, and it is offered
to a reader as where to look first. What no rule explains has no cause.

Too lenient (people do not find the claim in the texts, the judge does) and too strict share the
differences between the claim and its closest passage: number, unit, negation, quantifier, name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from trueup.domain.evidence_checks import (
    altered,
    content_words,
    instruction_like,
    negations,
    numbers_in,
)
from trueup.domain.model import Chunk, Evidence
from trueup.domain.quantities import quantifiers, quantities
from trueup.domain.sentences import sentences

LOCATED: Final = frozenset({"exact", "normalised", "elided"})
_CLOSE = 0.4
"""Share of a claim's words from which a passage speaks of the same thing."""
_FAR = 0.5
"""Share of a claim's words in all texts below which they do not speak of it."""
_AHEAD = 0.25
"""How much more of a claim another chunk must hold than the quoted one."""
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_CLAUSE = re.compile(r"[,;:()—–]\s|\s(?:and|but|und|aber|et|mais|y|pero|e|mas)\s")
_CLAUSE_CLOSE = 0.6
"""Share of a clause's words in the claim from which the claim speaks of it."""
_MANY_CAPITALS = 0.4
"""Share of capitalised words from which capitals name nothing: German nouns, headings."""


@dataclass(frozen=True, slots=True)
class _Passage:
    text: str
    chunk: str
    words: frozenset[str]


def cause(
    claim: str,
    *,
    human: str,
    verdict: str,
    own_verdict: str | None = None,
    evidence: Sequence[Evidence] = (),
    texts: Sequence[Chunk] = (),
    people_quotes: Iterable[str] = (),
) -> str | None:
    """The first cause that applies, one of `terms.CAUSES`; None where people and the judge agree,
    either is undecided, or no rule applies.

    `texts` are what the claim is judged against; `people_quotes` the sentences on which people
    rest their label, where they gave one. `own_verdict` is the judge's before the evidence rule.
    """
    if {human, verdict} != {"entailed", "not_entailed"}:
        return None
    if human == "not_entailed":
        return _too_lenient(claim, evidence, texts)
    ruled = own_verdict == "entailed"
    return _too_strict(claim, evidence, texts, people_quotes, ruled=ruled)


def _too_lenient(claim: str, evidence: Sequence[Evidence], texts: Sequence[Chunk]) -> str | None:
    if not texts:
        return "empty_context"
    if any(_instructs(e.quote) for e in evidence):
        return "instruction"
    if broken := _broken_quote(evidence):
        return broken
    quoted = _quoted(evidence, texts)
    if quoted is None and any(_instructs(c.text) for c in texts):
        return "instruction"
    wanted = _words(claim)
    passages = _passages(texts)
    near = quoted or _closest(wanted, passages)
    if near is None:
        return "outside_knowledge"
    if quoted is not None and _elsewhere(wanted, quoted, passages):
        return "other_chunk"
    if found := _difference(claim, wanted, near, passages):
        return found
    if _support(wanted, passages) < _FAR:
        return "outside_knowledge"
    return None if evidence else "loose_implication"


def _too_strict(
    claim: str,
    evidence: Sequence[Evidence],
    texts: Sequence[Chunk],
    people_quotes: Iterable[str],
    *,
    ruled: bool,
) -> str | None:
    if ruled and (broken := _broken_quote(evidence) or (None if evidence else "no_quote")):
        return broken
    wanted = _words(claim)
    passages = _passages(texts)
    near = _closest(wanted, passages)
    if near is None:
        return None
    quoted = _quoted(evidence, texts)
    theirs = {p.chunk for q in people_quotes for p in passages if q.strip() and q in p.text}
    if quoted is not None and (theirs or {near.chunk}).isdisjoint({quoted.chunk}):
        return "other_chunk"
    if found := _difference(claim, wanted, near, passages):
        return found
    return "other_words" if _support(wanted, passages) < _FAR else None


def _broken_quote(evidence: Sequence[Evidence]) -> str | None:
    """Whether the judge rests on quotes of which none is found."""
    if not evidence or any(e.match in LOCATED for e in evidence):
        return None
    return "quote_altered" if any(e.match == "altered" for e in evidence) else "quote_absent"


def _difference(
    claim: str, wanted: frozenset[str], near: _Passage, passages: Sequence[_Passage]
) -> str | None:
    """What a claim changes of the passage that it comes close to."""
    if _share(wanted, near.words) < _CLOSE:
        return None
    if _unit_differs(claim, near.text):
        return "unit"
    if _number_differs(claim, near, passages):
        return "number"
    if _negation_differs(claim, wanted, near):
        return "negation"
    if _quantifiers(claim) - _quantifiers(near.text):
        return "quantifier"
    ours, theirs = _names(claim), _names(near.text)
    if any(content_words(n).isdisjoint(near.words) for n in ours) and theirs - ours:
        return "name"
    return None


def _negation_differs(claim: str, wanted: frozenset[str], near: _Passage) -> bool:
    """Whether claim and passage deny unlike, in whole and in a clause that the claim speaks of."""
    odd = _negations(claim) % 2
    if odd == _negations(near.text) % 2:
        return _denied(claim, near.text)
    return any(
        denies != odd and _share(words, wanted) >= _CLAUSE_CLOSE
        for denies, words in _clauses(near.text)
    )


@lru_cache(maxsize=4096)
def _clauses(text: str) -> tuple[tuple[int, frozenset[str]], ...]:
    """(whether it denies, its words) of each clause."""
    found = ((negations(c) % 2, content_words(c)) for c in _CLAUSE.split(text))
    return tuple((denies, words) for denies, words in found if words)


def _names(text: str) -> frozenset[str]:
    """Words in capitals that do not open a sentence; none where capitals name nothing."""
    found = list(_WORD.finditer(text))[1:]
    capitals = [m for m in found if m[0][0].isupper()]
    if len(capitals) > _MANY_CAPITALS * len(found):
        return frozenset()
    inside = (m[0] for m in capitals if text[: m.start()].rstrip()[-1:] not in ".!?:|")
    return frozenset(n.casefold() for n in inside)


def _denied(claim: str, passage: str) -> bool:
    """Whether a negating prefix was added or lost (`able`, `unable`)."""
    return _numbers(claim) == _numbers(passage) and altered(claim, passage) == "negation"


def _unit_differs(claim: str, passage: str) -> bool:
    """Whether an amount of the claim has a unit of the same dimension, but another one, in the
    passage, and the passage has no such unit itself."""
    ours, theirs = _quantities(claim), _quantities(passage)
    known = {(q.dimension, q.unit) for q in theirs}
    dimensions = {q.dimension for q in theirs}
    return any(q.dimension in dimensions and (q.dimension, q.unit) not in known for q in ours)


def _number_differs(claim: str, near: _Passage, passages: Sequence[_Passage]) -> bool:
    """Whether the claim has a number that stands nowhere, or not in a passage with other ones."""
    ours = set(_numbers(claim)) - {"1"}
    theirs = set(_numbers(near.text))
    missing = ours - theirs
    if not missing:
        return False
    if theirs - ours - {"1"}:
        return True
    return any(all(n not in p.words for p in passages) for n in missing)


def _elsewhere(wanted: frozenset[str], quoted: _Passage, passages: Sequence[_Passage]) -> bool:
    """Whether a sentence of another chunk holds more of the claim than any of the quoted one."""
    best: dict[bool, float] = {True: 0.0, False: 0.0}
    for p in passages:
        mine = p.chunk == quoted.chunk
        best[mine] = max(best[mine], _share(wanted, p.words))
    return best[False] - best[True] >= _AHEAD


def _share(wanted: frozenset[str], words: frozenset[str]) -> float:
    return len(wanted & words) / len(wanted) if wanted else 1.0


def _support(wanted: frozenset[str], passages: Sequence[_Passage]) -> float:
    """Share of the claim's words that stand anywhere in the texts."""
    return _share(wanted, frozenset().union(*(p.words for p in passages)))


def _closest(wanted: frozenset[str], passages: Sequence[_Passage]) -> _Passage | None:
    """The sentence with most of the claim's words; of equals the one with the fewest others."""
    return max(passages, key=lambda p: (len(wanted & p.words), -len(p.words)), default=None)


def _quoted(evidence: Sequence[Evidence], texts: Sequence[Chunk]) -> _Passage | None:
    """The located quotes in whole sentences, as one passage of the first one's chunk."""
    by_id = {c.id: c.text for c in texts}
    parts: list[str] = []
    chunk: str | None = None
    for e in evidence:
        text = by_id.get(e.chunk or "")
        if e.match not in LOCATED or text is None or not e.spans:
            continue
        chunk = chunk or e.chunk
        first, last = e.spans[0].start, e.spans[-1].end
        parts += [
            text[s.start : s.end] for s in _sentences(text) if s.end > first and s.start < last
        ]
    if chunk is None:
        return None
    whole = " ".join(parts)
    return _Passage(whole, chunk, _words(whole))


def _passages(texts: Sequence[Chunk]) -> tuple[_Passage, ...]:
    return tuple(p for c in texts for p in _of_chunk(c.id, c.text))


@lru_cache(maxsize=4096)
def _of_chunk(chunk: str, text: str) -> tuple[_Passage, ...]:
    """The sentences of a chunk with their words, made once for all claims."""
    found = (text[s.start : s.end] for s in sentences(text))
    return tuple(_Passage(t, chunk, content_words(t)) for t in found)


# Several judges fail on the same claim, and many claims on the same text.
_instructs = lru_cache(maxsize=4096)(instruction_like)
_numbers = lru_cache(maxsize=4096)(numbers_in)
_quantities = lru_cache(maxsize=4096)(quantities)
_quantifiers = lru_cache(maxsize=4096)(quantifiers)
_negations = lru_cache(maxsize=4096)(negations)
_words = lru_cache(maxsize=4096)(content_words)
_sentences = lru_cache(maxsize=4096)(sentences)
