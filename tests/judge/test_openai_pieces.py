"""What an endpoint says is understood: refusals of parameters, errors, waits, odd bodies, keys."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from judge_support import spec
from trueup.domain.judging import Usage
from trueup.judge.base import CallFailed
from trueup.judge.openai_errors import classify, read_error, retry_after
from trueup.judge.openai_params import Accepted
from trueup.judge.openai_reply import read_body
from trueup.judge.render import Prompt
from trueup.judge.secrets import guard_logs, redactor

JUDGE = spec(params={"temperature": 0, "max_output_tokens": 50, "seed": 1, "top_p": 0.9})
PROMPT = Prompt("system", "user", "b")


def refuse(accepted: Accepted, status: int = 400, **error: Any) -> bool:
    """Let the endpoint refuse the body that would be sent now."""
    content = json.dumps({"error": error}).encode()
    return accepted.learn(read_error(status, content), accepted.body(JUDGE, PROMPT))


def test_everything_is_asked_for_at_first() -> None:
    """A strict schema, the newer name of the limit, all parameters."""
    body = Accepted().body(JUDGE, PROMPT)

    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["max_completion_tokens"] == 50
    assert (body["temperature"], body["seed"], body["top_p"]) == (0, 1, 0.9)
    assert [m["role"] for m in body["messages"]] == ["system", "user"]


def test_structured_output_is_stepped_down() -> None:
    """A strict schema, else an object, else plain text; noted."""
    accepted = Accepted()
    said = {"message": "json_schema is not supported", "param": "response_format"}
    assert refuse(accepted, **said)
    assert accepted.body(JUDGE, PROMPT)["response_format"] == {"type": "json_object"}
    assert accepted.notes == {"response_format": "json_object"}
    assert refuse(accepted, message="'response_format' must be absent")
    assert "response_format" not in accepted.body(JUDGE, PROMPT)
    assert accepted.notes == {"response_format": "not sent"}


def test_two_calls_refused_for_one_thing_teach_it_once() -> None:
    """What was sent is stepped down from, not what would be sent by now."""
    accepted = Accepted()
    sent = accepted.body(JUDGE, PROMPT)
    error = read_error(400, b'{"error": {"message": "json_schema?", "param": "response_format"}}')

    assert accepted.learn(error, sent)
    assert accepted.learn(error, sent)
    assert accepted.body(JUDGE, PROMPT)["response_format"] == {"type": "json_object"}


@pytest.mark.parametrize(
    ("message", "param", "gone"),
    [
        ("Unsupported parameter: 'temperature'", "temperature", "temperature"),
        ('Unknown name "seed"', None, "seed"),
        ("top_p is not allowed here", None, "top_p"),
    ],
)
def test_a_refused_parameter_is_left_out(message: str, param: str | None, gone: str) -> None:
    """By the field that the error points at, or by its name in the message."""
    accepted = Accepted()

    assert refuse(accepted, message=message, param=param)
    assert gone not in accepted.body(JUDGE, PROMPT)
    assert accepted.notes == {gone: "not sent"}


def test_the_limit_goes_by_its_other_name() -> None:
    """max_completion_tokens, else max_tokens, else none."""
    accepted = Accepted()
    assert refuse(accepted, message="Unrecognized argument: max_completion_tokens")
    assert accepted.body(JUDGE, PROMPT)["max_tokens"] == 50
    assert refuse(accepted, message="max_tokens unsupported", param="max_tokens")
    assert not {"max_tokens", "max_completion_tokens"} & accepted.body(JUDGE, PROMPT).keys()
    assert accepted.notes == {"max_output_tokens": "not sent"}


def test_a_list_of_errors_is_learned_at_once() -> None:
    """FastAPI names every field that it does not know."""
    accepted = Accepted()
    fields = ("response_format", "seed", "max_completion_tokens", "top_p")
    detail = [{"type": "extra_forbidden", "loc": ["body", f], "msg": "no"} for f in fields]
    error = read_error(422, json.dumps({"detail": detail}).encode())

    assert accepted.learn(error, accepted.body(JUDGE, PROMPT))
    body = accepted.body(JUDGE, PROMPT)
    assert body.keys() == {"model", "messages", "temperature", "max_tokens"}


def test_a_server_without_a_system_role_gets_one_message() -> None:
    """The instructions stand before the data."""
    accepted = Accepted()
    assert refuse(accepted, message="System role not supported", param="messages")
    assert accepted.body(JUDGE, PROMPT)["messages"] == [
        {"role": "user", "content": "system\n\nuser"}
    ]


def test_a_refusal_of_nothing_that_was_sent_teaches_nothing() -> None:
    """Then the call has failed."""
    accepted = Accepted()
    assert not refuse(accepted, message="Something else is wrong.")
    assert accepted.notes == {}


@pytest.mark.parametrize(
    ("status", "error", "reason", "scope"),
    [
        (401, {"code": "invalid_api_key"}, "auth", "run"),
        (403, {"message": "no"}, "auth", "run"),
        (402, {"message": "pay"}, "quota", "run"),
        (404, {"code": "model_not_found"}, "not_found", "run"),
        (429, {"code": "rate_limit_exceeded"}, "rate_limit", "retry"),
        (429, {"code": "insufficient_quota"}, "quota", "run"),
        (400, {"code": "context_length_exceeded"}, "context_length", "record"),
        (400, {"message": "This model's maximum context length is 8 tokens"}, "context_length",
         "record"),
        (413, {"message": "too large"}, "context_length", "record"),
        (400, {"code": "content_filter"}, "content_filter", "record"),
        (400, {"message": "odd"}, "bad_response", "record"),
        (408, {}, "bad_response", "retry"),
        (409, {}, "bad_response", "retry"),
        (500, {}, "bad_response", "retry"),
        (529, {"message": "context length of the queue"}, "bad_response", "retry"),
    ],
)  # fmt: skip
def test_a_status_says_whom_it_concerns(
    status: int, error: dict[str, str], reason: str, scope: str
) -> None:
    """The run, the record, or this moment."""
    said = read_error(status, json.dumps({"error": error}).encode())
    failed = classify(status, {}, said, lambda text: text)

    assert (failed.reason, failed.scope) == (reason, scope)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        (
            {
                "retry-after": "Wed, 21 Oct 2026 07:28:30 GMT",
                "date": "Wed, 21 Oct 2026 07:28:00 GMT",
            },
            30.0,
        ),
        (
            {
                "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT",
                "date": "Wed, 21 Oct 2026 07:28:30 GMT",
            },
            0.0,
        ),
    ],
)
def test_the_wait_is_read_in_every_form(headers: dict[str, str], seconds: float | None) -> None:
    """Seconds, milliseconds, a date by the server's own clock; nonsense is no wait."""
    assert retry_after(headers) == seconds


