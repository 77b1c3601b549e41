"""Text made safe to show and to store."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.domain.display import display, sanitise_json, sanitise_stored

_ANY = st.text(
    st.characters(exclude_categories=[]) | st.sampled_from("\x1b\x9b\r\n\t\0\u202e\ufeff\ud83d")
)
_BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_ZERO_WIDTH = "\u200b\u2060\u2061\u2064\ufeff\u034f\u180e\u3164\uffa0\U000e0041"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[2J\x1b[H", "␛[2J␛[H"),
        ("\x1b]0;owned\x07", "␛]0;owned␇"),
        ("a\x00b\x08c\x7fd", "a␀b␈c␡d"),
        ("\x0e\x0f\x1f", "␎␏␟"),
        ("over\rwritten", "over␍written"),
        ("\x9b31m red \x90 dcs", "�31m red � dcs"),
        ("one\ntwo", "one␊two"),
        ("one\u2028two\u2029three\x85four", "one␤two␤three␤four"),
        ("a\tb", "a b"),
        ("invoice\u202egnp.exe\u202c", "invoice␦gnp.exe␦"),
        ("bad \ud83d end \ufdd0\uffff", "bad � end ��"),
        ("re\u00adtention", "re‐tention"),
        ("[red]x[/red] [/] 日本語 e\u0301 👍🏽", "[red]x[/red] [/] 日本語 e\u0301 👍🏽"),
        ("می\u200cخواهم 👨\u200d👩\u200d👧 ❤\ufe0f", "می\u200cخواهم 👨\u200d👩\u200d👧 ❤\ufe0f"),
    ],
)
def test_what_a_terminal_would_obey_is_shown(text: str, shown: str) -> None:
    """Controls as their pictures; letters, joiners and markup look-alikes as they are."""
    assert display(text) == shown


def test_line_feeds_and_tabs_stay_where_asked() -> None:
    """For widgets that lay them out themselves."""
    assert display("a\nb\tc\r", keep_newlines=True) == "a\nb c␍"
    assert display("a\nb\tc", keep_tabs=True) == "a␊b\tc"


@given(_ANY, _ANY)
def test_one_code_point_for_one_each_by_itself(one: str, two: str) -> None:
    """Offsets hold, and a part looks as in the whole."""
    assert len(display(one)) == len(one)
    assert display(one) + display(two) == display(one + two)
    assert display(display(one)) == display(one)


@given(_ANY)
def test_nothing_dangerous_is_left(text: str) -> None:
    """No control, bidi mark, zero-width character or surrogate; the rest can be written."""
    shown = display(text)

    assert not set(shown) & {*map(chr, range(32)), *map(chr, range(127, 160)), *_BIDI, *_ZERO_WIDTH}
    assert display(shown.encode("utf-8").decode("utf-8")) == shown


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("page 1\x00page 2", "page 1␀page 2"),
        ("日\x00本", "日␀本"),
        ("bad \ud83d end", "bad � end"),
        ("\udcb6", "�"),
        ("costs \ud83d\udcb6 5", "costs 💶 5"),
        ("\x1b[2J\u202e stay \ufeff\r\n", "\x1b[2J\u202e stay \ufeff\r\n"),
    ],
)
def test_what_a_database_refuses_is_replaced(text: str, stored: str) -> None:
    """NUL and lone surrogates only: the rest of the data is kept as it came."""
    assert sanitise_stored(text) == stored


@given(_ANY)
def test_stored_text_is_utf8_and_stays_so(text: str) -> None:
    """It can be encoded, holds no NUL, and a second pass changes nothing."""
    stored = sanitise_stored(text)

    assert "\x00" not in stored
    assert sanitise_stored(stored.encode("utf-8").decode("utf-8")) == stored


def test_json_is_sanitised_to_its_depths() -> None:
    """Keys and nested values; numbers, truth values and null as they are."""
    value = {"ti\x00tle": "a\x00b", "deep": [["\x00", {"x": "\ud83d"}], 1, 1.5, True, None]}

    assert sanitise_json(value) == {
        "ti␀tle": "a␀b",
        "deep": [["␀", {"x": "�"}], 1, 1.5, True, None],
    }
    assert "\\u0000" not in json.dumps(sanitise_json(value))
