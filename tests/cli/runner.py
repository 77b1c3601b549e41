"""Runs the command line in this process and gives back what it said."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from trueup.cli.main import run


@dataclass(frozen=True)
class Said:
    """Exit code, stdout and stderr of one command."""

    code: int
    out: str
    err: str

    def json(self) -> Any:
        """Stdout as strict JSON: one object, no NaN."""

        def refuse(token: str) -> None:
            raise AssertionError(f"{token} is not JSON")

        return json.loads(self.out, parse_constant=refuse)


class Command:
    """`trueup ARGS…`."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *args: object) -> Said:
        self._capsys.readouterr()
        code = run([str(a) for a in args])
        said = self._capsys.readouterr()
        return Said(code, said.out, said.err)
