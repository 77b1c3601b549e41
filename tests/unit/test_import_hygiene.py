"""Heavy libraries come along only where they are used: start-up stays light."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("textual", "openai", "sklearn", "pandas", "matplotlib", "alembic", "scipy.stats")
HEADLESS = [
    "trueup",
    "trueup.cli.main",
    "trueup.config",
    "trueup.domain.model",
    "trueup.domain.session",
    "trueup.domain.text",
    "trueup.exchange.detect",
    "trueup.exchange.jsonl",
    "trueup.judge.base",
    "trueup.judge.runner",
    "trueup.judge.parse",
    "trueup.judge.embedded",
    "trueup.report.build",
    "trueup.report.markdown",
    "trueup.services.calibrating",
    "trueup.services.importing",
    "trueup.services.judging",
    "trueup.services.workspace",
    "trueup.stats.frame",
    "trueup.store",
]


def loaded_by(module: str, watched: tuple[str, ...]) -> set[str]:
    code = f"import sys, {module}; print(*[m for m in {watched!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", HEADLESS)
def test_headless_modules_bring_nothing_heavy(module: str) -> None:
    """No screen, no client, no frame library comes along with a headless module."""
    assert loaded_by(module, HEAVY) == set()


@pytest.mark.parametrize(
    "module", ["trueup.domain.model", "trueup.domain.session", "trueup.domain.text"]
)
def test_the_domain_is_standard_library_only(module: str) -> None:
    """The domain loads no third-party package at all."""
    watched = ("numpy", "pydantic", "click", "rich", "sqlalchemy", "regex", "rapidfuzz")

    assert loaded_by(module, watched) == set()


def test_the_command_line_starts_without_the_house() -> None:
    """`trueup --help` needs click and little else."""
    watched = ("numpy", "pydantic", "sqlmodel", "rich", "jinja2")

    assert loaded_by("trueup.cli.main", watched) == set()
