"""From an answer to its claims: what is one, what is none, where it stands, what it needs."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared import golden_cases
from trueup.domain.model import Span
from trueup.judge.splitting import SPLITTER_VERSION, split_claims


def texts(answer: str) -> list[str]:
    """The texts of an answer's claims."""
    return [c.text for c in split_claims(answer).claims]


def test_the_splitter_names_itself_with_a_version() -> None:
    """A claim set is keyed by it."""
    assert SPLITTER_VERSION == "embedded/1"


def test_a_citation_at_the_end_is_not_part_of_the_claim() -> None:
    """The span leaves it out too."""
    (claim,) = split_claims("Audit logs are retained for 90 days. [c-9930]").claims

    assert claim.text == "Audit logs are retained for 90 days."
    assert claim.span == Span(0, 36)


def test_two_identical_sentences_stay_two_claims() -> None:
    """Each with its own place."""
    first, second = split_claims("The rain fell. The rain fell.").claims

    assert (first.span, second.span) == (Span(0, 14), Span(15, 29))


@pytest.mark.parametrize(
    "answer",
    [
        "# Retention of audit logs",
        "Retention of logs\n=================",
        "**Retention of audit logs:**",
        "How long are audit logs kept?",
        "ログはいつまで保存されますか？",
        "ما هي المدة؟",
        "Hello! Great question.",
        "Sure, here is what I found:",
        "Thank you for your question.",
        "I hope this helps! Let me know if you have further questions.",
        "[c-9930]",
        "[1] [2, 3]",
        "https://docs.example/audit-logs",
        "Sources: [Audit logs](https://docs.example/audit-logs)",
        "```\nThe log is kept for 90 days.\n```",
        "~~~python\nlogs.keep(days=90)\n",
        "Text:\n\n    logs.keep(days=90);",
        "---",
        "Jan Novak",
        "Yes.",
        "",
        " \n\t ",
        "42",
    ],
)
def test_what_states_nothing_is_no_claim(answer: str) -> None:
    """Headings, questions, greetings, citations alone, code, bare names."""
    assert texts(answer) == []
    assert not split_claims(answer).abstained


@pytest.mark.parametrize(
    "answer",
    [
        "Prices rose.",
        "30 days on the Team plan.",
        "Thanks to the new pump, output rose.",
        "Hello Kitty was created in 1974.",
        "No, the plan has a limit.",
        "Contact the billing team within 30 days to get a refund.",
        "The API does not provide hooks.",
        "The document does not contain macros.",
        "The logs are kept for 90 days (source: docs/a.md).",
        "**The bridge opened in 1931.**",
        "There is no limit on the number of users.",
        "We do not sell data to anyone.",
        "The plan is not available in Norway.",
    ],
)
def test_a_statement_is_one_claim(answer: str) -> None:
    """Also a short one, a negative one, one that looks like a greeting."""
    assert len(texts(answer)) == 1


DECLINING = [
    "I don't know.",
    "I'm sorry, but I cannot answer this question based on the provided documents.",
    "The documents do not say.",
    "The provided context does not mention the retention period on the Team plan.",
    "Unfortunately, there is no information about the Team plan in the context.",
    "Based on the given sources, I am not able to determine the price.",
    "The source does not answer the question.",
    "This is not specified in the documentation.",
    "I do not have information about that. Please contact support.",
    "Ich weiß es leider nicht.",
    "Die Dokumente enthalten keine Angaben dazu.",
    "Dazu gibt es in den Unterlagen keine Informationen.",
    "Je ne sais pas.",
    "Le contexte fourni ne mentionne pas la durée.",
    "Lo siento, no lo sé.",
    "Los documentos no mencionan la duración.",
    "Non lo so.",
    "I documenti non menzionano la durata.",
    "Não sei.",
    "Ik weet het niet.",
    "Nie wiem.",
    "Jag vet inte.",
    "Bilmiyorum.",
    "Я не знаю.",
    "В документах не указано.",
    "لا أعرف.",
    "لا تذكر الوثائق ذلك.",
    "मुझे नहीं पता।",
    "抱歉，我不知道。",
    "提供的文档没有提到保留期限。",
    "わかりません。",
    "文書には記載されていません。",
    "모르겠습니다.",
    "문서에는 관련 정보가 없습니다.",
]


@pytest.mark.parametrize("answer", DECLINING)
def test_an_answer_that_only_declines_is_abstained(answer: str) -> None:
    """In the languages that answers are most often in; it claims nothing."""
    result = split_claims(answer)

    assert result.abstained
    assert result.claims == ()


