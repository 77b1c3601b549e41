"""Every behaviour that the misbehaving server knows ends in the right verdicts or reason."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import pytest

from judge_support import FakeServer, ListSink, finish, spec, task
from shared import shared_dir
from trueup.domain.model import JudgeSpec
from trueup.judge.openai_backend import OpenAIBackend
from trueup.judge.options import RunOptions, RunStopped
from trueup.judge.retry import RetryPolicy
from trueup.judge.runner import Run

CONTEXT = (
    "The Varn tunnel opened in 1964. It is 3,310 metres long and has one tube.\n\n"
    'Tolls are set by the canton, not by the state. A guide calls it "a cold kilometre" - so be it.'
)
CLAIMS = (
    "The Varn tunnel opened in 1964.",
    "It is 9,310 metres long.",
    "Tolls are set by the canton, not by the state.",
)
RIGHT = (True, False, True)


@dataclass(frozen=True)
class Expected:
    """`verdicts`: entailed, or None for undecided; `own` before the rule `required`, if it differs.

    `reason` of what is undecided, `flags` of some verdict, `notes` of the run; `stop` is the reason
    of a run that stopped, `requests` the number of requests, `model` the asked one where the mode
    needs an option.
    """

    verdicts: tuple[bool | None, ...] = RIGHT
    own: tuple[bool, ...] | None = None
    reason: str | None = None
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    match: str | None = None
    stop: bool = False
    requests: int | None = None
    model: str | None = None


def failed(reason: str, **more: Any) -> Expected:
    """Nothing is decided, for this reason."""
    return Expected((None, None, None), reason=reason, **more)


def not_quoted(*flags: str, **more: Any) -> Expected:
    """The judge says it, its quotes do not carry it."""
    return Expected((False, False, False), own=RIGHT, flags=(*flags, "evidence_rule"), **more)


UNMATCHED = failed("missing_verdict", requests=1)
WAITS = Expected(requests=2)
STOPS = {"stop": True, "requests": 1}

EXPECTED: dict[str, Expected] = {
    **dict.fromkeys(
        ("ok", "fences", "prose", "think", "think-open", "reasoning", "nan", "wrapped", "array",
         "extra-keys", "extra-claims", "reordered", "bom", "parrot", "gullible", "no-model",
         "no-usage", "null-usage", "zero-usage", "string-usage", "finish-null", "parts",
         "sse-anyway", "gzip", "latin1", "no-stream-options"),
        Expected(requests=1),
    ),
    "two-json": Expected(flags=("several_objects",)),
    "think-unclosed": failed("truncated"),
    "reasoning-only": failed("empty"),
    "truncated": failed("truncated", requests=3),
    "whitespace": failed("truncated"),
    "huge": failed("truncated"),
    "deep": failed("parse", requests=1),
    **dict.fromkeys(
        ("truncated-stop", "invalid-json", "trailing-comma", "single-quotes", "comments",
         "rf-ignored", "refusal-text"),
        failed("parse", requests=1),
    ),
    **dict.fromkeys(("wrong-types", "string-bools", "int-bools", "other-keys", "no-claims-key"),
                    failed("schema", requests=1)),
    "dup-keys": Expected((None, False, None), reason="schema"),
    "null-entailed": Expected((True, False, None), reason="schema", requests=2),
    "missing-key": Expected((True, False, None), reason="schema", requests=2),
    "missing-claims": Expected((True, None, True), reason="missing_verdict", requests=2),
    "dup-claims": failed("schema", flags=("conflicting_verdicts",), requests=1),
    "empty-claims": UNMATCHED,
    "empty-content": failed("empty"),
    "null-content": failed("empty"),
    "tool-call": failed("empty"),
    **dict.fromkeys(("surrogate", "ansi", "markup", "html", "formula", "bidi"), UNMATCHED),
    **dict.fromkeys(("unicode-quotes", "reflow", "case-evidence", "quoted-evidence"),
                    Expected(match="normalised")),
    "nfd": Expected(),
    "list-evidence": Expected(match="exact"),
    "answer-evidence": Expected(match="exact"),
    "ellipsis": not_quoted("quote_elided", match="elided"),
    "paraphrase": not_quoted("quote_absent", match="absent"),
    "hallucinated": not_quoted("quote_absent", "same_quote_everywhere", match="absent"),
    "prompt-evidence": not_quoted("quote_absent", match="absent"),
    "nul": not_quoted("quote_absent", match="absent"),
    "empty-evidence": not_quoted("no_evidence"),
    "null-evidence": not_quoted("no_evidence"),
    "flip": Expected((False, False, False), own=(False, True, False), model="flip@p1"),
    "flip-fixed": Expected((False, False, False), own=(False, True, False), model="flip-fixed@p1"),
    "lenient": Expected(RIGHT, own=(True, True, True), flags=("quote_absent",)),
    "harsh": Expected((False, False, False)),
    "refusal": failed("refusal", requests=1),
    "content_filter": failed("content_filter", requests=1),
    "content_filter-400": failed("content_filter", requests=1),
    "429": Expected(requests=2, model="429@ra0.1"),
    "429-date": WAITS,
    "429-ms": Expected(requests=2, model="429-ms@ra0.1"),
    "429-bare": WAITS,
    "429-long": failed("rate_limit", **STOPS),
    "429-forever": failed("rate_limit", model="429-forever@ra0.05"),
    "quota": failed("quota", **STOPS),
    "500": WAITS,
    "500-forever": failed("bad_response", requests=3),
    "502-html": WAITS,
    "503": Expected(requests=2, model="503@ra0.1"),
    "408": WAITS,
    "409": WAITS,
    "529": WAITS,
    "hang": failed("timeout", requests=3),
    "hang-once": WAITS,
    "hang-headers": failed("timeout", requests=3),
    "slow": failed("timeout", requests=3),
    "disconnect": failed("bad_response", requests=3),
    "disconnect-once": WAITS,
    "close": WAITS,
    "reset": WAITS,
    "bad-http": failed("bad_response", requests=3),
    "wrong-model": Expected(),
    "no-choices": failed("bad_response", requests=3),
    "null-choices": failed("bad_response", requests=3),
    "error-200": failed("bad_response", requests=3),
    "html-200": failed("bad_response", requests=1),
    "json-string-200": failed("bad_response", requests=3),
    "empty-200": failed("bad_response", requests=3),
    "multi-choice": Expected(notes=("choices",)),
    "no-schema": Expected(notes=("response_format",), requests=2),
    "no-rf": Expected(notes=("response_format",), requests=2),
    "no-temperature": Expected(notes=("temperature",), requests=2),
    "temperature-1": Expected(notes=("temperature",), requests=2),
    "no-max-tokens": Expected(requests=1),
    "no-max-completion": Expected(notes=("max_output_tokens",), requests=2),
    "no-seed": Expected(notes=("seed",), requests=2),
    "no-system": Expected(notes=("system",), requests=2),
    "strict-params": Expected(notes=("response_format", "temperature", "seed"), requests=4),
    "unknown-422": Expected(notes=("response_format", "seed", "max_output_tokens"), requests=2),
    "needs-user": Expected(notes=("user",), requests=2),
    "context-length": failed("context_length", requests=1, model="context-length@k1"),
    "401": failed("auth", **STOPS),
    "401-echo": failed("auth", **STOPS),
    "403": failed("auth", **STOPS),
    "404": failed("not_found", **STOPS),
    "404-html": failed("not_found", **STOPS),
}  # fmt: skip


def judge(model: str, url: str) -> JudgeSpec:
    """A strict judge with every parameter that a server may refuse."""
    params = {"temperature": 0, "max_output_tokens": 2000, "seed": 7}
    return spec(model=model, base_url=url, params=params, evidence="required")


def deadline(mode: str, expected: Expected) -> float:
    """Short for a server that never answers; long for the others, however busy the machine is."""
    return 0.3 if expected.reason == "timeout" or mode == "hang-once" else 30.0


async def judged(
    fake: FakeServer, model: str, timeout_s: float
) -> tuple[Run, ListSink, RunStopped | None]:
    """One record of three claims."""
    sink = ListSink()
    backend = OpenAIBackend(fake.url)
    policy = RetryPolicy(retries=2, base_s=0.001, cap_s=0.01, patience_s=2)
    options = RunOptions(retry=policy, timeout_s=timeout_s, seed=1, progress_s=0.02)
    run = Run([task(CLAIMS, CONTEXT)], judge(model, fake.url), backend, sink, options)
    stopped = None
    try:
        await finish(run)
    except RunStopped as error:
        stopped = error
    finally:
        await backend.aclose()
    return run, sink, stopped


@pytest.mark.parametrize("mode", EXPECTED)
async def test_a_mode_ends_as_it_should(mode: str, fake: FakeServer) -> None:
    """Verdicts, reasons, flags, notes and the number of requests of one behaviour."""
    expected = EXPECTED[mode]
    run, sink, stopped = await judged(fake, expected.model or mode, deadline(mode, expected))

    names = {True: "entailed", False: "not_entailed", None: "undecided"}
    assert [v.value for v in sink.verdicts] == [names[e] for e in expected.verdicts]
    own = expected.own or tuple(e for e in expected.verdicts if e is not None)
    said = [v.own_value for v in sink.verdicts if v.value != "undecided"]
    assert said == [names[e] for e in own]
    reasons = {v.reason for v in sink.verdicts if v.value == "undecided"}
    assert reasons == ({expected.reason} if expected.reason else set())
    assert set(expected.flags) <= {f for v in sink.verdicts for f in v.flags}
    if expected.match:
        found = {e.match for v in sink.verdicts for e in v.evidence}
        assert found <= {expected.match, "exact"} if expected.match == "normalised" else found
        assert expected.match in found
    assert (stopped is not None) is expected.stop
    check_run(run, expected, fake)


def check_run(run: Run, expected: Expected, fake: FakeServer) -> None:
    """The summary is true, and the server was asked as often as it says."""
    assert run.summary is not None
    assert set(expected.notes) == set(run.summary.notes)
    assert run.summary.units == 3
    assert sum(run.summary.undecided.values()) == expected.verdicts.count(None)
    stats = fake.stats()
    assert stats["count"] == (expected.requests or stats["count"])
    assert stats["retry_gaps"]["earlier_than_retry_after"] == 0
    if not expected.notes:
        assert run.summary.calls == stats["count"]


def test_every_mode_has_an_expectation() -> None:
    """The server's own list has nothing that is not tried here."""
    program = (shared_dir() / "tools" / "fake_openai.py").read_text("utf-8")
    tables = re.findall(
        r"^(?:CONTENT|PROTOCOL)_MODES = \{\n(.*?)^\}", program, re.MULTILINE | re.DOTALL
    )
    modes = {m for table in tables for m in re.findall(r'^    "([^"]+)":', table, re.MULTILINE)}

    assert len(modes) > 100
    assert modes - EXPECTED.keys() == set()
