"""What a person should know about a quote beside where it stands.

Heuristics, all of them: they flag a verdict and name a near passage; they never change a verdict.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from trueup.domain.characters import UNSPACED
from trueup.domain.folding import fold
from trueup.domain.instructions import instruction_like
from trueup.domain.model import Evidence, MatchLevel
from trueup.domain.text import ChunkIndex, token_cut
from trueup.domain.words import (
    FUNCTION_WORDS,
    NEGATION_PARTS,
    NEGATIONS,
    NEGATIVE_PREFIXES,
    NUMBER_WORDS,
)

_RAISED = (
    r"[\u00b2\u00b3\u00b9\u00bc-\u00be\u2070\u2074-\u207b\u2080-\u2089\u2150-\u215f\u2189"
    r"\u2460-\u249b\u24ea-\u24ff\u2776-\u2793]"
)
"""Powers, indices, fractions and enclosed digits: they belong to the number before them."""
_TOKEN = re.compile(
    r"(?P<number>(?:(?<![\w.,)\]])[-+\u2212])?"
    r"\d+(?:[.,'\u2019\u066b\u066c]\d+|[\u00a0\u202f\u2009]\d{3}(?!\d))*"
    rf"{_RAISED}*|{_RAISED}+)"
    r"|(?P<word>[^\W\d_]+(?:['\u2019][^\W\d_]+)*)"
)
_COMMA_GROUPS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_POINT_GROUPS = re.compile(r"[-+]?\d{1,3}(?:\.\d{3}){2,}(?:,\d+)?")
_NUMERO = re.compile(r"\.?\s?\d")
_UNSPACED = re.compile(f"[{UNSPACED}]+")
_DENYING_PARTS = re.compile(NEGATION_PARTS)
_STEM = 5
_MIN_WORD = 3

__all__ = [
    "altered", "content_words", "evidence_flags", "instruction_like", "negated", "negations",
    "numbers_in", "shares_content",
]  # fmt: skip

_LEVEL_FLAGS: dict[MatchLevel, str] = {
    "elided": "quote_elided",
    "near": "quote_near",
    "altered": "quote_altered",
    "absent": "quote_absent",
    "trivial": "quote_trivial",
}


def evidence_flags(
    claim: str,
    evidence: Sequence[Evidence],
    texts: Mapping[str, str],
    answer: str | None = None,
) -> tuple[str, ...]:
    """What to know about the located quotes of one verdict: each flag once, sorted.

    `texts` holds the chunk texts by chunk id. Flags: `quote_elided`, `quote_near`,
    `quote_altered`, `quote_absent`, `quote_trivial` (match levels that are no proof), `quote_cut`
    (an end lies inside a word), `quote_cut_number` (inside a number: 15 out of 150),
    `quote_unrelated` (no quote shares a word with the claim), `instruction_like`, and, where the
    answer is given, `quote_from_answer` (absent from the context, but the answer has it).
    """
    flags = {_LEVEL_FLAGS[e.match] for e in evidence if e.match in _LEVEL_FLAGS}
    cuts = {
        token_cut(texts[e.chunk or ""], span)
        for e in evidence
        if e.match in ("exact", "normalised") and e.chunk in texts
        for span in e.spans
    }
    if "word" in cuts:
        flags.add("quote_cut")
    if "number" in cuts:
        flags.add("quote_cut_number")
    if evidence and not any(shares_content(e.quote, claim) for e in evidence):
        flags.add("quote_unrelated")
    if any(instruction_like(e.quote) for e in evidence):
        flags.add("instruction_like")
    if answer is not None:
        index = ChunkIndex(answer)
        missing = (e.quote for e in evidence if e.match == "absent")
        if any(index.locate(q).level in ("exact", "normalised") for q in missing):
            flags.add("quote_from_answer")
    return tuple(sorted(flags))


def shares_content(quote: str, claim: str) -> bool:
    """Whether a quote and a claim have a content word, a number or (in scripts without spaces) a
    pair of characters in common. True where the claim has none, since nothing can be told.

    Words are compared by their first letters, so that `deletes` meets `deleted`. A quote in another
    language than the claim shares nothing but names and numbers.
    """
    wanted = content_words(claim)
    return not wanted or not wanted.isdisjoint(content_words(quote))


def content_words(text: str) -> frozenset[str]:
    """Stems of the words that carry content, numbers, and character pairs of unspaced scripts."""
    found = set(numbers_in(text))
    for word in _words(fold(text).text):
        for run in _UNSPACED.findall(word):
            found.update(run[i : i + 2] for i in range(max(1, len(run) - 1)))
        spaced = _UNSPACED.sub("", word)
        if len(spaced) >= _MIN_WORD and spaced not in FUNCTION_WORDS and not _denies(spaced):
            found.add(spaced.removesuffix("'s").removesuffix("s")[:_STEM])
    return frozenset(found)


def numbers_in(text: str) -> tuple[str, ...]:
    """The numbers of a text in order, each in one canonical form.

    ASCII digits, `.` for the decimal point, no grouping (`1,000` and `1 000` with a narrow space
    are `1000`; `1.000` stays, as it may be a decimal), a leading sign, powers and fractions as they
    are (`10⁶`). Cardinals written out in English, German, French and Spanish count, word by word;
    so do numerals among ideographs, sign by sign.
    """
    found: list[str] = []
    for match in _TOKEN.finditer(text):
        if match["number"]:
            found.append(_canonical(match["number"]))
            continue
        word = match["word"].casefold()
        if word in NUMBER_WORDS:
            found.append(NUMBER_WORDS[word])
        for run in _UNSPACED.findall(word):
            found.extend(f"{unicodedata.numeric(c):g}" for c in run if c.isnumeric())
    return tuple(found)


def negations(text: str) -> int:
    """How many words (or, in scripts without spaces, signs) of a text deny something."""
    folded = fold(text).text
    count = 0
    for match in _TOKEN.finditer(folded):
        word = match["word"]
        if word and _denies(word) and not (word == "no" and _NUMERO.match(folded, match.end())):
            count += 1
    return count + sum(len(_DENYING_PARTS.findall(run)) for run in _UNSPACED.findall(folded))


def negated(text: str) -> bool:
    """Whether a text denies something, as far as the word lists go."""
    return negations(text) > 0


def altered(quote: str, passage: str) -> Literal["number", "negation"] | None:
    """What a quote changed of the passage that it comes close to: a number, or a negation (one
    more or fewer, or a prefix: `able`, `unable`)."""
    if Counter(numbers_in(quote)) != Counter(numbers_in(passage)):
        return "number"
    if negations(quote) != negations(passage):
        return "negation"
    ours, theirs = set(_words(fold(quote).text)), set(_words(fold(passage).text))
    only_ours, only_theirs = ours - theirs, theirs - ours
    for prefix in NEGATIVE_PREFIXES:
        if any(prefix + w in only_theirs for w in only_ours) or any(
            prefix + w in only_ours for w in only_theirs
        ):
            return "negation"
    return None


def _words(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        if match["word"]:
            yield match["word"]


def _denies(word: str) -> bool:
    return word in NEGATIONS or word.endswith("n't") or word.startswith("n'")


def _canonical(number: str) -> str:
    plain = "".join(
        str(unicodedata.decimal(c)) if c.isdecimal() else c
        for c in number
        if c not in "'\u2019\u00a0\u202f\u2009\u066c"
    )
    plain = plain.replace("\u2212", "-").replace("\u066b", ".").removeprefix("+")
    if _COMMA_GROUPS.fullmatch(plain):
        return plain.replace(",", "")
    if _POINT_GROUPS.fullmatch(plain):
        return plain.replace(".", "").replace(",", ".")
    return plain.replace(",", ".")
