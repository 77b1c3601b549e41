"""`trueup adjudicate`: the screen for claims on which people differ."""

from __future__ import annotations

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import metric_option
from trueup.cli.screens import annotator_name, look_of, need_terminal
from trueup.errors import UsageError


@trueup_command(
    "adjudicate",
    help="Decide the claims on which people differ, one key each. With a SAMPLE only its claims.",
)
@click.argument("sample", required=False)
@click.option("--annotator", help="Your name; else TRUEUP_ANNOTATOR, else the login name.")
@metric_option
def command(env: Env, sample: str | None, annotator: str | None, metric: str) -> None:
    """Open the screen; each decision is an event of its own."""
    from trueup.services.adjudicating import AdjudicationService
    from trueup.services.labelling import Policy

    with env.workspace() as workspace:
        drawn = None if sample is None else workspace.store.sample(sample)
        if sample is not None and drawn is None:
            names = ", ".join(s.name for s in workspace.store.samples()) or "none yet"
            raise UsageError(f"there is no sample {sample!r}", hint=f"samples: {names}")
        need_terminal("decisions can be read from a file: trueup labels import")
        name = annotator_name(annotator)
        from trueup_tui.app import run_adjudicate

        run_adjudicate(
            lambda: AdjudicationService(
                workspace.store, metric, name, Policy.of(workspace.policy), drawn
            ),
            **look_of(workspace),
        )
