"""Tables with a claim in each row: rows become the claims, labels and verdicts of records."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trueup.domain.metrics import METRICS, metric
from trueup.domain.transfer import ImportedRecord
from trueup.exchange.base import id_text
from trueup.exchange.cells import cell, record_value
from trueup.exchange.claims import KINDS
from trueup.exchange.entries import LABELS, UNNAMED_JUDGE, FieldError
from trueup.exchange.fields import CLAIM_FIELDS, fields_of
from trueup.exchange.jsonl import read_object
from trueup.exchange.literals import boolean
from trueup.exchange.outside import WHOLE_ANSWER
from trueup.exchange.reading import Reading, Row

UNNAMED = "unnamed"
"""The annotator of labels in a table that names none."""
_SIGNS = frozenset({"claim", "entailed"})
_OF = {kind: of for of, kind in KINDS.items()}


def is_claim_table(fields: Collection[str]) -> bool:
    """Whether rows hold what is said of claims, or of whole answers."""
    return bool(_SIGNS & set(fields)) or any(f.startswith(("human.", "judges.")) for f in fields)


def gather(rows: Iterator[Row], reading: Reading) -> Iterator[ImportedRecord]:
    """The records of the rows, each with its claims, when all rows are read.

    Rows of one record share its id; without ids, its texts. Rows of one claim share `claim_id`, or
    its text: the second row of one annotator with the same text is a second claim.
    """
    found: dict[str, _Gathered] = {}
    for row in rows:
        try:
            _add(row, found, reading)
        except FieldError as error:
            reading.refuse(row.path, row.line, error)
    for one in found.values():
        try:
            value = {**one.value, "claims": one.claims}
            yield read_object(value, reading.entries, str(one.path), one.line)
        except FieldError as error:
            reading.refuse(one.path, one.line, error)


@dataclass(slots=True)
class _Gathered:
    """One record while its rows come in."""

    path: Path
    line: int | None
    value: dict[str, Any]
    claims: list[dict[str, Any]] = field(default_factory=list)
    by_id: dict[str, dict[str, Any]] = field(default_factory=dict)
    by_text: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    used: Counter[tuple[str, str]] = field(default_factory=Counter)


def _add(row: Row, found: dict[str, _Gathered], reading: Reading) -> None:
    fields = fields_of(row.value)
    own = {c: v for c, v in row.value.items() if fields.get(c, "") not in CLAIM_FIELDS}
    value = record_value(own, fields)
    meta = value.pop("meta", None)
    said = {f: cell(c, f, row.value[c]) for c, f in fields.items() if f in CLAIM_FIELDS}
    entries = _entries(row, fields, said, reading)
    names = {k: value.get(k) for k in (("id", "release") if value.get("id") else value)}
    key = json.dumps(names, sort_keys=True, ensure_ascii=False)
    one = found.setdefault(key, _Gathered(row.path, row.line, {}))
    for name, new in value.items():
        old = one.value.setdefault(name, new)
        if old == "":
            one.value[name] = new
        elif old != new and new != "":
            raise FieldError(
                name, f"differs from line {one.line}, which has the same id {value.get('id')!r}"
            )
    claim = _claim(one, said, entries)
    if meta and "claim" in said:
        claim.setdefault("meta", {}).update(meta)
    elif meta:
        one.value.setdefault("meta", {}).update(meta)
    for person in entries["human"]:
        claim.setdefault("human", []).append(person)
    for name, verdict in entries["judges"].items():
        if name in claim.setdefault("judges", {}):
            raise FieldError("judge", f"a second verdict of {name!r} on the same claim")
        claim["judges"][name] = verdict


def _claim(one: _Gathered, said: Mapping[str, Any], entries: Mapping[str, Any]) -> dict[str, Any]:
    """The claim that a row is about: one that is there, or a new one."""
    whole = "claim" not in said
    text = one.value.get("answer") if whole else said["claim"]
    if not text:
        raise FieldError("claim", "is empty")
    text = str(text)
    claim_id = said.get("claim_id")
    who = json.dumps([[p["annotator"] for p in entries["human"]], sorted(entries["judges"])])
    nth = one.used[who, text]
    one.used[who, text] += 1
    same = one.by_text.setdefault(text, [])
    if claim_id is not None and claim_id in one.by_id:
        claim = one.by_id[claim_id]
        if claim["text"] != text:
            raise FieldError("claim_id", f"{claim_id!r} names two claims of this record")
        return claim
    if claim_id is None and ((whole and same) or nth < len(same)):
        return same[0 if whole else nth]
    claim = {"text": text, "of": _of(said), **({"splitter": WHOLE_ANSWER} if whole else {})}
    claim |= {n: said[n] for n in ("start", "end") if said.get(n) is not None}
    if claim_id is not None:
        claim["id"] = claim_id
        one.by_id[claim_id] = claim
    one.claims.append(claim)
    same.append(claim)
    return claim


def _of(said: Mapping[str, Any]) -> str:
    if said.get("of"):
        return str(said["of"])
    name = said.get("metric")
    if name is None:
        return "answer"
    try:
        kind = METRICS[metric(str(name)).name].units
    except KeyError:
        return "answer"
    return _OF.get(kind, "answer")


def _entries(
    row: Row, fields: Mapping[str, str], said: Mapping[str, Any], reading: Reading
) -> dict[str, Any]:
    """Labels and verdicts of one row."""
    people: list[dict[str, Any]] = []
    judges: dict[str, dict[str, Any]] = {}
    common = {"metric": said["metric"]} if said.get("metric") else {}
    for column, name in fields.items():
        part, _, who = name.partition(".")
        if part not in {"human", "judges"} or not who:
            continue
        value = _value(column, row.value[column], person=part == "human")
        if value is not None and part == "human":
            people.append({"annotator": who, **value, **common})
        elif value is not None:
            judges[who] = {**value, **common}
    own = next((c for c, f in fields.items() if f == "entailed"), None)
    if own is None:
        return {"human": people, "judges": judges}
    judge, annotator = id_text(said.get("judge")), id_text(said.get("annotator"))
    if judge and annotator:
        raise FieldError("judge", "stands beside an annotator: whose is this row?")
    value = _value(own, row.value[own], person=not judge)
    if value is not None and judge:
        extra = {n: said[n] for n in ("model", "evidence") if said.get(n)}
        more = {"reason": said["note"]} if said.get("note") else {}
        judges[judge] = {**value, **common, **extra, **more}
    elif value is not None:
        if not annotator:
            reading.say(
                f"{row.path}: column {own!r} is read as labels of a person, annotator "
                f"{UNNAMED!r}; for verdicts of a judge: --map {own}=judges.{UNNAMED_JUDGE}"
            )
        extra = {n: str(said[n]) for n in ("note", "at") if said.get(n)}
        quote = {"quote": str(said["evidence"])} if said.get("evidence") else {}
        people.append({"annotator": annotator or UNNAMED, **value, **common, **extra, **quote})
    return {"human": people, "judges": judges}


def _value(column: str, value: Any, *, person: bool) -> dict[str, Any] | None:
    """What a cell says of a claim: the words of the product, or yes and no."""
    word = str(value).strip().casefold().replace(" ", "_")
    if person and word in LABELS:
        return {"label": word, "entailed": {"entailed": True, "not_entailed": False}.get(word)}
    if not person and word == "undecided":
        return {"entailed": None}
    try:
        said = boolean(value)
    except FieldError as error:
        hint = f"if this column holds no label: --map {column}=meta.{column}"
        raise FieldError(column, error.message, hint=hint) from None
    return None if said is None else {"entailed": said}
