"""Where a quote stands in one text: levels, spans, cut tokens."""

from __future__ import annotations

import pytest

from trueup.domain.text import ChunkIndex, Quote, locate_quote


def found(quote: str, text: str) -> tuple[str, list[str]]:
    match = locate_quote(quote, text)
    return match.level, [text[s.start : s.end] for s in match.spans]


def test_a_substring_is_exact() -> None:
    """The span is the quote, in code points, after characters beyond the BMP too."""
    text = "💶 It costs 5 today."

    assert found("It costs 5 today.", text) == ("exact", ["It costs 5 today."])
    assert locate_quote("costs 5", text).spans[0].start == 5


def test_the_first_occurrence_is_taken() -> None:
    """One span, the first."""
    (span,) = locate_quote("is shut", "It is shut. The gate is shut.").spans

    assert (span.start, span.end) == (3, 10)


@pytest.mark.parametrize(
    ("quote", "text", "passage"),
    [
        ("RENT IS due", "The rent is due.", "rent is due"),
        ('It said "yes" today', "It said “yes” today", "It said “yes” today"),
        ("It said 'yes' today", "It said «yes» today", "It said «yes» today"),
        ("a re-opening of 3-4 days", "a re‑opening of 3–4 days", "a re‑opening of 3–4 days"),
        ("rose by -4.5 % again", "rose by −4.5\u202f% again", "rose by −4.5\u202f% again"),
        ("cafe\u0301 near by", "the café near by", "café near by"),
        ("café near by", "the cafe\u0301 near by", "cafe\u0301 near by"),
        ("km\nfrom here", "3 km\r\nfrom here", "km\r\nfrom here"),
        ("km   from\n  here ", "3 km from here", "km from here"),
        ("log retention", "log\u00ad re\u200btention", "log\u00ad re\u200btention"),
        ("is 40 kg here", "is **40 kg** here", "is **40 kg** here"),
        ("the find", "the ﬁnd", "the ﬁnd"),
        ("one two", "* one\n* two", "one\n* two"),
        ("Team 30 days", "| Team | 30 days |", "Team | 30 days"),
        ("a well-known fact", "a well-\nknown fact", "a well-\nknown fact"),
        ("a reopening now", "a re-\nopening now", "a re-\nopening now"),
        ("a re-\nopening now", "a reopening now", "a reopening now"),
        ("pre- and post-war", "pre-\nand post-war", "pre-\nand post-war"),
        ("years 2019-2020 only", "years 2019-\n2020 only", "years 2019-\n2020 only"),
        ("see the docs now", "see [the docs](https://a.example) now", None),
        ("see [the docs](https://a.example)  now", "see [the docs](https://a.example) now", None),
        ("To do: - one - two", "To do:\n- one\n- two", None),
        ("Plan ## Next * it", "Plan\n## Next\n* it", None),
        ("Plan\n## Next\n* it", "Plan ## Next * it", None),
        ("Air\n -\n to air", "Air - to air", None),
        ("SEE [THE DOCS](HTTPS://A.EXAMPLE)", "see [the docs](https://a.example)", None),
        ("это ОЧЕНЬ важно", "Это очень важно", None),
        ("これは重要です", "これは**重要**です", None),
    ],
)
def test_folding_alone_is_normalised(quote: str, text: str, passage: str | None) -> None:
    """Typography, spaces, case, accents, marks, line breaks."""
    assert found(quote, text) == ("normalised", [passage or text])


@pytest.mark.parametrize(
    "quote",
    [
        *(
            '"The gate is shut."',
            "“The gate is shut”.",
            "«The gate is shut»",
            "「The gate is shut」",
        ),
        *("'\"The gate is shut.\"'", '"The gate is shut', 'The gate is shut"', "The gate is shut"),
        *("The gate is shut.\n", "\ufeffThe gate is shut. ", "The gate is shut。"),
    ],
)
def test_outer_quotation_marks_and_a_final_full_stop_decide_nothing(quote: str) -> None:
    """At either end, one inside the other, alone."""
    assert locate_quote(quote, "Note: the gate is shut; keep out").level == "normalised"


def test_the_final_full_stop_is_in_the_span_where_both_have_one() -> None:
    """So that the sentence is highlighted whole."""
    assert found("IT IS shut.", "Now it is shut. Go.")[1] == ["it is shut."]
    assert found("IT IS shut.", "Now it is shut, go.")[1] == ["it is shut"]


def test_inner_quotation_marks_do_decide() -> None:
    """What closes inside is not outer."""
    assert locate_quote('He said "no".', 'He said "no way" twice').level == "absent"


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("About thirty people came.", "About forty people came."),
        ("it is 106 metres", "it is 10⁶ metres"),
        ("it is 1/2 full", "it is ½ full"),
        ("step 1 begins", "step ① begins"),
        ("rose by 4.5 %", "rose by −4.5 %"),
        ("in 20192020 it", "in 2019-\n2020 it"),
        ("it is 23 long", "it is 2-3 long"),
        ("it is 23 long", "it is 2*3 long"),
        ("snakecase is it", "snake_case is it"),
        ('5" is wide', "5' is wide"),
        ("The cit\x00e9 was rebuilt.", "The cité was rebuilt."),
        ("FDF is rare.", "Familial dune fever (FDF) is rare."),
        ("see [docs](https://bad.example) now", "see [docs](https://good.example)  now"),
        ("s und mehr", "Spaß und mehr"[:4] + "ß und mehr"),
        ("one two three", "one\n\ntwo"),
    ],
)
def test_what_folding_must_not_make_equal_is_absent(quote: str, text: str) -> None:
    """Numbers, signs, words, link targets, halves of a character."""
    assert locate_quote(quote, text).level == "absent"


