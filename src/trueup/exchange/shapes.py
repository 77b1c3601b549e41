"""The shapes of a trueup JSONL line: what pydantic checks where the bytes arrive.

Unknown keys pass and become metadata. What may come in several forms (context, ids, evidence) is
`Any` here and read by `jsonl.py` and `entries.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ConfigDict, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails
from typing_extensions import TypedDict

from trueup.exchange.base import finite

_STRICT = ConfigDict(extra="allow", strict=True)

ALIASES: dict[str, str] = {
    "record_id": "id",
    "user_input": "question",
    "input": "question",
    "contexts": "context",
    "retrieved_contexts": "context",
    "retrieval_context": "context",
    "response": "answer",
    "actual_output": "answer",
    "ground_truth": "reference",
    "ground_truths": "reference",
    "expected_output": "reference",
    "retrieved_context_ids": "retrieved",
    "reference_context_ids": "gold",
    "reference_contexts": "gold_context",
}
"""Names that other tools use for our fields; ours wins where both stand in one record."""


class EntryShape(TypedDict, total=False):
    """What a person or a judge says of a unit: the fields that both kinds share."""

    __pydantic_config__ = _STRICT  # type: ignore[misc]  # pydantic's own name
    entailed: bool | None
    metric: str | None
    repeat: int | None


class HumanShape(EntryShape, total=False):
    """One entry under `human`."""

    annotator: str | int
    label: Any
    note: str | None
    quote: str | None
    id: str | int | None
    at: str | None
    blind: bool | None
    policy_sha256: str | None
    ms: int | None
    origin: str | None
    sample: str | None
    undo: bool | None


class JudgeShape(EntryShape, total=False):
    """One entry under `judges`."""

    evidence: Any
    reason: Any
    own: bool | None
    flags: list[str] | None
    model: str | None
    prompt: str | None


class ClaimShape(TypedDict, total=False):
    """One claim."""

    __pydantic_config__ = _STRICT  # type: ignore[misc]  # pydantic's own name
    id: str | int | None
    claim_id: str | int | None
    text: str
    claim: str
    of: str | None
    start: int | None
    end: int | None
    human: list[HumanShape] | None
    judges: dict[str, JudgeShape | list[JudgeShape] | None] | None
    entailed: bool | None
    context: str | None
    splitter: str | None
    claim_set: int | None
    ordinal: int | None
    parent: str | None
    provisional: bool | None


class RecordShape(TypedDict, total=False):
    """One record."""

    __pydantic_config__ = _STRICT  # type: ignore[misc]  # pydantic's own name
    id: str | int | float | None
    question: str | None
    context: Any
    answer: str | None
    reference: str | list[str] | None
    gold: list[str | int] | None
    gold_context: str | list[str] | None
    retrieved: list[str | int] | None
    release: str | int | float | None
    failing: bool | None
    slices: dict[str, str | int | float | bool | None] | None
    claims: list[ClaimShape] | None
    labels: list[Any] | None
    judges: dict[str, Any] | None
    claim_sets: list[dict[str, Any]] | None


class ChunkShape(TypedDict, total=False):
    """One chunk of the context, where it is an object."""

    __pydantic_config__ = _STRICT  # type: ignore[misc]  # pydantic's own name
    id: str | int | None
    text: str
    source: str | None
    human: list[HumanShape] | None
    judges: dict[str, JudgeShape | list[JudgeShape] | None] | None


RECORD: TypeAdapter[RecordShape] = TypeAdapter(RecordShape)
CHUNK: TypeAdapter[ChunkShape] = TypeAdapter(ChunkShape)
RECORD_KEYS = frozenset(RecordShape.__annotations__)
CHUNK_KEYS = frozenset(ChunkShape.__annotations__)
CLAIM_KEYS = frozenset(ClaimShape.__annotations__)
HUMAN_KEYS = frozenset(HumanShape.__annotations__) | frozenset(EntryShape.__annotations__)
JUDGE_KEYS = frozenset(JudgeShape.__annotations__) | frozenset(EntryShape.__annotations__)


def collect_meta(value: Mapping[str, Any], known: frozenset[str]) -> dict[str, Any]:
    """What an object says beside its known fields: its `meta` object, and every unknown key.

    Where both name the same, the object stays whole under `meta`.
    """
    if len(value) <= len(known) and value.keys() <= known:
        return {}
    own = {key: finite(item) for key, item in value.items() if key not in known}
    inner = own.get("meta")
    if not isinstance(inner, dict):
        return own
    del own["meta"]
    return {"meta": inner, **own} if own.keys() & inner.keys() else {**inner, **own}


def first_error(error: ValidationError) -> tuple[str, str]:
    """(field, message) of the error that a person should mend first: the deepest one.

    A value of the wrong type deep inside says more than the union around it that did not fit.
    """
    found = [(_path(details["loc"]), details) for details in error.errors()]
    deepest = max(found, key=lambda pair: len(pair[0]))[0]
    here = [details for path, details in found if path == deepest]
    return _written(deepest), _message(here)


def _path(loc: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """A location without the names of pydantic's branches."""
    return tuple(p for p in loc if isinstance(p, int) or not _BRANCH.match(p))


def _written(path: tuple[int | str, ...]) -> str:
    """`claims[0].human[1].entailed`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text


def _message(errors: Sequence[ErrorDetails]) -> str:
    value = errors[0]["input"]
    shown = repr(value) if isinstance(value, (str, int, float, bool)) else type(value).__name__
    shown = "null" if value is None else shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "…"
    wanted = list(dict.fromkeys(_KINDS.get(details["type"], "") for details in errors))
    if "" in wanted:
        return f"{errors[0]['msg']} ({shown})"
    return f"must be {' or '.join(wanted)}, not {shown}"


_SHOWN = 40
_BRANCH = re.compile(r"(str|int|float|bool|\w+Shape|(list|dict)\[.*\])$")
_KINDS = {
    "bool_type": "true, false or null",
    "string_type": "a text",
    "int_type": "a number",
    "float_type": "a number",
    "list_type": "a list",
    "dict_type": "an object",
}