def test_an_answer_that_declines_a_part_is_judged_on_the_rest() -> None:
    """Also when both stand in one sentence."""
    assert texts("The documents do not say when it closed. It opened in 1931.") == [
        "It opened in 1931."
    ]
    result = split_claims("I don't know the date, but the bridge opened in 1931.")
    assert [c.text for c in result.claims] == ["the bridge opened in 1931."]
    assert not result.abstained


def test_list_items_are_claims_with_the_line_that_introduces_them() -> None:
    """ "Team: 30 days" says nothing without it; a new paragraph ends the list."""
    answer = (
        "The plans keep logs for:\n- Free: 7 days\n* **Team**: 30 days [c-2]\n1. Enterprise\n\n"
        "All are free."
    )

    claims = split_claims(answer).claims

    assert [(c.text, c.context) for c in claims] == [
        ("Free: 7 days", "The plans keep logs for:"),
        ("**Team**: 30 days", "The plans keep logs for:"),
        ("Enterprise", "The plans keep logs for:"),
        ("All are free.", None),
    ]


def test_a_date_at_the_start_of_a_line_is_no_list_number() -> None:
    """Numbers mark an item when they begin at 1 or go on."""
    assert texts("Das Fest ist am\n30. April 2024 in der Stadt.") == [
        "Das Fest ist am\n30. April 2024 in der Stadt."
    ]
    assert texts("1. It opens.\n2. It closes.") == ["It opens.", "It closes."]


def test_table_rows_are_claims_with_their_headers() -> None:
    """The span is that of the row's cells; the row of dashes and the header claim nothing."""
    answer = "| Plan | Days | Note |\n|---|---:|---|\n| Free | 7 | |\n| Team | 30 | by mail |\n"

    claims = split_claims(answer).claims

    assert [c.text for c in claims] == [
        "Plan: Free; Days: 7",
        "Plan: Team; Days: 30; Note: by mail",
    ]
    assert [answer[c.span.start : c.span.end] for c in claims] == [
        "Free | 7",
        "Team | 30 | by mail",
    ]


def test_soft_line_breaks_do_not_cut_a_sentence() -> None:
    """A short line that ends on a small word goes on; a short line of its own does not."""
    assert len(texts("The bridge opened in\n1931 and is owned by the\ncounty.")) == 1
    assert texts("Overview\n\nThe bridge opened in 1931.") == ["The bridge opened in 1931."]


POINTING = {
    "en": ("The pump runs at 40 bar. It stops at night.", "The pump runs at 40 bar."),
    "linking words": ("The pump is old. However, it runs.", "The pump is old."),
    "of": ("The pump is old. Its valve leaks.", "The pump is old."),
    "de": ("Die Pumpe ist nicht neu. Sie läuft.", "Die Pumpe ist nicht neu."),
    "fr": ("La pompe est dans la cave. Elle est vieille.", "La pompe est dans la cave."),
    "es": ("La bomba es de la empresa. Esta funciona.", "La bomba es de la empresa."),
    "ru": ("Насос старый. Он работает.", "Насос старый."),
    "ar": ("المضخة قديمة جدا. هي تعمل الآن.", "المضخة قديمة جدا."),
    "hi": ("पंप पुराना है। यह चलता है।", "पंप पुराना है।"),
    "zh": ("泵在1990年制造。它很旧。", "泵在1990年制造。"),
    "ja": ("ポンプは古いです。それは動きます。", "ポンプは古いです。"),
    "ko": ("펌프는 오래되었습니다. 이것은 작동합니다.", "펌프는 오래되었습니다."),
    "heading": ("# Audit logs\n\nThey are kept for 90 days.", "Audit logs"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "context"), POINTING.values(), ids=POINTING.keys())
def test_a_leading_pronoun_carries_the_sentence_of_its_subject(answer: str, context: str) -> None:
    """So that the claim can be judged by itself."""
    assert split_claims(answer).claims[-1].context == context


def test_a_chain_of_pronouns_goes_back_to_the_sentence_that_names_the_subject() -> None:
    """Not to the pronoun before."""
    claims = split_claims("The pump runs at 40 bar. It stops at night. It restarts at six.").claims

    assert [c.context for c in claims] == [None, *["The pump runs at 40 bar."] * 2]


CUT = {
    "pronoun": "The pump runs at 40 bar| and |it stops at 60 bar.",
    "article after a comma": "The Team plan costs 5 euros|, and |the Enterprise plan includes SSO.",
    "name after a comma": "Ana wrote the manual|, but |Ben has the keys.",
    "semicolon": "The Team plan costs 5 euros|; |the Free plan does not include SSO.",
    "three": "The pump is old|, |the valve is new|",
    "German": "Das Haus wurde 1990 gebaut|, und |es hat 3 Etagen.",
    "French": "La pompe est vieille|, mais |elle peut servir.",
    "Spanish": "La bomba es vieja|, pero |esta tiene garantía.",
    "Chinese": "他住在北京|；|他的妻子住在上海。",
}  # fmt: skip


