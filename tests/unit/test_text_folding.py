"""What folding makes equal, what it drops, and what it must keep apart."""

from __future__ import annotations

import re
import unicodedata

import pytest

from trueup.domain.characters import PLAIN_LETTERS
from trueup.domain.clusters import fold_cluster, is_mark
from trueup.domain.folding import Breaks, Style, fold


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("STRASSE Straße STRAẞE", "strasse strasse strasse"),
        ("ΟΔΟΣ οδος οδοσ", "οδοσ οδοσ οδοσ"),
        ("ﬁnd ﬂow ﬀ", "find flow ff"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ５", "full width5"),
        ("e\u0301 E\u0301 é É", "é é é é"),
        ("e\u200b\u0301", "é"),
        ("\u1112\u1161\u11ab", "한"),
        ("₤㎏℃", "₤kg°c"),
        ("Ϊ́ ΐ", "ΐ ΐ"),
    ],
)
def test_case_width_ligatures_and_accents_are_folded(text: str, folded: str) -> None:
    """NFKC, composed marks and full case folding, one base character at a time."""
    assert fold(text).text == folded


@pytest.mark.parametrize("dash", "-‐‑‒–—―−﹣－")
def test_dashes_of_all_kinds_are_one(dash: str) -> None:
    """A minus and an en dash are a hyphen."""
    assert fold(f"a{dash}4").text == "a-4"


@pytest.mark.parametrize(
    "pair", ["“”", "„“", "«»", "‘’", "‚‘", "‹›", "「」", "『』", '""', "''", "〝〞"]
)
def test_quotation_marks_of_all_kinds_are_one(pair: str) -> None:
    """Curly, low, angled and corner marks, single and double."""
    assert fold(f"say {pair[0]}yes{pair[1]}").text == "say 'yes'"


def test_inches_stay_apart_from_feet() -> None:
    """After a digit a double mark may be a unit."""
    assert fold('5" and 5″').text == '5" and 5"'
    assert fold("5' and 5′").text == "5' and 5'"


@pytest.mark.parametrize("space", " \t\u00a0\u2007\u202f\u3000\n\r\u0085\u2028\u2029\v\f\x1c")
def test_every_space_and_line_end_is_one_space(space: str) -> None:
    """Any run of them, CRLF too."""
    assert fold(f"a{space}b{space}{space}c\r\nd").text == "a b c d"


@pytest.mark.parametrize(
    "sign", "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a\u202e\u2066\u061c"
)
def test_invisible_characters_are_dropped(sign: str) -> None:
    """Zero-width characters, soft hyphen and bidi marks."""
    assert fold(f"{sign}re{sign}tention{sign}").text == "retention"


@pytest.mark.parametrize("raised", ["10⁶", "10₆", "½", "①", "⑴", "⒈", "㎡", "x²", "10⁻⁶", "❶", "🄁"])
def test_raised_and_enclosed_digits_are_never_plain_digits(raised: str) -> None:
    """10⁶ is not 106, ½ is not 1/2."""
    assert fold(raised).text == raised


def test_digits_of_other_widths_are_digits() -> None:
    """Full-width and mathematical digits are the same digits."""
    assert fold("５０ 𝟏𝟐").text == "50 12"


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("The limit is **40 kg** per _cart_.", "the limit is 40 kg per cart."),
        ("`code` and ``more``", "code and more"),
        ("~~old~~ new, ~5 left", "old new, ~5 left"),
        ("これは**重要**です", "これは重要です"),
        ("## Heading\n### Next", "heading next"),
        ("* one\n- two\n+ three\n• four", "one two three four"),
        ("> quoted\n> > again", "quoted again"),
        ("> - **nested**", "nested"),
        ("| a | b |\n|---|:-:|\n| c | d |", "a b c d"),
        ("a\n---\nb\n===\nc\n***\nd", "a b c d"),
        ("```python\nx = 1\n```", "x = 1"),
        ("stop! see [the docs](https://a.example/b_c) now", "stop! see the docs now"),
        ("![a figure](img/one.md) here", "a figure here"),
        ("snake\\_case \\*", "snake_case *"),
    ],
)
def test_marks_of_markdown_are_dropped(text: str, folded: str) -> None:
    """Emphasis, code, headings, bullets, quotations, tables, rules, fences, links, escapes."""
    assert fold(text).text.strip() == folded


