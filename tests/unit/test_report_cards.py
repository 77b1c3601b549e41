"""Disagreements as cards: which quote is shown where, in what order, and what is cut."""

from __future__ import annotations

from report_help import CHUNKS, NO, YES, Answer, Claim, claims, report
from trueup.domain.model import Chunk, Span
from trueup.report.cards import cards, excerpt, marked
from trueup.report.html import to_html


def test_marks_cover_overlapping_spans_once() -> None:
    """The parts join to the text, whatever the spans."""
    text = "abcdefghij"
    parts = marked(text, [Span(2, 5), Span(4, 6), Span(8, 10)])

    assert parts == (("ab", False), ("cde", True), ("f", True), ("gh", False), ("ij", True))
    assert "".join(p for p, _ in parts) == text


def test_an_excerpt_keeps_whole_words_around_the_quote() -> None:
    """Shortened on both sides, at spaces, with the cut shown."""
    text = "one two three four five six seven eight nine ten"
    start = text.index("five")
    parts = excerpt(text, [Span(start, start + 4)], around=12)

    assert parts == (("… ", False), ("three four ", False), ("five", True),
                     (" six seven", False),
                     (" …", False))  # fmt: skip


def test_a_short_text_is_shown_whole() -> None:
    """No ellipsis where nothing is left out."""
    assert excerpt("all of it", [Span(0, 3)]) == (("all", True), (" of it", False))


def test_a_card_holds_all_that_settles_a_unit() -> None:
    """Both verdicts, the quote where it stands, the cause, the note, and who was right."""
    one = Answer([
        Claim("The Team plan keeps audit logs for 60 days.", NO, {
            "plain": (YES, "The Team plan keeps audit logs for 30 days."), "quoted": NO},
            note="30 days"),
        Claim("Logs can be restored.", NO, {"plain": (YES, "Nothing of the kind."),
                                            "quoted": NO}),
    ])  # fmt: skip
    shown = cards(report([one]))
    first, second = shown.pages[0][0].cards

    assert (first.human, first.lenient, first.notes) == (NO, True, ("30 days",))
    assert [s.judge for s in first.said] == ["plain"]
    assert first.right == ["quoted"]
    assert first.said[0].cause == "a number differs"
    assert ("The Team plan keeps audit logs for 30 days.", True) in first.said[0].quotes[0].parts
    assert second.said[0].quotes[0].parts == ()
    assert second.said[0].quotes[0].match == "stands nowhere in the text"


def test_judges_that_fail_on_one_unit_share_its_card() -> None:
    """A unit is shown once, with every judge that differs."""
    shown = cards(report([Answer(claims("011 010"))]))

    assert shown.total == 2
    assert [[s.judge for s in c.said] for c in shown.pages[0][0].cards] == [
        ["plain", "quoted"], ["plain"],
    ]  # fmt: skip


def test_answers_with_most_claims_wrongly_passed_come_first() -> None:
    """The class that hurts is read first."""
    answers = [
        Answer(claims("10 10 10", ("plain",)), name="strict"),
        Answer(claims("01", ("plain",)), name="one"),
        Answer(claims("01 01", ("plain",)), name="two"),
    ]
    shown = cards(report(answers, ("plain",)))

    assert [a.record for page in shown.pages for a in page] == ["two", "one", "strict"]


def test_units_of_two_releases_with_one_id_stay_two_cards() -> None:
    """Keys, not ids, tell units apart."""
    answers = [
        Answer([Claim(f"Claim of {r}.", NO, {"plain": YES})], name="q", release=r)
        for r in ("r1", "r2")
    ]
    shown = cards(report(answers, ("plain",)))

    assert shown.total == 2
    assert len(set(shown.anchors.values())) == 2


def test_contexts_beyond_the_budget_are_left_out_and_said() -> None:
    """Long contexts do not grow the page without end; the passage around the quote stays."""
    long = (*CHUNKS, Chunk("long", "filler words here " * 6_000))
    quote = "They cannot be restored."
    answers = [
        Answer([Claim(f"Logs {i} can be restored.", NO, {"plain": (YES, quote)})], context=long)
        for i in range(8)
    ]
    data = report(answers, ("plain",))
    whole = [a.passages is not None for page in cards(data).pages for a in page]
    html = to_html(data)

    assert whole == [True] * 2 + [False] * 6
    assert html.count("left out of this page for its size") == 6
    assert html.count(f"<mark>{quote}</mark>") == 8 + 2


def test_no_text_to_judge_against_is_said() -> None:
    """Nothing retrieved and no context given are shown as such."""
    one = Answer([Claim("Dogs ride free.", NO, {"plain": YES})], context=())

    assert "There was no text to judge against." in to_html(report([one], ("plain",)))
