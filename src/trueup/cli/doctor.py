"""`trueup doctor`: versions, store, judges, what is missing."""

from __future__ import annotations

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.output import table


@trueup_command("doctor", help="Versions, store, judges reachable, what is missing.")
@click.option("--offline", is_flag=True, help="Do not ask the judges' endpoints.")
def command(env: Env, offline: bool) -> int:
    """Check one thing a line; exit 5 where a service does not answer, 2 where set-up is wrong."""
    from trueup.services.doctor import examine

    checks = examine(env.directory, ask=not offline)
    data = {"checks": [{"name": c.name, "ok": c.ok, "detail": c.detail} for c in checks]}
    marks = {True: "ok", False: "MISSING", None: "-"}
    env.out.result(
        "doctor", data,
        lambda: table([[marks[c.ok], c.name, c.detail] for c in checks], ["", "what", "detail"]),
    )  # fmt: skip
    return max((c.exit_code for c in checks if c.ok is False), default=0)
