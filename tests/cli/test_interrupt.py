"""Ctrl-C while judging: what was answered is kept, the exit code is 130, a second run goes on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from endpoint import Endpoint
from runner import Command


class Held(Endpoint):
    """Answers five calls, then holds every further one back until it is let go."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.let_go = threading.Event()
        self.lock = threading.Lock()
        self.answered = 0
        super().__init__()

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        with self.lock:
            self.answered += 1
            mine = self.answered
        if mine > 5:
            self.reached.set()
            self.let_go.wait(30)
        return super().answer(body)


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT to a child is a thing of POSIX")
def test_ctrl_c_keeps_what_was_answered(trueup: Command, tmp_path: Path) -> None:
    """130, one line that says how to go on, no traceback; nothing answered is asked again."""
    server = Held()
    records = [
        {"id": f"r{i}", "context": ["c"], "answer": "a", "claims": [{"text": f"Claim {i}."}]}
        for i in range(20)
    ]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    trueup("init")
    toml = f'[judges.current]\nmodel = "m"\nbase_url = "{server.url}"\nconcurrency = 1\n'
    (tmp_path / "trueup.toml").write_text(toml, "utf-8")
    trueup("import", "r.jsonl")
    run = subprocess.Popen(
        [sys.executable, "-m", "trueup.cli.main", "judge"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        env={**os.environ, "NO_COLOR": "1"},
    )  # fmt: skip
    assert server.reached.wait(60)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    server.let_go.set()

    assert run.returncode == 130
    assert "Traceback" not in out + err
    assert "run it again" in err
    again = trueup("judge", "--json").json()
    assert again["cached"] == 5
    assert again["units"] == 15
    server.close()
