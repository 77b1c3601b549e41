"""Every metric from the same commands: judged, scored, labelled, calibrated; the worked figures."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, ClassVar

import pytest
from runner import Command

from judge_support import FakeServer
from score_help import write
from shared import golden_cases
from trueup.domain.metrics import METRICS

EMBEDDED = (
    '[judges.plain]\nbackend = "embedded"\nprompt = "plain"\nevidence = "off"\n'
    '[judges.quoted]\nextends = "plain"\nprompt = "quoted"\nevidence = "required"\n'
)
QUAY = [
    "The quay at Lindow is 240 metres long.",
    "Ferries leave the quay at noon on weekdays.",
    "Parking at the quay costs 3 euros a day.",
    "The lighthouse beside the quay was built in 1902.",
]


@pytest.fixture
def made(trueup: Command, tmp_path: Path) -> Any:
    """A workspace with these records and this trueup.toml; returns the command."""

    def make(lines: list[dict[str, Any]], toml: str = EMBEDDED) -> Command:
        assert trueup("init").code == 0
        (tmp_path / "trueup.toml").write_text(toml, "utf-8")
        said = trueup("import", write(tmp_path / "r.jsonl", lines))
        assert said.code == 0, said.err
        return trueup

    return make


def scores(trueup: Command) -> dict[str, Any]:
    """Record → metric → (score, reason or flag)."""
    found: dict[str, Any] = {}
    for row in trueup("scores", "--per-record", "--json").json()["records"]:
        at = found.setdefault(row["record"], {})
        at[row["metric"]] = row["score"], row["reason"] or row["flag"]
    return found


def judge_all(trueup: Command, *options: str) -> None:
    metrics = [x for m in METRICS for x in ("--metric", m)]
    said = trueup("judge", *options, *metrics)
    assert said.code == 0, said.err


RECORD = {
    "id": "q", "question": "How long is the quay at Lindow, and when do ferries leave?",
    "context": QUAY[:2], "answer": " ".join(QUAY[:2]), "reference": " ".join(QUAY[:2]),
}  # fmt: skip


def test_the_embedded_judge_rules_under_every_metric(made: Any) -> None:
    """Six metrics and the F1 of two, all decided."""
    trueup = made([RECORD])
    judge_all(trueup, "--judge", "quoted")
    found = scores(trueup)["q"]

    assert set(found) == {*METRICS, "answer_correctness"}
    for metric in ("groundedness", "contextual_recall", "correctness_precision"):
        assert found[metric] == (1.0, None)
    assert found["answer_correctness"] == (1.0, None)


class _Agreeing(BaseHTTPRequestHandler):
    """Says entailed of each claim of the numbered list, as any endpoint could."""

    prompts: ClassVar[list[str]] = []

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        prompt = "\n".join(m["content"] for m in body["messages"])
        self.prompts.append(prompt)
        listed = prompt.rpartition("CLAIMS:")[2]
        claims = re.findall(r"^(\d+)\. (.+)$", listed, re.MULTILINE)
        entries = [{"number": int(n), "claim": c, "entailed": True} for n, c in claims]
        answer = {
            "model": "m-1", "object": "chat.completion", "id": "1", "created": 0,
            "choices": [{"index": 0, "finish_reason": "stop", "message": {
                "role": "assistant", "content": json.dumps({"claims": entries})}}],
        }  # fmt: skip
        data = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def agreeing() -> Iterator[str]:
    """The base URL of an endpoint on loopback that agrees with everything."""
    _Agreeing.prompts.clear()
    with ThreadingHTTPServer(("127.0.0.1", 0), _Agreeing) as httpd:
        thread = Thread(target=httpd.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{httpd.server_address[1]}/v1"
        httpd.shutdown()
        thread.join()


def test_an_endpoint_is_asked_under_every_metric(
    made: Any, agreeing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call a metric, each with its own question, and every verdict read."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    trueup = made([RECORD], f'[judges.far]\nmodel = "m"\nbase_url = "{agreeing}"\n')
    judge_all(trueup, "--judge", "far")

    assert {m: value for m, (value, _) in scores(trueup)["q"].items()} == dict.fromkeys(
        (*METRICS, "answer_correctness"), 1.0
    )
    assert len(_Agreeing.prompts) == len(set(_Agreeing.prompts)) == len(METRICS)
    rows = trueup("scores", "--json").json()["series"]
    assert {r["answered_model"] for r in rows} == {"m-1"}
    asked = [r["prompt_sha256"] for r in rows if r["metric"] != "answer_correctness"]
    assert len(set(asked)) == len(METRICS)


def recorded(name: str, metric: str, of: str, values: list[bool], **fields: Any) -> dict[str, Any]:
    """A record whose claims a recorded judge ruled on under a metric."""
    claims = [
        {"text": f"Claim {i}.", "of": of, "judges": {"j": {"entailed": v, "metric": metric}}}
        for i, v in enumerate(values)
    ]
    usual = {"question": "q", "context": "c", "answer": "a", "reference": "r"}
    return {"id": name, **usual, **fields, "claims": claims}


@pytest.mark.parametrize(("yes", "score"), [(4, 1.0), (3, 0.75), (2, 0.5), (0, 0.0)])
def test_contextual_recall_is_the_share_of_reference_claims(
    made: Any, yes: int, score: float
) -> None:
    """Three of four claims of the reference carried by the context: 0.75."""
    values = [i < yes for i in range(4)]
    trueup = made([recorded("q", "contextual_recall", "reference", values)])

    assert scores(trueup)["q"]["contextual_recall"] == (score, None)


def test_a_judge_finds_what_of_the_reference_arrived(made: Any) -> None:
    """The reference is split once; of its four claims three stand in the context."""
    line = {**RECORD, "context": QUAY[:3], "reference": " ".join(QUAY)}
    trueup = made([line])
    trueup("judge", "--judge", "quoted", "--metric", "contextual_recall")

    assert scores(trueup)["q"]["contextual_recall"] == (0.75, None)


def test_irrelevant_chunks_cost_relevancy_and_not_recall(made: Any) -> None:
    """Three useless chunks beside three useful ones: recall as before, relevancy halved."""
    noise = [f"Tomatoes number {i} need sun and water." for i in range(3)]
    useful = [f"{fact} The quay at Lindow." for fact in QUAY[:3]]
    base = {**RECORD, "question": "What about the quay at Lindow?", "reference": " ".join(QUAY[:3])}
    lines = [
        {**base, "id": "clean", "context": useful},
        {**base, "id": "noisy", "context": [*useful, *noise]},
    ]
    trueup = made(lines)
    for metric in ("contextual_recall", "context_relevancy"):
        trueup("judge", "--judge", "quoted", "--metric", metric)
    found = scores(trueup)

    assert found["clean"]["contextual_recall"] == found["noisy"]["contextual_recall"]
    assert found["clean"]["context_relevancy"] == (1.0, None)
    assert found["noisy"]["context_relevancy"] == (0.5, None)


@pytest.mark.parametrize(
    ("toml", "groundedness"),
    [
        ("", (None, "abstained")),
        ("[workspace]\nno_claims = 1.0\n", (1.0, "abstained")),
    ],
)
def test_an_answer_that_declines(made: Any, toml: str, groundedness: Any) -> None:
    """Abstained: groundedness null, or the classic 1.0 where that is chosen; relevancy 0; counted
    beside both means."""
    line = {**RECORD, "answer": "I do not know, the context does not say."}
    trueup = made([line], toml + EMBEDDED)
    for metric in ("groundedness", "answer_relevancy"):
        trueup("judge", "--judge", "quoted", "--metric", metric)
    trueup("judge", "--judge", "quoted", "--metric", "contextual_recall")
    found = trueup("scores", "--json").json()

    # The judge was never called about this answer, so its series begin with a record that was.
    assert [r["metric"] for r in found["series"]] == ["contextual_recall"]
    more = {**RECORD, "id": "other"}
    trueup("import", write(Path("more.jsonl"), [more]))
    for metric in ("groundedness", "answer_relevancy"):
        trueup("judge", "--judge", "quoted", "--metric", metric)
    scored = scores(trueup)["q"]
    assert scored["groundedness"] == groundedness
    assert scored["answer_relevancy"] == (0.0, "abstained")
    rows = {r["metric"]: r for r in trueup("scores", "--json").json()["series"]}
    for metric in ("groundedness", "answer_relevancy"):
        assert rows[metric]["n_flagged"]["abstained"] == 1


def test_a_faithful_summary_of_the_wrong_passage(made: Any) -> None:
    """Everything it says stands in the context, and nothing of it was asked."""
    passage = "Tomatoes need sun. Basil wants water every day."
    line = {
        "id": "q", "question": "How long are audit logs kept on the Team plan?",
        "context": [passage], "answer": passage,
    }  # fmt: skip
    trueup = made([line])
    for metric in ("groundedness", "answer_relevancy"):
        trueup("judge", "--judge", "quoted", "--metric", metric)

    assert scores(trueup)["q"]["groundedness"] == (1.0, None)
    assert scores(trueup)["q"]["answer_relevancy"] == (0.0, None)


def test_the_team_plan_question(made: Any) -> None:
    """Groundedness 1.00, correct no, recall 0: retrieval."""
    line = {
        "id": "q-0412", "question": "How long are audit logs kept on the Team plan?",
        "context": [
            {"id": "c-9930", "text": "Audit log retention on the Enterprise plan is 90 days."}
        ],
        "answer": "Audit logs are retained for 90 days. [c-9930]",
        "reference": "30 days on the Team plan.", "gold": ["c-9931"], "failing": True,
    }  # fmt: skip
    trueup = made([line])
    judge_all(trueup, "--judge", "plain")
    found = scores(trueup)["q-0412"]

    assert found["groundedness"] == (1.0, None)
    assert found["answer_correctness"] == (0.0, None)
    said = trueup("diagnose", "--judge", "plain", "--json").json()
    assert said["cells"]["retrieval"] == ["q-0412"]
    recall = trueup("recall", "--json").json()
    assert recall["k"]["5"]["recall"]["value"] == 0


@pytest.mark.parametrize("metric", list(METRICS))
def test_every_metric_is_calibrated_in_the_same_way(made: Any, tmp_path: Path, metric: str) -> None:
    """Labels of the metric's units, a report, and a calibrated fingerprint."""
    trueup = made([{**RECORD, "id": f"q-{i}"} for i in range(4)])
    trueup("judge", "--judge", "quoted", "--metric", metric)
    from trueup.services.workspace import Workspace

    with Workspace.open(tmp_path) as workspace:
        units = workspace.store.units(METRICS[metric].units)
        refs = workspace.store.record_refs()
        rows = [
            {"unit": u.id, "record": refs[u.record].id, "metric": metric, "annotator": "ana",
             "label": "entailed" if u.ordinal == 1 else "not_entailed"}
            for u in units
        ]  # fmt: skip
    assert trueup("labels", "import", write(tmp_path / "l.jsonl", rows)).code == 0
    assert trueup("report", "--metric", metric).code == 0

    (row,) = trueup("scores", "--metric", metric, "--json").json()["series"]
    assert row["calibration"]["n_units"] == len(rows)


@pytest.mark.parametrize(
    "case",
    golden_cases("retrieval", "contextual-recall", "contextual-recall-empty", "zero-division"),
)
def test_failures_seen_in_other_tools(
    case: dict[str, Any], made: Any, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing retrieved is 0 without a call; no claims are null; unsupported is 0."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    server.reset()
    given, check = case["input"], case["check"]
    line = {
        "id": "q", "question": "q", "answer": "a", "context": given["contexts"],
        "reference": " ".join(given["reference_claims"]) or "?",
        "claims": [{"text": t, "of": "reference"} for t in given["reference_claims"]],
    }  # fmt: skip
    model = given.get("fake_model", "empty-claims")
    toml = f'[judges.far]\nmodel = "{model}"\nbase_url = "{server.url}"\n'
    other = {**RECORD, "id": "other"}
    trueup = made([line, other], toml)
    assert trueup("judge", "--judge", "far", "--metric", "contextual_recall").code in (0, 4)

    value, _ = scores(trueup)["q"]["contextual_recall"]
    assert value == check["contextual_recall"]
    if "requests" in check:
        assert server.stats()["count"] == check["requests"] + 1  # the other record's call
