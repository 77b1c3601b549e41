"""Amounts with their units, and words that widen or narrow a statement: what claims get wrong.

Small word lists of a few languages, like `domain.words`: elsewhere these checks see less.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from trueup.domain.evidence_checks import numbers_in
from trueup.domain.words import NUMBER_WORDS

_UNITS = {
    "time": (
        "second seconds sec s sekunde sekunden seconde secondes segundo segundos 秒",
        "minute minutes min minuten minuto minutos 分",
        "hour hours h stunde stunden heure heures hora horas 時間 小时 小時",
        "day days tag tage tagen jour jours día días dia dias 日 天 يوم يوما أيام",
        "week weeks woche wochen semaine semaines semana semanas 週 周",
        "month months monat monate monaten mois mes meses 月",
        "quarter quarters quartal trimestre trimestres",
        "year years jahr jahre jahren an ans année années año años ano anos 年",
    ),
    "size": (
        "byte bytes b octet octets", "kb ko", "kib", "mb mo", "mib", "gb go", "gib", "tb to", "tib",
    ),
    "money": (
        "usd $ dollar dollars dólares", "eur € euro euros", "gbp £ pound pounds", "jpy ¥ yen",
        "chf", "cny",
    ),
    "share": ("% percent prozent pourcent porcentaje", "‰"),
    "length": ("mm", "cm", "m metre metres meter meters", "km", "inch inches", "mile miles"),
    "mass": ("mg", "g gram grams", "kg", "lb lbs"),
}  # fmt: skip
"""Units of one dimension, each with its spellings. `to` (teraoctet) and the like count only right
after a number."""

_QUANTIFIERS = {
    "all": "all every each always everyone everything whole entire any anybody anyone "
    "alle jeder jede jedes immer tous toutes chaque toujours todos todas cada siempre sempre",
    "only": "only solely exclusively just nur ausschließlich seulement uniquement solo sólo "
    "solamente únicamente apenas somente",
    "some": "some several certain sometimes often usually mostly most many few einige manche "
    "manchmal meist certains parfois souvent algunos algunas veces",
    "least": "least minimum mindestens minimal moins",
    "most": "maximum maximal höchstens limit",
    "exactly": "exactly precisely genau exactement exactamente exatamente",
    "more": "more longer larger higher greater later over above exceed exceeds mehr länger größer "
    "höher über más mayor mais maior",
    "less": "less fewer shorter smaller lower earlier under below weniger kürzer kleiner menos "
    "menor",
    "may": "may might could possibly perhaps optional optionally kann können peut peuvent puede "
    "pueden pode podem",
    "must": "must shall required needs need mandatory muss müssen doit doivent debe deben deve",
}
_PHRASES = (
    (
        re.compile(r"\bat (?:the )?least\b|\bau moins\b|\bal menos\b|\bpelo menos\b|以上|至少"),
        "least",
    ),
    (
        re.compile(
            r"\bup to\b|\bat (?:the )?most\b|\bno more than\b|\bbis zu\b|\bau plus\b"
            r"|\bcomo máximo\b|\bhasta\b|\bno máximo\b|\baté\b|以内|以下|最多|まで"
        ),
        "most",
    ),
    (re.compile(r"すべて|全て|全部|所有|いつも|总是"), "all"),
    (re.compile(r"のみ|だけ|仅|只有"), "only"),
)  # fmt: skip
_RATES = frozenset(
    ("per", "a", "an", "each", "every", "pro", "jede", "jeden", "jeder", "jedes", "par", "chaque",
     "por", "cada")
)  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
_TOKEN = re.compile(
    r"(?P<number>\d+(?:[.,'\u2019\u00a0\u202f\u2009]\d+)*)|(?P<word>[^\W\d_]+)|(?P<sign>[$€£¥%‰])"
)
_GAPS = frozenset(["", " ", "-", "\u00a0", "\u202f", "\u2009"])
_LONGEST_IDEOGRAPHIC, _IDEOGRAPHS = 2, 0x2E80


class Quantity(NamedTuple):
    """An amount (canonical number), its dimension and its unit within it."""

    amount: str
    dimension: str
    unit: int


def quantities(text: str) -> tuple[Quantity, ...]:
    """The amounts of a text that a known unit follows (or, for money, precedes), in order.

    `per hour`, `every day`, `a month` count as 1 of the unit.
    """
    folded = text.casefold()
    found: list[Quantity] = []
    before: re.Match[str] | None = None
    for token in _TOKEN.finditer(folded):
        if before is not None and folded[before.end() : token.start()] in _GAPS:
            amount, kind = _amount(before), _unit(token)
            if kind is None and token["number"]:
                amount, kind = _amount(token), _unit(before) if before["sign"] else None
            if amount is None and kind is not None and before["word"] in _RATES:
                amount = "1" if kind[0] == "time" and len(token[0]) > 1 else None
            if amount is not None and kind is not None:
                found.append(Quantity(amount, *kind))
        before = token
    return tuple(found)


def _amount(token: re.Match[str]) -> str | None:
    """The number that a token is, written in digits or out."""
    if token["number"]:
        return numbers_in(token[0])[0]
    return NUMBER_WORDS.get(token[0])


def _unit(token: re.Match[str]) -> tuple[str, int] | None:
    """The unit that a token is or, in scripts without spaces, begins with."""
    table = _spellings()
    if not token["word"] or token[0] in table or token[0].isascii():
        return table.get(token[0])
    starts = (token[0][:n] for n in range(_LONGEST_IDEOGRAPHIC, 0, -1))
    return next((table[s] for s in starts if s in table and ord(s[0]) >= _IDEOGRAPHS), None)


def quantifiers(text: str) -> frozenset[str]:
    """Kinds of words that widen or narrow a statement: all, only, some, least, most, exactly, more,
    less, may, must."""
    folded = text.casefold()
    kinds = {kind for pattern, kind in _PHRASES if pattern.search(folded)}
    for pattern, _ in _PHRASES:
        folded = pattern.sub(" ", folded)
    table = _quantifier_words()
    kinds.update(table[w] for w in _WORD.findall(folded) if w in table)
    return frozenset(kinds)


@cache
def _spellings() -> dict[str, tuple[str, int]]:
    return {
        spelling: (dimension, i)
        for dimension, units in _UNITS.items()
        for i, unit in enumerate(units)
        for spelling in unit.split()
    }


@cache
def _quantifier_words() -> dict[str, str]:
    return {word: kind for kind, words in _QUANTIFIERS.items() for word in words.split()}
