"""Finds the folder of golden cases and real data beside the project, or skips with a reason."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

_BESIDE = Path(__file__).resolve().parents[2] / "shared"


def shared_dir() -> Path:
    """The folder of golden cases; skips the calling test where it is absent."""
    folder = Path(os.environ.get("TRUEUP_SHARED", _BESIDE))
    if not folder.is_dir():
        pytest.skip("the folder of golden cases is not beside the project", allow_module_level=True)
    return folder


def golden_cases(area: str, *kinds: str) -> list[Any]:
    """pytest params of the golden cases of an area (and kinds); skipped where they are absent."""
    path = Path(os.environ.get("TRUEUP_SHARED", _BESIDE)) / "golden" / "cases.json"
    if not path.is_file():
        return [pytest.param(None, marks=pytest.mark.skip(reason="golden cases are not here"))]
    cases = json.loads(path.read_text("utf-8"))
    return [
        pytest.param({**c, "input": json.loads(c["input"])}, id=f"{c['id']}-{c['kind']}")
        for c in cases
        if c["area"] == area and (not kinds or c["kind"] in kinds)
    ]


def statistics_cases(*methods: str) -> list[Any]:
    """pytest params of the statistics cases of some methods; skipped where the folder is absent."""
    path = Path(os.environ.get("TRUEUP_SHARED", _BESIDE)) / "golden" / "statistics.json"
    if not path.is_file():
        return [pytest.param(None, marks=pytest.mark.skip(reason="golden cases are not here"))]
    cases = json.loads(path.read_text("utf-8"))["cases"]
    return [pytest.param(c, id=c["name"]) for c in cases if c["method"] in methods]
