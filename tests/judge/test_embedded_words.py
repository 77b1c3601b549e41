"""Terms of the embedded judge: what counts as a word, in any script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.judge.embedded.words import normal, terms


def test_frequent_words_say_nothing_and_the_rest_is_stemmed() -> None:
    """Inflection does not hide a word."""
    assert terms("The logs are retained for 90 days", "en") == ("log", "retain", "90", "day")
    assert set(terms("retaining a log", "en")) <= set(terms("The logs are retained", "en"))


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "Die Protokolle werden gespeichert.", "Protokoll speichern"),
        ("fr", "Les journaux sont conservés.", "conservées journaux"),
        ("es", "Los registros se guardan.", "registro guardado"),
        ("ru", "Журналы хранятся.", "журналов"),
        ("hi", "लॉग रखे जाते हैं।", "लॉग"),
        ("ar", "تُحْفَظُ السجلات", "تحفظ السجلات"),
    ],
)
def test_forms_of_one_word_meet_in_many_languages(language: str, one: str, other: str) -> None:
    """By stems where there are some, by folded marks everywhere."""
    shared = set(terms(one, language)) & set(terms(other, language))

    assert shared


def test_scripts_without_spaces_are_read_in_pairs_of_characters() -> None:
    """So that a part of a run can be found; two characters that only bind say nothing."""
    assert terms("保存期間", "ja") == ("保存", "存期", "期間")
    assert terms("ログとはの", "ja") == ("ログ", "グと")


def test_grouping_marks_do_not_make_another_number() -> None:
    """ "1,000" and "1000" are one term; "3.5" and "35" are two."""
    assert terms("1,000", "en") == terms("1000", "en")
    assert terms("3.5", "en") != terms("35", "en")


def test_typography_and_accents_are_folded() -> None:
    """Wide letters, capitals, accents of Latin; an apostrophe's tail is dropped."""
    assert normal("Ｃａｆé") == "cafe"
    assert terms("The pump’s valve", "en") == terms("pump valve", "en")
    assert terms("L'entreprise", "fr") == terms("entreprise", "fr")


def test_letters_and_figures_in_one_word_stay_together() -> None:
    """A product name is one term; a unit that is glued to its number is none of it."""
    assert terms("IPv6 on Q1", "en") == ("ipv6", "q1")
    assert terms("5GB", "en") == ("5", "gb")


@given(st.text(st.characters(), max_size=200), st.sampled_from(["en", "de", "ja", "ar", "xx"]))
def test_any_text_has_terms_and_the_same_ones_twice(text: str, language: str) -> None:
    """No term is empty."""
    found = terms(text, language)

    assert all(found)
    assert found == terms(text, language)
