"""A `trueup` fixture for command-line tests."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from runner import Command


@pytest.fixture
def trueup(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """The command, in an empty directory and without the caller's environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("TRUEUP_WORKSPACE", "TRUEUP_DATABASE_URL", "TRUEUP_ANNOTATOR"):
        monkeypatch.delenv(name, raising=False)
    return Command(capsys)
