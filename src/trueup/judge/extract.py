"""Finds the JSON values in a reply: whole, fenced, in prose, after thoughts. Never inside thoughts.

The text is walked once, left to right. A JSON value is taken whole, so that a tag or a brace in one
of its strings is text and nothing else. `<think>` jumps to its end; a lone `</think>` says that all
before it was thought, and drops what was found there. Only strict JSON counts: what has to be
repaired first would have to be guessed.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any

_MARK = re.compile(
    r"<(?P<close>/?)(?:think|thinking|thought|reasoning|scratchpad)\s*>"
    r"|\[(?P<close2>/?)THINK\]"
    r"|[{\[]",
    re.IGNORECASE,
)
_BEGUN = re.compile(r'\{\s*"|\[\s*\{')
_NESTING = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_MAX_DEPTH = 200
_MAX_WORK = 8_000_000
_MAX_TRIES = 5_000


class Doubled(dict[str, Any]):
    """A JSON object in which a key came twice with different values: `doubled` names them."""

    doubled: frozenset[str]


TOO_DEEP = "the JSON is nested too deeply"


@dataclass(frozen=True, slots=True)
class Found:
    """The values found, in order; `problem` says why there may be none, `whole` that nothing else
    stood there, `broken` that something began like JSON and was none."""

    values: tuple[Any, ...] = ()
    problem: str | None = None
    whole: bool = False
    broken: bool = False


def extract(text: str) -> Found:
    """All top-level JSON objects and arrays of a reply outside of thoughts."""
    body = text.lstrip("\ufeff \t\r\n").rstrip()
    if too_deep(body):
        return Found(problem=TOO_DEEP)
    try:
        if body[:1] in {"{", "["}:
            whole = _whole(body)
            if whole is not None:
                return Found((whole,), whole=True)
        return _walk(body)
    except RecursionError:
        return Found(problem=TOO_DEEP)


def too_deep(text: str) -> bool:
    """Whether a text opens more brackets inside one another than any honest reply does."""
    if text.count("[") + text.count("{") <= _MAX_DEPTH:
        return False
    depth = 0
    for token in _NESTING.finditer(text):
        if token[0] in {"[", "{"}:
            depth += 1
            if depth > _MAX_DEPTH:
                return True
        elif token[0] in {"]", "}"}:
            depth = max(0, depth - 1)
    return False


def _whole(body: str) -> Any:
    try:
        value, end = _DECODER.raw_decode(body)
    except ValueError:
        return None
    return value if end == len(body) else None


def _walk(body: str) -> Found:
    values: list[Any] = []
    problem: str | None = None
    at, work, tries = 0, 0, 0
    while (mark := _MARK.search(body, at)) is not None:
        at = mark.end()
        if mark[0] in {"{", "["}:
            try:
                value, at = _DECODER.raw_decode(body, mark.start())
                values.append(value)
            except ValueError as error:
                work += max(0, getattr(error, "pos", at) - mark.start())
                tries += 1
                if problem is None and _BEGUN.match(body, mark.start()):
                    problem = f"the JSON is not valid: {error}"
            if work > _MAX_WORK or tries > _MAX_TRIES:
                return Found(problem="too much of the reply looks like JSON and is none")
        elif mark["close"] or mark["close2"]:
            values.clear()
            problem = None
        else:
            end = _end_of_thought(body, at)
            if end is None:
                return Found(problem="the reply never leaves its thoughts")
            at = end
    return Found(tuple(values), problem or "the reply holds no JSON", broken=problem is not None)


def _end_of_thought(body: str, at: int) -> int | None:
    for mark in _MARK.finditer(body, at):
        if mark["close"] or mark["close2"]:
            return mark.end()
    return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) == len(pairs):
        return made
    doubled = frozenset(k for k, v in pairs if v is not made[k] and v != made[k])
    if not doubled:
        return made
    marked = Doubled(made)
    marked.doubled = doubled
    return marked


_DECODER = json.JSONDecoder(object_pairs_hook=_object)
