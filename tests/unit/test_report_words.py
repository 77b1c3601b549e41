"""Every sentence about numbers is right at the edges: one class, one answer, nothing decided."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from report_help import NO, YES, Answer, Claim, claims, report, sample_of
from trueup.report.html import to_html
from trueup.report.model import ReportData
from trueup.report.page import page
from trueup.report.words import (
    LABELS,
    PEOPLE,
    answers_for_half,
    brief,
    count,
    estimate,
    halving,
    number,
    p_value,
    percent,
    sentences,
)
from trueup.stats.estimate import Estimate

ONE = ("plain",)


def many(table: str, times: int, judges: tuple[str, ...] = ONE) -> ReportData:
    return report([Answer(claims(table, judges)) for _ in range(times)], judges)


TWELVE = [Answer(claims("11 01 00", ONE)) for _ in range(12)]
EDGES: dict[str, Callable[[], ReportData]] = {
    "one class": lambda: many("11 11", 3),
    "one class of people only": lambda: many("11 10", 25),
    "one answer": lambda: many("11 00 10", 1),
    "one unit": lambda: many("11", 1),
    "no disagreement": lambda: many("11 00", 30),
    "all undecided": lambda: many("1u 0u", 3),
    "some undecided": lambda: many("1u 00 11", 3),
    "no judge": lambda: many("1 0", 1, ()),
    "never asked": lambda: many("1- 0-", 1),
    "no labels": lambda: report([Answer([Claim("x", None, {"plain": YES})])], ONE),
    "nothing at all": lambda: report([], ()),
    "ties": lambda: report(
        [Answer([Claim("x", {"ana": YES, "bo": NO}, {"plain": YES}),
                 Claim("y", {"ana": YES, "bo": YES}, {"plain": YES}),
                 Claim("z", {"ana": "unsure"}, {"plain": YES})])] * 1, ONE),
    "a draw": lambda: many("110 101", 12, ("plain", "quoted")),
    "identical": lambda: many("111 000 100", 12, ("plain", "quoted")),
    "weighted": lambda: report(
        TWELVE, ONE, sample=sample_of(TWELVE, [0.1] * 6 + [0.2] * 6)),
    "nobody answered": lambda: report(
        [], ONE, sample=sample_of(TWELVE, [0.1] * 6 + [0.2] * 6)),
    "kappa rests on one answer": lambda: report(
        [Answer(claims("11 11 11", ONE))] * 1 + [Answer(claims("11 10 01", ONE), name="odd")]
        + [Answer(claims("11", ONE), name=f"more-{i}") for i in range(20)], ONE),
    "constructed": lambda: report(
        [Answer(claims("11 01 10", ONE))], ONE, origin="constructed"),
}  # fmt: skip


@pytest.mark.parametrize("name", EDGES)
def test_no_edge_breaks_a_sentence_or_the_page(name: str) -> None:
    """Nothing undefined is printed as None, nan or a code; singulars and plurals agree."""
    data = EDGES[name]()
    html = to_html(data)
    text = re.sub(r"<style>.*?</style>|<[^>]+>", " ", html, flags=re.DOTALL)

    assert not re.search(r"\b(?:None|nan|NaN|inf|Infinity|jackknife_undefined)\b", text)
    assert not re.search(r"(?<![\d,.])1 (?:units|answers|verdicts|judges)\b", text)
    assert sentences(data)


def said(name: str) -> str:
    return "\n".join(sentences(EDGES[name]()))


@pytest.mark.parametrize(
    ("name", "wanted", "unwanted"),
    [
        ("one class", ["100.0% of 6 units in 3 answers", "undefined: only one label used",
                       "shown no unit that people call not entailed"], ["guessing", "beyond"]),
        ("one class of people only", ["Kappa 0.000", "kappa is 0 whatever the agreement"], []),
        ("one answer", ["has no interval: fewer than two answers", "3 units in 1 answer."], []),
        ("one unit", ["100.0% of 1 unit in 1 answer"], ["units"]),
        ("no disagreement", ["100.0%", "well beyond chance"], ["passes"]),
        ("all undecided", ["nothing to compare", "6 verdicts are undecided", "timeout 6"],
         ["agrees", "shown no unit"]),
        ("some undecided", ["3 verdicts are undecided and left out"], []),
        ("no judge", ["No judge has a verdict", "trueup judge"], ["agrees"]),
        ("never asked", ["never asked about 2 labelled units"], ["agrees"]),
        ("no labels", ["No unit has a label that counts"], ["agrees"]),
        ("a draw", ["differ on 24 units and each is right on half of them: a draw"], ["explains"]),
        ("identical", ["say the same of all 36 units"], ["p "]),
        ("weighted", ["an estimated", "weighted"], []),
        ("kappa rests on one answer", ["has no interval: it rests on a single answer"], []),
        ("constructed", ["right by construction", "the labels call not entailed"], ["people"]),
    ],
)  # fmt: skip
def test_sentences_at_the_edges(name: str, wanted: list[str], unwanted: list[str]) -> None:
    """What is known is said, and nothing that is not."""
    text = said(name)

    assert [w for w in wanted if w not in text] == []
    assert [u for u in unwanted if u in text] == []


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("no disagreement", "Nowhere: no judge differs from people"),
        ("all undecided", "There is nothing to compare"),
        ("no judge", "There is nothing to compare"),
        ("one answer", "Judges differ from people on 1 unit: too lenient on 0, too strict on 1."),
        ("constructed", "Judges differ from the labels on 2 units"),
    ],
)
def test_what_is_said_of_the_disagreements(name: str, expected: str) -> None:
    """No disagreement is not the same as nothing to compare."""
    assert page(EDGES[name]()).cards_note.startswith(expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("no disagreement", "The two are the same in every answer."),
        ("one class of people only", "The judge scores too low by 0.500 (no interval"),
        ("all undecided", "No answer has a score from both people and this judge."),
        ("one answer", "Over 1 answer, the mean score of plain is 0.333 (no interval"),
        ("weighted", "Over 12 answers, weighted, the mean score"),
    ],
)
def test_what_is_said_of_the_scores(name: str, expected: str) -> None:
    """The size of a shift has no sign beside a word for its direction, and n stands beside it."""
    assert expected in page(EDGES[name]()).judges[0].shift


def test_ties_and_abstentions_are_counted_where_they_are_left_out() -> None:
    """A tie is no label, `unsure` neither."""
    table = page(EDGES["ties"]()).left_out

    assert table is not None
    assert table.rows == (
        ("units on which people are tied", "1"),
        ("units on which people were unsure", "1"),
    )


def test_a_judge_that_passes_what_it_should_not_is_told_by_its_score() -> None:
    """Too high where the interval says so; not claimed where mistakes cancel out."""
    high = many("11 11 01 00", 40)
    even = many("11 10 01 00", 40)
    mixed = report([Answer(claims(t, ONE)) for t in ["11 11 01"] * 9 + ["11 01 01 00"] * 11], ONE)

    assert "passes 40 of 80 units that people call not entailed" in sentences(high)[1]
    assert "does not show it" in sentences(even)[1]
    assert "its mean score is too high" in sentences(mixed)[1]


def test_many_comparisons_are_told_with_holm_and_not_all_in_short() -> None:
    """p values of several comparisons are corrected; ten pairs are left to their place."""
    judges = ("a", "b", "c", "d", "e")
    answers = [Answer(claims("111111 000001 101010 010100", judges)) for _ in range(9)]
    data = report(answers, judges)

    assert len(data.comparisons) == 10
    assert page(data).sentences[-1] == "10 pairs of judges are compared below."
    assert any("Holm" in s for s in sentences(data))


def test_the_evidence_rule_and_the_verdicts_share_the_change_of_the_score() -> None:
    """A judge under the rule `required` whose quotes stand nowhere loses its entailed verdicts."""
    one = Answer([
        Claim("Audit logs are kept for 90 days.", YES, {
            "plain": (YES, "Audit logs are kept for 90 days"), "quoted": (YES, "Logs live long.")}),
        Claim("They cannot be restored.", YES, {"plain": (YES, "They cannot be restored."),
                                                "quoted": (YES, "They cannot be restored.")}),
    ])  # fmt: skip
    data = report([one, one], evidence="required")
    (pair,) = page(data).pairs

    assert pair.notes[0].startswith("Of the change of the mean score, −0.500 is the evidence rule")
    assert pair.notes[0].endswith("0.000 that of the model's own verdicts.")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (1.0, 1, "100.0%"), (0.9996, 1, "> 99.9%"), (0.0004, 1, "< 0.1%"), (0.0, 0, "0%"),
        (0.88, 1, "88.0%"), (0.999, 0, "> 99%"), (None, 0, "–"),
    ],
)  # fmt: skip
def test_a_share_near_the_end_is_not_rounded_onto_it(
    value: float | None, digits: int, text: str
) -> None:
    """Only all is 100 %, only none is 0 %."""
    assert percent(value, digits) == text


def test_numbers_are_written_as_people_write_them() -> None:
    """True minus, no negative zero, p values with a floor, dashes for what is undefined."""
    assert number(-0.25, 2) == "−0.25"
    assert number(-0.0001, 2) == "0.00"
    assert number(None) == p_value(None) == "–"
    assert p_value(0.00001) == "< 0.0001"
    assert count(1, "unit") == "1 unit"
    assert count(2_000, "unit") == "2,000 units"
    assert estimate(Estimate(0.5, 0.25, 0.75), 2) == "0.50 [0.25, 0.75]"
    assert estimate(Estimate.undefined("why")) == "undefined (why)"
    assert brief(Estimate(0.5, reason="why")) == "0.50"


def test_who_labelled_is_put_into_words() -> None:
    """Constructed labels are nobody's."""
    assert LABELS.put("People's rate, and what people say") == (
        "The labels' rate, and what the labels say"
    )
    assert PEOPLE.put("People's rate") == "People's rate"


