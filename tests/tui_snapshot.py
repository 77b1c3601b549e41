"""Pictures of a screen as text: what stands on it, and which parts are drawn how.

A picture that changed fails the test; TRUEUP_UPDATE_SNAPSHOTS=1 writes it anew, to be read in the
diff before it is committed.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

from rich.style import Style

_FOLDER = Path(__file__).parent / "tui" / "snapshots"


def picture(app: Any) -> str:
    """The rows, then every run of cells that is not drawn in the most common style."""
    rows = list(app.screen._compositor.render_strips())
    common = Counter(_told(s.style) for row in rows for s in row for _ in s.text).most_common(1)
    lines = ["".join(s.text for s in row).rstrip() for row in rows]
    styles = []
    for number, row in enumerate(rows):
        column = 0
        runs: list[tuple[int, int, str]] = []
        for segment in row:
            told, width = _told(segment.style), segment.cell_length
            if runs and runs[-1][1] == column and runs[-1][2] == told:
                runs[-1] = (runs[-1][0], column + width, told)
            else:
                runs.append((column, column + width, told))
            column += width
        styles += [f"{number:>3} {a}-{b} {t}" for a, b, t in runs if t != common[0][0]]
    return "\n".join([*lines, "", f"styles besides {common[0][0]}:", *styles]) + "\n"


def check(name: str, app: Any) -> None:
    """Compare the screen with its stored picture."""
    path = _FOLDER / f"{name}.txt"
    now = picture(app)
    if os.environ.get("TRUEUP_UPDATE_SNAPSHOTS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(now, "utf-8")
    assert path.is_file(), f"no picture {path.name}: run with TRUEUP_UPDATE_SNAPSHOTS=1"
    assert now == path.read_text("utf-8"), f"{path.name} changed:\n{now}"


def _told(style: Style | None) -> str:
    """A style without the metadata that Textual puts on it."""
    if style is None:
        return "none"
    words = [w for w in ("bold", "dim", "italic", "underline", "reverse") if getattr(style, w)]
    colours = [c.name if c is not None else "-" for c in (style.color, style.bgcolor)]
    return " ".join([*words, *colours])
