"""Entry points: judges of other packages. Names are listed without importing anything."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

from trueup.errors import ConfigError

JUDGES = "trueup.judge"


def judge_backend_names() -> list[str]:
    """The names of installed judge backends, sorted."""
    return sorted({e.name for e in entry_points(group=JUDGES)})


def judge_backend(name: str) -> Callable[[Any], Any]:
    """The factory of an installed backend: called with its JudgeSettings, it gives a JudgeBackend.

    Raises ConfigError when no package offers that name or it cannot be imported.
    """
    found = [e for e in entry_points(group=JUDGES) if e.name == name]
    if not found:
        known = ", ".join(["openai", "embedded", *judge_backend_names()])
        raise ConfigError(f"no judge backend {name!r}", hint=f"known backends: {known}")
    try:
        factory: Callable[[Any], Any] = found[0].load()
    except Exception as error:
        raise ConfigError(f"judge backend {name!r} cannot be loaded: {error}") from error
    return factory