@pytest.mark.parametrize("kind", [k for k in CUT if k != "three"])
def test_two_statements_joined_are_two_claims(kind: str) -> None:
    """The joint belongs to neither; each has its span and both have the whole sentence's."""
    first, _, second = CUT[kind].split("|")
    answer = CUT[kind].replace("|", "")

    claims = split_claims(answer).claims

    assert [c.text for c in claims] == [first, second]
    assert all(answer[c.span.start : c.span.end] == c.text for c in claims)
    assert {c.sentence for c in claims} == {Span(0, len(answer))}


@pytest.mark.parametrize(
    "answer",
    [
        "If it rains and it is cold, the pump stops.",
        "The manual says that the pump is old and it is loud.",
        "The plan is fast and quiet.",
        "The plan includes SSO, audit logs and the API.",
        "The pump runs at 40 bar or it is off.",
        "Either the pump is off, and the valve is shut, or it leaks.",
        "Logs are kept for the Team plan and the Enterprise plan is billed.",
        "He said (the pump is old and it is loud) twice.",
        "The plans are Free, Team; Enterprise.",
        "When the pump is on, and the valve is open, water flows.",
        "Das Haus ist alt und groß.",
    ],
)
def test_when_in_doubt_nothing_is_cut(answer: str) -> None:
    """Conditions, reported speech, lists, alternatives and brackets stay whole."""
    assert texts(answer) == [answer]


def test_a_part_that_begins_with_a_pronoun_carries_its_own_sentence() -> None:
    """The first part names the subject."""
    answer = "The pump runs at 40 bar and it stops at 60 bar."

    assert [c.context for c in split_claims(answer).claims] == [None, answer]


def test_a_bare_fragment_is_a_claim_of_a_reference_only() -> None:
    """References are often a name or a figure; a declining or empty one still claims nothing."""
    assert [c.text for c in split_claims("Jan Novak", of="reference").claims] == ["Jan Novak"]
    assert [c.text for c in split_claims("1931", of="reference").claims] == ["1931"]
    assert split_claims("I don't know.", of="reference").abstained
    assert split_claims("  ", of="reference").claims == ()


@pytest.mark.parametrize("case", golden_cases("judge", "no-claims", "abstention"))
def test_answers_that_state_nothing_have_no_claims(case: dict[str, dict[str, str]]) -> None:
    """A name, "I don't know", "the source does not answer": nothing to score, never 1."""
    assert split_claims(case["input"]["answer"]).claims == ()


@pytest.mark.parametrize("case", golden_cases("judge", "cjk-punctuation", "fences", "think"))
def test_every_sentence_of_an_answer_is_found(case: dict[str, dict[str, list[bool]]]) -> None:
    """As many claims as the case has verdicts, also where sentences end in 。."""
    answer = str(case["input"]["answer"])

    assert len(texts(answer)) == len(case["check"]["entailed"])


PIECES = st.lists(
    st.one_of(
        st.text(st.characters(), max_size=20),
        st.sampled_from(
            ["The pump is old. ", "It runs. ", "\n", "\n\n", "- ", "1. ", "| a | b |\n",
             "|---|---|\n", "```", "# ", "> ", "[c-1]", " and it is ", "; ", "...", "\r\n",
             "好。", "I don't know. ", "\u2028", "**", "(", ")", "\"", "   ", "https://a.example. "]
        ),
    ),
    max_size=25,
).map("".join)  # fmt: skip


@given(PIECES)
def test_any_text_is_taken_and_every_claim_stands_where_it_says(answer: str) -> None:
    """Claims are in order, apart, inside their sentence, and hold the answer's own words."""
    result = split_claims(answer)

    at = 0
    for claim in result.claims:
        assert at <= claim.span.start < claim.span.end <= len(answer)
        assert claim.sentence.start <= claim.span.start < claim.span.end <= claim.sentence.end
        place = answer[claim.span.start : claim.span.end]
        assert claim.text == place or ("|" in place or ": " in claim.text)
        at = claim.span.end
    assert not (result.abstained and result.claims)
    assert result == split_claims(answer)


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        ". ",
        "(",
        "“a",
        "`",
        "|",
        "a|b\n",
        "- a\n",
        "[a,",
        "[1]",
        "好。",
        "sorry, ",
        "> ",
        "**",
        ";",
    ],
)
def test_a_text_of_200_000_characters_is_split(unit: str) -> None:
    """Repetition that invites backtracking costs no more than other text."""
    split_claims(unit * (200_000 // len(unit)))
