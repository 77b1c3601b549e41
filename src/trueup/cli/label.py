"""`trueup label`: the labelling screen."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import metric_option
from trueup.cli.screens import annotator_name, look_of, need_terminal

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace


@trueup_command(
    "label",
    help="Label claims in the terminal, one key each. WHAT is a sample, or a file of records: then "
    "trueup makes the workspace, imports, splits and draws a sample of 50 by itself.",
)
@click.argument("what", required=False)
@click.option("--annotator", help="Your name; else TRUEUP_ANNOTATOR, else the login name.")
@click.option("--plain", is_flag=True, help="Line prompts, for screen readers and dumb terminals.")
@click.option("--requeue-outdated", is_flag=True, help="Ask again what was labelled under an old "
              "policy.md.")  # fmt: skip
@metric_option
def command(
    env: Env, what: str | None, annotator: str | None, plain: bool, requeue_outdated: bool,
    metric: str,
) -> int:  # fmt: skip
    """Find what to label, then open the screen."""
    from trueup.services.first_labels import workspace_for

    workspace, sample = workspace_for(env.directory, what, metric)
    with workspace:
        return _open(env, workspace, sample, annotator, plain=plain, requeue=requeue_outdated)


def open_screen(env: Env, root: Path, sample: str, annotator: str | None) -> int:
    """The screen on a sample of the workspace at a directory."""
    from trueup.services.workspace import Workspace

    with Workspace.open(root) as workspace:
        return _open(env, workspace, sample, annotator, plain=False, requeue=False)


def _open(
    env: Env,
    workspace: Workspace,
    sample: str,
    annotator: str | None,
    *,
    plain: bool,
    requeue: bool,
) -> int:
    from trueup.services.labelling import LabellingService, Policy

    name = annotator_name(annotator)

    def service() -> Any:
        return LabellingService.open(workspace.store, sample, name, Policy.of(workspace.policy))

    if plain:
        from trueup_tui.plain import run_plain

        run_plain(service(), requeue_outdated=requeue, read=_read_line, write=env.out.text)
        return 0
    need_terminal("--plain asks line by line; `trueup labels import` reads labels from a file")
    from trueup_tui.app import run_label

    run_label(service, requeue_outdated=requeue, **look_of(workspace))
    env.out.info(_where_you_are(workspace, sample, name))
    return 0


def _where_you_are(workspace: Workspace, sample: str, annotator: str) -> str:
    """What is labelled, and what comes next, said when the screen is left."""
    from trueup.services.progress import status

    drawn = workspace.store.sample(sample)
    rows = status(workspace.store, metric=drawn.metric, sample=sample) if drawn else []
    mine = next((r for r in rows if r["annotator"] == annotator), None)
    if mine is None:
        return f"Nothing labelled yet. Go on with: trueup label {sample}"
    done = mine["done"] == mine["total"]
    following = "trueup judge, then trueup report" if done else f"trueup label {sample}"
    return f"{mine['done']} of {mine['total']} labelled, all saved. Next: {following}"


def _read_line(prompt: str) -> str | None:
    """One line of the person's answer; None at the end of input."""
    try:
        return input(prompt)
    except EOFError:
        return None
