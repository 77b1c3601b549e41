"""Every key of the screens in one table: bindings, key strip, help and palette are made from it.

Each key has an id under which `[label.keys]` of trueup.toml can give it other keys:

    [label.keys]
    label-entailed = "y,1"
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, replace

from textual.binding import Binding

from trueup.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Key:
    """One binding: `keys` separated by commas, `label` for the strip, `help` for the help page.

    `weight` orders the strip, lowest first; 0 keeps the key out of it.
    """

    id: str
    keys: str
    action: str
    label: str
    help: str
    group: str
    weight: int = 0

    @property
    def shown(self) -> str:
        """The first key, as printed on a keyboard."""
        return key_name(self.keys.split(",")[0])

    @property
    def all_shown(self) -> str:
        """All keys, as printed on a keyboard."""
        return " ".join(key_name(k) for k in self.keys.split(","))


def key_name(key: str) -> str:
    """How a key is written for people: `[` for left_square_bracket, `^q` for ctrl+q."""
    names = {
        "question_mark": "?",
        "slash": "/",
        "left_square_bracket": "[",
        "right_square_bracket": "]",
        "pageup": "PgUp",
        "pagedown": "PgDn",
        "up": "↑",
        "down": "↓",
        "home": "Home",
        "end": "End",
        "enter": "Enter",
        "comma": ",",
    }
    return names.get(key, key.replace("ctrl+", "^"))


LABEL_KEYS: tuple[Key, ...] = (
    Key("label-entailed", "a,1", "mark('entailed')", "entailed", "The answer is yes", "Label", 1),
    Key("label-not-entailed", "x,2", "mark('not_entailed')", "not entailed", "No", "Label", 2),
    Key("label-unsure", "u,3", "mark('unsure')", "unsure", "Could go either way", "Label", 3),
    Key("label-bad-split", "b", "split", "bad split", "Two facts or more: split it", "Label", 8),
    Key("label-not-a-claim", "o", "mark('not_a_claim')", "not a claim", "No claim", "Label", 9),
    Key("missed-claim", "M", "missed", "missed claim", "Add one the split missed", "Label", 21),
    Key("skip", "space", "skip", "skip", "Leave it for later", "Label", 4),
    Key("undo", "backspace", "undo", "undo", "Take back the last thing done", "Label", 5),
    Key("own-evidence", "q", "quote", "quote", "Pick the sentence that decides", "Label", 16),
    Key("comment", "m", "comment", "comment", "Write a comment", "Label", 15),
    Key("reveal", "v", "reveal", "reveal", "Show judge and others: recorded", "Label", 17),
    Key("next-claim", "n", "next_claim", "next", "Next claim", "Move", 10),
    Key("previous-claim", "p", "previous_claim", "previous", "Previous claim", "Move", 11),
    Key("next-answer", "N", "next_answer", "next answer", "Next answer", "Move", 18),
    Key("previous-answer", "P", "previous_answer", "prev answer", "Previous answer", "Move", 19),
    Key("next-unlabelled", "f", "next_unlabelled", "unlabelled", "Next unlabelled", "Move", 12),
    Key("next-highlight", "e", "next_highlight", "evidence", "Next highlighted place", "Read", 7),
    Key("toggle-highlights", "t", "toggle_highlights", "highlights", "On or off", "Read", 20),
    Key(
        "previous-chunk", "left_square_bracket", "chunk(-1)", "chunk", "Previous chunk", "Read", 13
    ),
    Key("next-chunk", "]", "chunk(1)", "chunk", "Next chunk", "Read", 14),
    Key("search", "/", "search", "search", "Search in the context", "Read", 6),
    Key("copy", "c,ctrl+c", "copy", "copy", "Copy the selection, else the claim", "Read"),
    Key("confirm", "enter", "confirm", "next match", "Next match of the search", "Read"),
    Key("scroll-down", "down,j", "scroll(1)", "down", "Scroll down", "Read"),
    Key("scroll-up", "up,k", "scroll(-1)", "up", "Scroll up", "Read"),
    Key("page-down", "pagedown", "page(1)", "page down", "A page down", "Read"),
    Key("page-up", "pageup", "page(-1)", "page up", "A page up", "Read"),
    Key("top", "home", "top", "top", "To the top", "Read"),
    Key("bottom", "end", "bottom", "bottom", "To the end", "Read"),
    Key("guideline", "g", "guideline", "guideline", "The question and the policy", "Other", 22),
    Key("overview", "O", "overview", "overview", "Every sample and annotator", "Other", 24),
    Key("help", "?", "help", "help", "This page", "Other", 0),
    Key("palette", "ctrl+p", "app.command_palette", "palette", "Find a command", "Other"),
    Key("leave", "Q,ctrl+q", "leave", "leave", "Leave; everything is kept", "Other", 23),
)


_MAKES_CLAIMS = {"label-bad-split", "missed-claim"}
ADJUDICATE_KEYS: tuple[Key, ...] = (
    *(k for k in LABEL_KEYS if k.id not in _MAKES_CLAIMS),
    Key(
        "accept-split",
        "b",
        "split",
        "accept split",
        "Take over the parts",
        "Label",
        8,
    ),
    Key(
        "next-version",
        "W",
        "next_version",
        "write claims",
        "Accepted parts become claims",
        "Label",
        9,
    ),
)
DISAGREEMENT_KEYS: tuple[Key, ...] = (
    *(k for k in LABEL_KEYS if k.id not in {*_MAKES_CLAIMS, "reveal"}),
    Key("filter-judge", "J", "filter('judge')", "judge", "Only one judge", "Filter", 6),
    Key(
        "filter-direction",
        "D",
        "filter('direction')",
        "direction",
        "Who says entailed",
        "Filter",
        6,
    ),
    Key("filter-slice", "S", "filter('slice_')", "slice", "Only one slice", "Filter", 6),
    Key(
        "filter-evidence",
        "E",
        "filter('match')",
        "quote found",
        "How the quote was found",
        "Filter",
        6,
    ),
)
OVERVIEW_KEYS: tuple[Key, ...] = (
    Key("row-down", "down,j,n", "row(1)", "down", "Next row", "Move", 2),
    Key("row-up", "up,k,p", "row(-1)", "up", "Row above", "Move", 3),
    Key("open-row", "enter,a", "open", "label", "Label this sample", "Move", 1),
    Key("adjudicate", "d", "adjudicate", "adjudicate", "Decide where people differ", "Move", 4),
    Key("refresh", "r", "refresh", "refresh", "Look again", "Move", 5),
    *(k for k in LABEL_KEYS if k.id in {"help", "palette", "leave"}),
)
ALL_TABLES = (LABEL_KEYS, ADJUDICATE_KEYS, DISAGREEMENT_KEYS, OVERVIEW_KEYS)


def effective(table: tuple[Key, ...], overrides: Mapping[str, str] | None) -> tuple[Key, ...]:
    """The table with other keys where trueup.toml gives them.

    Raises ConfigError for an unknown id (names the nearest) and for one key given to two bindings.
    """
    changed = dict(overrides or {})
    ids = {k.id for keys in ALL_TABLES for k in keys}
    for name in changed:
        if name not in ids:
            near = difflib.get_close_matches(name, ids, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(sorted(ids))}"
            raise ConfigError(f"trueup.toml: [label.keys]: there is no key {name!r}", hint=hint)
    result = tuple(replace(k, keys=_normal(changed[k.id])) if k.id in changed else k for k in table)
    owners: dict[str, str] = {}
    for key in result:
        for name in key.keys.split(","):
            if owners.setdefault(name, key.id) != key.id:
                both = f"{owners[name]} and {key.id}"
                raise ConfigError(
                    f"trueup.toml: [label.keys]: {key_name(name)!r} is both {both}",
                    hint="give each binding keys of its own",
                )
    return result


def _normal(keys: str) -> str:
    """Keys as Textual names them: `?` becomes question_mark."""
    if keys.strip() == ",":
        return "comma"
    named = ",".join(n.strip() or "space" for n in keys.split(","))
    return ",".join(b.key for b in Binding.make_bindings([Binding(named, "none")]))


def bindings(table: tuple[Key, ...]) -> list[Binding]:
    """Textual bindings of a table, with ids and tooltips."""
    return [
        Binding(k.keys, k.action, k.label, tooltip=k.help, id=k.id, show=k.weight > 0)
        for k in table
    ]
