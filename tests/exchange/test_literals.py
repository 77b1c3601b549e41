"""Lists and yes/no in cells: read without evaluating anything."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.exchange.entries import FieldError
from trueup.exchange.literals import boolean, structured

_TEXTS = st.text(st.sampled_from("ab'\"\\,[]{}() \n\t1é漢😀"), max_size=8)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
        ("['a' 'b'\n 'c']", ["a", "b", "c"]),
        ("array(['a', 'b'], dtype=object)", ["a", "b"]),
        ("[]", []),
        ("  [ 'it\\'s', \"x\" , ] ", ["it's", "x"]),
        ("['\\d+']", ["\\d+"]),
        ("[{'text': 'a', 'id': None, 'ok': True}]", [{"text": "a", "id": None, "ok": True}]),
        ('{"a": [1, 2.5, null]}', {"a": [1, 2.5, None]}),
        ("{'a': (1, 2)}", {"a": [1, 2]}),
        ('["\\ud83d"]', ["\ufffd"]),
    ],
)
def test_a_list_written_as_text_is_a_list(text: str, value: Any) -> None:
    """In JSON, in Python, as numpy prints it."""
    assert structured(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "plain", "[1] Every ride includes 45 minutes.", "[see] above", "[a, b]", "{not} json",
        "[1] [2]", "", "[", "{", "[]x", "a [b]", "[x for x in y]", "{1, 2}", "[...]", "[1",
        "[lambda: 0]", "[b'bytes']",
    ],
)  # fmt: skip
def test_a_text_in_brackets_is_a_text(text: str) -> None:
    """What is no list stays what it was."""
    assert structured(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "['a', oops']", "['a', nan]'b']", "['a', __import__('os').system('x'), 'b']",
        "[" * 600 + "]" * 600, "[\"a\", f'{1}', \"b\"]",
    ],
)  # fmt: skip
def test_a_list_that_cannot_be_read_is_refused(text: str) -> None:
    """It is not taken for one text, and nothing in it is run."""
    with pytest.raises(FieldError, match=r"looks like a list|nested too deeply"):
        structured(text)


@given(st.lists(_TEXTS, max_size=4))
def test_any_list_of_texts_survives_its_printing(texts: list[str]) -> None:
    """Python's repr, and the same without commas, read back as the same."""
    assert structured(repr(texts)) == texts
    assert structured("[" + "\n ".join(map(repr, texts)) + "]") == texts


@given(st.text(st.sampled_from("[]{}'\",: abn1\\\n"), max_size=30))
def test_no_text_breaks_the_reader(text: str) -> None:
    """A value, the text itself, or a refusal."""
    try:
        value = structured(text)
    except FieldError:
        return
    assert value == text or isinstance(value, (list, dict))


@pytest.mark.parametrize("word", ["true", "TRUE", "T", "yes", "Y", "1", "1.0", " True ", 1, 1.0])
def test_yes(word: Any) -> None:
    """The spellings of true."""
    assert boolean(word) is True


@pytest.mark.parametrize("word", ["false", "FALSE", "F", "no", "n", "0", "0.0", 0, 0.0, False])
def test_no(word: Any) -> None:
    """The spellings of false: never true because they are not empty."""
    assert boolean(word) is False


@pytest.mark.parametrize("word", ["", "  ", None, float("nan")])
def test_nothing(word: Any) -> None:
    """Empty is unknown."""
    assert boolean(word) is None


@pytest.mark.parametrize("word", ["maybe", "2", "NA", "null", "-1", 2, 0.5, "oui", [True]])
def test_anything_else_is_an_error(word: Any) -> None:
    """It is not guessed."""
    with pytest.raises(FieldError, match="must be true, false"):
        boolean(word)
