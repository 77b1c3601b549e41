"""Cells and texts that hold more than a text: lists, objects, yes and no. Nothing is evaluated."""

from __future__ import annotations

import ast
import json
import re
import warnings
from typing import Any, cast

from trueup.domain.display import sanitise_json
from trueup.domain.model import Json
from trueup.exchange.entries import FieldError

_MOST_CHARACTERS = 50_000_000
_DEEPEST = 200
_STRING = re.compile(r"[rRuU]?(?:'[^'\\]*(?:\\.[^'\\]*)*'|\"[^\"\\]*(?:\\.[^\"\\]*)*\")", re.DOTALL)
_BETWEEN = re.compile(r"\s*,?\s*")
_NUMPY = re.compile(r"array\((\[.*\])(?:,\s*dtype=[\w<>|']+)?\)\Z", re.DOTALL)
_LOOKS_LISTED = re.compile(r"\[\s*['\"{].*['\"}]\s*,?\s*\]\Z", re.DOTALL)

YES = frozenset({"true", "t", "yes", "y", "1", "1.0", "ja", "entailed"})
NO = frozenset({"false", "f", "no", "n", "0", "0.0", "nein", "not_entailed", "not entailed"})
"""Spellings of true and false in a cell, whatever their case. Empty is unknown; all else is an
error."""


def structured(text: str) -> Any:
    """The list or object that a text is written as, in JSON or in Python; else the text itself.

    Raises FieldError for what looks like a list of texts and cannot be read: taking it for one text
    would hide the loss.
    """
    stripped = text.strip()
    if numpy := _NUMPY.match(stripped):
        stripped = numpy[1]
    if stripped[:1] not in {"[", "{"} or stripped[-1] not in {"]", "}"}:
        return text
    if len(stripped) > _MOST_CHARACTERS or _depth(stripped) > _DEEPEST:
        raise FieldError("", "is a list or object too large or nested too deeply")
    for parse in (json.loads, _texts, _python):
        try:
            value = parse(stripped)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        if isinstance(value, (list, dict)):
            return sanitise_json(cast("Json", value))
    if _LOOKS_LISTED.match(stripped):
        raise FieldError("", f"looks like a list and cannot be read as one: {stripped[:40]!r}")
    return text


def _texts(text: str) -> list[str]:
    """A list of texts as Python or numpy print it: numpy puts no commas between them, and Python
    would take two texts side by side for one."""
    found = []
    at = _BETWEEN.match(text, 1).end()  # type: ignore[union-attr]  # matches nothing, too
    while text[at] != "]":
        one = _STRING.match(text, at)
        if one is None:
            raise ValueError(text)
        found.append(_python(one[0]))
        at = _BETWEEN.match(text, one.end()).end()  # type: ignore[union-attr]
    if at != len(text) - 1:
        raise ValueError(text)
    return found


def _python(text: str) -> Any:
    """A Python literal as JSON has it; no name in it is looked up and nothing called."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "\d" in a text is no reason to warn a person
        return _plain(ast.literal_eval(text))


def _plain(value: Any) -> Any:
    """A Python literal as JSON has it. Raises ValueError for what JSON has not."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    raise ValueError(type(value).__name__)


def _depth(text: str) -> int:
    """How deep brackets outside of texts nest."""
    deepest = depth = 0
    for bracket in re.findall(r"[\[({\])}]", _STRING.sub("", text)):
        depth += 1 if bracket in "[({" else -1
        deepest = max(deepest, depth)
    return deepest


def boolean(value: Any) -> bool | None:
    """True, false, or None for nothing. Raises FieldError for any other spelling."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, float) and value != value:
        return None
    if isinstance(value, (int, float)) and value in (0, 1):
        return bool(value)
    word = str(value).strip().casefold()
    if not word:
        return None
    if word in YES:
        return True
    if word in NO:
        return False
    raise FieldError("", f"must be true, false, yes, no, 1, 0, T or F, not {str(value)[:40]!r}")
