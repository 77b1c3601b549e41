"""The guides are run: each `sh` block of docs/guides in order, as a reader would type it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GUIDES = sorted((ROOT / "docs" / "guides").glob("*.md"))
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.skipif(shutil.which("bash") is None, reason="the blocks are shell commands")
@pytest.mark.parametrize("guide", GUIDES, ids=lambda p: p.stem)
def test_the_commands_of_a_guide_work(guide: Path, tmp_path: Path) -> None:
    """Every command exits 0 from an empty directory, with the bundled set's files beside it."""
    bundled = ROOT / "label_sets" / "support-docs"
    for name in ("records.jsonl", "labels.jsonl"):
        shutil.copy(bundled / name, tmp_path / name)
    script = "set -euo pipefail\n" + "".join(BLOCK.findall(guide.read_text("utf-8")))
    binaries = str(Path(sys.executable).parent)
    env = {k: v for k, v in os.environ.items() if not k.startswith("TRUEUP_")}
    env |= {"PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=env, text=True, capture_output=True
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "trueup" in script


def test_no_guide_is_empty_of_commands() -> None:
    """A guide whose blocks are all by hand would test nothing."""
    for guide in GUIDES:
        assert BLOCK.findall(guide.read_text("utf-8")), guide.name
