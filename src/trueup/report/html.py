"""The report as one HTML file that needs nothing else: no script, no outside resource.

Texts are data. The environment escapes every one of them and its finaliser makes them safe to show;
the only markup from code are the drawings of `figures`, whose texts `svg` escapes.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from trueup.domain.display import display
from trueup.report.cards import PAGE
from trueup.report.model import ReportData
from trueup.report.page import page

if TYPE_CHECKING:
    from jinja2 import Environment

Piece = tuple[str, str]
_CODE = re.compile(r"`([^`\n]{1,80})`")


def to_html(data: ReportData) -> str:
    """The whole page. The same data give the same bytes."""
    css = style_sheet()
    environment = shared_environment().overlay()
    environment.filters = environment.filters | {"pieces": _pieces(data)}
    template = environment.get_template("report.html.j2")
    return template.render(page=page(data), css=css, csp=policy(css), per_page=PAGE) + "\n"


def policy(css: str) -> str:
    """A content security policy that allows this style sheet and nothing else."""
    digest = b64encode(sha256(css.encode()).digest()).decode()
    return (
        f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )


@lru_cache(maxsize=1)
def shared_environment() -> Environment:
    """The environment of every page; a page adds its filter `pieces` to an overlay of it."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("trueup.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_shown,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@lru_cache(maxsize=1)
def style_sheet() -> str:
    """The style sheet of every page."""
    text = (files("trueup.report") / "templates" / "report.css").read_text("utf-8")
    return "\n" + text.replace("\r\n", "\n")


def _shown(value: Any) -> Any:
    """What an expression prints: texts without anything that hides or reorders others."""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        return display(value, keep_newlines=True)
    return value


def _pieces(data: ReportData) -> Callable[[str], list[Piece]]:
    """A sentence in pieces: commands in backticks, and names whose direction must not spread."""
    names = {j.name for j in data.judges} | {s.figures.judge for s in data.agreement}
    spreading = sorted(filter(_right_to_left, names), key=len, reverse=True)
    pattern = re.compile("|".join(map(re.escape, spreading))) if spreading else None

    def split(text: str) -> list[Piece]:
        found: list[Piece] = []
        at = 0
        for match in _CODE.finditer(text):
            found += _names(pattern, text[at : match.start()])
            found.append(("code", match[1]))
            at = match.end()
        return [*found, *_names(pattern, text[at:])]

    return split


def _right_to_left(name: str) -> bool:
    import unicodedata

    return any(unicodedata.bidirectional(c) in ("R", "AL", "AN") for c in name)


def _names(pattern: re.Pattern[str] | None, text: str) -> list[Piece]:
    if pattern is None:
        return [("text", text)]
    found: list[Piece] = []
    at = 0
    for match in pattern.finditer(text):
        found += [("text", text[at : match.start()]), ("name", match[0])]
        at = match.end()
    return [*found, ("text", text[at:])]
