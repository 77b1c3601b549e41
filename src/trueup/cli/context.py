"""What every command file begins with: the output, the workspace, the common options."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.main import common
from trueup.cli.output import Output

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Env:
    """A command's surroundings: how it speaks, and where its workspace is."""

    out: Output
    directory: Path | None

    def workspace(self) -> Workspace:
        """The workspace of -C, TRUEUP_WORKSPACE, or the one found from here upwards."""
        from trueup.services.workspace import Workspace

        return Workspace.open(self.directory)


def trueup_command(name: str, **attrs: Any) -> Callable[[Callable[..., Any]], click.Command]:
    """A click command that takes the common options and is called with an `Env` first."""

    def wrap(function: Callable[..., Any]) -> click.Command:
        def call(ctx: click.Context, /, **options: Any) -> Any:
            return function(_env(ctx, options), **options)

        # wraps() carries over the parameters that click's option decorators have noted on it.
        wrapped: Callable[..., Any] = functools.wraps(function)(call)
        make: Any = click.command(name, **attrs)
        command: click.Command = make(common(click.pass_context(wrapped)))
        return command

    return wrap


def _env(ctx: click.Context, options: dict[str, Any]) -> Env:
    outer = ctx.find_root().obj or {}

    def either(key: str) -> Any:
        own = options.pop(key)
        return own or outer.get(key)

    quiet, verbose = either("quiet"), either("verbose")
    out = Output(
        as_json=bool(either("as_json")),
        verbosity=-1 if quiet else int(verbose or 0),
        debug=bool(either("debug")),
    )
    directory = either("workspace_dir") or os.environ.get("TRUEUP_WORKSPACE")
    return Env(out, Path(directory) if directory else None)
