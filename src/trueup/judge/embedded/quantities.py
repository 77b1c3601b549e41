"""Numbers with what they count: units, currencies, percentages, dates, bounds.

A quantity is compared with another by value and unit; a unit that one side does not name decides
nothing. Units of one dimension are converted ("3 days" is "72 hours"). A figure that can be read in
two ways ("1.000") has both values. Powers, indices, fractions, versions and times of day are kept
as they are written.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

import regex

from trueup.domain.words import NUMBER_WORDS
from trueup.judge.embedded.bounds import Bound, bound_of
from trueup.judge.embedded.units import MONTHS, MULTIPLES, UNITS
from trueup.judge.splitting.frequent import FREQUENT, LATIN

_GLUED = r"[\p{Latin}\p{Cyrillic}\p{Greek}\p{N}_]"
_ITEM = regex.compile(
    rf"(?P<figure>(?:(?<!{_GLUED})[-−])?(?<!{_GLUED})(?<!\p{{N}}[.,:])\p{{Nd}}++(?:[.,:'’\u00a0\u202f\u2009٫٬]\p{{Nd}}++)*+"
    r"[⁰¹²³⁴-⁹½⅓⅔¼¾⅛]*+)"
    r"|(?P<han>[一二三四五六七八九十百千两兩]++(?=[个個天日年月周週時时分秒名人次倍层層円元歳岁]))"
    r"|(?P<word>(?:(?!\p{Han})[\p{L}\p{M}])++(?:-[\p{L}\p{M}]++)?+)"
)
_UNIT = regex.compile(
    r"(?:st|nd|rd|th|er|e|º|ª)?[ \u00a0\u202f-]?"
    r"(?P<unit>[%٪€£¥₹\"]|\$|°[cf]|[\p{L}\p{M}]+(?:/[\p{L}]+)?)?"
)
_CURRENCY = regex.compile(r"(?P<unit>us\$|[$€£¥₹]|\b(?:usd|eur|gbp|jpy|chf|cny|inr))[ \u00a0]?$")
_PER = regex.compile(r"(?:\b(?:per|pro|par|por|al|je)\b|/|毎|每)[ ]?([\p{L}\p{M}]+)")
_SECOND_WORD = regex.compile(r"[ -]\p{Latin}{3,}[ -](?P<unit>\p{Latin}+)")
_COUNTED = regex.compile(r"[ -](\p{Latin}{3,})")
_SMALL: frozenset[str] = frozenset().union(*(FREQUENT[lang] for lang in LATIN))
_PER_REACH = 30
_NEXT_WORD = regex.compile(r"[ \u00a0]?(\p{L}+)")
_CLAUSE_END = regex.compile(r"[.;,]")
_SPACED = regex.compile(r"(?<=\d)[' \u00a0\u202f\u2009](?=\d{3})")
_DATES = (
    regex.compile(r"(?<!\d)(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})(?!\d)"),
    regex.compile(r"(?<!\d)(?P<d>\d{1,2})[./](?P<m>\d{1,2})[./](?P<y>\d{4})(?!\d)"),
    regex.compile(r"(?P<y>\d{4})\s?年(?:\s?(?P<m>\d{1,2})\s?月)?(?:\s?(?P<d>\d{1,2})\s?日)?"),
    regex.compile(r"(?<!\d)(?P<d>\d{1,2})(?:\.|st|nd|rd|th|er)?\s(?:de\s)?(?P<name>\p{L}{3,})\.?,?(?:\s(?:de\s)?(?P<y>\d{4}))?(?!\d)"),
    regex.compile(r"(?<!\p{L})(?P<name>\p{L}{3,})\.?\s(?P<d>\d{1,2})(?:st|nd|rd|th)?(?:,?\s(?P<y>\d{4}))?(?![\d.,]*\d)"),
    regex.compile(r"(?<!\p{L})(?P<name>\p{L}{3,})\.?,?\s(?:de\s)?(?P<y>\d{4})(?!\d)"),
)  # fmt: skip
_HAN = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"两": 2, "兩": 2}
_NEARLY = Fraction(1, 20)
_TENS = frozenset(range(20, 100, 10))


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number of a text. `values` are its readings; `text` stands in for what is no number."""

    text: str
    values: frozenset[Fraction]
    unit: tuple[str, Fraction] | None = None
    bound: Bound | None = None
    per: tuple[str, Fraction] | None = None
    counts: bool = False
    """Whether a word follows that is no unit: what is counted ("90 users")."""
    date: tuple[int | None, int | None, int | None] | None = None

    def is_of(self, other: Quantity) -> bool:
        """Whether both say the same number of the same thing, bounds aside."""
        if self.date or other.date:
            return _same_date(self, other)
        if self.per and other.per and self.per != other.per:
            return False
        if self.unit and other.unit and self.unit[0] != other.unit[0]:
            return False
        if (self.unit and other.counts) or (other.unit and self.counts):
            return False
        if not self.values or not other.values:
            return self.text == other.text
        scale = self.unit[1] / other.unit[1] if self.unit and other.unit else Fraction(1)
        mine = {v * scale for v in self.values}
        if mine & other.values:
            return True
        return self.bound == "about" and any(
            abs(a - b) <= _NEARLY * abs(b) for a in mine for b in other.values
        )


