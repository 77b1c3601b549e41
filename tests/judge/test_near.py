"""The closest passage to a quote that is not in the context."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.domain.difference import difference
from trueup.domain.model import Chunk
from trueup.domain.text import ContextIndex
from trueup.judge.near import locate_evidence, locate_quote

BRIDGE = (
    "The Halden bridge opened in 1931. It is 412 metres long and carries two lanes of traffic. "
    "Maintenance is paid by the county, not by the state."
)


@pytest.mark.parametrize(
    ("quote", "level", "passage"),
    [
        ("Maintenance is paid by our county, not by the state.", "near", BRIDGE[90:]),
        ("It is 512 metres long and carries two lanes of traffic.", "altered", BRIDGE[34:89]),
        ("Maintenance is not paid by the county, not by the state.", "altered", BRIDGE[90:]),
        ("The Halden bridge was opened in 1931", "near", "The Halden bridge opened in 1931"),
        ("opened in 1931, it is 412 metres long", "near", "opened in 1931. It is 412 metres long"),
        ("The committee confirmed it in the annual report of last year.", "absent", None),
        ("It is 412 metres long", "exact", "It is 412 metres long"),
        ("IT IS 412 metres long", "normalised", "It is 412 metres long"),
        ("412", "trivial", None),
    ],
)
def test_the_closest_passage_is_named(quote: str, level: str, passage: str | None) -> None:
    """In whole tokens, without the neighbours; `altered` where a number or a negation differs."""
    match = locate_quote(quote, BRIDGE)

    assert match.level == level
    assert [BRIDGE[s.start : s.end] for s in match.spans] == ([passage] if passage else [])


def test_a_power_is_no_plain_number() -> None:
    """10⁶ quoted as 106 is altered."""
    assert locate_quote("It has 106 members today", "It has 10⁶ members today").level == "altered"


def test_a_quote_longer_than_the_chunk_is_compared_as_a_whole() -> None:
    """A short chunk is not near to everything."""
    assert locate_quote("the gate is shut tonight", "the gate is shut").level == "near"
    assert (
        locate_quote("long before " * 20 + "the gate is shut", "the gate is shut").level == "absent"
    )


def test_the_closest_chunk_is_taken_the_first_of_equals() -> None:
    """By similarity, not by position."""
    texts = ["The gate was shut yesterday.", "The gate is shut today.", "The gate is shut today."]
    context = ContextIndex(Chunk(f"c{i}", t) for i, t in enumerate(texts))

    assert locate_evidence("The gate is closed today.", context).chunk == "c1"


def test_a_quote_from_the_answer_is_absent() -> None:
    """However close it comes to the context."""
    context = ContextIndex([Chunk("c", "Kestrels can hover above fields.")])
    quote = "Kestrels can hover above a field."

    assert locate_evidence(quote, context).match == "near"
    assert locate_evidence(quote, context, answer=f"Yes. {quote}").match == "absent"
    assert locate_evidence(quote, context, answer="Something else.").match == "near"


def test_the_difference_is_marked_on_both_sides() -> None:
    """Runs that differ, as offsets into the quote and the passage; typography is no difference."""
    quote, passage = "It's 512 METRES long", "It’s **412** metres"
    edits = difference(quote, passage)

    assert [
        (quote[e.quote.start : e.quote.end], passage[e.passage.start : e.passage.end])
        for e in edits
    ] == [("512", "412"), ("long", "")]


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_are_compared_without_an_error(quote: str, text: str) -> None:
    """Spans lie in the text; edits cover what differs, in order."""
    match = locate_quote(quote, text)
    edits = difference(quote, text)

    assert all(0 <= s.start < s.end <= len(text) for s in match.spans)
    assert [e.quote.start for e in edits] == sorted(e.quote.start for e in edits)
