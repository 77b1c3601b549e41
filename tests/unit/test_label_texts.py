"""What a labeller reads: the task of each metric, the claim's own words, sentences, made claims."""

from __future__ import annotations

import pytest

from trueup.domain.highlights import best_cluster, claim_pattern, claim_spans, clusters
from trueup.domain.metrics import METRICS, metric
from trueup.domain.model import Chunk, Record, Span, Unit
from trueup.domain.provisional import child_units, missed_unit
from trueup.domain.sentences import sentences
from trueup.domain.tasks import label_task

_RECORD = Record(
    "q",
    "The answer says so.",
    question="What does it say?",
    context=(Chunk("c1", "One.", "a.md"), Chunk("c2", "Two.")),
    reference="The reference says so.",
)


def _unit(kind: str, text: str, span: Span | None = None) -> Unit:
    return Unit(_RECORD.key, "q#1", kind, text, 1, span)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", METRICS)
def test_each_metric_shows_what_the_unit_is_held_against(name: str) -> None:
    """And the text it was taken from; nothing else of the record."""
    spec = metric(name)
    texts = {
        "answer_claim": "The answer says so.",
        "reference_claim": "The reference says so.",
        "chunk": "Two.",
    }
    task = label_task(_RECORD, _unit(spec.units, texts[spec.units]), spec)

    against = {
        "context": ["One.", "Two."],
        "question": ["What does it say?"],
        "reference": ["The reference says so."],
        "answer": ["The answer says so."],
    }[spec.against]
    if spec.units == "chunk":
        assert [p.text for p in task.passages] == ["Two."]
        assert (task.claim, task.source, task.passages[0].id) == ("", "", "c2")
    else:
        assert [p.text for p in task.passages] == against
        assert task.source == texts[spec.units]
        assert task.span == Span(0, len(task.source))
    assert task.ask == spec.question


def test_a_span_that_does_not_fit_is_looked_for() -> None:
    """Or not shown where the text is not in the answer."""
    spec = metric("groundedness")

    wrong = label_task(_RECORD, _unit("answer_claim", "says", Span(40, 90)), spec)
    absent = label_task(_RECORD, _unit("answer_claim", "paraphrased"), spec)
    assert wrong.span == Span(11, 15)
    assert absent.span is None


@pytest.mark.parametrize(
    ("context", "said"),
    [(None, "no context was given with this record"), ((), "retrieval returned nothing")],
)
def test_no_context_says_which_kind_of_none(context: tuple[Chunk, ...] | None, said: str) -> None:
    """Not given, and retrieval found nothing, are two things."""
    record = Record("q", "It says so.", context=context)

    task = label_task(record, _unit("answer_claim", "It says so."), metric("groundedness"))
    assert task.missing is not None
    assert said in task.missing


def _words(claim: str, text: str) -> list[str]:
    return [text[s.start : s.end] for s in claim_spans(claim_pattern(claim), text)]


@pytest.mark.parametrize(
    ("claim", "text", "found"),
    [
        ("Logs retained.", "They retain logs, unretained.", ["retain", "logs"]),
        ("It costs 90 days.", "1990 days, 90 days, 9.90, 90.", ["days", "90", "days", "90"]),
        ("SSO on EU", "sso in the eu and Europe", ["sso", "eu"]),
        ("監査ログは保存されます", "このログは監査されます", ["ログ", "監査"]),
        ("a b c", "a b c", []),
        ("Straße", "STRASSE straße", ["straße"]),
        ("a+b (c) [d] retention*", "retention", ["retention"]),
    ],
)  # fmt: skip
def test_the_claims_own_words_are_found(claim: str, text: str, found: list[str]) -> None:
    """By stem, numbers whole, any script, and no character of the claim is a pattern."""
    assert _words(claim, text) == found


def test_words_that_stand_together_are_one_place() -> None:
    """The place with the most different words is the best; of equals the first."""
    text = "logs logs logs" + " " * 200 + "logs days plan" + " " * 200 + "plan logs days"
    spans = claim_spans(claim_pattern("logs days plan"), text)

    assert len(clusters(spans)) == 3
    best = best_cluster(spans, text)
    assert best is not None
    assert text[best.start : best.end] == "logs days plan"
    assert best.start < 300
    assert best_cluster([], text) is None


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("One. Two! Three?", ["One.", "Two!", "Three?"]),
        ("It costs 3.14 a day. Fine.", ["It costs 3.14 a day.", "Fine."]),
        ("一。二！三", ["一。", "二！", "三"]),
        ("- a\n- b\r\n\n# c", ["- a", "- b", "# c"]),
        ('He said "no." Then left.', ['He said "no."', "Then left."]),
        ("", []),
        ("  \n ", []),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    """Rough, and in order."""
    assert [text[s.start : s.end] for s in sentences(text)] == parts


def test_a_sentence_without_an_end_is_cut() -> None:
    """So that picking one never picks a novel."""
    found = sentences("x" * 5000)

    assert [s.end - s.start for s in found] == [2000, 2000, 1000]


def test_the_same_part_made_by_two_people_is_one_unit() -> None:
    """Ids come from the content alone."""
    parent = _unit("answer_claim", "a and b")

    assert [u.key for u in child_units(parent, ["a", "b"])] == [
        u.key for u in child_units(parent, [" a", "b", "b"])
    ]
    one, two = missed_unit(parent, "c", "x c", 2), missed_unit(parent, "c ", "x c", 2)
    assert one is not None
    assert two is not None
    assert one.key == two.key
    assert one.span == Span(2, 3)


def test_parts_keep_their_place_in_the_answer() -> None:
    """Looked for from where the claim stands on."""
    source = "b. a and b."
    parent = _unit("answer_claim", "a and b", Span(3, 10))

    assert [u.span for u in child_units(parent, ["a", "b", "c"], source)] == [
        Span(3, 4),
        Span(9, 10),
        None,
    ]
