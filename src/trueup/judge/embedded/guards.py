"""What vetoes a claim although its words are covered: a detail that the evidence states otherwise.

Each guard compares a claim with the chosen passages and gives the reason of its veto, or None. They
read surface forms only, and stay silent in a language that their tables lack.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import regex

from trueup.judge.embedded import markers
from trueup.judge.embedded.names import names, neighbours
from trueup.judge.embedded.quantities import missing, quantities
from trueup.judge.embedded.words import TOKEN, normal, stem, terms

_REACH = 6
"""How many content words a denial or a hedge reaches."""
_TURNED = 5
"""One in so many of the shared terms has to stand under a marker on one side only."""
_LEAST_BASE = 4
_WORD = regex.compile(r"[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*")


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison: a text, and the terms that hold for it from around (headings)."""

    text: str
    language: str
    around: frozenset[str] = frozenset()


def veto(claim: Side, evidence: Sequence[Side], everywhere: Container[str]) -> str | None:
    """The first reason why the passages do not carry the claim, or None.

    `everywhere` has the terms of all that was given: a name of the claim may stand there too.
    """
    joined = Side("\n".join(e.text for e in evidence), claim.language)
    for guard in GUARDS:
        if reason := guard(claim, joined):
            return reason
    if reason := unnamed(claim, evidence, everywhere):
        return reason
    return next(filter(None, (replaced(claim, e) for e in _carriers(claim, evidence))), None)


def number(claim: Side, evidence: Side) -> str | None:
    """A number, date, unit, currency, percentage or bound that the evidence does not have so."""
    wanted = quantities(claim.text)
    return missing(wanted, quantities(evidence.text)) if wanted else None


def denial(claim: Side, evidence: Side) -> str | None:
    """What one side denies and the other says, by a word of its own or by a prefix."""
    ours, theirs = denied(claim.text, claim.language), denied(evidence.text, claim.language)
    if _turned(ours, theirs):
        return "one side denies what the other says"
    return _prefixed(ours, theirs) or _prefixed(theirs, ours)


def _prefixed(one: Mapping[str, bool], other: Mapping[str, bool]) -> str | None:
    for term in one.keys() - other.keys():
        for prefix in markers.PREFIXES:
            base = term.removeprefix(prefix)
            if base == term or len(base) < _LEAST_BASE:
                continue
            if base in other and one[term] == other[base]:
                return f"“{term}” against “{base}”"
    return None


def hedge(claim: Side, evidence: Side) -> str | None:
    """A fact from a mere possibility."""
    ours, theirs = hedged(claim.text, claim.language), hedged(evidence.text, claim.language)
    if any(ours.values()) or not _turned(ours, theirs):
        return None
    return "the evidence only says that it may be so"


def _turned(ours: Mapping[str, bool], theirs: Mapping[str, bool]) -> bool:
    """Whether a good part of what both speak of stands under a marker on one side only.

    A term that stands under one on both sides settles it: word order moves the rest.
    """
    shared = ours.keys() & theirs.keys()
    if any(ours[t] and theirs[t] for t in shared):
        return False
    turned = sum(ours[t] != theirs[t] for t in shared)
    return turned > 0 and _TURNED * turned >= len(shared)


@lru_cache(maxsize=4096)
def denied(text: str, language: str) -> dict[str, bool]:
    """Term to whether it is denied; a term that is affirmed once is affirmed."""
    words = markers.DENIALS.get(language, frozenset())
    everywhere = language in markers.DENIALS_AFTER
    return _reached(markers.NO_DENIAL.sub(" ", normal(text)), language, words, everywhere)


@lru_cache(maxsize=4096)
def hedged(text: str, language: str) -> dict[str, bool]:
    """Term to whether it stands under "may", "perhaps" and their like."""
    words = markers.HEDGES.get(language, frozenset())
    return _reached(normal(text), language, words, False)


def _reached(text: str, language: str, words: frozenset[str], everywhere: bool) -> dict[str, bool]:
    """Term to whether a marker reaches it; `everywhere`: a marker reaches its whole clause."""
    found: dict[str, bool] = {}
    for clause in markers.STOPS.split(text):
        whole = everywhere and _denies(clause, words)
        for term, reached in _terms_reached(clause, language, words):
            found[term] = found.get(term, True) and (reached or whole)
    return found


