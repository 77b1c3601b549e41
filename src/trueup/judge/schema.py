"""The JSON schema of a reply, for servers that hold a model to one."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from trueup.judge.templates import asks_evidence, is_single_call


@lru_cache(maxsize=64)
def reply_schema(template: str) -> dict[str, Any]:
    """`response_format` of type json_schema (strict) for a template: what the template asks for."""
    item: dict[str, Any] = {}
    if not is_single_call(template):
        item["number"] = {"type": "integer"}
    item["claim"] = {"type": "string"}
    item["entailed"] = {"type": "boolean"}
    if asks_evidence(template):
        item["evidence"] = {"type": "array", "items": {"type": "string"}}
    schema = _object({"claims": {"type": "array", "items": _object(item)}})
    return {
        "type": "json_schema",
        "json_schema": {"name": "verdicts", "strict": True, "schema": schema},
    }


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
