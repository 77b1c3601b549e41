"""What the commands that open a screen share: a terminal, a name, keys and theme."""

from __future__ import annotations

import getpass
import os
import sys
from typing import TYPE_CHECKING, Any

from trueup.errors import UsageError

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace


def annotator_name(given: str | None) -> str:
    """--annotator, else TRUEUP_ANNOTATOR, else the login name. Raises UsageError without any."""
    if name := (given or os.environ.get("TRUEUP_ANNOTATOR") or "").strip():
        return name
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError) as error:
        raise UsageError("who is labelling?", hint="give --annotator NAME") from error


def need_terminal(hint: str) -> None:
    """Raises UsageError where there is no terminal to draw on."""
    if not on_terminal():
        raise UsageError("the screen needs a terminal", hint=hint)


def on_terminal() -> bool:
    """Whether a person can be shown a screen: here, or in the browser that `serve` feeds."""
    if os.environ.get("TEXTUAL_DRIVER"):
        return True
    return sys.stdin.isatty() and sys.stdout.isatty()


def look_of(workspace: Workspace) -> dict[str, Any]:
    """The workspace's keys and theme, as the screens take them."""
    settings = workspace.settings.label
    return {"keys": settings.keys, "theme": settings.theme}
