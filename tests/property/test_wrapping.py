"""Wrapping and drawing hold for any text: nothing is lost or too wide, offsets are right."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from trueup.domain.model import Span
from trueup_tui.document import Document, Section
from trueup_tui.text import cells, drawn, one_line
from trueup_tui.theme import PALETTES
from trueup_tui.widgets.rows import marked_parts
from trueup_tui.wrap import Wrapped

_TEXTS = st.text(
    st.one_of(
        st.sampled_from(" \n\t\r ab-.,日本語ｆ😀👍\U0001f3fd\u200d\u0301\ufe0fשל\u202e\x1b\u200b"),
        st.characters(),
    ),
    max_size=200,
)
_WIDTHS = st.integers(2, 40)


@given(_TEXTS, _WIDTHS)
def test_rows_cover_the_text_in_order(text: str, width: int) -> None:
    """Only line ends lie between rows."""
    wrapped = Wrapped(text, width)
    wrapped.wrap_to(len(text))

    between, at = [], 0
    for start, end in wrapped.rows:
        assert start >= at
        between.append(text[at:start])
        at = end
    between.append(text[at:])
    assert set("".join(between)) <= {"\n", "\r"}


@given(_TEXTS, _WIDTHS)
def test_no_row_is_wider_than_the_pane(text: str, width: int) -> None:
    """Spaces that hang at a break are cut by the edge and nothing else is."""
    wrapped = Wrapped(text, width)
    wrapped.wrap_to(len(text))

    for start, end in wrapped.rows:
        shown = drawn(text[start:end])
        assert cell_len(shown.rstrip(" ")) <= width


@given(_TEXTS, _WIDTHS, st.data())
def test_the_row_of_an_offset_holds_it(text: str, width: int, data: st.DataObject) -> None:
    """Whether it was wrapped so far or not."""
    if not text:
        return
    offset = data.draw(st.integers(0, len(text) - 1))
    wrapped = Wrapped(text, width)

    start, _ = wrapped.rows[row] if (row := wrapped.row_of(offset)) < len(wrapped.rows) else (0, 0)
    following = [r for r in wrapped.rows if r[0] > start]
    assert start <= offset
    assert not following or offset < following[0][0]


@given(_TEXTS)
def test_our_count_of_columns_is_the_terminals(text: str) -> None:
    """What is drawn is as wide as we say, and holds no control character."""
    text = text.replace("\t", "")
    shown = drawn(text)

    assert cell_len(shown) == cells(text)
    assert all(c >= " " and not "\x7f" <= c <= "\x9f" for c in shown)


@given(_TEXTS, st.integers(1, 40))
def test_one_line_fits(text: str, width: int) -> None:
    """Whatever is in it."""
    shown = one_line(text, width)

    assert cell_len(shown) <= width
    assert "\n" not in shown


@given(_TEXTS, st.lists(st.tuples(st.integers(0, 200), st.integers(0, 30)), max_size=5))
def test_marks_cut_the_text_without_changing_it(text: str, ranges: list[tuple[int, int]]) -> None:
    """The pieces together are the text as drawn; each piece begins where it says."""
    line = text.replace("\n", " ").replace("\t", " ")
    spans = [Span(a, a + n) for a, n in sorted(ranges) if n]
    found = [s for i, s in enumerate(spans) if i == 0 or s.start >= spans[i - 1].end]
    palette = PALETTES["dark"]

    parts = marked_parts(line, 0, len(line), {"mark_words": found}, palette, palette["text"])
    assert "".join(p for p, _, _ in parts) == drawn(line)
    assert [left for _, _, left in parts] == sorted({left for _, _, left in parts})


@given(st.lists(_TEXTS, max_size=4), _WIDTHS, st.data())
def test_a_documents_rows_and_places_agree(
    texts: list[str], width: int, data: st.DataObject
) -> None:
    """The row of a place holds that place, and every section has its title."""
    document = Document([Section(f"t{i}", t) for i, t in enumerate(texts)], width)
    titles = [r for i in range(document.height) if (r := document.row(i)) and r.is_title]
    assert [r.section for r in titles] == list(range(len(texts)))
    full = [i for i, t in enumerate(texts) if t.strip("\r\n")]
    if full:
        section = data.draw(st.sampled_from(full))
        offset = data.draw(st.integers(0, len(texts[section]) - 1))
        row = document.row(document.row_of(section, offset))
        assert row is not None
        assert row.section == section
        assert row.start <= offset
    assert document.row(document.height + 1) is None
