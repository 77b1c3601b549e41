"""The one reader from a reply to verdicts, or to a named failure. It never guesses.

What is taken: JSON as `extract.py` finds it, with a list under "claims" or "verdicts" (or that list
alone, or the object wrapped in objects of one key). Each entry has the claim's "number" (or "n"),
its "claim" (or "text"), "entailed" as true or false, and may have "evidence": a quote, a list of
quotes, or null. Other keys are ignored.

When a reply holds several such objects the last one counts, since drafts and echoes come first, and
every verdict carries the flag `several_objects` when they differ. A reply that was cut off
(`finish_reason` length) is a failure even where its JSON is whole: what is missing cannot be known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trueup.domain.judging import Reply
from trueup.judge.extract import TOO_DEEP, Doubled, extract, too_deep

READER_VERSION = "1"
"""Part of the judge fingerprint: raise it when the same reply would be read otherwise."""

_LISTS = ("claims", "verdicts")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_MAX_WRAPPERS = 3
_MAX_QUOTES = 20


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a reply. `entailed` is None where the entry is malformed; `problem` says how.

    `asked_evidence` tells an entry that has the key "evidence" from one without it.
    """

    number: int | None
    text: str | None
    entailed: bool | None
    quotes: tuple[str, ...] = ()
    asked_evidence: bool = False
    problem: str | None = None
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply, read: its entries, or the failure (one of REASONS) with a message for people."""

    items: tuple[Item, ...] = ()
    failure: str | None = None
    message: str | None = None
    flags: tuple[str, ...] = ()


def clean(text: str) -> str:
    """The text with NUL and lone surrogates replaced by U+FFFD: what every database can store."""
    if "\x00" not in text and text.isascii():
        return text
    return _UNSTORABLE.sub("\ufffd", text)


def read_reply(reply: Reply) -> Reading:
    """Entries of a reply, or why there are none."""
    failed = _refused(reply)
    if failed is not None:
        return failed
    found = extract(reply.text)
    lists = [(v, entries) for v in found.values if (entries := _entries(v)) is not None]
    if not lists:
        return _no_list(found.values, found.problem, broken=found.broken)
    entries = lists[-1][1]
    if not isinstance(entries, list):
        return Reading(failure="schema", message='"claims" is not a list')
    items = tuple(_item(e) for e in entries)
    if items and all(i.text is None and i.entailed is None for i in items):
        return Reading(failure="schema", message="no entry has 'claim' and 'entailed'")
    several = len(lists) > 1 and any(e != entries for _, e in lists[:-1])
    return Reading(items, flags=("several_objects",) if several else ())


def _refused(reply: Reply) -> Reading | None:
    if reply.refusal:
        return Reading(failure="refusal", message=f"the judge refused: {reply.refusal}")
    if reply.finish_reason == "content_filter":
        return Reading(failure="content_filter", message="the server's content filter stopped it")
    if reply.finish_reason == "length":
        # More room would not help a reply that does nothing but open brackets.
        if too_deep(reply.text):
            return Reading(failure="parse", message=TOO_DEEP)
        return Reading(failure="truncated", message=_cut_off(reply))
    if not reply.text.strip("\ufeff \t\r\n"):
        return Reading(failure="empty", message="the reply is empty")
    return None


def _cut_off(reply: Reply) -> str:
    used = reply.usage.output_tokens
    after = f" after {used} tokens" if used else ""
    hint = "raise max_output_tokens"
    if "<think" in reply.text[:200] and "</think" not in reply.text:
        hint += ": a reasoning model spends them on its thoughts first"
    return f"the reply was cut off{after}; {hint}"


def _no_list(values: Sequence[Any], problem: str | None, *, broken: bool) -> Reading:
    objects = [v for v in values if isinstance(v, dict)]
    if not objects or broken:
        return Reading(failure="parse", message=problem or "the reply holds no JSON object")
    keys = ", ".join(repr(str(k)[:40]) for k in list(objects[-1])[:5]) or "no key"
    return Reading(failure="schema", message=f"the reply has no list 'claims' (it has {keys})")


def _entries(value: Any) -> Any:
    """What stands where the claims should: a list, something else, or None where nothing does."""
    for _ in range(_MAX_WRAPPERS):
        if isinstance(value, list):
            shaped = value and all(isinstance(e, dict) and "entailed" in e for e in value)
            return value if shaped else None
        if not isinstance(value, dict):
            return None
        for key in _LISTS:
            if key in value:
                return () if value[key] is None else value[key]
        inner = next(iter(value.values())) if len(value) == 1 else None
        if not isinstance(inner, dict):
            return None
        value = inner
    return None


def _item(entry: Any) -> Item:
    if not isinstance(entry, Mapping):
        return Item(None, None, None, problem="an entry is no object")
    doubled = entry.doubled if isinstance(entry, Doubled) else frozenset()
    text = entry.get("claim", entry.get("text"))
    entailed, problem = _boolean(entry, doubled)
    quotes, malformed = _quotes(entry.get("evidence"))
    return Item(
        number=_number(entry.get("number", entry.get("n"))),
        text=clean(text) if isinstance(text, str) else None,
        entailed=entailed,
        quotes=quotes,
        asked_evidence="evidence" in entry,
        problem=problem,
        flags=("evidence_malformed",) if malformed or "evidence" in doubled else (),
    )


def _boolean(entry: Mapping[str, Any], doubled: frozenset[str]) -> tuple[bool | None, str | None]:
    if "entailed" not in entry:
        return None, "'entailed' is missing"
    if "entailed" in doubled:
        return None, "'entailed' stands there twice, with different values"
    value = entry["entailed"]
    if value is True or value is False:
        return value, None
    return None, f"'entailed' is {str(value)[:40]!r}, not true or false"


def _number(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 10:
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _quotes(value: Any) -> tuple[tuple[str, ...], bool]:
    """(quotes that are there, whether something else than quotes stood there)."""
    given = value if isinstance(value, list) else [value]
    quotes = [clean(q) for q in given if isinstance(q, str) and q]
    malformed = any(q is not None and not isinstance(q, str) for q in given)
    return tuple(quotes[:_MAX_QUOTES]), malformed or len(quotes) > _MAX_QUOTES