def test_halving_an_interval_takes_about_four_times_the_answers() -> None:
    """The Wilson width falls with the root of the answers; at the boundary with the answers."""
    middle = many("11 10 00", 50).agreement[0].figures["percent_agreement"]
    certain = many("11 00", 50).agreement[0].figures["percent_agreement"]

    assert 185 <= answers_for_half(Estimate(0.5, 0.36, 0.64), 50) <= 215
    assert middle.value == pytest.approx(2 / 3)
    assert 100 <= answers_for_half(certain, 50) <= 110
    assert halving(many("11 10", 1).agreement[0]) is None


def test_answers_on_which_score_and_end_to_end_verdict_part_are_listed() -> None:
    """Right but ungrounded, faithful but wrong; answers of which nobody said are in neither."""
    answers = [
        Answer(claims("01 11", ONE), name="right", failing=False),
        Answer(claims("11 11", ONE), name="wrong", failing=True),
        Answer(claims("01 01", ONE), name="unknown"),
    ]
    data = page(report(answers, ONE))

    assert [(x.title, [row[0] for row in x.rows]) for x in data.lists] == [
        ("Right but ungrounded", ["right"]),
        ("Faithful but wrong", ["wrong"]),
    ]
    assert data.end_to_end is not None
    assert data.end_to_end.rows == (
        ("right", "1", "0.500", "1.000"),
        ("failing", "1", "1.000", "1.000"),
        ("not said", "1", "0.000", "1.000"),
    )