def _same_date(one: Quantity, other: Quantity) -> bool:
    """Each part that the first names is named by the second; a bare year meets a date's year."""
    if one.date and other.date:
        if sorted(map(str, one.date)) == sorted(map(str, other.date)):
            return True  # 3/4/2024 may be either order
        return all(b is not None and a == b for a, b in zip(one.date, other.date, strict=True) if a)
    dated, bare = (one, other) if one.date else (other, one)
    assert dated.date is not None
    year, month, day = dated.date
    if one.date and (month or day):
        return False
    return bare.unit is None and year is not None and Fraction(year) in bare.values


@lru_cache(maxsize=4096)
def quantities(text: str) -> tuple[Quantity, ...]:
    """The numbers of a text, in figures and in words, in order of kind: dates first."""
    folded = unicodedata.normalize("NFC", text).casefold()
    found: list[Quantity] = []
    for pattern in _DATES:
        folded = pattern.sub(lambda m: _take_date(m, found), folded)
    taken = 0
    for match in _ITEM.finditer(folded):
        if match.start() < taken:
            continue
        quantity, taken = _read(match, folded)
        if quantity is not None:
            found.append(quantity)
    return tuple(found)


def _take_date(match: regex.Match[str], found: list[Quantity]) -> str:
    """Note a date and blank it out; what turns out to be none is left as it is."""
    parts = match.groupdict()
    name = parts.get("name")
    month = int(parts["m"]) if parts.get("m") else MONTHS.get(name or "")
    day = int(parts["d"]) if parts.get("d") else None
    year = int(parts["y"]) if parts.get("y") else None
    if (name and month is None) or not (month or day or year) or (day or 1) > 31:
        return match[0]
    if (month or 1) > 12:
        month, day = day, month
    if name is None and month is None:
        return match[0]
    found.append(Quantity(match[0], frozenset(), date=(year, month, day)))
    return " " * len(match[0])


def _read(match: regex.Match[str], text: str) -> tuple[Quantity | None, int]:
    """(quantity or None, where to go on)."""
    kind, found = match.lastgroup, match[0]
    end = match.end()
    if kind == "figure":
        values = _values(found)
    elif kind == "han":
        values = frozenset({Fraction(_han(found))})
    else:
        value = _in_words(found)
        if value is None:
            return None, end
        values = frozenset({Fraction(value)})
    values, end = _multiplied(values, text, end)
    unit, after = _unit(text, match.start(), end)
    if kind == "word" and values == {Fraction(1)} and unit is None:
        return None, end  # "one of the plans" counts nothing
    clause = _CLAUSE_END.split(text[end : end + _PER_REACH], maxsplit=1)[0]
    per = next((UNITS[u] for u in _PER.findall(clause) if u in UNITS), None)
    return Quantity(
        found,
        values,
        unit,
        bound_of(text[max(0, match.start() - 40) : match.start()], text[after : after + 30]),
        per,
        unit is None and _counts(text, after),
    ), end


