"""The --json of scores over time is what its schemas say, in every shape that it takes."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from runner import Command

from score_help import write

CLAIMS = ["The quay is 240 metres long.", "Ferries leave it at noon."]
COMMANDS = [
    ("scores", ["scores", "--per-record"]),
    ("scores", ["scores", "--against", "r1", "--judge", "quoted"]),
    ("scores", ["scores", "--judge", "quoted", "--gate", "groundedness >= 0.5, recall@1 >= 0.5"]),
    ("rebaseline", ["rebaseline", "--from", "plain", "--to", "quoted"]),
    ("rebaseline", ["rebaseline", "--from", "plain", "--to", "quoted", "--dry-run"]),
    ("rebaseline", ["rebaseline", "--canary", "gold", "--to", "quoted"]),
    ("diagnose", ["diagnose", "--judge", "plain"]),
    ("diagnose", ["diagnose", "--judge", "quoted", "--isolate"]),
    ("probe", ["probe", "quoted", "--ablate"]),
    ("probe", ["probe", "quoted", "--dry-run"]),
    ("recall", ["recall"]),
]


@pytest.mark.parametrize(
    ("name", "args"), COMMANDS, ids=lambda v: " ".join(v) if isinstance(v, list) else v
)
def test_json_output_fits_its_schema(
    trueup: Command, tmp_path: Path, name: str, args: list[str]
) -> None:
    """Stdout is one object that the schema accepts, whichever options were given."""
    lines = [
        {
            "id": f"q-{i}", "release": release, "question": "How long is the quay?",
            "context": [{"id": "c-1", "text": CLAIMS[0]}], "answer": " ".join(CLAIMS),
            "gold": ["c-1"] if i % 2 else ["c-2"], "gold_context": [" ".join(CLAIMS)],
            "failing": True, "slices": {"plan": "team"},
            "claims": [{"text": t, "human": [{"annotator": "ana", "entailed": n == 0}]}
                       for n, t in enumerate(CLAIMS)],
        }
        for release in ("r1", "r2")
        for i in range(4)
    ]  # fmt: skip
    trueup("init")
    trueup("import", write(tmp_path / "r.jsonl", lines))
    trueup("judge", "--judge", "plain", "--judge", "quoted")
    trueup("labels", "freeze", "gold")
    with (tmp_path / "trueup.toml").open("a", encoding="utf-8") as file:
        file.write("\n[gate.probes]\nrepeats = 0.5\n\n[metrics.groundedness]\nthreshold = 0.5\n")
    said = trueup(*args, "--json").json()

    path = resources.files("trueup") / "schemas" / f"{name}.json"
    Draft202012Validator(json.loads(path.read_text("utf-8"))).validate(said)
    assert said["schema"] == f"trueup.{name}/1"
