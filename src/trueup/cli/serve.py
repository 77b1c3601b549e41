"""`trueup serve`: the labelling screen in a browser."""

from __future__ import annotations

import importlib.util
import os
import shlex
import subprocess
import sys

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.screens import annotator_name
from trueup.errors import UsageError


@trueup_command(
    "serve",
    help="The labelling screen in a browser: on loopback, with an address that opens it once. "
    "SAMPLE as for `trueup label`.",
)
@click.argument("sample", required=False)
@click.option("--annotator", help="Who labels; else TRUEUP_ANNOTATOR, else the login name.")
@click.option("--port", type=click.IntRange(1, 65535), default=8765, show_default=True)
def command(env: Env, sample: str | None, annotator: str | None, port: int) -> None:
    """Check that there is something to label, then serve until Ctrl-C."""
    if importlib.util.find_spec("textual_serve") is None:
        raise UsageError(
            "the browser screen needs textual-serve", hint="pip install 'trueup[serve]'"
        )
    from trueup.services.first_labels import workspace_for
    from trueup_tui.serving import serve

    workspace, name = workspace_for(env.directory, sample, "groundedness")
    root = workspace.root
    workspace.close()
    words = [sys.executable, "-m", "trueup.cli.main", "label", name, "-C", str(root),
             "--annotator", annotator_name(annotator)]  # fmt: skip
    os.environ.setdefault("COLORTERM", "truecolor")  # the page's terminal shows every colour
    # textual-serve runs its command through the shell of the system
    line = subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)
    serve(
        line, port=port, title=f"trueup: {name}",
        say=lambda address: env.out.text(f"Open once: {address}\nCtrl-C ends it."),
    )  # fmt: skip
