"""Claims of a JSONL record: their ids, kinds, spans and claim sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from trueup.domain.model import Record, Span, Unit, UnitKind
from trueup.domain.transfer import ClaimSetInfo
from trueup.exchange.base import id_text
from trueup.exchange.entries import FieldError
from trueup.exchange.shapes import CLAIM_KEYS, collect_meta

KINDS: dict[str, UnitKind] = {
    "answer": "answer_claim",
    "reference": "reference_claim",
    "whole_answer": "answer",
}
"""What a claim is `of`."""
_MADE_IDS: dict[UnitKind, str] = {"answer_claim": "#", "reference_claim": "#r", "answer": "#a"}
_UNIT_KINDS = frozenset(get_args(UnitKind))

_MOST = 30_000

Placed = tuple[Unit, Mapping[str, Any], str]
"""A unit, the claim it was read from, and where that stands."""


def build_units(
    record: Record, claims: Sequence[Mapping[str, Any]], sets: Sequence[ClaimSetInfo] = ()
) -> list[Placed]:
    """Units of the claims of a record, in their order."""
    splitters = {(s.kind, s.version): s.splitter for s in sets}
    counts: Counter[tuple[UnitKind, int]] = Counter()
    names: set[tuple[UnitKind, int, str]] = set()
    ends: dict[UnitKind, int] = {}
    placed = []
    for i, claim in enumerate(claims):
        where = f"claims[{i}]"
        kind = _kind(claim, where)
        version = _count(claim, "claim_set", 1, where)
        number = counts[kind, version] = counts[kind, version] + 1
        made = Made(kind, version, number, splitters.get((kind, version), "given"))
        unit = _unit(record, claim, made, ends, where)
        if (kind, version, unit.id) in names:
            raise FieldError(f"{where}.id", f"{unit.id!r} names two claims of this record")
        names.add((kind, version, unit.id))
        placed.append((unit, claim, where))
    return placed


def _kind(claim: Mapping[str, Any], where: str) -> UnitKind:
    of = claim.get("of") or "answer"
    if of not in KINDS:
        raise FieldError(f"{where}.of", f"must be answer or reference, not {of!r}")
    return KINDS[of]


class Made(NamedTuple):
    """What a claim is by its place: kind, claim-set version, number within it, usual splitter."""

    kind: UnitKind
    version: int
    number: int
    splitter: str


def _unit(
    record: Record, claim: Mapping[str, Any], made: Made, ends: dict[UnitKind, int], where: str
) -> Unit:
    kind = made.kind
    text = claim.get("text", claim.get("claim"))
    if text is None:
        raise FieldError(f"{where}.text", "is missing")
    source = (record.reference or "") if kind == "reference_claim" else record.answer
    span, meta = _span(claim, text, source, ends.get(kind, 0), where)
    if span is not None:
        ends[kind] = span.end
    own = id_text(claim.get("id")) or id_text(claim.get("claim_id"))
    known = CLAIM_KEYS if "entailed" in claim else CLAIM_KEYS - {"evidence"}
    return Unit(
        record=record.key,
        id=own or f"{record.id}{_MADE_IDS[kind]}{made.number}",
        kind=kind,
        text=text,
        ordinal=_count(claim, "ordinal", made.number, where),
        span=span,
        claim_set=made.version,
        splitter=claim.get("splitter") or made.splitter,
        parent=claim.get("parent"),
        provisional=bool(claim.get("provisional")),
        context=claim.get("context"),
        meta=collect_meta(claim, known) | meta,
    )


def _count(claim: Mapping[str, Any], name: str, usual: int, where: str) -> int:
    """A small whole number of a claim, which every database can hold."""
    value = claim.get(name)
    if value is None:
        return usual
    if not 0 <= value <= _MOST:
        raise FieldError(f"{where}.{name}", f"must be from 0 to {_MOST}")
    return int(value)


def _span(
    claim: Mapping[str, Any], text: str, source: str, after: int, where: str
) -> tuple[Span | None, dict[str, Any]]:
    """The claim's place in its source, and what could not be used of the file's own offsets.

    Both as null: it has none. One offset alone counts where the claim's text stands there. Without
    offsets the text is looked for, after the claim before it and then from the start, so that equal
    sentences stay apart.
    """
    start, end = claim.get("start"), claim.get("end")
    if start is None and end is None:
        if not text or {"start", "end"} <= claim.keys():
            return None, {}
        at = source.find(text, after)
        at = source.find(text) if at < 0 else at
        return (None if at < 0 else Span(at, at + len(text))), {}
    if start is not None and end is not None:
        if not 0 <= start <= end <= len(source):
            raise FieldError(f"{where}.start", f"{start} to {end} is not within the text")
        return Span(start, end), {}
    begin = start if start is not None else (end or 0) - len(text)
    if begin >= 0 and source[begin : begin + len(text)] == text:
        return Span(begin, begin + len(text)), {}
    return None, {"start": start} if start is not None else {"end": end}


def loose_labels(placed: Sequence[Placed], labels: Any) -> Iterator[tuple[Unit, Any, str]]:
    """Labels that stand beside the claims and name theirs by id or text.

    Of equal texts each label of one annotator takes the next.
    """
    if not is_label_list(labels):
        return
    used: Counter[tuple[str, str]] = Counter()
    for i, entry in enumerate(labels):
        where = f"labels[{i}]"
        named = id_text(entry.get("claim_id", entry.get("unit", entry.get("claim"))))
        fits = [u for u, _, _ in placed if u.id == named] or [
            u for u, _, _ in placed if u.text == named
        ]
        if not fits:
            raise FieldError(f"{where}.claim", "is none of the record's claims")
        who = str(entry.get("annotator"))
        n = used[who, named or ""]
        used[who, named or ""] += 1
        own = {k: v for k, v in entry.items() if k not in {"claim", "claim_id", "unit"}}
        yield fits[min(n, len(fits) - 1)], own, where


def is_label_list(labels: Any) -> bool:
    """Whether a record's `labels` are labels of people, not some other field of that name."""
    return (
        isinstance(labels, list)
        and bool(labels)
        and all(isinstance(entry, dict) and "annotator" in entry for entry in labels)
    )


def claim_sets(value: Any) -> tuple[ClaimSetInfo, ...]:
    """What the file says of how its claims were made."""
    found = []
    for i, entry in enumerate(value or ()):
        kind = KINDS.get(entry.get("of"), entry.get("of"))
        version, splitter = entry.get("version", 1), entry.get("splitter", "given")
        if kind not in _UNIT_KINDS or not isinstance(version, int) or not isinstance(splitter, str):
            raise FieldError(f"claim_sets[{i}]", "needs of, version and splitter")
        meta = entry.get("meta") or {}
        found.append(ClaimSetInfo(kind, version, splitter, meta, entry.get("current", True)))
    return tuple(found)
