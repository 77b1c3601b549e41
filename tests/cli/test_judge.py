"""`trueup judge` against an endpoint: resume, one reply for every evidence rule, batches, cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from endpoint import Endpoint
from runner import Command

TOML = """
[judges.current]
model = "m"
base_url = "{url}"
prompt = "quoted"
price_per_million = {{ input = 1.0, output = 2.0 }}

[judges.strict]
extends = "current"
evidence = "required"

[judges.unpriced]
model = "other"
base_url = "{url}"
"""


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    server = Endpoint()
    yield server
    server.close()


@pytest.fixture
def ready(trueup: Command, tmp_path: Path, endpoint: Endpoint) -> Command:
    """A workspace of three records of two claims, and judges at the endpoint."""
    records = [
        {"id": f"r{i}", "question": "q", "context": [f"Tea {i} is hot."], "answer": "a",
         "claims": [{"text": f"Tea {i} is hot."}, {"text": f"Tea {i} is cold."}]}
        for i in range(3)
    ]  # fmt: skip
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, records)), "utf-8")
    trueup("init")
    (tmp_path / "trueup.toml").write_text(TOML.format(url=endpoint.url), "utf-8")
    assert trueup("import", "r.jsonl").code == 0
    return trueup


def test_a_second_run_asks_nothing(ready: Command, endpoint: Endpoint) -> None:
    """Six units in three calls; then everything is there."""
    first = ready("judge", "--json").json()
    second = ready("judge", "--json").json()

    assert (first["calls"], first["units"], first["entailed"]) == (3, 6, 6)
    assert (second["calls"], second["units"], second["cached"]) == (0, 0, 6)
    assert endpoint.calls == 3


def test_one_reply_serves_every_evidence_rule(ready: Command, endpoint: Endpoint) -> None:
    """Under `required` the same replies are read again: absent quotes make it not entailed."""
    ready("judge", "--judge", "current")
    strict = ready("judge", "--judge", "strict", "--json").json()
    (run,) = strict["runs"]

    assert endpoint.calls == 3
    assert (run["calls"], run["reread"], run["cached"]) == (0, 3, 6)
    exported = [json.loads(line) for line in ready("export").out.splitlines()]
    said = [c["judges"] for r in exported for c in r["claims"]]
    assert {e["entailed"] for s in said for k, e in s.items() if "strict" in k} == {False}
    assert {e["entailed"] for s in said for k, e in s.items() if "current" in k} == {True}


def test_reparse_never_calls(ready: Command, endpoint: Endpoint) -> None:
    """Without stored replies there is nothing to read, and nothing is asked."""
    said = ready("judge", "--reparse", "--json").json()

    assert (said["calls"], said["units"]) == (0, 0)
    assert endpoint.calls == 0


def test_a_dry_run_estimates_and_asks_nothing(ready: Command, endpoint: Endpoint) -> None:
    """Calls, tokens and cost, as far as they are known."""
    said = ready("judge", "--dry-run", "--json").json()
    unpriced = ready("judge", "--judge", "unpriced", "--dry-run", "--json").json()

    assert endpoint.calls == 0
    assert (said["calls"], said["units"]) == (3, 6)
    assert said["cost"] > 0
    assert unpriced["cost"] is None


def test_cost_is_the_servers_usage_at_the_price(ready: Command) -> None:
    """Three calls of 10 tokens in and 5 out; an unknown price is null, never 0."""
    said = ready("judge", "--json").json()
    unpriced = ready("judge", "--judge", "unpriced", "--json").json()

    assert said["cost"] == pytest.approx(3 * (10 * 1.0 + 5 * 2.0) / 1e6)
    assert unpriced["cost"] is None
    assert unpriced["input_tokens"] == 30


def test_a_cost_cap_without_a_price_is_refused(ready: Command, endpoint: Endpoint) -> None:
    """A cap that cannot be kept is no cap."""
    said = ready("judge", "--judge", "unpriced", "--max-cost", "1")

    assert said.code == 2
    assert "price" in said.err
    assert endpoint.calls == 0


def test_batches_go_out_and_come_back(ready: Command, tmp_path: Path, endpoint: Endpoint) -> None:
    """Request files are written; results put beside them, in any order, become verdicts."""
    ready("judge", "--batch", "b")
    (requests,) = (tmp_path / "b").rglob("requests-*.jsonl")
    asked = [json.loads(line) for line in requests.read_text("utf-8").splitlines()]
    results = [
        {"custom_id": a["custom_id"], "error": None,
         "response": {"status_code": 200, "body": endpoint.answer(a["body"])}}
        for a in reversed(asked)
    ]  # fmt: skip
    place = requests.with_name("results.jsonl")
    place.write_text("\n".join(map(json.dumps, results[:2])), "utf-8")
    part = ready("judge", "--batch", "b", "--json").json()["batches"][0]
    place.write_text("\n".join(map(json.dumps, results)), "utf-8")
    rest = ready("judge", "--batch", "b", "--json").json()["batches"][0]

    assert len(asked) == 3
    assert (part["units"], part["waiting"], part["written"]) == (4, 1, [])
    assert (rest["units"], rest["waiting"]) == (2, 0)
    assert endpoint.calls == 0
    assert ready("judge", "--json").json()["cached"] == 6
