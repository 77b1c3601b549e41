"""What the embedded judge rules, and on which evidence."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.judge.embedded.passages import held
from trueup.judge.embedded.questions import addresses, useful
from trueup.judge.embedded.ruling import Ruling, plain, quoted

HALDEN = """The Halden bridge opened in 1931. It is 412 metres long and carries two lanes.

Maintenance is paid by the county, not by the state."""
LOGS = "Audit log retention on the Enterprise plan is 90 days. On the Team plan it is 30 days."


def both(texts: list[str] | str, claim: str) -> tuple[Ruling, Ruling]:
    """The rulings of the two styles."""
    against = held([texts] if isinstance(texts, str) else texts)
    return plain(against, claim), quoted(against, claim)


def test_the_audit_log_claim_is_carried_by_the_wrong_plan() -> None:
    """By itself it is entailed: that the question was about another plan is recall's matter."""
    of_plain, of_quoted = both(
        "Audit log retention on the Enterprise plan is 90 days.",
        "Audit logs are retained for 90 days.",
    )

    assert of_plain.entailed
    assert of_quoted.entailed
    assert of_quoted.quotes == ("Audit log retention on the Enterprise plan is 90 days.",)


@pytest.mark.parametrize(
    ("claim", "entailed"),
    [
        ("On the Enterprise plan, audit logs are retained for 90 days.", True),
        ("On the Team plan, audit logs are kept for 30 days.", True),
        ("On the Team plan, audit logs are retained for 90 days.", False),
        ("On the Starter plan, audit logs are retained for 90 days.", False),
        ("Audit logs are retained for 60 days.", False),
        ("Audit logs are not retained for 90 days.", False),
        ("Audit logs are retained for 90 hours.", False),
        ("Only audit logs are retained for 90 days.", False),
        ("Audit logs are encrypted at rest.", False),
    ],
)
def test_quoted_tells_one_changed_detail(claim: str, entailed: bool) -> None:
    """Plan, number, denial, unit, "only", and what is not said at all."""
    assert quoted(held([LOGS]), claim).entailed is entailed


def test_plain_sees_words_and_nothing_else() -> None:
    """So the same details slip through: that is what the comparison of the styles shows."""
    of_plain, of_quoted = both(HALDEN, "Maintenance is paid by the state.")

    assert of_plain.entailed
    assert not of_quoted.entailed
    assert of_plain.quotes == of_quoted.quotes == ()


def test_numbers_are_told_in_a_script_without_spaces() -> None:
    """333 metres are not 634."""
    context = "塔は1958年に完成した。高さは333メートルである。"

    assert quoted(held([context]), "塔は1958年に完成した。").entailed
    assert not quoted(held([context]), "高さは634メートルである。").entailed


@pytest.mark.parametrize(
    ("context", "right", "wrong"),
    [
        ("Die Protokolle werden 90 Tage gespeichert.", "Protokolle werden 90 Tage gespeichert.",
         "Protokolle werden 30 Tage lang gespeichert."),
        ("Les journaux sont conservés pendant 90 jours.", "Les journaux sont conservés 90 jours.",
         "Les journaux ne sont pas conservés 90 jours."),
        ("Los registros se guardan 90 días.", "Los registros se guardan durante 90 días.",
         "Los registros se guardan durante 90 semanas."),
        ("日志保留90天。", "日志会保留90天。", "日志会保留30天。"),
        ("تحفظ السجلات لمدة 90 يوما.", "تحفظ السجلات 90 يوما.", "تحفظ السجلات 30 يوما."),
        ("लॉग 90 दिन रखे जाते हैं।", "लॉग 90 दिन तक रखे जाते हैं।", "लॉग 30 दिन तक रखे जाते हैं।"),
    ],
    ids=["de", "fr", "es", "zh", "ar", "hi"],
)  # fmt: skip
def test_quoted_works_in_many_languages(context: str, right: str, wrong: str) -> None:
    """By construction, not by a list of stop words."""
    assert quoted(held([context]), right).entailed
    assert not quoted(held([context]), wrong).entailed


def test_two_passages_may_carry_a_claim_together() -> None:
    """Also from two chunks; both are quoted."""
    chunks = ["The Lindow quay was built in 1902.", "Ferries to Marby leave from the Lindow quay."]

    ruling = quoted(held(chunks), "Ferries to Marby leave from a quay built in 1902.")

    assert ruling.entailed
    assert set(ruling.quotes) == set(chunks)


def test_a_heading_gives_its_name_to_what_stands_below() -> None:
    """The quote is the sentence, not the heading."""
    context = (
        "# Team plan\n\nLogs are kept for 30 days.\n\n"
        "# Enterprise plan\n\nLogs are kept for 90 days."
    )

    right = quoted(held([context]), "On the Enterprise plan, logs are kept for 90 days.")
    wrong = quoted(held([context]), "On the Enterprise plan, logs are kept for 30 days.")

    assert right.entailed
    assert right.quotes == ("Logs are kept for 90 days.",)
    assert not wrong.entailed


def test_a_table_row_is_read_with_its_headers() -> None:
    """The quote is the row as it stands."""
    context = "| Plan | Retention |\n|---|---|\n| Team | 30 days |\n| Enterprise | 90 days |"

    ruling = quoted(held([context]), "The retention on the Enterprise plan is 90 days.")

    assert ruling.entailed
    assert ruling.quotes == ("Enterprise | 90 days",)


