"""The bundled label set: whole, strict, and as its card says.

What a reader of a constructed set relies on is checked here from the files alone: every label has
its unit, every quote stands in the chunk it names, every span points at the claim's own words, and
the figures on the card are those of the files.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from trueup.domain.metrics import METRICS

FOLDER = Path(__file__).resolve().parents[2] / "label_sets" / "support-docs"
FIRST, NEXT = "2026-11-30", "2026-12-07"
ON_CONTEXT = ("groundedness", "contextual_recall")
LANGUAGES = {"en", "de", "fr", "es", "ja", "zh", "ar"}
CAUSES_THAT_FAIL = re.findall(
    r"\w+",
    """number unit negation quantifier wrong_plan wrong_subject loose_implication outside_knowledge
    merged contradicts condition_dropped modality comparative date currency injected empty_context
    cross_lingual other_chunk table code pronoun""",
)
CAUSES_THAT_HOLD = re.findall(
    r"\w+",
    """supported paraphrase arithmetic number unit negation quantifier two_chunks table code list
    pronoun duplicate other_chunk cross_lingual comparative date currency modality wrong_plan
    condition_dropped""",
)
Row = dict[str, Any]


def _no_constant(token: str) -> None:
    raise ValueError(f"{token} is not JSON")


def _unique(pairs: list[tuple[str, Any]]) -> Row:
    keys = [k for k, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError(f"a key stands twice: {keys}")
    return dict(pairs)


def _rows(name: str) -> list[Row]:
    text = (FOLDER / name).read_bytes().decode("utf-8")
    assert text.endswith("\n")
    assert "\r" not in text
    return [
        json.loads(line, parse_constant=_no_constant, object_pairs_hook=_unique)
        for line in text[:-1].split("\n")
    ]


RECORDS = _rows("records.jsonl")
LABELS = _rows("labels.jsonl")
CORPUS = {row["id"]: row for row in _rows("corpus.jsonl")}
BY_KEY = {(r["id"], r["release"]): r for r in RECORDS}


def _claims(of: str) -> dict[tuple[str, str, str], Row]:
    """Claims of the answers or of the references by (record, release, unit)."""
    return {
        (r["id"], r["release"], c["id"]): c for r in RECORDS for c in r["claims"] if c["of"] == of
    }


def _key(label: Row) -> tuple[str, str, str]:
    return label["record"], label["release"], label["unit"]


def _of_metric(name: str) -> list[Row]:
    return [label for label in LABELS if label["metric"] == name]


def _words(text: str) -> set[str]:
    """Words, stems cut to five letters; for scripts without spaces, pairs of characters."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    out = set()
    for word in re.findall(r"\w+", folded):
        if re.search(r"[぀-ヿ一-鿿]", word):
            out |= {word[i : i + 2] for i in range(len(word) - 1)}
        else:
            out.add(word[:5])
    return out


def test_sizes() -> None:
    """At least 60 answers and 250 answer claims, within the first release alone."""
    first = [r for r in RECORDS if r["release"] == FIRST]
    assert len(first) >= 60
    assert sum(c["of"] == "answer" for r in first for c in r["claims"]) >= 250
    assert 70 <= len(CORPUS) <= 100


def test_ids_are_unique() -> None:
    """A record is one (id, release); a claim's id is its own in the whole set."""
    assert len(BY_KEY) == len(RECORDS)
    claims = [c["id"] for r in RECORDS for c in r["claims"]]
    assert [i for i, n in Counter(claims).items() if n > 1] == []
    assert len(CORPUS) == len(_rows("corpus.jsonl"))


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: f"{r['id']}@{r['release']}")
def test_record_is_whole(record: Row) -> None:
    """Chunks are those of the corpus, gold ids exist, the ranked list begins with the context."""
    assert record["question"].strip()
    assert record["answer"].strip()
    assert isinstance(record["failing"], bool)
    assert set(record["slices"]) == {"plan", "topic", "language", "kind"}
    for chunk in record["context"]:
        assert chunk == CORPUS[chunk["id"]]
    shown = [c["id"] for c in record["context"]]
    assert record["retrieved"][: len(shown)] == shown
    assert set(record["gold"]) | set(record["retrieved"]) <= set(CORPUS)
    if not set(record["gold"]) <= set(shown):
        assert record["gold_context"] == [CORPUS[i]["text"] for i in record["gold"]]
    has_reference_claims = any(c["of"] == "reference" for c in record["claims"])
    assert ("reference" in record) == has_reference_claims


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: f"{r['id']}@{r['release']}")
def test_spans_point_at_the_claims_own_words(record: Row) -> None:
    """A span is inside its text, has no blank ends, and shares words with its claim."""
    for claim in record["claims"]:
        text = record["answer" if claim["of"] == "answer" else "reference"]
        start, end = claim["start"], claim["end"]
        assert 0 <= start < end <= len(text), claim["id"]
        place = text[start:end]
        assert place == place.strip(), claim["id"]
        assert place == "No." or _words(place) & _words(claim["text"]), claim["id"]


