"""Where scores come from: calibrations, restated means, definitions, cases, self-tests."""

from __future__ import annotations

import pytest

from store_help import claims, item, judge, judgement, label, record, verdict
from trueup.domain.ids import content_id
from trueup.errors import StoreError
from trueup.store import Store

OLD, NEW = judge("old"), judge("new")


@pytest.fixture
def judged(store: Store) -> Store:
    """A record that two judges are known for, and one has ruled on."""
    first = record("q-1", release="r1")
    store.import_records([item(first)])
    ruled = tuple(verdict(u, OLD, evidence=()) for u in claims(first))
    store.sink(OLD).commit([judgement(first, OLD, ruled)])
    store.save_judge(NEW)
    return store


def test_a_calibration_of_another_state_is_appended(judged: Store) -> None:
    """The same figures only move the stamp; other figures are a new row."""
    about = (OLD.fingerprint, "groundedness", "gold")
    first = judged.save_calibration(*about, "1/1", {"n_units": 3})
    again = judged.save_calibration(*about, "1/2", {"n_units": 3})
    judged.save_calibration(*about, "2/2", {"n_units": 4})

    assert first == again
    rows = judged.calibrations()
    assert [(c.stamp, c.body["n_units"]) for c in rows] == [("1/2", 3), ("2/2", 4)]
    assert {c.fingerprint for c in rows} == {OLD.fingerprint}


def test_stamps_grow_with_labels_and_verdicts(judged: Store) -> None:
    """So that what was measured of an older state can be told."""
    assert judged.label_stamp("groundedness") == 0
    before = judged.verdict_stamps("groundedness")
    (unit, other) = judged.units("answer_claim")
    judged.append_label(label(unit))
    judged.append_label(label(other))

    assert judged.label_stamp("groundedness") == 2
    assert judged.label_stamp("answer_relevancy") == 0
    judged.import_records([item(record("q-2", release="r1"))])
    after = judged.verdict_stamps("groundedness")
    assert after[OLD.fingerprint] > before[OLD.fingerprint]
    assert NEW.fingerprint not in after


def test_the_newest_restatement_of_a_release_counts(judged: Store) -> None:
    """Rows are appended; the lineage names both judges."""
    pair = ("groundedness", OLD.fingerprint, NEW.fingerprint)
    judged.save_rebaselines(*pair, [("r1", "overlap", {"n": 1}), ("r2", "overlap", {"n": 2})])
    judged.save_rebaselines(*pair, [("r1", "rejudged", {"n": 3})])

    rows = {r.release: (r.source, r.target, r.method, r.body["n"]) for r in judged.rebaselines()}
    assert rows == {
        "r1": (OLD.fingerprint, NEW.fingerprint, "rejudged", 3),
        "r2": (OLD.fingerprint, NEW.fingerprint, "overlap", 2),
    }
    with pytest.raises(StoreError, match="no judge of groundedness"):
        judged.save_rebaselines("groundedness", "0" * 32, NEW.fingerprint, [("r1", "x", {})])


def test_a_definition_is_kept_for_good(judged: Store) -> None:
    """What a release meant when it was first measured is not rewritten."""
    judged.define(["r1"], {"headline": "recall"})
    judged.define(["r1", "r2"], {"headline": "hit_rate"})

    found = {r: body["headline"] for r, body in judged.definitions().items()}
    assert found == {"r1": "recall", "r2": "hit_rate"}


def test_answers_about_cases_stay_under_their_judge(judged: Store) -> None:
    """By judge, kind and case; the first answer stays."""
    one, two = content_id("case", 1), content_id("case", 2)
    judged.save_trials(OLD.fingerprint, "groundedness", "probe", {one: {"v": 1}})
    judged.save_trials(OLD.fingerprint, "groundedness", "probe", {one: {"v": 9}, two: {"v": 2}})

    found = judged.trials(OLD.fingerprint, "groundedness", "probe", [one, two])
    assert {key: body["v"] for key, body in found.items()} == {one: 1, two: 2}
    assert judged.trials(NEW.fingerprint, "groundedness", "probe", [one]) == {}
    assert judged.trials(OLD.fingerprint, "groundedness", "isolate", [one]) == {}


def test_the_newest_result_of_a_self_test_counts(judged: Store) -> None:
    """One for each kind."""
    for value in (0.5, 0.1):
        judged.save_probe(OLD.fingerprint, "groundedness", "repeats", {"rate": value})
    judged.save_probe(OLD.fingerprint, "groundedness", "chunk_order", {"rate": 0.2})

    found = judged.probes(metric="groundedness", fingerprint=OLD.fingerprint)
    assert {p.kind: p.body["rate"] for p in found} == {"repeats": 0.1, "chunk_order": 0.2}


def test_texts_of_chunks_by_their_ids(judged: Store) -> None:
    """Wherever a context holds them; an id that none holds is absent."""
    texts = judged.chunk_texts(["c-1", "gone"])

    assert texts == {"c-1": "Logs are kept for 90 days on every plan."}
