"""Key to paint and first paint of `trueup label`, seen from the terminal's side.

    python benchmarks/screen.py [--marks 100] [--no-tmux]

A program under a pseudo-terminal cannot tell this benchmark from a person: the clock runs from the
key to the last byte that paints the next claim with its count, the label's fsync included. Under
tmux where it is installed. Targets: p50 <= 50 ms, p95 <= 100 ms at 20,000 characters of context,
p50 <= 150 ms at 200,000; first paint <= 1.0 s warm.
"""

from __future__ import annotations

import argparse
import fcntl
import os
import pty
import select
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path

import pyte

from trueup.domain.model import Chunk, Record, Sample, SampleMember, Span, Unit
from trueup.domain.transfer import ImportedRecord
from trueup.store import Store

_CHILD = """
import sys
from trueup_tui.app import run_label
def open_service():
    from trueup.services.labelling import LabellingService, Policy
    from trueup.store import Store
    return LabellingService.open(Store.open(sys.argv[1]), "bench", "ana", Policy.of("x"))
run_label(open_service, theme="dark")
"""
_COLUMNS, _ROWS = 80, 24
_TIMEOUT_S = 30.0


def make_store(path: Path, records: int, characters: int) -> None:
    """A workspace of answers with three claims each and so long a context, in four chunks."""
    words = "Audit log retention on the Enterprise plan is 90 days and the Team plan has 30. "
    text = (words * (characters // 4 // len(words) + 1))[: characters // 4]
    items, members = [], []
    for number in range(records):
        claims = [f"The {w} plan keeps audit logs for {number} days." for w in ("A", "B", "C")]
        answer = " ".join(claims)
        record = Record(
            f"q-{number:04d}",
            answer,
            question="How long are audit logs kept?",
            context=tuple(Chunk(f"c{i}", f"{number} {i} {text}") for i in range(4)),
        )
        units = tuple(
            Unit(
                record.key,
                f"{record.id}#{i}",
                "answer_claim",
                claim,
                i,
                Span(answer.index(claim), answer.index(claim) + len(claim)),
            )
            for i, claim in enumerate(claims, 1)
        )
        items.append(ImportedRecord(record, {"answer_claim": units}))
        members.append(SampleMember(record.key, 1.0, "all", number))
    store = Store.open(path, create=True)
    store.import_records(items)
    store.save_sample(Sample("bench", "groundedness", "random", 1, records, tuple(members)))
    store.close()


class Terminal:
    """A program on a pseudo-terminal with a screen that we can read."""

    def __init__(self, command: list[str]) -> None:
        self.screen = pyte.Screen(_COLUMNS, _ROWS)
        self.stream = pyte.ByteStream(self.screen)
        self.started = time.perf_counter()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
            os.execvp(command[0], command)
        size = struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, size)

    def wait_for(self, text: str) -> float:
        """Seconds on the clock when the bytes came that put a text on the screen."""
        end = time.perf_counter() + _TIMEOUT_S
        while time.perf_counter() < end:
            ready, _, _ = select.select([self.fd], [], [], 0.5)
            if not ready:
                continue
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                break
            came = time.perf_counter()
            self.stream.feed(data)
            if any(text in line for line in self.screen.display):
                return came
        raise SystemExit(f"{text!r} never came; on the screen:\n" + "\n".join(self.screen.display))

    def press(self, key: str) -> float:
        """Seconds on the clock when the key was sent."""
        pressed = time.perf_counter()
        os.write(self.fd, key.encode())
        return pressed

    def drain(self, seconds: float) -> None:
        """Take in what is still painted."""
        end = time.perf_counter() + seconds
        while (left := end - time.perf_counter()) > 0:
            if select.select([self.fd], [], [], left)[0]:
                try:
                    self.stream.feed(os.read(self.fd, 65536))
                except OSError:
                    return

    def run_once(self, text: str) -> None:
        """Start, wait for a text, and end."""
        self.wait_for(text)
        self.close()

    def close(self) -> None:
        """End the program."""
        os.write(self.fd, b"Q")
        self.drain(1.0)
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def measure(characters: int, marks: int, tmux: str | None) -> None:
    """First paint, then so many marks."""
    records = marks // 3 + 2
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trueup.db"
        make_store(path, records, characters)
        program = [sys.executable, "-c", _CHILD, str(path)]
        command = program
        if tmux:
            socket = str(Path(folder) / "tmux")
            command = [tmux, "-S", socket, "-f", "/dev/null", "new-session", *program]
        total = records * 3
        Terminal(program).run_once(f"0/{total}")  # the start to measure is the warm one
        terminal = Terminal(command)
        frame = terminal.wait_for("trueup") - terminal.started
        first = terminal.wait_for(f"0/{total}") - terminal.started
        pid = _pane_pid(tmux, command[2]) if tmux else terminal.pid
        start_cpu = _cpu_seconds(pid)
        terminal.drain(1.0)
        before = _cpu_seconds(pid)
        times = []
        for number in range(1, marks + 1):
            pressed = terminal.press("a")
            times.append(terminal.wait_for(f"{number}/{total}") - pressed)
            terminal.drain(0.05)
        cpu = (_cpu_seconds(pid) - before) / marks
        terminal.close()
    times.sort()
    p95 = times[max(0, round(0.95 * len(times)) - 1)]
    print(
        f"{characters:>9,} characters: frame {frame:.2f} s, first claim {first:.2f} s"
        f" (CPU {start_cpu:.2f} s), key to paint p50 {statistics.median(times) * 1000:.0f} ms,"
        f" p95 {p95 * 1000:.0f} ms (CPU {cpu * 1000:.0f} ms a mark, {len(times)} marks)"
    )


def measure_long(marks: int) -> None:
    """Whether a long session grows or slows down, without tmux to see the program's memory."""
    records = marks // 3 + 2
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trueup.db"
        make_store(path, records, 20_000)
        terminal = Terminal([sys.executable, "-c", _CHILD, str(path)])
        terminal.wait_for(f"0/{records * 3}")
        times, sizes = [], []
        for number in range(1, marks + 1):
            pressed = terminal.press("a")
            times.append(terminal.wait_for(f"{number}/{records * 3}") - pressed)
            if number in {marks // 10, marks}:
                sizes.append(_megabytes(terminal.pid))
        terminal.close()
    tenth = marks // 10
    first, last = (statistics.median(t) * 1000 for t in (times[:tenth], times[-tenth:]))
    print(
        f"{marks} marks: p50 of the first tenth {first:.0f} ms, of the last {last:.0f} ms;"
        f" memory after a tenth {sizes[0]:.0f} MB, at the end {sizes[1]:.0f} MB"
    )


def _pane_pid(tmux: str, socket: str) -> int:
    """The program that tmux runs for us."""
    told = subprocess.run(
        [tmux, "-S", socket, "list-panes", "-F", "#{pane_pid}"],
        capture_output=True,
        text=True,
        check=True,
    )
    return int(told.stdout.split()[0])


def _cpu_seconds(pid: int) -> float:
    """User and system time of a process so far (Linux): what a loaded machine does not blur."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _megabytes(pid: int) -> float:
    """Resident memory of a process (Linux)."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1024


def main() -> None:
    """Print one line for each length of context."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--marks", type=int, default=60)
    parser.add_argument("--no-tmux", action="store_true")
    parser.add_argument("--long", type=int, default=0, help="so many marks in one session")
    options = parser.parse_args()
    if options.long:
        measure_long(options.long)
        return
    tmux = None if options.no_tmux else shutil.which("tmux")
    print(f"under {'tmux' if tmux else 'a plain pseudo-terminal'}, {_COLUMNS}x{_ROWS}")
    for characters in (2_000, 20_000, 200_000, 2_000_000):
        measure(characters, options.marks if characters < 1_000_000 else 10, tmux)


if __name__ == "__main__":
    main()
