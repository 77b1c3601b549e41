"""Numbers, units, dates and bounds, and when a text lacks one of a claim."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.judge.embedded.quantities import missing, quantities


def lacks(claim: str, evidence: str) -> bool:
    """Whether the evidence lacks a number of the claim."""
    return missing(quantities(claim), quantities(evidence)) is not None


SAME = [
    ("kept for 90 days", "retention is 90 days"),
    ("8 hours", "8 business hours"),
    ("90 users", "90, as the table says"),
    ("kept for 72 hours", "kept for 3 days"),
    ("14 Tage", "two weeks"),
    ("two weeks", "14 days"),
    ("1,000 users", "1000 users"),
    ("1.000 Nutzer", "1000 Nutzer"),
    ("1\u202f000 utilisateurs", "1000 utilisateurs"),
    ("3,5 km", "3.5 km"),
    ("1.5 million users", "1,500,000 users"),
    ("10k rows", "10,000 rows"),
    ("twenty-five seats", "25 seats"),
    ("two hundred seats", "200 seats"),
    ("20 percent", "20%"),
    ("20 Prozent", "20 %"),
    ("$5", "5 USD"),
    ("5 €", "5 euros"),
    ("on 31 December 2024", "on 2024-12-31"),
    ("on December 31st, 2024", "am 31. Dezember 2024"),
    ("el 31 de diciembre de 2024", "31.12.2024"),
    ("2024年12月31日", "31 December 2024"),
    ("in December 2024", "on 31 December 2024"),
    ("in 2024", "on 31 December 2024"),
    ("at least 5 seats", "5 seats"),
    ("at least 5 seats", "5 or more seats"),
    ("up to 5 seats", "a maximum of 5 seats"),
    ("höchstens 5 Plätze", "bis zu 5 Plätze"),
    ("最多5个", "不超过5个"),
    ("about 90 days", "91 days"),
    ("三天", "3天"),
    ("3日間保存される", "3日"),
    ("5 USD per month", "5 USD monthly, that is 5 USD per month"),
    ("10⁶ cells", "10⁶ cells"),
    ("version 1.2.3", "1.2.3"),
    ("one of the plans", "no number at all"),
    ("see [3]", "see [3]"),
    ("５ days", "5 days"),
]


@pytest.mark.parametrize(("claim", "evidence"), SAME)
def test_one_number_written_in_two_ways_is_one_number(claim: str, evidence: str) -> None:
    """Grouping, words, units of one dimension, dates, bounds that say the same."""
    assert not lacks(claim, evidence)


OTHER = [
    ("512 metres", "412 metres"),
    ("634メートル", "333メートル"),
    ("5 GB", "5 GiB"),
    ("5 GB", "5 MB"),
    ("90 days", "90 hours"),
    ("3 months", "3 weeks"),
    ("$5", "5 euros"),
    ("20%", "20 users"),
    ("20 percent", "20 days"),
    ("90 days", "90 users"),
    ("90 users", "90 days"),
    ("5 USD per month", "5 USD per year"),
    ("10⁶ cells", "106 cells"),
    ("version 1.2.3", "version 1.2.4"),
    ("at 10:30", "at 10:45"),
    ("on 31 December 2024", "in December 2024"),
    ("on 31 December 2024", "on 30 December 2024"),
    ("in 2023", "on 31 December 2024"),
    ("90 days", "up to 90 days"),
    ("90 days", "at least 90 days"),
    ("more than 90 days", "90 days"),
    ("at most 90 days", "at least 90 days"),
    ("more than 90 days", "less than 90 days"),
    ("90 days", "no number at all"),
    ("about 90 days", "120 days"),
    ("-5 °C", "5 °C"),
    ("mindestens 3 Jahre", "höchstens 3 Jahre"),
    ("plus de 5 jours", "moins de 5 jours"),
    ("最少5个", "最多5个"),
    ("五天", "三天"),
]


@pytest.mark.parametrize(("claim", "evidence"), OTHER)
def test_another_number_unit_date_or_bound_is_told(claim: str, evidence: str) -> None:
    """What is lost or turned round is not carried."""
    assert lacks(claim, evidence)


def test_a_figure_with_two_readings_has_both() -> None:
    """ "1.000" is a thousand in German and one in English."""
    (quantity,) = quantities("1.000")

    assert quantity.values == {Fraction(1000), Fraction(1)}


def test_figures_inside_words_are_no_numbers() -> None:
    """Names and identifiers keep theirs."""
    assert quantities("IPv6 H2O abc123") == ()


def test_the_reason_names_the_number() -> None:
    """And says whether it is absent or bounded otherwise."""
    assert missing(quantities("kept 90 days"), ()) == "90 is not in the evidence"
    bounded = missing(quantities("kept 90 days"), quantities("kept up to 90 days"))
    assert bounded == "90 is bounded otherwise in the evidence"


@given(st.text(st.characters(), max_size=200))
def test_any_text_is_read_and_carries_its_own_numbers(text: str) -> None:
    """No text breaks the reader, and nothing that a text says is missing from it."""
    assert missing(quantities(text), quantities(text)) is None


PIECES = ["5", "1,000", "1.2.3", " days", " GB", "$", "%", " per month", "up to ", "31 ",
          "December ", "2024", "-", "/", "年", "月", "日", "万", "¹", " ", "."]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_texts_full_of_numbers_carry_their_own(text: str) -> None:
    """The same, where every piece is part of a number."""
    assert missing(quantities(text), quantities(text)) is None
