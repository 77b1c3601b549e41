"""`trueup label FILE` in a real terminal: a newcomer's records, marks, kill -9, and going on."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest

from trueup import Workspace

pty = pytest.importorskip("pty", reason="pseudo-terminals are a thing of POSIX")

RECORDS = [
    {
        "id": f"q{i}",
        "question": f"What holds for case {i}?",
        "context": [f"Case {i} is kept for {i + 3} days. It is then removed."],
        "answer": f"Case {i} is kept for {i + 3} days. It is removed after that.",
    }
    for i in range(6)
]


class Screen:
    """A process on a pseudo-terminal of 80×24, read through a terminal emulator."""

    def __init__(self, args: list[str], cwd: Path) -> None:
        import pyte

        self.screen = pyte.Screen(80, 24)
        self.stream = pyte.ByteStream(self.screen)
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}
            os.execve(sys.executable, [sys.executable, "-m", "trueup.cli.main", *args], env)
        import fcntl
        import struct
        import termios

        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))

    def until(self, text: str) -> str:
        """Read until a text is on the screen; fails with what is there when the process ends."""
        while text not in (shown := "\n".join(self.screen.display)):
            try:
                chunk = os.read(self.fd, 65536)
            except OSError:
                chunk = b""
            if not chunk:
                pytest.fail(f"{text!r} never came:\n{shown}")
            self.stream.feed(chunk)
        return shown

    def press(self, keys: str) -> None:
        os.write(self.fd, keys.encode())

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def test_a_newcomer_labels_is_killed_and_goes_on(tmp_path: Path) -> None:
    """The file is enough; marks shown as saved are there after kill -9, and the place is kept."""
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, RECORDS)), "utf-8")
    args = ["label", "mine.jsonl", "--annotator", "ana"]
    first = Screen(args, tmp_path)
    first.until("0/12")
    first.press("a")
    first.until("1/12")
    first.press("x")
    first.until("2/12")
    first.kill()
    with Workspace.open(tmp_path) as workspace:
        said = [x.label for x in workspace.store.current_labels() if x.label is not None]
    assert sorted(said) == ["entailed", "not_entailed"]

    again = Screen(args, tmp_path)
    shown = again.until("2/12")
    again.kill()

    assert "ana" in shown