def test_a_pronoun_is_helped_by_the_sentence_it_points_back_to() -> None:
    """Of two like passages the one that names the subject is chosen."""
    context = "The old pump of Marby stops at night. The new pump of Lindow stops at night."

    ruling = quoted(held([context]), "It stops at night.", "The pump of Lindow is new.")

    assert ruling.quotes == ("The new pump of Lindow stops at night.",)


def test_a_unit_of_several_sentences_is_ruled_on_by_its_sentences() -> None:
    """Two of three carried is enough, one is not."""
    most = quoted(held([HALDEN]), "The bridge opened in 1931. It is 412 metres long. It is red.")
    few = quoted(held([HALDEN]), "The bridge opened in 1931. It has six lifts. It is red.")

    assert most.entailed
    assert len(most.quotes) == 2
    assert not few.entailed


def test_long_data_is_quoted_in_pieces() -> None:
    """JSON on one line does not become one passage; the piece stands in it verbatim."""
    rows = [
        f"{{'name': 'Product {i}', 'weight': '{100 + i} g', 'colour': 'grey'}}" for i in range(40)
    ]
    text = "[" + ", ".join(rows) + "]"

    ruling = quoted(held([text]), "Product 17 has a weight of 117 g.")

    assert ruling.entailed
    assert all(q in text and len(q) <= 330 for q in ruling.quotes)


@pytest.mark.parametrize(
    ("context", "claim"),
    [
        ("The county pays the state.", "The state pays the county."),
        ("Ferries leave Lindow for Marby.", "Ferries leave Marby for Lindow."),
        ("Entries are removed when the window ends.", "Entries are removed since the window ends."),
    ],
    ids=["roles", "direction", "relation"],
)
def test_what_only_word_order_or_small_words_tell_is_not_seen(context: str, claim: str) -> None:
    """The limit that the card names in its first line: these are wrong, and called entailed."""
    assert all(ruling.entailed for ruling in both(context, claim))


def test_a_claim_without_a_telling_word_is_not_entailed_and_not_sure() -> None:
    """Nothing can be known of it."""
    for ruling in both(HALDEN, "It is so."):
        assert not ruling.entailed
        assert ruling.confidence == 0


def test_confidence_grows_with_the_distance_from_the_threshold() -> None:
    """A claim copied from the text is surest, a veto is hardly sure."""
    copied = quoted(held([HALDEN]), "The Halden bridge opened in 1931.")
    loose = quoted(held([HALDEN]), "The bridge at Halden was inaugurated by the king in 1931.")
    vetoed = quoted(held([HALDEN]), "The Halden bridge opened in 1932.")

    assert copied.confidence == 1
    assert copied.confidence > loose.confidence
    assert vetoed.confidence < 0.2


def test_a_reference_is_read_with_its_question() -> None:
    """ "30 days" answers for all that was asked; another number does not."""
    question = "How long are audit logs kept on the Team plan?"
    reference = held(["30 days."])

    assert quoted(reference, "Audit logs are kept for 30 days.", None, question).entailed
    assert not quoted(reference, "Audit logs are kept for 90 days.", None, question).entailed
    assert not quoted(reference, "Audit logs are kept for 30 days.").entailed


def test_a_chunk_is_useful_when_it_covers_the_question() -> None:
    """A chunk about another plan is not, for `quoted`; its best sentence is the evidence."""
    question = "How long are audit logs kept on the Team plan?"
    team = "Prices are listed below. On the Team plan, audit logs are kept for 30 days."
    other = "On the Enterprise plan, audit logs are kept for 90 days."
    maps = "The kiosk sells maps."
    chunks = [team, other, maps]

    assert useful(question, team, chunks, "quoted").quotes == (
        "On the Team plan, audit logs are kept for 30 days.",
    )
    assert useful(question, other, chunks, "plain").entailed
    assert not useful(question, other, chunks, "quoted").entailed
    assert not useful(question, maps, chunks, "quoted").entailed
    assert not useful("", team, chunks, "quoted").entailed


def test_a_claim_addresses_the_question_by_words_or_by_kind() -> None:
    """A bare number answers "how long", a bare name answers "who"."""
    question = "How long are audit logs kept on the Team plan?"

    assert addresses(question, "Audit logs are retained for 90 days.", "plain").entailed
    assert not addresses(question, "The kiosk sells maps.", "quoted").entailed
    assert addresses(question, "30 days.", "quoted").entailed
    assert not addresses(question, "30 days.", "plain").entailed
    assert addresses("Who designed it?", "Jan Novak.", "quoted").entailed


CHUNKS = st.lists(
    st.one_of(
        st.text(st.characters(), max_size=80),
        st.lists(
            st.sampled_from(["The pump is old. ", "90 days ", "Team plan ", "\n", "# ", "- ",
                             "| a ", "not ", "好的。", "{'a': 1}, ", "up to ", "only "]),
            max_size=12,
        ).map("".join),
    ),
    max_size=3,
)  # fmt: skip


@given(CHUNKS, st.one_of(st.text(st.characters(), max_size=80), CHUNKS.map("".join)))
def test_any_text_is_ruled_on_with_verbatim_evidence(chunks: list[str], claim: str) -> None:
    """Quotes stand in one of the texts; a not entailed claim has none; twice is the same."""
    against = held(chunks)
    for ruling in (plain(against, claim), quoted(against, claim)):
        assert 0 <= ruling.confidence <= 1
        assert all(any(q in text for text in chunks) for q in ruling.quotes)
        assert ruling.entailed or not ruling.quotes
    assert quoted(against, claim) == quoted(held(chunks), claim)
