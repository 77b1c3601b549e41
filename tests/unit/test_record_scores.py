"""A record's score: a share, or null with the reason; what the record lacks decides first."""

from __future__ import annotations

import pytest

from trueup.domain.scores import (
    RecordScore,
    ScorePolicy,
    Tally,
    correctness,
    record_score,
    state_of,
)

POLICY = ScorePolicy()
CLASSIC = ScorePolicy(no_claims=1.0)


@pytest.mark.parametrize("metric", ["groundedness", "contextual_recall", "correctness_recall"])
@pytest.mark.parametrize(("yes", "value"), [(4, 1.0), (3, 0.75), (2, 0.5), (0, 0.0)])
def test_the_share_of_decided_units_with_a_yes(metric: str, yes: int, value: float) -> None:
    """Of four units: 1.0, 0.75, 0.5, 0.0."""
    assert record_score(metric, Tally(4, yes, 4 - yes), POLICY) == RecordScore(value)


@pytest.mark.parametrize(
    ("tally", "policy", "expected"),
    [
        (Tally(5, 3, 1), POLICY, RecordScore(0.75)),
        (Tally(5, 3, 0), POLICY, RecordScore(None, "incomplete")),
        (Tally(5, 3, 0), ScorePolicy(min_decided=0.5), RecordScore(1.0)),
        (Tally(2, reason="timeout"), POLICY, RecordScore(None, "timeout")),
        (Tally(2), POLICY, RecordScore(None, "incomplete")),
        (Tally(2), ScorePolicy(min_decided=0), RecordScore(None, "incomplete")),
        (Tally(2, state="no_context"), POLICY, RecordScore(None, "no_context")),
        (Tally(2, 1, 1, "no_context"), POLICY, RecordScore(0.5)),
    ],
)
def test_too_few_decided_units_give_no_number(
    tally: Tally, policy: ScorePolicy, expected: RecordScore
) -> None:
    """Null with the judge's reason where it is behind all of it; a failure is never 0."""
    assert record_score("groundedness", tally, policy) == expected


@pytest.mark.parametrize(
    ("metric", "policy", "expected"),
    [
        ("groundedness", POLICY, RecordScore(None, "abstained")),
        ("groundedness", CLASSIC, RecordScore(1.0, flag="abstained")),
        ("answer_relevancy", POLICY, RecordScore(0.0, flag="abstained")),
        ("answer_relevancy", CLASSIC, RecordScore(0.0, flag="abstained")),
        ("correctness_precision", CLASSIC, RecordScore(None, "abstained")),
    ],
)
def test_an_answer_that_only_declines(
    metric: str, policy: ScorePolicy, expected: RecordScore
) -> None:
    """No groundedness by default, the classic 1.0 where that is chosen; it addresses nothing."""
    assert record_score(metric, Tally(0, state="abstained"), policy) == expected


@pytest.mark.parametrize("metric", ["groundedness", "contextual_recall"])
def test_nothing_retrieved_is_zero(metric: str) -> None:
    """Nothing arrived, so nothing is entailed, and the record is flagged, not null."""
    tally = Tally(2, 2, 0, state="empty_context")

    assert record_score(metric, tally, POLICY) == RecordScore(0.0, flag="empty_context")


def test_no_chunks_have_no_relevancy() -> None:
    """Without a chunk there is nothing whose usefulness could be asked."""
    tally = Tally(0, state="empty_context")

    assert record_score("context_relevancy", tally, POLICY) == RecordScore(None, "empty_context")


@pytest.mark.parametrize(
    ("metric", "given", "state"),
    [
        ("groundedness", {"units": 2, "context": 0}, "empty_context"),
        ("groundedness", {"units": 2, "context": None}, "no_context"),
        ("groundedness", {"units": 2, "context": 3}, ""),
        ("groundedness", {"units": 0, "context": 0, "abstained": True}, "abstained"),
        ("groundedness", {"units": 0, "context": 0}, "no_claims"),
        ("contextual_recall", {"units": 0, "context": 0}, "no_claims"),
        ("contextual_recall", {"units": 0, "context": 3, "has_reference": False}, "no_reference"),
        ("context_relevancy", {"units": 0, "context": 0}, "empty_context"),
        ("context_relevancy", {"units": 0, "context": None}, "no_context"),
        ("answer_relevancy", {"units": 2, "context": None, "has_reference": False}, ""),
        ("correctness_precision", {"units": 2, "has_reference": False}, "no_reference"),
        ("correctness_recall", {"units": 0, "has_reference": False}, "no_reference"),
    ],
)
def test_what_a_record_lacks(metric: str, given: dict[str, object], state: str) -> None:
    """Each metric asks for what it is judged against."""
    usual = {"abstained": False, "has_reference": True, "context": 1}

    assert state_of(metric, **(usual | given)) == state  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("precision", "recall", "expected"),
    [
        (Tally(4, 2, 2), Tally(4, 4, 0), RecordScore(2 / 3)),
        (Tally(1, 0, 1), Tally(1, 0, 1), RecordScore(0.0)),
        (Tally(0, state="abstained"), Tally(2, 0, 2), RecordScore(0.0, flag="abstained")),
        (Tally(2, 1, 1), Tally(0, state="no_reference"), RecordScore(None, "no_reference")),
        (Tally(2, reason="parse"), Tally(2, 1, 1), RecordScore(None, "parse")),
    ],
)
def test_correctness_is_the_f1_of_its_halves(
    precision: Tally, recall: Tally, expected: RecordScore
) -> None:
    """By counts: an answer that claims nothing states nothing of the reference."""
    assert correctness(precision, recall, POLICY) == expected
