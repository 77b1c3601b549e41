"""The session as line prompts."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from trueup.errors import StoreError
from trueup.services.labelling import LabellingService
from trueup_tui.plain import run_plain
from tui_help import labels, record, service, workspace


def _run(made: LabellingService, *lines: str) -> str:
    told: list[str] = []
    answers = iter(lines)

    def read(prompt: str) -> str | None:
        told.append(prompt)
        return next(answers, None)

    run_plain(made, read=read, write=told.append)
    return "\n".join(told)


def test_marks_are_stored_one_by_one(tmp_path: Path) -> None:
    """And each is confirmed only after it is on disk."""
    store = workspace(tmp_path)

    told = _run(service(store), "a", "x", "u", "Q")

    assert sorted(map(str, labels(store).values())) == ["entailed", "not_entailed", "unsure"]
    assert told.count("Saved: ") == 3
    assert "3 of 6 claims are labelled and saved." in told


def test_question_answer_and_context_are_read_once_an_answer(tmp_path: Path) -> None:
    """Two claims of one answer do not repeat its context."""
    store = workspace(tmp_path, [record()])

    told = _run(service(store), "a", "Q")

    assert told.count("Enterprise plan is 90 days") == 1
    assert told.count("Claim: ") == 2


def test_undo_skip_and_moves(tmp_path: Path) -> None:
    """They work as on the screen."""
    store = workspace(tmp_path)

    told = _run(service(store), "a", "z", "s", "n", "p", "N", "P", "P", "f", "Q")

    assert labels(store) == {}
    assert "Undone: entailed." in told
    assert "There is none that way." in told


def test_split_comment_quote_missed_and_search(tmp_path: Path) -> None:
    """Everything that the screen can say, prompts can."""
    store = workspace(tmp_path, [record()])

    told = _run(
        service(store), "m", "why", "q", "1", "b", "one", "two", "", "M", "another claim",
        "/audit", "o", "Q",
    )  # fmt: skip

    first = [e.label for e in store.label_events(metric="groundedness")]
    assert first[0].note == "why"
    assert first[1].quote == "Audit log retention on the Enterprise plan is 90 days."
    assert first[2].label == "bad_split"
    assert first[3].meta["kind"] == "missed"
    assert "sentences with “audit”" in told
    assert "not_a_claim" in labels(store).values()


def test_reveal_tells_the_judge_and_is_recorded(tmp_path: Path) -> None:
    """Before that, nothing of the judge is told."""
    store = workspace(tmp_path)

    told = _run(service(store), "v", "a", "Q")

    before, after = told.split("Saved: revealed.")
    assert "quoted" not in before
    assert "Judge quoted: entailed" in after
    (label,) = store.current_labels(metric="groundedness")
    assert not label.blind


def test_a_store_error_is_told_and_the_mark_can_be_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Or taken back."""
    store = workspace(tmp_path)
    made = service(store)
    deliver, failures = made.deliver, [1, 1, 1]

    def failing(*args: object) -> object:
        if failures:
            failures.pop()
            raise StoreError("disk full")
        return deliver(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(made, "deliver", failing)
    told = _run(made, "a", "z", "x", "", "", "Q")

    assert told.count("NOT SAVED: disk full") == 3
    assert list(labels(store).values()) == ["not_entailed"]


def test_control_characters_of_the_data_are_not_written(tmp_path: Path) -> None:
    """As on the screen."""
    nasty = "a\x1b[2Jb\u202ec\r\x07"
    store = workspace(tmp_path, [record(context=[nasty], claims=[nasty], question=nasty)])

    told = _run(service(store), "v", "r", "g", "?", "nonsense", "Q")

    assert not set(told) & set("\x1b\r\x07\u202e")
    assert "That is no command" in told


def test_the_end_of_input_leaves(tmp_path: Path) -> None:
    """A closed pipe is not an endless loop."""
    store = workspace(tmp_path, overlap=False)

    assert "0 of 6 claims" in _run(service(store))
    assert len(service(store, "bo").session().items) == 6


def test_plain_mode_needs_no_textual() -> None:
    """It starts where Textual cannot."""
    code = "import sys, trueup_tui.plain; sys.exit('textual' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