def test_answer_claims_come_in_the_order_of_the_answer() -> None:
    """Claims are listed as they are read."""
    for record in RECORDS:
        starts = [c["start"] for c in record["claims"] if c["of"] == "answer"]
        assert starts == sorted(starts), record["id"]


def test_every_label_has_its_unit() -> None:
    """The unit of a label exists, is of the metric's kind, and has the label's text."""
    answer, reference = _claims("answer"), _claims("reference")
    for label in LABELS:
        kind = METRICS[label["metric"]].units
        if kind == "chunk":
            record = BY_KEY[_key(label)[:2]]
            shown = {f"{record['id']}@{c['id']}": c for c in record["context"]}
            unit = shown[label["unit"]]
        else:
            unit = (answer if kind == "answer_claim" else reference)[_key(label)]
        assert unit["text"] == label["text"]
        assert label["entailed"] is (label["label"] == "entailed")
        assert label["label"] in {"entailed", "not_entailed"}
        assert label["origin"] == label["annotator"] == "constructed"
        assert label["note"].strip()
    assert max(Counter((*_key(label), label["metric"]) for label in LABELS).values()) == 1


@pytest.mark.parametrize(
    ("metric", "of"), list(zip(ON_CONTEXT, ("answer", "reference"), strict=True))
)
def test_every_claim_is_labelled_against_the_context(metric: str, of: str) -> None:
    """Each answer claim has a groundedness label, each reference claim one of contextual recall."""
    assert {_key(label) for label in _of_metric(metric)} == set(_claims(of))


@pytest.mark.parametrize("metric", ON_CONTEXT)
def test_quotes_are_verbatim(metric: str) -> None:
    """An entailed claim quotes a chunk of its record to the letter; the others quote nothing."""
    for label in _of_metric(metric):
        assert (label["quote"] is not None) is label["entailed"], label["unit"]
        if not label["entailed"]:
            continue
        shown = {c["id"]: c["text"] for c in BY_KEY[_key(label)[:2]]["context"]}
        first = {"quote": label["quote"], "chunk": label["quote_chunk"]}
        quotes = label.get("quotes", [first])
        assert quotes[0] == first
        for quote in quotes:
            assert len(quote["quote"]) >= 8
            assert quote["quote"] in shown[quote["chunk"]], label["unit"]


def test_figures_of_plainly_supported_claims_stand_in_the_quote() -> None:
    """Where nothing is converted or added up, each figure of the claim is in its quotes."""
    for label in _of_metric("groundedness"):
        if not label["entailed"] or label["cause"] not in {"supported", "table", "list"}:
            continue
        quoted = " ".join(q["quote"] for q in label.get("quotes", [label]))
        for figure in re.findall(r"\d(?:[\d,.]*\d)?", label["text"]):
            assert figure in quoted, (label["unit"], figure)


def test_claims_that_need_two_chunks_quote_two() -> None:
    """`two_chunks` means that the quotes come from different chunks."""
    joint = [x for x in LABELS if x["cause"] == "two_chunks" and x["entailed"]]
    assert len(joint) >= 3
    for label in joint:
        assert len({q["chunk"] for q in label["quotes"]}) >= 2, label["unit"]


def test_every_kind_of_difficulty_is_present() -> None:
    """Each cause that a report can name, and each that was asked for, has its claims."""
    ground = _of_metric("groundedness")
    assert {x["cause"] for x in ground if not x["entailed"]} >= set(CAUSES_THAT_FAIL)
    assert {x["cause"] for x in ground if x["entailed"]} >= set(CAUSES_THAT_HOLD)
    several = Counter(x["cause"] for x in ground if not x["entailed"])
    for cause in ("wrong_plan", "number", "unit", "negation", "loose_implication", "merged"):
        assert several[cause] >= 3, cause


def test_special_records_are_present() -> None:
    """Abstention, unanswerable, empty context, injection, tables, code, twins, languages."""
    assert {r["slices"]["language"] for r in RECORDS} >= LANGUAGES
    assert any(not [c for c in r["claims"] if c["of"] == "answer"] for r in RECORDS)
    assert sum(r["gold"] == [] for r in RECORDS) >= 2
    assert any(r["context"] == [] and r["claims"] for r in RECORDS)
    injected = re.compile("ignore the documentation|mark each of its claims")
    assert sum(any(injected.search(c["text"]) for c in r["context"]) for r in RECORDS) >= 2
    assert any("\n|---" in c["text"] for r in RECORDS for c in r["context"])
    assert any("```" in r["answer"] for r in RECORDS)
    sizes = [sum(c["of"] == "answer" for c in r["claims"]) for r in RECORDS]
    assert min(s for s in sizes if s) == 1
    assert max(sizes) >= 8
    twins = [Counter(c["text"] for c in r["claims"] if c["of"] == "answer") for r in RECORDS]
    assert any(max(t.values(), default=0) >= 2 for t in twins)