def _terms_reached(clause: str, language: str, words: frozenset[str]) -> Iterator[tuple[str, bool]]:
    left = 0
    for match in TOKEN.finditer(clause):
        word = match[0].replace("’", "'")
        if match.lastgroup == "pairs":
            for i in range(max(1, len(word) - 1)):
                yield word[i : i + 2], False
        elif _is_marker(word, language, words):
            left = _REACH
        elif term := stem(word, language) if match.lastgroup == "word" else word:
            yield term, left > 0
            left -= 1


def _is_marker(word: str, language: str, words: frozenset[str]) -> bool:
    if word in words:
        return True
    denying = "not" in words if language == "en" else "ne" in words
    return denying and (word.endswith("n't") or word.startswith("n'"))


def _denies(clause: str, words: frozenset[str]) -> bool:
    return bool(markers.DENYING_PAIRS.search(clause)) or any(
        w in words for w in _WORD.findall(clause)
    )


def quantifier(claim: Side, evidence: Side) -> str | None:
    """ "All" from "some", or "only" from nothing of the kind."""
    ours, theirs = normal(claim.text), normal(evidence.text)
    if markers.ONLY_SAID.search(ours) and not markers.ONLY.search(theirs):
        return "the evidence does not say “only”"
    if not markers.ALL.search(ours) or markers.SOME.search(ours):
        return None
    if markers.SOME.search(theirs) and not markers.ALL.search(theirs):
        return "the evidence says “some”, the claim says “all”"
    return None


def opposite(claim: Side, evidence: Side) -> str | None:
    """A word of the claim whose contrary the evidence has in its place."""
    ours = frozenset(_WORD.findall(normal(claim.text)))
    theirs = frozenset(_WORD.findall(normal(evidence.text)))
    for word in sorted(ours - theirs):
        against = markers.OPPOSITES.get(word, frozenset()) & theirs
        if against and not against & ours:
            return f"“{min(against)}” against “{word}”"
    return None


def unnamed(claim: Side, evidence: Sequence[Side], everywhere: Container[str]) -> str | None:
    """A name of the claim that stands neither in the passages nor anywhere else in the text."""
    wanted = names(claim.text, claim.language)
    if not wanted:
        return None
    there = frozenset().union(*(_terms(e) for e in evidence))
    for name in sorted(wanted):
        if not _named(name, there, claim.language) and not _named(name, everywhere, claim.language):
            return f"{name} is not named"
    return None


def replaced(claim: Side, evidence: Side) -> str | None:
    """A name of the claim that a passage lacks and has another one in the place of.

    "On the Team plan" against "on the Enterprise plan": the names differ, the word beside them is
    the same. So it is under a heading or a table's header with that word and without the name.
    """
    wanted = names(claim.text, claim.language)
    lost = sorted(n for n in wanted if not _named(n, _terms(evidence), claim.language))
    if not lost:
        return None
    ours = neighbours(claim.text, claim.language)
    theirs = neighbours(evidence.text, claim.language)
    for name in lost:
        beside = ours.get(name, frozenset())
        for other in sorted(theirs.keys() - wanted):
            if beside & theirs[other]:
                return f"the evidence says {other}, not {name}"
        if evidence.around.intersection(b.removeprefix("<") for b in beside):
            return f"the evidence does not stand under {name}"
    return None


def _carriers(claim: Side, evidence: Sequence[Side]) -> Sequence[Side]:
    """The passages that a claim's names have to agree with: those that its numbers come from.

    Two passages may each give a half of a claim, but not the number of one plan and the name of
    another. Where no number tells, the first passage counts.
    """
    wanted = quantities(claim.text)
    found = [e for e in evidence if any(q.is_of(o) for q in wanted for o in quantities(e.text))]
    return found or evidence[:1]


def _named(name: str, there: Container[str], language: str) -> bool:
    """Whether all parts of a name (of two letters and more) are among some terms."""
    parts = [m[0] for m in TOKEN.finditer(normal(name))]
    return all(len(p) < 2 or p in there or stem(p, language) in there for p in parts)


def _terms(side: Side) -> frozenset[str]:
    return side.around.union(terms(side.text, side.language))


GUARDS: tuple[Callable[[Side, Side], str | None], ...] = (
    number,
    denial,
    quantifier,
    hedge,
    opposite,
)
"""In the order in which their reasons are given; names come last."""
