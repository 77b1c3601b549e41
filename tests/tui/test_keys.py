"""One table of keys makes bindings, strip, help and palette; trueup.toml can change it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trueup.errors import ConfigError
from trueup_tui.keymap import ALL_TABLES, LABEL_KEYS, effective, key_name
from trueup_tui.screens.adjudicate import AdjudicateScreen
from trueup_tui.screens.disagreements import DisagreementsScreen
from trueup_tui.screens.label import LabelScreen
from trueup_tui.screens.overview import OverviewScreen
from tui_help import app_on, labels, service, started, text_of, until, workspace

_SCREENS = (LabelScreen, AdjudicateScreen, DisagreementsScreen, OverviewScreen)
_SPECIFIED = {
    "label-entailed": "a 1",
    "label-not-entailed": "x 2",
    "label-unsure": "u 3",
    "label-bad-split": "b",
    "label-not-a-claim": "o",
    "missed-claim": "M",
    "skip": "space",
    "undo": "backspace",
    "next-claim": "n",
    "previous-claim": "p",
    "next-answer": "N",
    "previous-answer": "P",
    "next-unlabelled": "f",
    "next-highlight": "e",
    "toggle-highlights": "t",
    "previous-chunk": "[",
    "next-chunk": "]",
    "search": "/",
    "own-evidence": "q",
    "comment": "m",
    "reveal": "v",
    "guideline": "g",
    "help": "?",
    "palette": "^p",
    "leave": "Q ^q",
}


def test_the_keys_are_those_that_were_promised() -> None:
    """Public: people learn them by heart."""
    found = {k.id: k.all_shown for k in LABEL_KEYS}

    assert {i: found.get(i) for i in _SPECIFIED} == _SPECIFIED


@pytest.mark.parametrize("table", ALL_TABLES)
def test_every_key_is_safe_in_tmux_screen_and_ssh(table: tuple[object, ...]) -> None:
    """No Ctrl with a letter that something in between takes, no Alt, no function key, no Esc."""
    for key in effective(table, None):  # type: ignore[arg-type]
        for name in key.keys.split(","):
            assert name not in {f"ctrl+{c}" for c in "absmjih"}
            assert not re.fullmatch(r"alt\+.*|f\d+|escape", name)


@pytest.mark.parametrize(("table", "screen"), list(zip(ALL_TABLES, _SCREENS, strict=True)))
def test_every_key_has_an_action_an_id_and_words(table: tuple[object, ...], screen: type) -> None:
    """What is in the table works, and the help says what it does."""
    keys = effective(table, None)  # type: ignore[arg-type]
    assert len({k.id for k in keys}) == len(keys)
    for key in keys:
        assert key.help
        name = key.action.split("(")[0].removeprefix("app.")
        assert key.action.startswith("app.") or hasattr(screen, f"action_{name}"), key.id


async def test_a_remapped_key_works_and_shows_everywhere(tmp_path: Path) -> None:
    """In the strip, in the help, in the palette; the old key does nothing."""
    store = workspace(tmp_path)
    app = app_on(service(store), keys={"label-entailed": "y", "next-claim": "right"})
    async with app.run_test(size=(100, 45)) as pilot:
        screen = await started(pilot)
        assert "y entailed" in text_of(app)
        first = screen.item
        await pilot.press("a", "y")
        await until(pilot, lambda: screen.item != first)
        assert list(labels(store).values()) == ["entailed"]
        await pilot.press("question_mark")
        await until(pilot, lambda: "The answer is yes" in text_of(app))
        assert re.search(r"\by +The answer is yes", text_of(app))
        assert re.search(r"right +Next claim", text_of(app))


async def test_the_palette_lists_every_key_and_runs_it(tmp_path: Path) -> None:
    """Found by its words."""
    store = workspace(tmp_path)
    app = app_on(service(store))
    async with app.run_test(size=(100, 40)) as pilot:
        await started(pilot)
        await pilot.press("ctrl+p")
        await until(pilot, lambda: len(app.screen_stack) == 2)
        await pilot.press(*"not entailed")
        await until(pilot, lambda: "not entailed (x)" in text_of(app))
        await pilot.press("enter", "enter")
        await until(pilot, lambda: labels(store))

        assert list(labels(store).values()) == ["not_entailed"]


async def test_themes_are_in_the_palette(tmp_path: Path) -> None:
    """And change everything that is drawn."""
    app = app_on(service(workspace(tmp_path)))
    async with app.run_test(size=(100, 40)) as pilot:
        await started(pilot)
        for name in ("light", "high-contrast", "ansi", "dark"):
            app.use_palette(name)
            await pilot.pause()
            assert app.palette_name == name
        assert "entailed" in text_of(app)


async def test_a_click_on_a_key_or_a_claim_does_what_it_says(tmp_path: Path) -> None:
    """The mouse works, and is never needed."""
    store = workspace(tmp_path)
    app = app_on(service(store))
    async with app.run_test(size=(100, 30)) as pilot:
        screen = await started(pilot)
        await pilot.click("#claims", offset=(5, 2))
        await until(pilot, lambda: screen.session is not None and screen.session.cursor == 1)
        await pilot.click("#keys", offset=(3, 0))
        await until(pilot, lambda: labels(store))

        assert list(labels(store).values()) == ["entailed"]


def test_an_unknown_id_names_the_nearest() -> None:
    """As everything in trueup.toml does."""
    with pytest.raises(ConfigError) as caught:
        effective(LABEL_KEYS, {"label-entaild": "y"})

    assert "label-entailed" in str(caught.value.hint)


def test_one_key_for_two_things_is_refused() -> None:
    """Naming both."""
    with pytest.raises(ConfigError, match="is both skip and next-claim"):
        effective(LABEL_KEYS, {"skip": "n"})


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("?", "?"),
        ("question_mark", "?"),
        ("y,1", "y 1"),
        (",", ","),
        ("ctrl+n", "^n"),
        (" ", "space"),
    ],
)
def test_keys_may_be_written_as_printed_or_by_name(written: str, shown: str) -> None:
    """Both mean the same key."""
    table = tuple(k for k in LABEL_KEYS if k.id == "skip")

    assert effective(table, {"skip": written})[0].all_shown == shown
    assert key_name("left_square_bracket") == "["
