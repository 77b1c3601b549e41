"""Properties of folding and of quote location that hold for any text."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from trueup.domain.folding import fold
from trueup.domain.text import Quote, locate_quote

_TRICKY = (
    "aAbBeEnN09.,:;-–—−‐\u2011*_`~|#>[]()\\/'\"“”„«»‘’′″ \t\n\r\u00a0\u2003\u2028\u3000"
    "\u00ad\u200b\u200d\ufeff\u202e\u0301\u0323\u0327ßẞİıſςσΣﬁﬀé√Åå½²⁶₂①⒈５٣…⋯。、「」東京タワー서울한글"
    "\u1112\u1161\u11abǅŉΐ\u0345ϐﷺ㎏℃\x00\x1b\x85"
)
_TEXT = st.text(st.sampled_from(_TRICKY) | st.characters(), max_size=60)
_WORD = st.text(st.sampled_from("abcdefgrstuéüßœñżΩσжя"), min_size=2, max_size=8) | st.from_regex(
    r"[1-9][0-9]{0,3}(\.[0-9]{1,2})?", fullmatch=True
)
_WORDS = st.lists(_WORD, min_size=5, max_size=12)


@given(_TEXT)
def test_every_folded_character_has_an_origin_in_order(text: str) -> None:
    folded = fold(text)
    covers = [folded.cover(i, i + 1) for i in range(len(folded.text))]

    assert all(0 <= c.start < c.end <= len(text) for c in covers)
    assert all(a.start <= b.start and a.end <= b.end for a, b in pairwise(covers))


@given(_TEXT)
def test_composed_and_decomposed_text_fold_alike(text: str) -> None:
    assert (
        fold(unicodedata.normalize("NFD", text)).text
        == fold(unicodedata.normalize("NFC", text)).text
    )


@given(_TEXT)
def test_folding_leaves_no_double_space_and_nothing_invisible(text: str) -> None:
    folded = fold(text).text

    assert "  " not in folded
    assert not set(folded) & set("\u200b\u00ad\ufeff\u202e\u200d\u00a0\u2003\n\r\t")


@given(_TEXT, _TEXT)
def test_spans_lie_in_the_text_in_order_whatever_is_asked(quote: str, text: str) -> None:
    match = locate_quote(quote, text)
    edges = [x for s in match.spans for x in (s.start, s.end)]

    assert edges == sorted(edges)
    assert all(0 <= x <= len(text) for x in edges)
    assert bool(match.spans) == (match.level in ("exact", "normalised", "elided"))


@given(_TEXT, st.data())
def test_a_slice_of_a_text_is_found_in_it(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    match = locate_quote(quote, text)

    assert match.level in ("exact", "trivial")
    assert all(text[s.start : s.end] == quote for s in match.spans)


def _restyled(words: list[str], draw: st.DataObject) -> str:
    """The words as another hand would type them: case, spaces, accents, marks, invisible signs."""
    styles = [
        str.upper,
        str.title,
        lambda w: unicodedata.normalize("NFD", w),
        lambda w: f"**{w}**",
        lambda w: f"_{w}_",
        lambda w: f"`{w}`",
        lambda w: "\u200b" + w + "\u2060",
        lambda w: w,
    ]
    gaps = st.sampled_from([" ", "\u00a0", "  ", "\n", "\r\n", "\u2003 ", " \u200b"])
    return "".join(draw.draw(st.sampled_from(styles))(w) + draw.draw(gaps) for w in words).strip()


@given(_WORDS, _WORDS, _WORDS, st.data())
def test_a_restyled_quote_is_found_and_its_span_folds_to_the_quote(
    before: list[str], words: list[str], after: list[str], data: st.DataObject
) -> None:
    quote = _restyled(words, data)
    text = " ".join([*before, _restyled(words, data), *after])
    match = locate_quote(quote, text)

    assert match.level in ("exact", "normalised")
    (span,) = match.spans
    assert fold(text[span.start : span.end]).text.strip() == fold(quote).text.strip()


@given(_TEXT, _TEXT, _TEXT)
def test_what_is_normalised_folds_to_the_quote(before: str, quote: str, after: str) -> None:
    text = before + quote.swapcase().replace(" ", "\u00a0") + after
    match = locate_quote(quote, text)

    if match.level == "normalised":
        (span,) = match.spans
        found = Quote(text[span.start : span.end])
        wanted = Quote(quote)
        assert found.folded(found.core).text.strip() == wanted.folded(wanted.core).text.strip()
