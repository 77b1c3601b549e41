"""`trueup probe`: rates with intervals and examples, bars, and the gate that reads them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from runner import Command

from judge_support import FakeServer
from score_help import write

TEXTS = [
    ("The quay at Lindow is 240 metres long.", "Ferries leave the quay at noon."),
    ("Parking costs 3 euros a day.", "The car park is closed on Sundays."),
    ("Tickets are valid for 90 minutes.", "Children travel free of charge."),
    ("The lighthouse was built in 1902.", "It is not open to visitors."),
    ("The library holds 40 books.", "Members can borrow 5 of them."),
    ("The fair is in May.", "It lasts for 9 days."),
]
EMBEDDED = (
    '[judges.plain]\nbackend = "embedded"\nprompt = "plain"\nevidence = "off"\n'
    '[judges.quoted]\nextends = "plain"\nprompt = "quoted"\nevidence = "required"\n'
)


def lines() -> list[dict[str, Any]]:
    """Records whose claims stand in their contexts; each on another subject."""
    return [
        {
            "id": f"q-{i}", "question": "What?", "answer": " ".join(texts),
            "context": [{"id": f"c-{i}-{n}", "text": t} for n, t in enumerate(texts)],
            "claims": [{"text": t, "human": [{"annotator": "ana", "entailed": True}]}
                       for t in texts],
        }
        for i, texts in enumerate(TEXTS)
    ]  # fmt: skip


@pytest.fixture
def probed(trueup: Command, tmp_path: Path) -> Any:
    """A workspace with six records and a trueup.toml; returns the command."""

    def make(toml: str = EMBEDDED) -> Command:
        assert trueup("init").code == 0
        (tmp_path / "trueup.toml").write_text(toml, "utf-8")
        assert trueup("import", write(tmp_path / "r.jsonl", lines())).code == 0
        return trueup

    return make


def rates(said: dict[str, Any]) -> dict[str, float | None]:
    return {p["kind"]: p["rate"]["value"] for p in said["probes"]}


def test_each_self_test_is_a_rate_with_interval_and_examples(probed: Any) -> None:
    """Plain coverage overlooks changed details; guards catch most of them."""
    trueup = probed()
    plain = trueup("probe", "plain", "--json").json()
    quoted = trueup("probe", "quoted", "--json").json()

    assert plain["schema"] == "trueup.probe/1"
    assert len(plain["probes"]) == 10
    details = next(p for p in plain["probes"] if p["kind"] == "changed_details")
    assert details["rate"]["low"] < details["rate"]["value"] <= details["rate"]["high"]
    assert {"record", "claim", "context", "said"} <= details["examples"][0].keys()
    assert rates(plain)["changed_details"] > rates(quoted)["changed_details"]
    for kind in ("empty_context", "outside_knowledge", "chunk_order", "repeats"):
        assert rates(quoted)[kind] == 0


def test_a_second_run_asks_nothing(probed: Any) -> None:
    """Answers are kept under the fingerprint; the same rates come out."""
    trueup = probed()
    dry = trueup("probe", "quoted", "--dry-run", "--json").json()
    first = trueup("probe", "quoted", "--json").json()
    again = trueup("probe", "quoted", "--json").json()

    assert dry["calls"]["calls"] == first["calls"]["calls"] > 0
    assert again["calls"] is None
    assert again["probes"] == first["probes"]


def test_no_score_and_no_label_comes_of_it(probed: Any) -> None:
    """Cases are no records: nothing of them shows among the scores."""
    trueup = probed()
    trueup("probe", "quoted")

    assert trueup("scores", "--json").json()["series"] == []


@pytest.mark.parametrize(
    ("bars", "code"),
    [
        ("outside_knowledge = 0.6\n", 0),
        ("changed_details = 0.01\n", 1),
        ("outside_knowledge = 0.01\n", 3),
        ("outside_knowledge = 0.6\nchanged_details = 0.01\n", 1),
        ("outside_knowlege = 0.1\n", 2),
    ],
)
def test_bars_decide_three_way(probed: Any, bars: str, code: int) -> None:
    """Held, missed, not decided by so few cases; a self-test that there is not is wrong usage."""
    said = probed(f"{EMBEDDED}[gate.probes]\n{bars}")("probe", "plain")

    assert said.code == code


def test_the_gate_for_a_new_judge_reads_the_self_tests(probed: Any) -> None:
    """A bar of [gate.probes] is one of validate's; without a run it is not decided."""
    gate = "[gate]\nmin_kappa = -1\nmin_tnr = 0\n[gate.probes]\noutside_knowledge = 0.6\n"
    trueup = probed(EMBEDDED + gate)
    trueup("judge", "--judge", "quoted")
    before = trueup("validate", "quoted", "--json").json()
    assert {b["name"]: b["ok"] for b in before["bars"]}["probe_outside_knowledge"] is None
    assert any("trueup probe quoted" in n for n in before["notes"])

    trueup("probe", "quoted")
    after = trueup("validate", "quoted", "--json").json()
    assert {b["name"]: b["ok"] for b in after["bars"]}["probe_outside_knowledge"] is True


def test_a_metric_that_is_not_about_the_context(probed: Any) -> None:
    """Exit 2: these self-tests would say nothing of it."""
    said = probed()("probe", "quoted", "--metric", "answer_relevancy")

    assert said.code == 2
    assert "entailment by the context" in said.err


def endpoint(server: FakeServer, model: str) -> str:
    return f'[judges.far]\nmodel = "{model}"\nbase_url = "{server.url}"\nretries = 0\n'


@pytest.mark.parametrize(
    ("model", "bad", "good"),
    [
        ("lenient", "swapped_context", "context_is_answer"),
        ("harsh", "context_is_answer", "swapped_context"),
        ("gullible", "injected_chunk", "empty_context"),
    ],
)
def test_bad_judges_are_found_out(
    probed: Any,
    server: FakeServer,
    monkeypatch: pytest.MonkeyPatch,
    model: str,
    bad: str,
    good: str,
) -> None:
    """One that passes everything, one that passes nothing, one that obeys what it reads."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    said = probed(endpoint(server, model))("probe", "far", "--json").json()

    assert rates(said)[bad] == 1
    assert rates(said)[good] == 0


def test_a_judge_that_flips_is_found_out(
    probed: Any, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same asked twice: the flip rate."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    said = probed(endpoint(server, "flip@p0.5"))("probe", "far", "--json").json()

    assert 0 < rates(said)["repeats"] < 1


def test_the_load_bearing_sentences_are_taken_out_in_turn(
    probed: Any, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The prompt goes out without the one and without the other; both rates stand side by side."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    server.reset()
    said = probed(endpoint(server, "ok"))("probe", "far", "--ablate", "--json").json()

    assert [a["kind"] for a in said["ablation"]] == ["outside_knowledge", "correctness_leak"]
    assert all(a["without"]["value"] is not None for a in said["ablation"])
    sent = [json.dumps(r["body"]["messages"]) for r in server.stats()["requests"]]
    for sentence in ("Use the context and nothing else", "Do not judge whether a claim"):
        assert 0 < sum(sentence not in s for s in sent) < len(sent) / 2


def test_a_failure_that_may_pass_is_asked_again(
    probed: Any, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A server that fails at first: undecided then, and answered by the next run."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    server.reset()
    trueup = probed(endpoint(server, "500@n1"))
    first = trueup("probe", "far", "--records", "1", "--json").json()
    again = trueup("probe", "far", "--records", "1", "--json").json()

    undecided = [sum(p["n_undecided"] for p in said["probes"]) for said in (first, again)]
    assert undecided[0] > 0
    assert undecided[1] == 0
