"""`trueup demo`: the whole loop on the bundled label set."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from trueup.cli.context import Env, trueup_command


@trueup_command(
    "demo",
    help="Make a workspace from the bundled label set, judge it with the embedded judge under two "
    "styles, write the report, validate one style against the other, and open the screen.",
)
@click.argument("directory", type=click.Path(path_type=Path), default=Path("demo"))
@click.option("--no-ui", is_flag=True, help="Stop before the labelling screen.")
def command(env: Env, directory: Path, no_ui: bool) -> int:
    """Run the loop, tell its results on one screen, and open the labelling screen on a terminal."""
    from trueup.services.demo import run_demo

    with env.out.progress("demo") as advance:
        result = run_demo(directory, on_progress=advance)
    env.out.result("demo", result.to_json(), result.summary)
    if no_ui or env.out.as_json or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return 0
    from trueup.cli.label import open_screen

    return open_screen(env, result.root, result.sample, annotator=None)
