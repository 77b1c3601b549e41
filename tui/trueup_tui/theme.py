"""Colours and signs. Every state is a glyph, a letter and a colour (Okabe-Ito), so that none of the
three is needed to tell it from the others."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

from rich.style import Style
from textual.theme import BUILTIN_THEMES, Theme

GREEN, VERMILLION, ORANGE = "#009E73", "#D55E00", "#E69F00"
PURPLE, SKY, YELLOW, BLUE = "#CC79A7", "#56B4E9", "#F0E442", "#0072B2"


@dataclass(frozen=True, slots=True)
class Sign:
    """How a state is shown: `role` is its colour in the palette."""

    glyph: str
    letter: str
    word: str
    role: str


SIGNS: Mapping[str | None, Sign] = {
    "entailed": Sign("✓", "E", "entailed", "entailed"),
    "not_entailed": Sign("✗", "N", "not entailed", "not_entailed"),
    "unsure": Sign("?", "U", "unsure", "unsure"),
    "bad_split": Sign("÷", "B", "bad split", "flag"),
    "not_a_claim": Sign("∅", "O", "not a claim", "flag"),
    "undecided": Sign("~", "D", "undecided", "unsure"),
    "skipped": Sign("↷", "S", "skipped", "dim"),
    None: Sign("·", " ", "unlabelled", "dim"),
}


def signs_for(yes: str, no: str) -> Mapping[str | None, Sign]:
    """The signs with a metric's words for yes and no."""
    return {
        **SIGNS,
        "entailed": replace(SIGNS["entailed"], word=yes),
        "not_entailed": replace(SIGNS["not_entailed"], word=no),
    }


@dataclass(frozen=True, slots=True)
class Palette:
    """Styles by role. `mark_*` roles draw ranges of data text."""

    styles: Mapping[str, Style]

    def __getitem__(self, role: str) -> Style:
        return self.styles[role]


def _palette(colours: Mapping[str, str]) -> Palette:
    return Palette({role: Style.parse(text) for role, text in colours.items()})


_DARK = {
    "text": "#dcdcd6",
    "bright": "bold #ffffff",
    "dim": "#8b919c",
    "faint": "#5d636e",
    "bar": "#c3c7d0 on #262b35",
    "bar_dim": "#8b919c on #262b35",
    "bar_ok": f"{GREEN} on #262b35",
    "bar_busy": f"{ORANGE} on #262b35",
    "bar_bad": f"bold #ffffff on {VERMILLION}",
    "rule": "#5f87af",
    "key": f"bold {SKY}",
    "key_text": "#9aa0ab",
    "entailed": f"bold {'#2fc79a'}",
    "not_entailed": f"bold {'#f07a2b'}",
    "unsure": f"bold {ORANGE}",
    "flag": f"bold {PURPLE}",
    "mark_words": "#f3e98b on #33321f",
    "mark_span": "bold #ffffff on #1f4e79",
    "mark_quote": "bold #ffffff on #6b3f12",
    "mark_own": "#ffffff on #0c5c46",
    "mark_search": f"#000000 on {YELLOW}",
    "mark_found": f"bold #000000 on {ORANGE}",
    "mark_pick": f"#000000 on {SKY}",
    "mark_selected": "reverse",
    "here": "bold #ffffff on #2d3a4d",
}
_LIGHT = {
    **_DARK,
    "text": "#24262b",
    "bright": "bold #000000",
    "dim": "#666b75",
    "faint": "#9a9fa8",
    "bar": "#24262b on #e3e1da",
    "bar_dim": "#666b75 on #e3e1da",
    "bar_ok": "#00684c on #e3e1da",
    "bar_busy": "#8a5a00 on #e3e1da",
    "rule": "#2f6ea3",
    "key": f"bold {BLUE}",
    "key_text": "#5b606a",
    "entailed": "bold #00795a",
    "not_entailed": "bold #b84f00",
    "unsure": "bold #8a5a00",
    "flag": "bold #a0447a",
    "mark_words": "#3d3a00 on #f6efb2",
    "mark_span": "bold #00233d on #bfe0f7",
    "mark_quote": "bold #3d1c00 on #ffcf99",
    "mark_own": "#00382a on #b5ead8",
    "here": "bold #000000 on #d5e3f0",
}
_CONTRAST = {
    **_DARK,
    "text": "#ffffff",
    "dim": "#d0d0d0",
    "faint": "#a8a8a8",
    "bar": "bold #000000 on #ffffff",
    "bar_dim": "#000000 on #ffffff",
    "bar_ok": "bold #000000 on #ffffff",
    "bar_busy": f"bold #000000 on {ORANGE}",
    "rule": "bold #ffffff",
    "key": f"bold {YELLOW}",
    "key_text": "#ffffff",
    "entailed": f"bold #000000 on {'#3ddbab'}",
    "not_entailed": f"bold #000000 on {'#ff8c42'}",
    "unsure": f"bold #000000 on {YELLOW}",
    "flag": "bold #000000 on #f0a6cd",
    "mark_words": f"underline {YELLOW}",
    "mark_span": f"bold #000000 on {SKY}",
    "mark_quote": f"bold underline #000000 on {ORANGE}",
    "mark_own": "bold #000000 on #3ddbab",
    "here": "bold #000000 on #ffffff",
}
_ANSI = {
    **_DARK,
    "text": "default",
    "bright": "bold",
    "dim": "bright_black",
    "faint": "bright_black",
    "bar": "reverse",
    "bar_dim": "reverse",
    "bar_ok": "reverse",
    "bar_busy": "reverse bold",
    "bar_bad": "bold white on red",
    "rule": "blue",
    "key": "bold cyan",
    "key_text": "default",
    "entailed": "bold green",
    "not_entailed": "bold red",
    "unsure": "bold yellow",
    "flag": "bold magenta",
    "mark_words": "underline yellow",
    "mark_span": "bold reverse",
    "mark_quote": "bold black on yellow",
    "mark_own": "black on green",
    "mark_search": "black on yellow",
    "mark_found": "bold reverse yellow",
    "mark_pick": "black on cyan",
    "here": "bold reverse",
}
_MONO = {
    **dict.fromkeys(_DARK, ""),
    "bright": "bold",
    "bar": "reverse",
    "bar_dim": "reverse",
    "bar_ok": "reverse",
    "bar_busy": "reverse bold",
    "bar_bad": "reverse bold underline",
    "key": "bold",
    "entailed": "bold",
    "not_entailed": "bold",
    "unsure": "bold",
    "flag": "bold",
    "mark_words": "underline",
    "mark_span": "bold underline",
    "mark_quote": "bold reverse",
    "mark_own": "italic underline",
    "mark_search": "reverse",
    "mark_found": "reverse bold underline",
    "mark_pick": "reverse",
    "mark_selected": "reverse underline",
    "here": "bold reverse",
}