def test_audit_log_case() -> None:
    """Enterprise's 90 days where Team was asked: faithful to the wrong passage, no recall."""
    record = BY_KEY["q-0001", FIRST]
    assert record["answer"] == "Audit logs are retained for 90 days. [c-0002]"
    assert record["slices"]["plan"] == "team"
    assert record["failing"]
    assert not set(record["gold"]) & {c["id"] for c in record["context"]}
    labels = {x["metric"]: x["entailed"] for x in LABELS if x["unit"].startswith("q-0001#")}
    assert labels["groundedness"]
    assert not labels["contextual_recall"]
    assert not labels["correctness_precision"]


def test_share_entailed_and_coverage_of_metrics() -> None:
    """Two thirds of the answer claims hold, roughly; each metric has its records."""
    ground = _of_metric("groundedness")
    assert 0.62 <= sum(x["entailed"] for x in ground) / len(ground) <= 0.75
    for metric, least in {"context_relevancy": 25, "contextual_recall": 50}.items():
        assert len({_key(x)[:2] for x in _of_metric(metric)}) >= least
    for metric in ("answer_relevancy", "correctness_precision", "correctness_recall"):
        labels = _of_metric(metric)
        assert len({_key(x)[:2] for x in labels}) >= 20
        assert {x["entailed"] for x in labels} == {True, False}


def test_releases_can_be_compared() -> None:
    """The next build answers the same questions with the same references."""
    later = [r for r in RECORDS if r["release"] == NEXT]
    assert len(later) >= 15
    assert {r["release"] for r in RECORDS} == {FIRST, NEXT}
    moved = 0
    for record in later:
        before = BY_KEY[record["id"], FIRST]
        assert record["answer"] != before["answer"]
        for field in ("question", "reference", "gold"):
            assert record.get(field) == before.get(field), (record["id"], field)
        moved += record["failing"] is not before["failing"]
    assert moved >= 3


def test_four_cells_are_all_filled() -> None:
    """Failing questions fall into each of the four cells, by the constructed labels."""
    grounded: dict[tuple[str, str], list[bool]] = {}
    for label in _of_metric("groundedness"):
        grounded.setdefault(_key(label)[:2], []).append(label["entailed"])
    cells = set()
    for key, record in BY_KEY.items():
        if not record["failing"] or not record["gold"] or key not in grounded:
            continue
        shown = {c["id"] for c in record["context"]}
        recall_high = set(record["gold"]) <= shown
        cells.add((recall_high, sum(grounded[key]) / len(grounded[key]) >= 0.8))
    assert len(cells) == 4


def _front_matter() -> dict[str, str]:
    lines = (FOLDER / "card.md").read_text("utf-8").split("\n")
    assert lines[0] == "---"
    head = lines[1 : lines.index("---", 1)]
    pairs = [line.partition(": ") for line in head]
    return {key: value for key, _, value in pairs}


def test_card_says_that_labels_are_constructed() -> None:
    """The front matter is readable by machines, the first words by people."""
    front = _front_matter()
    assert front["name"] == FOLDER.name
    assert front["labels"] == "constructed"
    assert front["licence"] == "CC-BY-4.0"
    assert re.fullmatch(r"\d+\.\d+\.\d+", front["version"])
    assert "not a study of annotators" in (FOLDER / "card.md").read_text("utf-8")


def test_card_counts_what_the_files_hold() -> None:
    """No figure on the card has gone stale."""
    front = _front_matter()
    ground = _of_metric("groundedness")
    assert int(front["records"]) == len(RECORDS)
    assert int(front["answer_claims"]) == len(ground)
    assert int(front["labels_total"]) == len(LABELS)
    card = (FOLDER / "card.md").read_text("utf-8")
    rows = {
        m[1]: (int(m[2]), int(m[3]))
        for m in re.finditer(r"^\| `(\w+)` \|.*\| (\d+) \| (\d+) \|$", card, re.MULTILINE)
    }
    for cause, labels in _grouped(ground, "cause").items():
        assert rows[cause] == labels
    for metric, labels in _grouped(LABELS, "metric").items():
        assert rows[metric] == labels


def _grouped(labels: list[Row], field: str) -> dict[str, tuple[int, int]]:
    """(entailed, not entailed) by the value of a field."""
    count = Counter((x[field], x["entailed"]) for x in labels)
    return {name: (count[name, True], count[name, False]) for name, _ in count}
