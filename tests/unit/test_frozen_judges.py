"""A frozen set names its judges whole: each comes back with the fingerprint it had."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from trueup.domain.model import JudgeSpec
from trueup.services import label_sets

SPEC = JudgeSpec("j", "openai", "groundedness", "m", prompt_text="p", params={"temperature": 0})


@pytest.mark.parametrize("field", ["reader_version", "locator_version", "layout_version"])
def test_every_version_is_part_of_what_is_frozen(field: str, tmp_path: Path) -> None:
    """Without it, verdicts of the set would belong to no judge."""
    spec = replace(SPEC, **{field: "7"})
    path = tmp_path / "judges.jsonl"
    path.write_text(json.dumps(label_sets._judge_line(spec)) + "\n", "utf-8")
    (read,) = label_sets._judge_specs(path)

    assert read.fingerprint == spec.fingerprint
