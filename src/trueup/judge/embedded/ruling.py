"""The two styles of ruling: `plain` coverage of a whole text, `quoted` evidence with guards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import regex

from trueup.judge.embedded.guards import Side, veto
from trueup.judge.embedded.passages import Held
from trueup.judge.embedded.words import terms
from trueup.judge.splitting import split_claims
from trueup.judge.splitting.sentences import without_citations

PLAIN_AT = 0.55
"""Coverage of the claim by the whole text from which `plain` says entailed."""
ONE_AT, TWO_AT = 0.45, 0.56
"""Coverage by one passage, and by two together, from which `quoted` says entailed."""
SENTENCES_AT = 2 / 3
"""Share of its sentences from which a unit of several sentences counts as carried."""
VETOED = 0.1
"""Confidence of a veto: in freely worded text the words often carry what a guard misses."""
_CANDIDATES = 3
_PARTNERS = 2
_CLEARLY = 0.2
"""Share of a claim that a second passage has to add to be quoted beside one that is enough."""
_POINTING = 0.1
"""What a passage gains that has the words of the sentence a pronoun points back to."""
_SEVERAL = regex.compile(r"[.!?।۔؟][\"'”’»)\]*_]*\s+\S|[。！？]\s*\S|\n")


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the judge says of a unit: how sure it is (0 to 1), the passages it rests on, and why."""

    entailed: bool
    confidence: float
    quotes: tuple[str, ...] = ()
    why: str = ""


def plain(held: Held, claim: str, given: str = "") -> Ruling:
    """Whether the whole text covers the claim's weighted terms; no evidence, no guards."""
    weights = _weights(held, without_citations(claim), given)
    total = sum(weights.values())
    if not total:
        return _NOTHING
    covered = sum(w for t, w in weights.items() if held.same(t)) / total
    return Ruling(covered >= PLAIN_AT, confidence(covered, PLAIN_AT), (), share_text(covered))


def quoted(held: Held, claim: str, context: str | None = None, given: str = "") -> Ruling:
    """Whether one passage, or two together, cover the claim and no guard objects.

    `context` is the sentence that a pronoun of the claim points back to. A unit of several
    sentences (a whole answer) is ruled on by its sentences.
    """
    claim = without_citations(claim)
    pieces = split_claims(claim).claims if _SEVERAL.search(claim) else ()
    if len(pieces) < 2:
        return _one(held, claim, context, given)
    rulings = [_one(held, p.text, p.context, given) for p in pieces]
    carried = [r for r in rulings if r.entailed]
    share = len(carried) / len(rulings)
    why = f"{len(carried)} of {len(rulings)} sentences are carried"
    if share < SENTENCES_AT:
        return Ruling(False, confidence(share, SENTENCES_AT), (), why)
    quotes = tuple(dict.fromkeys(q for r in carried for q in r.quotes))
    return Ruling(True, confidence(share, SENTENCES_AT), quotes, why)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Passages (their positions) that together cover a share of a claim."""

    places: tuple[int, ...]
    covered: float

    @property
    def floor(self) -> float:
        return ONE_AT if len(self.places) == 1 else TWO_AT


def _one(held: Held, claim: str, context: str | None, given: str) -> Ruling:
    """The ruling on one claim: the first candidate that covers it and that no guard vetoes."""
    weights = _weights(held, claim, given)
    if not weights:
        return _NOTHING
    side = Side(claim, held.language)
    search = _Search(held, weights, context)
    nearest, objection = -1.0, ""
    for candidate in search.candidates():
        nearest = max(nearest, candidate.covered / candidate.floor - 1)
        if candidate.covered < candidate.floor:
            continue
        reason = _objection(held, side, candidate)
        if reason is None:
            return _carried(held, candidate, search.joined(candidate, side))
        objection = objection or reason
    if objection:
        return Ruling(False, VETOED, (), objection)
    return Ruling(False, -nearest, (), share_text((1 + nearest) * ONE_AT))


def _carried(held: Held, candidate: _Candidate, joined: _Candidate | None) -> Ruling:
    best = joined or candidate
    quotes = tuple(held.passages[i].text for i in best.places)
    sure = confidence(candidate.covered, candidate.floor)
    return Ruling(True, sure, quotes, share_text(best.covered))


def _objection(held: Held, side: Side, candidate: _Candidate) -> str | None:
    chosen = [held.passages[i] for i in candidate.places]
    return veto(side, [Side(p.text, held.language, p.around) for p in chosen], held.postings)


class _Search:
    """The passages that cover one claim best: one by one, then in pairs."""

    def __init__(self, held: Held, weights: dict[str, float], context: str | None) -> None:
        self.held = held
        self.weights = weights
        self.total = sum(weights.values())
        self.places = {t: {i for s in held.same(t) for i in held.postings[s]} for t in weights}
        self.scores: dict[int, float] = {}
        for term, found in self.places.items():
            for i in found:
                self.scores[i] = self.scores.get(i, 0.0) + weights[term]
        gain = _pointed(held, context) if context else {}
        order = sorted(self.scores, key=lambda i: (-self.scores[i] - gain.get(i, 0.0), i))
        self.order = order[:_CANDIDATES]

    def candidates(self) -> Iterator[_Candidate]:
        """Single passages, best first; then each with the partners that add most."""
        for i in self.order:
            yield _Candidate((i,), self.scores[i] / self.total)
        for i in self.order:
            yield from self.pairs(i)

    def pairs(self, i: int) -> Iterator[_Candidate]:
        """One passage with those that cover most of what it leaves open."""
        more: dict[int, float] = {}
        for term, found in self.places.items():
            for j in found if i not in found else ():
                more[j] = more.get(j, 0.0) + self.weights[term]
        for j in sorted(more, key=lambda j: (-more[j], abs(j - i), j))[:_PARTNERS]:
            yield _Candidate((i, j), (self.scores[i] + more[j]) / self.total)

    def joined(self, single: _Candidate, side: Side) -> _Candidate | None:
        """A pair that shows clearly more of the claim than the one passage that carries it."""
        if len(single.places) > 1:
            return None
        for pair in self.pairs(single.places[0]):
            if pair.covered - single.covered < _CLEARLY:
                return None
            if _objection(self.held, side, pair) is None:
                return pair
        return None


def _pointed(held: Held, context: str) -> dict[int, float]:
    """Position to a little weight, where a passage has words of the sentence pointed back to."""
    gain: dict[int, float] = {}
    for term in set(terms(context, held.language)):
        for same in held.same(term):
            for i in held.postings[same]:
                gain[i] = gain.get(i, 0.0) + _POINTING
    return gain


def _weights(held: Held, claim: str, given: str) -> dict[str, float]:
    """Term of the claim to its weight; what was given counts only where nothing else is said."""
    wanted = dict.fromkeys(terms(claim, held.language))
    if given:
        known = set(terms(given, held.language))
        wanted = {t: None for t in wanted if t not in known} or wanted
    return {t: held.weight(t) for t in wanted}


def confidence(value: float, floor: float) -> float:
    """How far a value is from the threshold, as a share of the room on its side: 0 to 1."""
    room = 1 - floor if value >= floor else floor
    return min(1.0, abs(value - floor) / room) if room else 1.0


def share_text(covered: float) -> str:
    """The reason that coverage gives."""
    return f"{covered:.0%} of the weight is covered"


_NOTHING = Ruling(False, 0.0, (), "the claim has no word that tells anything")