@pytest.mark.parametrize(
    "content", [b"", b"<html><h1>Bad</h1></html>", b"\xff\xfe", b'["x"]', b"7"]
)
def test_an_error_body_may_be_anything(content: bytes) -> None:
    """There is always a line to show, without tags."""
    message = classify(502, {}, read_error(502, content), lambda text: text).message

    assert message.startswith("HTTP 502: ")
    assert "<" not in message


def completion(**changes: Any) -> dict[str, Any]:
    """A chat completion."""
    body: dict[str, Any] = {
        "model": "m-2",
        "system_fingerprint": "fp",
        "choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 3, "completion_tokens": 2},
    }
    return body | changes


def body_of(value: Any, kind: str = "application/json") -> Any:
    """Read a 200 with this JSON."""
    return read_body(json.dumps(value).encode(), kind, {}, lambda text: text)


def test_a_completion_is_read() -> None:
    """Text, model, fingerprint, usage."""
    got = body_of(completion())

    assert (got.text, got.finish_reason, got.answered_model) == ("hello", "stop", "m-2")
    assert (got.system_fingerprint, got.usage) == ("fp", Usage(3, 2))


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (None, Usage()),
        ({}, Usage()),
        ({"prompt_tokens": 0, "completion_tokens": 0}, Usage()),
        ({"prompt_tokens": "12", "completion_tokens": "3"}, Usage(12, 3)),
        ({"prompt_tokens": 12.5, "completion_tokens": True}, Usage()),
        ({"prompt_tokens": 12}, Usage(12, None)),
        ("many", Usage()),
    ],
)
def test_usage_is_known_or_unknown(usage: Any, expected: Usage) -> None:
    """Zero tokens for a prompt is a server that does not know."""
    assert body_of(completion(usage=usage)).usage == expected


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, ""),
        ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"),
        ("x\x00\ud83d", "x\ufffd\ufffd"),
        (7, ""),
    ],
)
def test_content_comes_in_several_shapes(content: Any, text: str) -> None:
    """Parts are joined, what is no text is none, what cannot be stored is replaced."""
    choices = [{"message": {"content": content}, "finish_reason": "stop"}]
    assert body_of(completion(choices=choices)).text == text


