"""Every command's --json is what its schema says; the schemas ship with the package."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from runner import Command
from test_labels_and_gate import workspace

FOLDER = resources.files("trueup") / "schemas"


def schema(name: str) -> dict[str, Any]:
    """The schema of a command."""
    loaded: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    return loaded


def names() -> list[str]:
    return sorted(
        f.name.removesuffix(".json") for f in FOLDER.iterdir() if f.name.endswith(".json")
    )


COMMANDS = [
    ("report", ["report"]),
    ("report", ["report", "--bootstrap", "50", "--judge", "candidate"]),
    ("report", ["report", "--labels", "s"]),
    ("compare", ["compare", "current", "candidate"]),
    ("compare", ["compare", "current", "candidate", "--split"]),
    ("validate", ["validate", "candidate", "--against", "current"]),
    ("disagreements", ["disagreements"]),
    ("import", ["import", "r.jsonl"]),
    ("import", ["import", "r.jsonl", "--dry-run"]),
    ("sample", ["sample", "t", "--records", "5"]),
    ("labels-status", ["labels", "status"]),
    ("labels-export", ["labels", "export", "-o", "l.jsonl"]),
    ("labels-freeze", ["labels", "freeze", "gold"]),
    ("export", ["export", "-o", "e.jsonl"]),
    ("recall", ["recall", "--per-question"]),
    ("plan", ["plan", "--judge", "candidate", "--against", "current"]),
    ("plan", ["plan", "--prevalence", "0.8"]),
    ("prompts", ["prompts", "list"]),
    ("prompts-show", ["prompts", "show", "groundedness/plain"]),
    ("prompts-diff", ["prompts", "diff", "plain", "quoted"]),
    ("judge", ["judge", "--judge", "embedded", "--limit", "2"]),
    ("judge", ["judge", "--judge", "embedded", "--dry-run"]),
    ("doctor", ["doctor", "--offline"]),
    ("init", ["init", "other"]),
    ("demo", ["demo", "d"]),
]


@pytest.mark.parametrize(
    ("name", "args"), COMMANDS, ids=lambda v: " ".join(v) if isinstance(v, list) else v
)
def test_json_output_fits_its_schema(
    trueup: Command, tmp_path: Path, name: str, args: list[str]
) -> None:
    """Stdout is one object that the schema of its `schema` field accepts."""
    workspace(trueup, tmp_path, wrong=8, n=20)
    trueup("sample", "s", "--records", "8", "--design", "score-bands", "--judge", "candidate")
    said = trueup(*args, "--json").json()
    Draft202012Validator(schema(name)).validate(said)

    assert said["schema"] == f"trueup.{name}/1"


@pytest.mark.parametrize("name", names())
def test_each_schema_is_itself_valid(name: str) -> None:
    """A schema is JSON Schema 2020-12 and names its version."""
    loaded = schema(name)
    Draft202012Validator.check_schema(loaded)

    assert loaded["properties"]["schema"]["const"] == f"trueup.{name}/1"


def test_a_null_without_a_reason_is_refused() -> None:
    """The schema holds the contract's rule that what is undefined says why."""
    estimate = schema("report")["$defs"]["estimate"]
    silent = {"value": None, "low": None, "high": None, "method": "m", "reason": None}

    assert not Draft202012Validator(estimate).is_valid(silent)
    assert Draft202012Validator(estimate).is_valid({**silent, "reason": "one label only"})
