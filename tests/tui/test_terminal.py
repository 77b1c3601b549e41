"""The screen on a real terminal: killed at any moment, and the bytes that it writes."""

from __future__ import annotations

import os
import random
import re
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pty", reason="pseudo-terminals are a Unix thing")

from shared import golden_cases
from terminal import Terminal
from trueup.store import Store
from tui_help import labels, record, workspace

_PROGRAM = """
import sys
from trueup_tui.app import run_label
def open_service():
    from trueup.services.labelling import LabellingService, Policy
    from trueup.store import Store
    return LabellingService.open(Store.open(sys.argv[1]), "pilot", "ana", Policy.of("x"))
run_label(open_service)
"""
ROUNDS = int(os.environ.get("TRUEUP_KILL_ROUNDS", "4"))
"""How often the screen is killed; 50 in a long run."""
_CONTROLS = {
    chr(c)
    for c in (*range(0x20), *range(0x7F, 0xA0), *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    if chr(c) not in "\r\n"
} | set("\u200b\u200e\u200f\u2060\ufeff")


def _start(folder: Path, size: tuple[int, int] = (80, 24), **environment: str) -> Terminal:
    program = [sys.executable, "-c", _PROGRAM, str(folder / "trueup.db")]
    return Terminal(program, size, **environment)


def _shown_as_saved(terminal: Terminal) -> int:
    """The largest count that the screen ever showed together with `saved ✓`."""
    text = re.sub(rb"\x1b\[[0-9;]*m", b"", bytes(terminal.raw)).decode("utf-8", "replace")
    return max((int(n) for n in re.findall(r"(\d+)/\d+ · saved ✓", text)), default=0)


@pytest.mark.slow
def test_killed_at_a_random_moment_no_mark_shown_as_saved_is_missing_or_doubled(
    tmp_path: Path,
) -> None:
    """Marks are typed without waiting; the kill comes somewhere between two of them."""
    rng = random.Random(20)
    store = workspace(tmp_path, [record(i) for i in range(120)])
    done = 0
    for _ in range(ROUNDS):
        terminal = _start(tmp_path)
        terminal.wait_for(f"{done}/240")
        for _ in range(rng.randrange(1, 9)):
            terminal.press(rng.choice("axu"))
            for _ in range(rng.randrange(4)):
                terminal.read(rng.random() * 0.02)
        terminal.kill()

        stored = labels(store)
        events = store.label_events(metric="groundedness")
        assert len(stored) >= max(done, _shown_as_saved(terminal))
        assert len(events) == len({e.label.unit for e in events}) == len(stored)
        done = len(stored)
    terminal = _start(tmp_path)
    terminal.wait_for(f"{done}/240")
    terminal.press("Q")
    assert terminal.wait_end() == 0


@pytest.mark.parametrize("case", golden_cases("store", "durability"))
def test_golden_killed_right_after_the_third_key(case: dict[str, Any], tmp_path: Path) -> None:
    """What was confirmed on the screen is there after the restart."""
    store = workspace(tmp_path)
    terminal = _start(tmp_path)
    terminal.wait_for("0/6")
    for count in range(1, case["check"]["labels"] + 1):
        terminal.press("a")
        terminal.wait_for(f"{count}/6")
    terminal.kill()

    assert len(labels(store)) == case["check"]["labels"]


@pytest.mark.parametrize("case", [*golden_cases("tui", "ansi"), *golden_cases("tui", "bidi")])
def test_golden_no_byte_of_the_data_is_obeyed(case: dict[str, Any], tmp_path: Path) -> None:
    """Every escape that reaches the terminal is the program's own: none of the data's is there."""
    given = case["input"]
    workspace(
        tmp_path,
        [record(context=[given["context"]], claims=[given["claim"]], question=given["answer"],
                answer=given["answer"], record_id=given["answer"], quote=given["evidence"])],
    )  # fmt: skip
    terminal = _start(tmp_path, (120, 40))
    terminal.wait_for("0/1")
    terminal.press("v")
    terminal.wait_for("quoted: ")
    terminal.press("Q")
    terminal.wait_end()
    written = bytes(terminal.raw)

    own = re.compile(
        rb"\x1b\[[0-9;?<>=$]*[A-Za-z]|\x1b\](?:22|52);[a-z;]*(?:\x07|\x1b\\\\)|\x1b[=>78]"
    )
    text = own.sub(b"", written).decode("utf-8")
    assert not _CONTROLS & set(text)
    assert b"\x1b[2J\x1b[H" not in written
    assert b"\x1b[31m red" not in written


def test_no_color_gives_a_screen_without_any_colour_but_with_highlights(tmp_path: Path) -> None:
    """Not one colour code; the claim's words are underlined."""
    workspace(tmp_path)
    terminal = _start(tmp_path, NO_COLOR="1")
    terminal.wait_for("0/6")
    terminal.wait_for("Enterprise")
    terminal.press("Q")
    terminal.wait_end()
    codes = re.findall(rb"\x1b\[([0-9;]*)m", bytes(terminal.raw))

    numbers = {int(n or 0) for code in codes for n in code.split(b";")}
    assert numbers <= {0, 1, 2, 3, 4, 7, 22, 23, 24, 27, 39, 49}
    assert 4 in numbers


def test_sigterm_and_a_closed_terminal_lose_nothing(tmp_path: Path) -> None:
    """The line drops: what was shown as saved is there."""
    store = workspace(tmp_path)
    terminal = _start(tmp_path)
    terminal.wait_for("0/6")
    terminal.press("a")
    terminal.wait_for("1/6")
    os.close(terminal.fd)
    os.waitpid(terminal.pid, 0)

    assert len(labels(store)) == 1
    assert Store.open(tmp_path / "trueup.db").counts().labels == 1


@pytest.mark.parametrize("error", ["StoreError", "ZeroDivisionError"])
def test_an_error_of_opening_reaches_the_caller_with_the_terminal_given_back(
    error: str,
) -> None:
    """The CLI reports it; Textual prints no traceback of its own."""
    program = f"""
from trueup.errors import StoreError
from trueup_tui.app import run_label
def broken():
    raise {error}("it is gone")
try:
    run_label(broken)
except {error} as error:
    print("caught:", error)
"""
    terminal = Terminal([sys.executable, "-c", program])

    assert terminal.wait_end() == 0
    assert "caught: it is gone" in terminal.text
    assert "Traceback" not in terminal.text


def test_leaving_before_the_store_is_open_is_no_error(tmp_path: Path) -> None:
    """The key may come before the first claim."""
    workspace(tmp_path)
    terminal = _start(tmp_path)
    terminal.wait_for("opening")
    terminal.press("Q")

    assert terminal.wait_end() == 0
    assert "Error" not in terminal.text
