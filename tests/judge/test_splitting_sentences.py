"""Sentence boundaries: the hard cases, in many languages, and offsets that always hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.judge.splitting.language import guess_language
from trueup.judge.splitting.sentences import sentences

HARD = {
    "titles and decimals": "Dr. Smith paid 3.14 euros.| It rained.",
    "initials": "J. R. Tolkien wrote it.| He taught.",
    "dotted abbreviations": "Logs, e.g. audit logs, are kept.| The U.S. office keeps more.",
    "time of day at the end": "It stops at 5 p.m.| The pump starts at 6 a.m. on Monday.",
    "figures and months": "See no. 5 on Jan. 5.| It closes in approx. 3 days.",
    "citation after the mark": "It is 90 days. [c-9930]| Then next.[1][2]| Last.",
    "citation before the mark": "It is 90 days [c-9930].| Then next.",
    "numbered source": "It is 90 days.【4†source】| Then next.",
    "address": "See https://a.example/b.html?x=1.| Write to a.b@c.example.| Done.",
    "file, version, call": "Version v1.2.3 is out.| Use foo.bar() in config.toml now.",
    "inline code": "Run `make. all` first.| Then stop.",
    "brackets": "It works.| (See Fig. 3. It helps.)| Good.",
    "quotation inside": 'He said "Stop!" and left.| He came.',
    "quotation at the end": 'He said "Go."| Then he left.',
    "ellipsis": "It rose…| Then it fell...| And it rose.",
    "ellipsis inside": "It rose ... and then it fell.| Done.",
    "company": "Acme Inc. was founded in 1999.| The firm is old.",
    "single letter and a new sentence": "Use plan B.| The other is older.",
    "no space after the mark": "It was founded in 1999.|The owner left.",
    "emphasis": "**It opened.**| It closed.",
    "German": "Am 3. Mai, z. B. um 9.| Es kostet 1.234,56 € usw.| Der Preis gilt bis 31.12.2024.",
    "German abbreviations": "Nr. 5 ist Dr. Müller.| Er kommt ggf. später.",
    "French": "Il a vu M. Dupont.| Elle est partie.",
    "Spanish": "El Sr. Pérez llegó.| ¿Quién es?| ¡Es él!",
    "Chinese": "他说：“好。”|然后走了！|真的吗？|是3.5米。",
    "Japanese": "塔は1958年に完成した。|高さは333メートルである。",
    "marks inside quotation": "彼は「行く。帰る！」と言った。|次の日も同じだった。",
    "comma after quotation": "他说“好的。”，然后走了。|我来了。",
    "Arabic": "هذا هو السطر الأول.| هل هذا سؤال؟| نعم، هو كذلك.",
    "Hindi": "यह पहला वाक्य है।| यह दूसरा है।| डॉ. शर्मा आए।",
    "emoji": "😀 One.| Two 🎉🎉.| Three.",
}  # fmt: skip


@pytest.mark.parametrize("marked", HARD.values(), ids=HARD.keys())
def test_a_sentence_ends_where_a_reader_ends_it(marked: str) -> None:
    """Each `|` in the text is a boundary, and nothing else is; both parts keep their words."""
    expected = [part.strip() for part in marked.split("|")]
    text = marked.replace("|", "")

    found = [text[s.start : s.end] for s in sentences(text)]

    assert found == expected


LANGUAGES = {
    "en": "The logs are kept for 90 days.",
    "de": "Die Protokolle werden nicht länger aufbewahrt.",
    "fr": "Les journaux sont conservés dans la base.",
    "es": "Los registros se guardan en la base de datos.",
    "it": "I registri sono conservati nella base di dati.",
    "pt": "Os registros são guardados na base de dados.",
    "nl": "De logboeken worden niet langer bewaard.",
    "ru": "Журналы хранятся девяносто дней.",
    "ar": "تحفظ السجلات لمدة تسعين يوما.",
    "hi": "लॉग नब्बे दिन रखे जाते हैं।",
    "zh": "日志保留九十天。",
    "ja": "ログは九十日間保存される。",
    "ko": "로그는 구십 일 동안 보관됩니다.",
}


@pytest.mark.parametrize(("language", "text"), LANGUAGES.items(), ids=LANGUAGES.keys())
def test_the_language_is_told_from_script_and_small_words(language: str, text: str) -> None:
    """One sentence is enough for the languages with a list or a script of their own."""
    assert guess_language(text) == language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("es", "La señal de la casa."),
        ("fr", "La fête de la maison."),
        ("pt", "A informação de a casa."),
        ("sv", "En gård i en by."),
    ],
)
def test_letters_decide_where_small_words_are_shared(language: str, text: str) -> None:
    """Neighbouring languages have many of them in common."""
    assert guess_language(text) == language


def test_nothing_to_tell_a_language_by_counts_as_english() -> None:
    """An empty text and a bare name fall back, so that the rest works as ever."""
    assert guess_language("") == "en"
    assert guess_language("Zyxw 42") == "en"


@given(st.text(st.characters(), max_size=300))
def test_spans_are_ordered_apart_and_lose_no_word(text: str) -> None:
    """Sentences do not overlap, and what lies between them is space."""
    spans = sentences(text)

    at = 0
    for span in spans:
        assert at <= span.start < span.end <= len(text)
        assert not text[at : span.start].strip()
        at = span.end
    assert not text[at:].strip()


def test_a_text_without_spaces_is_fed_in_windows_and_keeps_every_boundary() -> None:
    """20,000 code points of short Chinese sentences: one span each."""
    assert len(sentences("好的。" * 7000)) == 7000


def test_a_long_stretch_without_a_mark_is_one_sentence() -> None:
    """Windows that end where no sentence does leave no boundary behind."""
    assert len(sentences("word " * 8000)) == 1
