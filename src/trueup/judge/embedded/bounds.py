"""Words around a number that make a bound of it: at least, up to, more than, less than, about."""

from __future__ import annotations

from typing import Literal

import regex

Bound = Literal["least", "most", "more", "less", "about"]

_BEFORE: dict[Bound, str] = {
    "least": r"at least|minimum(?: of)?|min\.?|no (?:less|fewer) than|not less than|mindestens"
    r"|minimal"
    r"|wenigstens|au moins|minimum de|al menos|como mínimo|mínimo(?: de)?|almeno|pelo menos"
    r"|no mínimo"
    r"|ten minste|minstens|не менее|как минимум|至少|最少|最低|少なくとも|최소|على الأقل|कम से कम",
    "most": r"up to|at most|maximum(?: of)?|max\.?|no (?:more|longer|later) than|not more than"
    r"|within"
    r"|bis zu|höchstens|maximal|nicht mehr als|jusqu['’]à|au plus|maximum de|hasta|como máximo"
    r"|máximo(?: de)?|no más de|fino a|al massimo|até|no máximo|maximaal|hooguit|tot|до|не более"
    r"|最多|最高|最大|不超过|最長|최대|حتى|अधिकतम",
    "more": r"more than|over|above|exceed(?:s|ing)?|greater than|longer than|higher than"
    r"|larger than"
    r"|mehr als|über|länger als|plus de|supérieure? à|más de|superior a|più di|oltre|mais de"
    r"|acima de"
    r"|meer dan|более|больше|свыше|超过|超過|大于|多于|이상의|أكثر من|से अधिक|से ज़्यादा",
    "less": r"less than|fewer than|under|below|shorter than|lower than|smaller than|weniger als"
    r"|unter"
    r"|kürzer als|moins de|inférieure? à|menos de|inferior a|meno di|inferiore a|abaixo de"
    r"|minder dan"
    r"|менее|меньше|少于|小于|低于|不到|أقل من|से कम",
    "about": r"about|around|approximately|approx\.?|roughly|circa|ca\.?|c\.|nearly|almost|some"
    r"|etwa"
    r"|ungefähr|rund|knapp|fast|environ|à peu près|presque|unos|unas|aproximadamente|alrededor de"
    r"|casi"
    r"|quasi|cerca de|ongeveer|bijna|около|примерно|почти|大约|约|約|およそ|ほぼ|약|حوالي|लगभग|~"
    r"|≈",
}
_AFTER: dict[Bound, str] = {
    "least": r"or (?:more|longer|higher|later)|oder mehr|ou plus|o más|o più|ou mais|of meer|以上"
    r"|이상"
    r"|at least|\+",
    "most": r"or (?:less|fewer|earlier)|oder weniger|ou moins|o menos|o meno|ou menos|of minder"
    r"|以下"
    r"|以内|以內|まで|이하|이내|at (?:the )?most|maximum|max\b",
    "more": r"超|초과",
    "less": r"未満|미만",
    "about": r"前後|ほど|左右|or so",
}
_LINK = r"(?:\s|the|a|an|of|den|der|die|le|la|el|los|,)*"
_BEFORE_ALL = regex.compile(
    r"(?<![\p{Latin}\p{Cyrillic}])(?:"
    + "|".join(f"(?P<{name}>{words})" for name, words in _BEFORE.items())
    + rf"){_LINK}[$€£¥₹]?\s*$"
)
_AFTER_ALL = regex.compile(
    r"\s*(?:[\p{L}]+\s)?\s*(?:" + "|".join(f"(?P<{n}>{w})" for n, w in _AFTER.items()) + ")"
)
_NAMES: tuple[Bound, ...] = ("least", "most", "more", "less", "about")


def bound_of(before: str, after: str) -> Bound | None:
    """The bound that the text just before or just after a number makes of it, case folded."""
    match = _BEFORE_ALL.search(before) or _AFTER_ALL.match(after)
    return next((n for n in _NAMES if match[n]), None) if match else None
