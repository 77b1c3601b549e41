"""What `trueup doctor` looks at, one check a line."""

from __future__ import annotations

import importlib.util
import os
import platform
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from trueup import __version__
from trueup.errors import TrueupError

if TYPE_CHECKING:
    from trueup.config import JudgeSettings
    from trueup.services.workspace import Workspace

_EXTRAS = {"psycopg": "postgres", "textual_serve": "serve", "label_studio_sdk": "labelstudio"}


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: `ok` None means that it is optional and not there."""

    name: str
    ok: bool | None
    detail: str
    exit_code: int = 2


def examine(directory: Path | None, *, ask: bool = True) -> list[Check]:
    """All checks, from the machine to the judges; a check that fails does not stop the rest."""
    checks = [*_versions(), *_extras()]
    from trueup.services.workspace import Workspace

    try:
        workspace = Workspace.open(directory)
    except TrueupError as error:
        return [*checks, Check("workspace", False, error.message, error.exit_code)]
    with workspace:
        checks.append(Check("workspace", True, str(workspace.root)))
        checks.append(_store(workspace))
        checks += [
            _judge(name, judge, ask) for name, judge in sorted(workspace.settings.judges.items())
        ]
    return checks


def _versions() -> Iterator[Check]:
    yield Check("trueup", True, __version__)
    yield Check(
        "python", sys.version_info >= (3, 11), f"{platform.python_version()} on {platform.system()}"
    )
    for name in ("textual", "sqlmodel", "openai", "numpy", "scipy"):
        try:
            yield Check(name, True, metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Check(name, False, "not installed")


def _extras() -> Iterator[Check]:
    for module, extra in _EXTRAS.items():
        found = importlib.util.find_spec(module) is not None
        hint = "installed" if found else f"optional: pip install 'trueup[{extra}]'"
        yield Check(extra, True if found else None, hint)


def _store(workspace: Workspace) -> Check:
    try:
        counts = workspace.store.counts()
    except TrueupError as error:
        return Check("store", False, error.message, error.exit_code)
    detail = (
        f"{workspace.store.url}: {counts.records:,} records, {counts.units:,} units, "
        f"{counts.labels:,} labels, {counts.verdicts:,} verdicts"
    )
    warnings = "; ".join(workspace.store.warnings)
    return Check("store", True, f"{detail}{'; ' + warnings if warnings else ''}")


def _judge(name: str, judge: JudgeSettings, ask: bool) -> Check:
    label = f"judge {name}"
    if judge.backend == "embedded":
        return Check(label, True, f"embedded, style {judge.prompt}, evidence {judge.evidence}")
    if judge.backend == "openai" and not os.environ.get(judge.api_key_env) and not judge.base_url:
        return Check(label, False, f"the environment has no {judge.api_key_env}", 5)
    if not ask or judge.backend != "openai":
        return Check(label, True, f"{judge.backend}, {judge.model or 'no model named'}")
    from trueup.judge.reach import reach

    problem = reach(judge.base_url, judge.api_key_env, timeout_s=5)
    if problem:
        return Check(label, False, problem, 5)
    return Check(label, True, f"{judge.model} at {judge.base_url or 'the default endpoint'}")
