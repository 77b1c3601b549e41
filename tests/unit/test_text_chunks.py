"""The best place of a quote in a context of several chunks."""

from __future__ import annotations

import pytest

from trueup.domain.model import Chunk, Span
from trueup.domain.text import ContextIndex, locate_in_chunks


def chunks(*texts: str) -> list[Chunk]:
    return [Chunk(f"c{i}", text) for i, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("texts", "place"),
    [
        (["no", "The gate is shut."], ("exact", "c1")),
        (["The **gate** is shut.", "The gate is shut."], ("exact", "c1")),
        (["The gate is shut.", "The gate is shut."], ("exact", "c0")),
        (["THE GATE IS SHUT", "the gate is shut"], ("normalised", "c0")),
        (["THE GATE IS SHUTTLED", "the gate is shut"], ("normalised", "c1")),
        (["The gate is shut.50", "The gate is shut. 50"], ("exact", "c0")),
        (["The gate", "is shut."], ("absent", None)),
        ([], ("absent", None)),
    ],
)
def test_the_strongest_level_wins_then_the_first_chunk(
    texts: list[str], place: tuple[str, str | None]
) -> None:
    """Chunks are separate texts: a quote over a seam is in none of them."""
    evidence = locate_in_chunks("The gate is shut.", chunks(*texts))

    assert (evidence.match, evidence.chunk) == place


def test_a_whole_number_in_a_later_chunk_is_preferred() -> None:
    """To one cut out of a longer number."""
    evidence = locate_in_chunks("within 15", chunks("within 150 days", "within 15 days"))

    assert (evidence.match, evidence.chunk, evidence.spans) == ("exact", "c1", (Span(0, 9),))


def test_of_two_cut_numbers_the_first_is_taken() -> None:
    """Ties go to the first chunk at every level."""
    assert locate_in_chunks("within 15", chunks("no", "within 150", "within 151")).chunk == "c1"


def test_elided_parts_stand_in_one_chunk() -> None:
    """Parts in two chunks are not one passage."""
    split = chunks("The pilot began in May.", "It ended in June.")

    assert locate_in_chunks("The pilot began … ended in June", split).match == "absent"
    assert locate_in_chunks("The pilot … in May", split).match == "elided"


def test_normalised_wins_over_elided_of_an_earlier_chunk() -> None:
    """A contiguous passage is stronger, wherever it stands."""
    both = chunks("One thing here. Two others there.", "ONE THING... TWO OTHERS")

    assert locate_in_chunks("One thing... two others", both).chunk == "c1"


def test_a_trivial_quote_has_no_place() -> None:
    """Even where every chunk has it."""
    evidence = locate_in_chunks("15", chunks("15", "15"))

    assert (evidence.match, evidence.chunk, evidence.spans) == ("trivial", None, ())


def test_the_quote_is_kept_as_it_came() -> None:
    """Nothing of what the judge wrote is lost."""
    raw = ' "The GATE is shut" '

    assert ContextIndex(chunks("The gate is shut.")).locate(raw).quote == raw
