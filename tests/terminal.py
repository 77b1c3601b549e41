"""A program on a pseudo-terminal: its screen as a person would see it, and every byte it wrote."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

import pyte

_PATIENCE_S = 60.0


class Terminal:
    """Runs a command with a terminal of its own. `raw` holds all bytes that came."""

    def __init__(
        self, command: list[str], size: tuple[int, int] = (80, 24), **environment: str
    ) -> None:
        columns, rows = size
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = bytearray()
        settings = {"TERM": "xterm-256color", "COLORTERM": "truecolor", **environment}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.pop("NO_COLOR", None)
            os.environ.update(settings)
            os.execvp(command[0], command)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def text(self) -> str:
        """What stands on the screen."""
        return "\n".join(self.screen.display)

    def read(self, seconds: float = 0.02) -> bool:
        """Take in what came; False when the program has ended."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 65536)
        except OSError:
            return False
        self.raw += data
        self._stream.feed(data)
        return bool(data)

    def wait_for(self, *texts: str) -> None:
        """Until one of the texts stands on the screen."""
        end = time.monotonic() + _PATIENCE_S
        while not any(t in line for line in self.screen.display for t in texts):
            if time.monotonic() > end or not self.read(0.2):
                raise AssertionError(f"{texts} never came; on the screen:\n{self.text}")

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self.fd, keys.encode())

    def kill(self) -> None:
        """End the program at once, without a word."""
        os.kill(self.pid, signal.SIGKILL)
        self._reap()

    def wait_end(self) -> int:
        """Wait for the program to end by itself; its exit code."""
        while self.read(0.2):
            pass
        return self._reap()

    def _reap(self) -> int:
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)