PALETTES: Mapping[str, Palette] = {
    "dark": _palette(_DARK),
    "light": _palette(_LIGHT),
    "high-contrast": _palette(_CONTRAST),
    "ansi": _palette(_ANSI),
    "mono": _palette(_MONO),
}

THEMES: Mapping[str, Theme] = {
    "dark": Theme(
        "trueup-dark",
        primary=SKY,
        secondary=BLUE,
        accent=ORANGE,
        warning=ORANGE,
        error=VERMILLION,
        success=GREEN,
        foreground="#dcdcd6",
        background="#16181d",
        surface="#1c1f26",
        panel="#262b35",
    ),
    "light": Theme(
        "trueup-light",
        primary=BLUE,
        secondary=SKY,
        accent="#8a5a00",
        warning="#8a5a00",
        error="#b84f00",
        success="#00795a",
        foreground="#24262b",
        background="#faf9f5",
        surface="#f1efe8",
        panel="#e3e1da",
        dark=False,
    ),
    "high-contrast": Theme(
        "trueup-high-contrast",
        primary=YELLOW,
        secondary=SKY,
        accent=ORANGE,
        warning=ORANGE,
        error="#ff8c42",
        success="#3ddbab",
        foreground="#ffffff",
        background="#000000",
        surface="#000000",
        panel="#202020",
    ),
    "ansi": Theme(
        "trueup-ansi",
        primary="ansi_blue",
        secondary="ansi_cyan",
        accent="ansi_cyan",
        warning="ansi_yellow",
        error="ansi_red",
        success="ansi_green",
        foreground="ansi_default",
        background="ansi_default",
        surface="ansi_default",
        panel="ansi_default",
        boost="ansi_default",
        ansi=True,
        variables={
            **BUILTIN_THEMES["ansi-dark"].variables,
            "input-cursor-text-style": "reverse",
            "block-cursor-text-style": "reverse",
        },
    ),
}


def choose(name: str | None = None) -> str:
    """The palette to start with: NO_COLOR wins, then the name, then what the terminal can show.

    The dark one, which is the default, needs 256 colours: with fewer the terminal's own are used.
    """
    if os.environ.get("NO_COLOR"):
        return "mono"
    asked = (name or "dark").removeprefix("trueup-")
    if asked in PALETTES and asked != "dark":
        return asked
    term = os.environ.get("TERM", "")
    rich = any(t in term for t in ("256color", "kitty", "ghostty", "alacritty", "wezterm"))
    rich = rich or os.environ.get("COLORTERM") in {"truecolor", "24bit"}
    return "dark" if rich or os.name == "nt" else "ansi"
