"""What vetoes a claim although its words are covered: a detail that the evidence states otherwise.

Each guard gives the reason of its veto, or None. They read surface forms only, in a handful of
languages; where a language is missing a guard stays silent.
"""

from __future__ import annotations

from collections.abc import Iterator

import regex

from trueup.domain.evidence_checks import negations, numbers_in
from trueup.judge.embedded.words import is_frequent, stem

_UNITS = (
    ("second", "sec", "sekunde", "seconde", "segundo", "秒"),
    ("minute", "min", "minuto", "分"),
    ("hour", "hr", "stunde", "heure", "hora", "時間", "小时"),
    ("day", "tag", "jour", "día", "dia", "日", "天"),
    ("week", "woche", "semaine", "semana", "週", "周"),
    ("month", "monat", "mois", "mes", "か月", "ヶ月", "月"),
    ("year", "jahr", "an", "année", "año", "年"),
    ("kb",), ("kib",), ("mb",), ("mib",), ("gb",), ("gib",), ("tb",), ("tib",),
    ("percent", "%", "prozent", "pour cent", "por ciento"),
    ("€", "eur", "euro"), ("$", "usd", "dollar"), ("£", "gbp", "pound"), ("¥", "jpy", "yen"),
    ("meter", "metre", "m"), ("km", "kilometre", "kilometer"), ("kg",), ("ms", "millisecond"),
)  # fmt: skip
_UNIT_OF = {name: i for i, names in enumerate(_UNITS) for name in names}
_NUMBER_UNIT = regex.compile(
    r"(?P<before>[€$£¥])?\s?(?P<number>\p{N}+(?:[.,]\p{N}+)*)[\s\-]?(?P<after>%|[€£¥]|\p{L}+)?"
)
_FIGURES = regex.compile(
    r"(?:(?<![\p{L}\p{N}])[+\-−])?\p{N}+(?:[.,:\u00a0\u202f'’]\p{N}+)*[⁰¹²³⁴-⁹]*"
)
_ENTITY = regex.compile(r"(?<![.!?]\s)(?<!^)(?<=[\s(\"'“])\p{Lu}[\p{L}\p{M}\p{N}\-]*\p{L}")
_ACRONYM = regex.compile(r"(?<![\p{L}\p{N}])\p{Lu}[\p{Lu}\p{N}]{1,}(?![\p{L}])")

_SCOPES = {
    "universal": r"all|every|each|always|any|entire|whole|alle|jede[rsn]?|immer|tous|toutes|chaque"
    r"|toujours|todos|todas|cada|siempre|すべて|所有|每",
    "only": r"only|exclusively|solely|nur|ausschließlich|seulement|uniquement|solo|sólo|únicamente"
    r"|のみ|仅|只",
    "least": r"at least|minimum|no less than|or more|mindestens|au moins|al menos|以上|至少",
    "most": r"up to|at most|maximum|no more than|bis zu|höchstens|jusqu'à|au plus|hasta|como máximo"
    r"|以下|最多|最大",
    "more": r"more than|over|above|exceeds?|longer than|higher than|mehr als|über|plus de|más de",
    "less": r"less than|under|below|fewer than|shorter than|lower than|weniger als|unter|moins de"
    r"|menos de",
    "never": r"never|nie|niemals|jamais|nunca",
}
_SCOPE = {
    name: regex.compile(rf"(?<![\p{{L}}\p{{M}}])(?:{words})(?![\p{{L}}\p{{M}}])", regex.I)
    if name not in {"universal", "only", "least", "most"}
    else regex.compile(rf"(?<![\p{{Latin}}\p{{M}}])(?:{words})(?![\p{{Latin}}\p{{M}}])", regex.I)
    for name, words in _SCOPES.items()
}
_NEEDED = ("only", "never")
"""Words that a claim may not add."""
_OPPOSED = (("least", "most"), ("more", "less"), ("most", "least"), ("less", "more"))
_CLAUSE = regex.compile(r"[;:]|,\s|\s(?:but|and|or|aber|und|mais|et|pero|y)\s|，|；|、")


def veto(claim: str, evidence: str, context: str, language: str) -> str | None:
    """The first reason why the evidence does not carry the claim, or None.

    `evidence`: the chosen sentences; `context`: all that was given, where names are looked for.
    """
    for guard in (_number, _unit, _negation, _scope):
        if reason := guard(claim, evidence):
            return reason
    return _entity(claim, context, language)


def _number(claim: str, evidence: str) -> str | None:
    """A number in figures that the evidence does not have; numbers in words may be idiom."""
    there = set(numbers_in(evidence))
    for number in numbers_in(_spelt_out(claim)):
        if number not in there:
            return f"the number {number} is not in the evidence"
    return None


def _spelt_out(text: str) -> str:
    """The figures of a text, without its words."""
    return " ; ".join(_FIGURES.findall(text))


def _unit(claim: str, evidence: str) -> str | None:
    there: dict[str, set[int]] = {}
    for number, unit in _measures(evidence):
        there.setdefault(number, set()).add(unit)
    for number, unit in _measures(claim):
        units = there.get(number)
        if units and unit not in units:
            return f"{number} has another unit in the evidence"
    return None


def _measures(text: str) -> Iterator[tuple[str, int]]:
    """(number, unit's place in the table) of each number with a known unit."""
    for match in _NUMBER_UNIT.finditer(text.casefold()):
        for name in (match["before"], match["after"]):
            unit = _unit_of(name)
            if unit is not None:
                yield match["number"].replace(",", ""), unit


def _unit_of(name: str | None) -> int | None:
    if not name:
        return None
    for form in (name, name.removesuffix("s"), name.removesuffix("en"), name.removesuffix("n")):
        if form in _UNIT_OF:
            return _UNIT_OF[form]
    return None


def _negation(claim: str, evidence: str) -> str | None:
    denied = negations(claim) % 2
    nearest = _nearest_clause(claim, evidence)
    if denied != negations(nearest) % 2 and denied != negations(evidence) % 2:
        return "one of claim and evidence denies what the other says"
    return None


def _nearest_clause(claim: str, evidence: str) -> str:
    """The part between commas and conjunctions that shares most words with the claim."""
    wanted = set(claim.casefold().split())
    parts = [p for p in _CLAUSE.split(evidence) if p.strip()]
    return max(parts, key=lambda p: len(wanted & set(p.casefold().split())), default=evidence)


def _scope(claim: str, evidence: str) -> str | None:
    said = {name for name, pattern in _SCOPE.items() if pattern.search(claim)}
    there = {name for name, pattern in _SCOPE.items() if pattern.search(evidence)}
    for name in _NEEDED:
        if name in said and name not in there:
            return f"the evidence does not say “{name}”"
    for one, other in _OPPOSED:
        if one in said - there and other in there - said:
            return "the evidence bounds it from the other side"
    return None


def _entity(claim: str, context: str, language: str) -> str | None:
    """A name in the claim (not its first word) that the context does not have."""
    if language == "de":
        names = _ACRONYM.findall(claim)  # every German noun is capitalised
    else:
        names = _ENTITY.findall(claim) + _ACRONYM.findall(claim)
    folded = context.casefold()
    stems = {stem(w, language) for w in regex.findall(r"\p{L}+", folded)}
    for name in names:
        word = name.casefold()
        if word in folded or is_frequent(word, language) or stem(word, language) in stems:
            continue
        return f"{name} is not named in the context"
    return None
