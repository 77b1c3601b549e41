"""Small changes that turn what a sentence says: a number, a unit, a negation."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NUMBER = re.compile(r"(?<![A-Za-z\d_.,/-])(\d+)(?![A-Za-z\d_/-]|[.,]\d)")
_UNITS: tuple[tuple[str, str], ...] = (
    ("an hour", "a minute"), ("a day", "an hour"),
    ("days", "hours"), ("day", "hour"), ("hours", "minutes"), ("hour", "minute"),
    ("minutes", "seconds"), ("minute", "second"), ("months", "weeks"), ("month", "week"),
    ("years", "months"), ("year", "month"), ("MB", "GB"), ("GB", "TB"), ("KB", "MB"),
    ("MiB", "GiB"), ("GiB", "TiB"), ("metres", "miles"), ("km", "miles"), ("EUR", "USD"),
    ("USD", "EUR"), ("€", "$"), ("$", "€"), ("Tage", "Stunden"), ("Stunden", "Minuten"),
    ("Minuten", "Sekunden"), ("jours", "heures"), ("heures", "minutes"), ("días", "horas"),
    ("horas", "minutos"), ("dias", "horas"), ("天", "小时"), ("小时", "分钟"), ("日間", "時間"),
)  # fmt: skip
_NEGATED: tuple[tuple[str, str], ...] = (
    ("is not", "is"), ("are not", "are"), ("cannot", "can"), ("can not", "can"),
    ("does not", "does"), ("do not", "do"), ("will not", "will"), ("must not", "must"),
    ("is", "is not"), ("are", "are not"), ("was", "was not"), ("were", "were not"),
    ("can", "cannot"), ("will", "will not"), ("must", "must not"), ("has", "never has"),
    ("ist nicht", "ist"), ("sind nicht", "sind"), ("ist", "ist nicht"), ("sind", "sind nicht"),
    ("kann", "kann nicht"), ("n'est pas", "est"), ("est", "n'est pas"), ("sont", "ne sont pas"),
    ("no es", "es"), ("es", "no es"), ("son", "no son"), ("não é", "é"), ("é", "não é"),
    ("不是", "是"), ("不能", "可以"), ("可以", "不可以"), ("是", "不是"),
)  # fmt: skip


def changes(text: str) -> Iterator[str]:
    """The sentence with its first number, then its first unit, then its denial changed.

    Each is left out where the sentence has nothing of the kind; languages without a table are left
    out for units and negations.
    """
    for made in (_number(text), _swap(text, _UNITS), _swap(text, _NEGATED)):
        if made is not None and made != text:
            yield made


def _number(text: str) -> str | None:
    found = _NUMBER.search(text)
    if found is None:
        return None
    value = int(found[1])
    other = value * 2 if value > 1 else value + 3
    return f"{text[: found.start(1)]}{other}{text[found.end(1) :]}"


def _swap(text: str, pairs: tuple[tuple[str, str], ...]) -> str | None:
    for word, other in pairs:
        found = re.search(_whole(word), text)
        if found is not None:
            return f"{text[: found.start()]}{other}{text[found.end() :]}"
    return None


def _whole(word: str) -> str:
    """A pattern for a word by itself; scripts without spaces have no edges to look for."""
    if not word[0].isascii() and not word[0].isalpha():
        return re.escape(word)
    if any("\u3040" <= c <= "\u9fff" for c in word) or not word.isalnum():
        return re.escape(word) if " " not in word and "'" not in word else rf"\b{re.escape(word)}\b"
    return rf"\b{re.escape(word)}\b"
