"""A `trueup` fixture for command-line tests."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from runner import Command

from judge_support import FakeServer
from shared import shared_dir


@pytest.fixture
def trueup(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Command:
    """The command, in an empty directory and without the caller's environment."""
    monkeypatch.chdir(tmp_path)
    for name in ("TRUEUP_WORKSPACE", "TRUEUP_DATABASE_URL", "TRUEUP_ANNOTATOR"):
        monkeypatch.delenv(name, raising=False)
    return Command(capsys)


@pytest.fixture(scope="session")
def server() -> Iterator[FakeServer]:
    """The misbehaving server of the golden cases on a free loopback port, ended by its pid."""
    program = shared_dir() / "tools" / "fake_openai.py"
    process = subprocess.Popen(
        [sys.executable, "-B", program, "--port", "0", "--max-seconds", "600"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        port = re.search(r":(\d+)/v1", process.stdout.readline())
        assert port is not None
        yield FakeServer(int(port[1]))
    finally:
        process.terminate()
        process.wait(10)
        assert process.stdout is not None
        process.stdout.close()