@pytest.mark.parametrize(
    "value", ["warming up", None, [], {}, {"choices": []}, {"choices": None}, {"choices": [7]}]
)
def test_what_is_no_completion_is_a_bad_response(value: Any) -> None:
    """Worth another try."""
    with pytest.raises(CallFailed) as failed:
        body_of(value)
    assert (failed.value.reason, failed.value.scope) == ("bad_response", "retry")


def test_an_error_with_status_200_is_quoted_and_its_tokens_count() -> None:
    """The server's message, and what it cost."""
    with pytest.raises(CallFailed, match="crashed") as failed:
        body_of({"error": {"message": "upstream crashed"}, "usage": completion()["usage"]})
    assert failed.value.usage == Usage(3, 2)


def test_a_web_page_is_not_asked_again() -> None:
    """A login page of a proxy stays one."""
    with pytest.raises(CallFailed, match="proxy") as failed:
        read_body(b"<!doctype html><p>Sign in", "text/html", {}, lambda text: text)
    assert failed.value.scope == "record"


def test_several_choices_are_noted() -> None:
    """The first one counts."""
    first = completion()["choices"][0]
    other = {"message": {"content": "other"}, "finish_reason": "stop"}
    got = body_of(completion(choices=[first, other]))

    assert got.text == "hello"
    assert "choices" in got.notes


def test_a_stream_that_nobody_asked_for_is_joined() -> None:
    """Pieces of content, then how it ended."""
    events = [
        {"model": "m-2", "choices": [{"delta": {"content": "hel"}, "finish_reason": None}]},
        {"choices": [{"delta": {"content": "lo"}, "finish_reason": "stop"}]},
        {"choices": [], "usage": completion()["usage"]},
    ]
    lines = "".join(f"data: {json.dumps(e)}\n\n" for e in events)
    whole = f"{lines}data: [DONE]\n\n".encode()
    got = read_body(whole, "text/event-stream", {}, lambda text: text)
    assert (got.text, got.finish_reason, got.usage) == ("hello", "stop", Usage(3, 2))

    with pytest.raises(CallFailed, match="before the reply was finished"):
        read_body(lines.split("\n")[0].encode(), "text/event-stream", {}, lambda text: text)


def test_a_body_is_decoded_as_it_says() -> None:
    """By the charset of its type; an unknown one is UTF-8."""
    text = json.dumps(completion(model="é"), ensure_ascii=False)
    latin = read_body(text.encode("latin-1"), "application/json; charset=latin-1", {}, str)
    other = read_body(text.encode(), "application/json; charset=klingon", {}, str)

    assert latin.answered_model == other.answered_model == "é"


def test_a_key_is_taken_out_of_any_text() -> None:
    """The known one, and what looks like one."""
    redact = redactor("my-secret-key", None, "")

    assert redact("a my-secret-key b") == "a [key] b"
    assert "abcdef" not in redact("Incorrect API key provided: sk-proj-abcdef123456")
    assert "abcdef" not in redact("Authorization: Bearer abcdef123456")
    assert redact("nothing here") == "nothing here"


def test_a_key_is_taken_out_of_logs(caplog: pytest.LogCaptureFixture) -> None:
    """Message, arguments and traceback; other records stay as they are."""
    logger = logging.getLogger("openai._base_client")
    remove = guard_logs(redactor("my-secret-key"))
    caplog.set_level(logging.DEBUG)
    try:
        raise ValueError("my-secret-key")
    except ValueError:
        logger.exception("headers: %s", {"key": "my-secret-key"})
    logger.debug("status %d", 200)
    remove()

    assert "my-secret-key" not in caplog.text
    assert "[key]" in caplog.text
    assert "status 200" in caplog.text
