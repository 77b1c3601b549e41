"""Entries meet claims by number and echo, each claim gets one verdict."""

from __future__ import annotations

import pytest

from trueup.judge.match import fold, match
from trueup.judge.parse import Item

TEXTS = ["Alpha is red.", "Beta is blue.", "Gamma is green."]


def item(number: int | None, text: str | None, entailed: bool | None = True) -> Item:
    """An entry."""
    return Item(number, text, entailed)


def found(*items: Item, texts: list[str] = TEXTS) -> list[bool | str | None]:
    """What each claim got: a verdict, or "-" for none."""
    return ["-" if i is None else i.entailed for i in match(items, texts).claims]


def test_by_number_when_the_echo_agrees() -> None:
    """The order of the entries does not matter."""
    entries = [item(3, TEXTS[2], False), item(1, TEXTS[0]), item(2, TEXTS[1])]

    assert found(*entries) == [True, True, False]


def test_by_echo_when_the_number_is_another_claims() -> None:
    """Numbers that slipped by one do not move verdicts to other claims."""
    entries = [item(2, TEXTS[0], False), item(3, TEXTS[1]), item(1, TEXTS[2])]

    assert found(*entries) == [False, True, True]


def test_a_number_without_an_echo_is_no_match() -> None:
    """Nothing shows that the number is meant."""
    matched = match([item(1, None)], TEXTS)

    assert matched.claims == (None, None, None)
    assert len(matched.extras) == 1


def test_equal_claims_are_served_in_order() -> None:
    """Without numbers the first entry is the first claim's; a lack is seen at the last."""
    twins = ["Same.", "Same."]

    assert found(item(None, "Same.", True), item(None, "Same.", False), texts=twins) == [
        True,
        False,
    ]
    assert found(item(None, "Same.", True), texts=twins) == [True, "-"]
    assert found(item(2, "Same.", False), item(1, "Same.", True), texts=twins) == [True, False]


def test_what_speaks_of_no_claim_is_an_extra() -> None:
    """Foreign claims and unknown numbers are counted, not used."""
    matched = match([item(1, TEXTS[0]), item(9, "Delta is new."), item(2, "Other.")], TEXTS)

    assert [i.number for i in matched.extras] == [9, 2]
    assert matched.claims[1] is None


def test_a_repeated_verdict_counts_once() -> None:
    """Its quotes come together, and it is flagged."""
    one = Item(1, TEXTS[0], True, quotes=("a",))
    two = Item(1, TEXTS[0], True, quotes=("b",))
    first = match([one, two], TEXTS).claims[0]

    assert first is not None
    assert (first.entailed, first.quotes, first.flags) == (True, ("a", "b"), ("repeated",))


@pytest.mark.parametrize("other", [False, None])
def test_a_contradiction_is_no_verdict(other: bool | None) -> None:
    """Neither the first nor the last one is picked."""
    first = match([item(1, TEXTS[0], True), item(1, TEXTS[0], other)], TEXTS).claims[0]

    assert first is not None
    assert first.entailed is None
    assert first.flags == ("conflicting_verdicts",)


@pytest.mark.parametrize(
    "echo",
    ["alpha is RED", " Alpha  is\nred. ", "1. Alpha is red.", "“Alpha is red”", "*Alpha is red.*"],
)
def test_copying_may_change_what_carries_no_meaning(echo: str) -> None:
    """Case, spaces, outer marks, the number of the list."""
    assert fold(echo) == fold(TEXTS[0])


@pytest.mark.parametrize("echo", ["Alpha is read.", "Alpha is not red.", "Alpha is red. Or blue."])
def test_another_text_is_another_text(echo: str) -> None:
    """A changed word is no echo."""
    assert fold(echo) != fold(TEXTS[0])