def _multiplied(
    values: frozenset[Fraction], text: str, end: int
) -> tuple[frozenset[Fraction], int]:
    """Apply "thousand", "million", "k", "万" after a number."""
    match = _NEXT_WORD.match(text, end)
    if match is None:
        return values, end
    word = match[1]
    factor = MULTIPLES.get(word) or MULTIPLES.get(word[:1] if word[:1] in "万萬亿億만억" else "")
    if factor is None:
        if NUMBER_WORDS.get(word) == "100" and values:
            return frozenset(v * 100 for v in values), match.end()
        return values, end
    stop = match.end() if word in MULTIPLES else match.start(1) + 1
    return frozenset(v * factor for v in values), stop


def _unit(text: str, start: int, end: int) -> tuple[tuple[str, Fraction] | None, int]:
    """(unit, where it ends): beside the number, one word further on, or a currency before it."""
    match = _UNIT.match(text, end)
    name = match["unit"] if match else None
    if match and name:
        unit = UNITS.get(name) or _longest_prefix(name)
        if unit:
            return unit, match.end()
    before = _CURRENCY.search(text[max(0, start - 5) : start])
    if before:
        return UNITS.get(before["unit"].strip()), end
    further = _SECOND_WORD.match(text, end)
    if further and len(further["unit"]) > 2 and further["unit"] in UNITS:
        return UNITS[further["unit"]], further.end()
    return None, end


def _counts(text: str, end: int) -> bool:
    match = _COUNTED.match(text, end)
    return match is not None and match[1] not in _SMALL


def _longest_prefix(name: str) -> tuple[str, Fraction] | None:
    """The unit that a run of unspaced characters begins with ("日間保存される")."""
    if name[0] < "\u2e80":
        return None
    return next((UNITS[name[:n]] for n in (7, 5, 4, 3, 2, 1) if name[:n] in UNITS), None)


@lru_cache(maxsize=20_000)
def _values(figure: str) -> frozenset[Fraction]:
    """The readings of a figure; none for what is no plain number (10⁶, 1.2.3, 10:30)."""
    plain = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in figure)
    plain = plain.replace("−", "-").replace("’", "'").replace("٬", "'").replace("٫", ".")
    plain = _SPACED.sub("", plain)
    if regex.fullmatch(r"-?\d+", plain):
        return frozenset({Fraction(plain)})
    readings = set()
    for group, point in ((",", "."), (".", ",")):
        if regex.fullmatch(rf"-?\d{{1,3}}(?:\{group}\d{{3}})+(?:\{point}\d+)?", plain):
            readings.add(Fraction(plain.replace(group, "").replace(point, ".")))
        if regex.fullmatch(rf"-?\d+\{point}\d+", plain) and not (readings and point == ","):
            readings.add(Fraction(plain.replace(point, ".")))
    return frozenset(readings)


def _in_words(word: str) -> int | None:
    """A cardinal in words: "five", "twenty-five"."""
    first, dash, second = word.partition("-")
    value = NUMBER_WORDS.get(first)
    if value is None:
        return None
    if not dash:
        return int(value)
    more = NUMBER_WORDS.get(second)
    if more is None:
        return int(value)
    return int(value) + int(more) if int(value) in _TENS else None


def _han(run: str) -> int:
    """A small number in Chinese characters."""
    total, digit = 0, 0
    for char in run:
        if char in _HAN:
            digit = _HAN[char]
        else:
            total += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[char]
            digit = 0
    return total + digit


def missing(claim: Sequence[Quantity], evidence: Sequence[Quantity]) -> str | None:
    """The first number of a claim that the evidence lacks, gives another unit or another bound."""
    for quantity in claim:
        same = [q for q in evidence if quantity.is_of(q)]
        if not same:
            return f"{quantity.text} is not in the evidence"
        if all(_bounds_differ(quantity.bound, q.bound) for q in same):
            return f"{quantity.text} is bounded otherwise in the evidence"
    return None


def _bounds_differ(claim: Bound | None, evidence: Bound | None) -> bool:
    """Whether a bound of one side is lost or turned round on the other.

    "90 days" does not follow from "up to 90 days"; "at least 90" follows from "90".
    """
    if claim == evidence or "about" in (claim, evidence):
        return False
    if evidence is None:
        return claim in ("more", "less")
    if claim is None:
        return True
    return {claim, evidence} not in ({"more", "least"}, {"less", "most"})
