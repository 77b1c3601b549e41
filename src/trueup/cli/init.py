"""`trueup init`: an empty workspace."""

from __future__ import annotations

from pathlib import Path

import click

from trueup.cli.context import Env, trueup_command


@trueup_command("init", help="Make an empty workspace with a commented trueup.toml and policy.md.")
@click.argument("directory", type=click.Path(path_type=Path), default=Path())
def command(env: Env, directory: Path) -> None:
    """Make it; one that is there already is left as it is."""
    from trueup.config import FILE_NAME
    from trueup.services.workspace import Workspace

    target = env.directory if env.directory is not None and directory == Path() else directory
    existed = (target / FILE_NAME).is_file()
    with Workspace.init(target) as workspace:
        data = {"path": str(workspace.root), "created": not existed}
        env.out.result(
            "init",
            data,
            lambda: (
                f"{'Already a workspace' if existed else 'Workspace made'}: {workspace.root}\n"
                "Next: trueup import RECORDS.jsonl"
            ),
        )
