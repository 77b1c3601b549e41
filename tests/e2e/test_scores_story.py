"""The two guides on scores say what their commands print."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def outputs(guide: str, folder: Path) -> list[str]:
    """What each block prints, run in order as a reader would type it."""
    if shutil.which("bash") is None:
        pytest.skip("the blocks are shell commands")
    for name in ("records.jsonl", "labels.jsonl"):
        shutil.copy(ROOT / "label_sets" / "support-docs" / name, folder / name)
    blocks = BLOCK.findall((ROOT / "docs" / "guides" / guide).read_text("utf-8"))
    script = "set -euo pipefail\n" + "echo '=== next'\n".join(blocks)
    binaries = str(Path(sys.executable).parent)
    env = {k: v for k, v in os.environ.items() if not k.startswith("TRUEUP_")}
    env |= {"PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run(
        ["bash", "-c", f"{{ {script}\n}} 2>&1"], cwd=folder, env=env, text=True,
        capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stdout
    return done.stdout.split("=== next\n")


@pytest.mark.slow
def test_validate_then_rebaseline_then_one_line(tmp_path: Path) -> None:
    """A cut before, a passed gate, no cut after; then gates, cells, self-tests and a canary."""
    nights, gate, line, overlap, release, cells, same = outputs("scores-over-time.md", tmp_path)

    assert "┊" in nights
    assert "the judge changed (plain → quoted)" in nights
    assert "quoted: PASS" in gate
    before, _, after = line.partition("Old scores stay")
    assert "would make about" in before
    assert "┊" not in after
    assert "quoted (restated)" in after
    assert "restated from an overlap of 50 records" in overlap
    assert "plain (superseded)" in overlap
    assert "gate: PASS" in release
    assert "recall high" in cells
    assert "the answer is wrong anyway" in cells
    assert "changed_details" in same
    assert same.count("no alarm") == 2


@pytest.mark.slow
def test_recall_and_hit_rate_apart(tmp_path: Path) -> None:
    """The jump that no retriever made, taken apart."""
    first, second = outputs("recall-or-hit-rate.md", tmp_path)

    assert "recall (headline)" in first
    assert "retrieval_headline was recall when monday, tuesday were first measured" in second
    assert "0.100 is the change of definition and 0.000 the change of hit rate@2" in second
