"""The drawings: where marks stand, what their tables say, and that texts in them stay texts."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from trueup.report.figures import MAX_ROWS, Reference, differing, forest
from trueup.report.model import Group
from trueup.report.score_figures import band, distribution, reliability
from trueup.report.svg import WIDTH, Scale, element, label, shorten
from trueup.stats.estimate import Estimate


def parsed(svg: str) -> ET.Element:
    """The drawing as XML: it must be well formed by itself."""
    return ET.fromstring(svg)


def test_every_drawing_is_well_formed_and_inside_its_box() -> None:
    """No mark stands outside the width, whatever the numbers."""
    figures = [
        forest("a", "T", "C", [("x", Estimate(0.5, -2.0, 3.0)), ("y", Estimate.undefined("why"))]),
        forest("b", "T", "C", [("x", Estimate(-1.5, -2.0, 2.0))], signed=True),
        forest("c", "T", "C", []),
        distribution("d", "judge", [(0.0, 1.0), (0.5, 0.5)]),
        distribution("e", "judge", []),
        reliability("f", [(0.0, 1.0)]),
        reliability("g", []),
        differing("h", "T", "C", [Group("x", 3, 2, 1), Group("y", 5, 0, 0)]),
        differing("i", "T", "C", []),
    ]
    for figure in figures:
        root = parsed(figure.svg)
        for node in root.iter():
            for key in ("x", "x1", "x2", "cx"):
                if key in node.attrib:
                    assert 0 <= float(node.attrib[key]) <= WIDTH
            if "width" in node.attrib:
                assert float(node.attrib["width"]) > 0


def test_a_forest_puts_estimates_on_one_scale_and_says_what_is_undefined() -> None:
    """Values, intervals and reasons stand in the table, in order."""
    rows = [("a", Estimate(0.5, 0.25, 0.75)), ("b", Estimate.undefined("no units"))]
    people = Reference("people", Estimate(0.8, 0.7, 0.9))
    figure = forest("f", "Kappa", "C", rows, reference=people)
    circles = [n for n in parsed(figure.svg).iter() if n.tag == "circle"]

    assert figure.table.rows == (
        ("a", "0.500", "0.250 to 0.750"),
        ("b", "–", "no units"),
        ("people", "0.800", "0.700 to 0.900"),
    )
    assert [float(c.attrib["cx"]) for c in circles] == [WIDTH / 2]
    assert 'class="ceiling"' in figure.svg


@pytest.mark.parametrize(
    ("score", "expected"),
    [(0, 0), (0.01, 1), (0.25, 1), (0.26, 2), (0.5, 2), (0.75, 3), (0.76, 4), (0.999, 4), (1, 5),
     (2 / 3, 3), (1 / 3, 2)],
)  # fmt: skip
def test_score_bands_hold_their_upper_ends(score: float, expected: int) -> None:
    """0 and 1 are bands of their own; a quarter belongs to the first quarter."""
    assert band(score) == expected


def test_the_distribution_counts_people_and_the_judge() -> None:
    """Each answer is counted once for each."""
    figure = distribution("d", "judge", [(0.0, 1.0), (0.5, 0.5), (1.0, 1.0)])

    assert figure.table.rows == (
        ("0", "1", "0"), ("to ¼", "0", "0"), ("to ½", "1", "1"), ("to ¾", "0", "0"),
        ("below 1", "0", "0"), ("1", "1", "2"),
    )  # fmt: skip


def test_reliability_weighs_answers_by_what_they_stand_for() -> None:
    """A weighted mean of people's scores in the judge's band."""
    figure = reliability("r", [(0.0, 1.0), (1.0, 1.0)], [1.0, 3.0])

    assert figure.table.rows == (("1", "2", "1.000", "0.750", "0.250"),)


def test_many_groups_are_drawn_by_most_and_listed_whole() -> None:
    """The drawing is cut and says so, the table is not."""
    groups = [Group(f"g{i}", 10, i % 5, 0) for i in range(MAX_ROWS + 8)]
    figure = differing("g", "T", "Share.", groups)
    drawn = re.findall(r">(g\d+)<", figure.svg)

    assert len(drawn) == MAX_ROWS
    assert "Drawn are the 12 of 20 with the most." in figure.caption
    assert len(figure.table.rows) == 20
    assert "g0" not in drawn


def test_texts_in_drawings_are_escaped_and_shown_safely() -> None:
    """Markup in a name, quotes in an attribute, a bidi control."""
    drawn = label(0, 0, '</text><script>"\u202e')

    assert drawn == '<text x="0" y="0">&lt;/text&gt;&lt;script&gt;&quot;\u2426</text>'
    assert element("g", class_='"><b>') == '<g class="&quot;&gt;&lt;b&gt;"/>'


def test_long_names_keep_both_ends() -> None:
    """Names that differ at the end stay apart."""
    assert shorten("short", 10) == "short"
    assert shorten("a" * 30 + "-v1", 12) != shorten("a" * 30 + "-v2", 12)
    assert len(shorten("x" * 99, 12)) == 12


def test_a_scale_holds_values_inside() -> None:
    """Ends that lie outside are drawn at the edge."""
    scale = Scale(0.0, 1.0, 10, 110)

    assert (scale(-1.0), scale(0.5), scale(9.0)) == (10, 60, 110)
    assert Scale(-1.0, 1.0).ticks(0.5) == [-1.0, -0.5, 0.0, 0.5, 1.0]
