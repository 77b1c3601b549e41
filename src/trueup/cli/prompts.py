"""`trueup prompts`: the templates, their hashes, and how two of them differ."""

from __future__ import annotations

import difflib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.output import table
from trueup.errors import TrueupError, UsageError

if TYPE_CHECKING:
    from trueup.judge.templates import Template


@click.group("prompts", help="The prompt templates: list, show, diff.")
def command() -> None:
    """The group."""


@trueup_command("list", help="Every template: built-in, and the workspace's own.")
def list_(env: Env) -> None:
    """A row for each."""
    from trueup.judge.templates import list_templates

    found = list_templates(_folder(env))
    data = [
        {"name": t.name, "sha256": t.sha256, "path": None if t.path is None else str(t.path)}
        for t in found
    ]
    env.out.result(
        "prompts", {"prompts": data},
        lambda: table([[t.name, t.sha256[:12], str(t.path or "built in")] for t in found],
                      ["prompt", "hash", "where"]),
    )  # fmt: skip


@trueup_command("show", help="The text of one template: METRIC/STYLE.")
@click.argument("name")
def show(env: Env, name: str) -> None:
    """The text as it is sent, with its placeholders."""
    template = _named(env, name)
    data = {"name": template.name, "sha256": template.sha256, "text": template.text}
    env.out.result("prompts-show", data, lambda: template.text.rstrip("\n"))


@trueup_command("diff", help="How two templates differ.")
@click.argument("a")
@click.argument("b")
def diff(env: Env, a: str, b: str) -> None:
    """A unified diff."""
    one, two = _named(env, a), _named(env, b)
    lines = list(
        difflib.unified_diff(
            one.text.splitlines(), two.text.splitlines(), one.name, two.name, lineterm=""
        )
    )
    env.out.result("prompts-diff", {"a": a, "b": b, "diff": lines}, lambda: "\n".join(lines))


def _named(env: Env, name: str) -> Template:
    from trueup.domain.metrics import metric
    from trueup.judge.templates import load_template

    metric_name, _, style = name.partition("/")
    try:
        spec = metric(metric_name if style else "groundedness")
    except KeyError as error:
        raise UsageError(f"no metric {metric_name!r}", hint="trueup prompts list") from error
    return load_template(spec.name, style or metric_name, _folder(env))


def _folder(env: Env) -> Path | None:
    """The workspace's prompts, or None where there is no workspace: the built-in ones suffice."""
    try:
        return env.workspace().root / "prompts"
    except TrueupError:
        if env.directory is not None:
            raise
        return None


for sub in (list_, show, diff):
    command.add_command(sub)