@pytest.mark.parametrize(
    "text",
    [
        *("2*3", "2**3", "5 * 3", "a*b", "snake_case", "a_b_c", "x|y", "a || b", "sa\u0300*b"),
        *("3.14", "2-3", "-5", "- 5 degrees", "> 5 kg", "+ 7", ">= 5", "1986. a year", "#1", "c#"),
        *("[c-9930]", "a[0](b)", "f(x)[1]", "____ is it"),
    ],
)
def test_marks_inside_words_and_numbers_and_signs_stay(text: str) -> None:
    """What looks like a mark but carries meaning is kept."""
    assert fold(text).text == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("hyphen", "-‐\u00ad")
def test_a_hyphen_at_a_line_break_is_joined(hyphen: str) -> None:
    """Joined by default; the other readings are kept for the search."""
    assert fold(f"re{hyphen}\n  opening").text == "reopening"
    assert fold(f"re{hyphen} \r\nopening").text == "reopening"


def test_other_readings_of_a_hyphen_at_a_line_break() -> None:
    """A compound keeps its hyphen, a suspended hyphen its space."""
    assert fold("well-\nknown", Style("kept")).text == "well-known"
    assert fold("pre-\nand post-war", Style("spaced")).text == "pre- and post-war"


@pytest.mark.parametrize("breaks", ["joined", "kept", "spaced"])
def test_hyphens_between_digits_are_never_joined(breaks: Breaks) -> None:
    """2019-2020 over a line end never becomes 20192020."""
    assert fold("2019-\n2020", Style(breaks)).text in ("2019- 2020", "2019-2020")
    assert fold("COVID-\n19", Style(breaks)).text in ("covid- 19", "covid-19")


@pytest.mark.parametrize("accent", "´¨¯¸˘")
def test_a_spacing_accent_is_no_space(accent: str) -> None:
    """NFKC would make a space and a mark of it."""
    assert " " not in fold(f"a{accent}b").text


def test_spans_point_at_the_original() -> None:
    """Ligatures, dropped marks and composed accents move what comes after them."""
    text = "ﬁ **re**\u200b E\u0301te\u0301"
    folded = fold(text)
    at = folded.text.index("été")

    assert text[folded.span(at, at + 3).start :] == "E\u0301te\u0301"
    assert folded.span(0, 1) is None, "half a ligature is no place"
    assert folded.cover(0, 1) == folded.span(0, 2)


def test_an_accent_on_a_mark_brings_no_mark_back() -> None:
    """The letter before a dropped mark is not the accent's base."""
    assert fold("*e*\u0301 x").text == "e\u0301 x"


def test_plain_letters_fold_to_their_lower_case_only() -> None:
    """What the fold passes over must need nothing but its case folded."""
    letters = re.findall(f"[{PLAIN_LETTERS}]", "".join(map(chr, range(0x80, 0x10000))))

    assert len(letters) > 30_000
    assert [c for c in letters if is_mark(c) or fold_cluster(c) != c.lower()] == []


def test_every_composing_character_counts_as_a_mark() -> None:
    """Whatever this Python composes with the character before it joins that character."""
    loose = {
        second
        for char in map(chr, range(0x20000))
        if len(parts := unicodedata.normalize("NFD", char)) > 1
        and unicodedata.normalize("NFC", parts) == char
        for second in parts[1:]
        if not is_mark(second)
    }

    assert loose == set()


@pytest.mark.parametrize(
    "hostile",
    [
        *("-" * 200_000 + "x", "|" * 200_000 + "x", " " * 200_000 + "x", "\n" * 200_000),
        *("](" * 100_000, "[" * 100_000, "`" * 200_000, "*a" * 100_000, "\n- " * 70_000),
        *("e\u0301" * 100_000, "\u0301" * 200_000, "_\u200b" * 100_000),
    ],
)
def test_hostile_text_folds_in_linear_time(hostile: str) -> None:
    """No text makes a pattern backtrack: a quadratic one would take hours here."""
    assert len(fold(hostile).text) <= len(hostile)
