"""A few words that answer a question are a claim; a greeting is none."""

from __future__ import annotations

import pytest

from trueup.domain.model import Record, Span
from trueup.services.splitting import split_record


@pytest.mark.parametrize("answer", ["Seven.", "Yes.", "42", "Acme Ltd"])
def test_a_short_answer_is_a_claim_with_its_question(answer: str) -> None:
    """It is shown and judged with the question, and keeps its place."""
    (unit,) = split_record(Record("q", answer, question="How many?"), "answer_claim").units

    assert (unit.text, unit.context) == (answer, "How many?")
    assert unit.span == Span(0, len(answer))


@pytest.mark.parametrize("answer", ["Hello!", "…", "", "Which one?", "Here you go:"])
def test_what_answers_nothing_is_no_claim(answer: str) -> None:
    """Greetings, questions and marks alone state nothing."""
    assert split_record(Record("q", answer, question="q"), "answer_claim").units == ()


def test_without_a_question_a_word_states_nothing() -> None:
    """Nobody could rule on it."""
    assert split_record(Record("q", "Seven."), "answer_claim").units == ()
