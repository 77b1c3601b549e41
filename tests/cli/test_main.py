"""The command line's manners: help, errors, exit codes, one JSON object."""

from __future__ import annotations

from pathlib import Path

import pytest
from runner import Command

from trueup.cli.main import COMMANDS

RECORD = '{"id": "q1", "question": "q", "context": ["Tea is hot."], "answer": "Tea is hot."}\n'


def test_help_lists_every_command(trueup: Command) -> None:
    """`trueup --help` names each command with its line."""
    said = trueup("--help")

    assert said.code == 0
    for name in COMMANDS:
        assert f"\n  {name} " in said.out


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help(trueup: Command, name: str) -> None:
    """Each command can be imported and explains itself."""
    said = trueup(name, "--help")

    assert said.code == 0
    assert said.out.startswith(f"Usage: trueup {name}")


def test_a_typo_is_answered_with_the_nearest_command(trueup: Command) -> None:
    """Exit 2, and the command that was meant."""
    said = trueup("reprot")

    assert said.code == 2
    assert "'report'" in said.err
    assert said.out == ""


def test_without_a_workspace_the_error_says_how_to_make_one(trueup: Command) -> None:
    """One line and a hint, no traceback."""
    said = trueup("report")

    assert said.code == 2
    assert "trueup.toml" in said.err
    assert "trueup init" in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    "place", [("-C", "w", "doctor", "--offline"), ("doctor", "--offline", "-C", "w")]
)
def test_common_options_stand_before_or_after_the_command(
    trueup: Command, place: tuple[str, ...]
) -> None:
    """`-C` and `--json` mean the same on either side."""
    trueup("init", "w")
    said = trueup("--json", *place)

    assert said.code == 0
    assert said.json()["schema"] == "trueup.doctor/1"


def test_json_output_is_one_object(trueup: Command, tmp_path: Path) -> None:
    """Progress and remarks go to stderr; stdout is JSON whatever the command does."""
    (tmp_path / "r.jsonl").write_text(RECORD, "utf-8")
    assert trueup("init", "--json").json()["created"] is True

    said = trueup("import", "r.jsonl", "--json").json()

    assert said["records"] == 1
    assert said["schema"] == "trueup.import/1"


def test_a_bad_line_refuses_the_file(trueup: Command, tmp_path: Path) -> None:
    """Exit 2 with file, line and what is wrong; nothing is stored."""
    (tmp_path / "r.jsonl").write_text(RECORD + "{bad\n", "utf-8")
    trueup("init")
    said = trueup("import", "r.jsonl")

    assert said.code == 2
    assert "r.jsonl:2" in said.err
    assert trueup("doctor", "--offline", "--json").out.count("1 records") == 0


def test_skip_bad_stores_the_rest_and_exits_4(trueup: Command, tmp_path: Path) -> None:
    """The good line is stored, the bad one counted and named."""
    (tmp_path / "r.jsonl").write_text(RECORD + "{bad\n", "utf-8")
    trueup("init")
    said = trueup("import", "r.jsonl", "--skip-bad", "--json")

    assert said.code == 4
    assert said.json()["records"] == 1
    assert [b["line"] for b in said.json()["bad_lines"]] == [2]


def test_a_dry_run_stores_nothing(trueup: Command, tmp_path: Path) -> None:
    """What would be read is counted; the store stays empty."""
    (tmp_path / "r.jsonl").write_text(RECORD, "utf-8")
    trueup("init")
    assert trueup("import", "r.jsonl", "--dry-run", "--json").json()["records"] == 1

    assert trueup("import", "r.jsonl", "--json").json()["records"] == 1


def test_control_characters_of_data_do_not_reach_the_terminal(
    trueup: Command, tmp_path: Path
) -> None:
    """An escape sequence in a file's name or text is shown, not acted on."""
    (tmp_path / "r.jsonl").write_text('{"id": "\\u001b[2J", "answer": 3}\n', "utf-8")
    trueup("init")
    said = trueup("import", "r.jsonl")

    assert said.code == 2
    assert "\x1b" not in said.err + said.out