@pytest.mark.parametrize(
    "quote",
    [
        "",
        " ",
        " . ",
        "...",
        "…",
        "“”",
        "—",
        "\u200b",
        "a",
        "15",
        "3.14",
        "4.5 %",
        "yes",
        "**40**",
        "東京",
    ],
)
def test_empty_punctuation_and_one_short_token_are_trivial(quote: str) -> None:
    """Even where they stand in the text."""
    assert found(quote, f"x {quote} y") == ("trivial", [])


@pytest.mark.parametrize(
    "quote", ["is 15", "Rechtsschutzversicherung", "塔は完成した", "in 4.5 kg"]
)
def test_two_tokens_or_a_long_one_are_not_trivial(quote: str) -> None:
    """A sentence of a script without spaces is one long token."""
    assert locate_quote(quote, f"({quote})").level == "exact"


@pytest.mark.parametrize(
    "mark", ["...", "…", " [...] ", " (…) ", ". . .", " … ", "……", "<...>", "...."]
)
def test_parts_around_an_ellipsis_are_elided(mark: str) -> None:
    """Each part is found, in order."""
    text = "The pilot began in May. Costs fell later. It ended in June."

    assert found(f"The pilot BEGAN{mark}ended in June.", text) == (
        "elided",
        ["The pilot began", "ended in June"],
    )


@pytest.mark.parametrize(
    "quote",
    [
        "ended in June ... The pilot began",
        "The pilot began … ended in July",
        "The pil ... ended in June",
        "a ... b",
    ],
)
def test_parts_out_of_order_or_missing_or_cut_are_absent(quote: str) -> None:
    """One missing part is enough."""
    assert locate_quote(quote, "The pilot began in May. It ended in June.").level == "absent"


def test_a_cut_off_quote_is_elided() -> None:
    """What the ellipsis leaves out is not known."""
    assert found("The pilot began ...", "The pilot began in May.") == (
        "elided",
        ["The pilot began"],
    )


def test_parts_do_not_overlap() -> None:
    """The same words are not used twice."""
    assert locate_quote("began in May ... in May it", "It began in May it").level == "absent"


def test_an_ellipsis_of_the_text_itself_is_no_elision() -> None:
    """It is found as it stands."""
    assert locate_quote("since then...", "Since then… nothing").level == "normalised"


@pytest.mark.parametrize(
    ("quote", "text", "cut"),
    [
        ("within 15", "within 150 days", "number"),
        ("is 40.", "is 40.5 kg", "number"),
        ("is 40", "is 40.5 kg", "number"),
        ("is 10", "is 10⁶ metres", "number"),
        ("14 is pi", "3.14 is pi", "number"),
        ("000 people came", "10,000 people came", "number"),
        ("4.5 degrees", "was −4.5 degrees", "number"),
        ("in 2019", "in 2019-2020", "number"),
        ("grew 5", "grew 5% more", "number"),
        ("step 1", "step 1\ufe0f\u20e3 now", "number"),
        ("able to fly", "unable to fly", "word"),
        ("on the Enter", "on the Enterprise plan", "word"),
        ("the cafe", "the cafe\u0301 there", "word"),
        ("the cafe\u0301", "the cafe\u0301s there", "word"),
        ("within 15", "within 15 days", None),
        ("in 2019", "in 2019, and", None),
        ("item 5", "item 5.", None),
        ("opening was late", "re-opening was late", None),
        ("年に完成した塔", "1958年に完成した塔は", None),
        ("in 1958", "in 1958年", None),
    ],
)
def test_a_match_that_cuts_a_token_says_so(quote: str, text: str, cut: str | None) -> None:
    """15 in 150 stands there, but is another number."""
    match = locate_quote(quote, text)

    assert (match.level, match.cut) == ("exact", cut)


def test_a_whole_occurrence_is_preferred_to_a_cut_one() -> None:
    """The later, whole 15 is the evidence."""
    match = locate_quote("is 15", "It is 150, no: it is 15.")

    assert (match.spans[0].start, match.cut) == (18, None)
    assert locate_quote("IS 15", "It is 150, no: it is 15.").spans == match.spans


def test_an_index_serves_many_quotes() -> None:
    """With the same result as one at a time, whatever was asked before."""
    text = "The **gate** is shut. A re-\nopening follows… [here](https://a.example)."
    quotes = [
        "the gate is",
        "reopening follows",
        "re-opening follows",
        "gate ... follows",
        "no such",
    ]
    index = ChunkIndex(text)

    assert [index.locate(Quote(q)) for q in quotes * 2] == [
        locate_quote(q, text) for q in quotes
    ] * 2


@pytest.mark.parametrize("sign", [" ", '"', ".", "\u200b", "a"])
def test_hostile_quotes_are_located_in_linear_time(sign: str) -> None:
    """A reply may hold anything; a quadratic step would take hours here."""
    assert locate_quote(sign * 300_000 + "!", "a" * 300_000 + '"').level in ("trivial", "absent")
