"""Tallies by release: what they count, and that they never lag behind what was written."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from store_help import claims, item, judge, judgement, record, verdict
from trueup.domain.judging import Reply
from trueup.domain.model import Chunk, JudgeSpec, Record, VerdictValue
from trueup.domain.scores import Tally
from trueup.domain.transfer import ImportedRecord
from trueup.store import Store


def rule(
    store: Store,
    of: Record,
    spec: JudgeSpec,
    values: Sequence[VerdictValue] = ("entailed", "not_entailed"),
    *,
    model: str = "small-2026",
    system: str | None = None,
    reason: str = "parse",
) -> None:
    """Commit one call on a record, as a run does."""
    ruled = tuple(
        verdict(unit, spec, value, reason=reason if value == "undecided" else None, evidence=())
        for unit, value in zip(claims(of), values, strict=False)
    )
    answered = Reply("{}", "stop", answered_model=model, system_fingerprint=system)
    store.sink(spec).commit([judgement(of, spec, ruled, reply=answered)])


def groups(store: Store) -> dict[tuple[str, str | None], dict[Tally, int]]:
    """(release, answered model) → tallies."""
    _, found = store.score_groups()
    return {(g.release, g.answered_model): {t[0]: n for t, n in g.tallies.items()} for g in found}


def test_records_are_counted_by_what_became_of_their_units(store: Store) -> None:
    """Decided, undecided with the judge's reason, and never asked about: all are counted."""
    first, second, third = (record(f"q-{i}", release="r1") for i in range(3))
    store.import_records([item(first), item(second), item(third)])
    spec = judge()
    rule(store, first, spec)
    rule(store, second, spec, ("undecided", "undecided"))

    assert groups(store) == {
        ("r1", "small-2026"): {
            Tally(2, 1, 1): 1,
            Tally(2, reason="parse"): 1,
            Tally(2, reason="missing_verdict"): 1,
        }
    }


def test_a_verdict_that_comes_later_is_counted(store: Store) -> None:
    """What was kept is counted anew after each commit, and only then."""
    first, second = (record(f"q-{i}", release="r1") for i in range(2))
    store.import_records([item(first), item(second)])
    rule(store, first, judge())
    assert groups(store)["r1", "small-2026"][Tally(2, reason="missing_verdict")] == 1

    rule(store, second, judge(), ("entailed", "entailed"))

    assert groups(store) == {("r1", "small-2026"): {Tally(2, 1, 1): 1, Tally(2, 2, 0): 1}}


def test_a_new_record_of_a_release_is_counted(store: Store) -> None:
    """A record that came after the judge is one without a verdict, not one that is left out."""
    first = record("q-1", release="r1")
    store.import_records([item(first)])
    rule(store, first, judge())
    assert sum(groups(store)["r1", "small-2026"].values()) == 1

    store.import_records([item(record("q-2", release="r1"))])

    assert sum(groups(store)["r1", "small-2026"].values()) == 2


def test_the_newest_claim_set_that_was_ruled_on_counts(store: Store) -> None:
    """Until the judge has ruled on new claims, its score is that of the old ones, and says so."""
    first = record("q-1", release="r1")
    store.import_records([item(first)])
    rule(store, first, judge())
    more = claims(first, "One.", "Two.", "Three.")
    store.import_records([item(first, claims={"answer_claim": more})], update=True)

    (old,) = store.score_groups()[1]
    assert old.claim_sets == {"given@1": 1}
    assert list(old.tallies) == [(Tally(2, 1, 1),)]

    spec = judge()
    units = store.units("answer_claim")
    ruled = tuple(verdict(u, spec, evidence=()) for u in units)
    store.sink(spec).commit([judgement(first, spec, ruled, part=1)])
    (new,) = store.score_groups()[1]
    assert new.claim_sets == {"given@2": 1}
    assert list(new.tallies) == [(Tally(3, 3, 0),)]


def test_answers_of_two_models_are_two_groups(store: Store) -> None:
    """A model that answers under another name has its own group; records without a call join the
    largest."""
    records = [record(f"q-{i}", release="r1") for i in range(4)]
    store.import_records([item(r) for r in records])
    spec = judge()
    for one, model in zip(records, ("small-a", "small-a", "small-b"), strict=False):
        rule(store, one, spec, model=model, system="fp_1")

    _, found = store.score_groups()

    assert {g.answered_model: g.n_records for g in found} == {"small-a": 3, "small-b": 1}
    assert found[0].system_fingerprints == {"fp_1": 2}


def test_states_of_records(store: Store) -> None:
    """Nothing retrieved, blank chunks, no context, declined: told from the record."""
    shown = {
        "full": record("full", release="r1"),
        "nothing": record("nothing", release="r1", context=()),
        "blank": record("blank", release="r1", context=(Chunk("c", " \n\t"),)),
        "absent": record("absent", release="r1", context=None),
    }
    silent = record("silent", release="r1", answer="I do not know.")
    store.import_records([item(r) for r in shown.values()] + [ImportedRecord(silent)])
    store.freeze_units(silent.key, "answer_claim", (), "test", meta={"abstained": True})
    spec = judge()
    for one in shown.values():
        rule(store, one, spec)

    tallies = store.record_tallies(metric="groundedness", fingerprint=spec.fingerprint)

    assert {t.record: t.tally.state for t in tallies} == {
        "full": "",
        "nothing": "empty_context",
        "blank": "empty_context",
        "absent": "no_context",
        "silent": "abstained",
    }


def test_own_verdicts_are_those_before_the_evidence_rule(store: Store) -> None:
    """The judge's own verdicts give a tally of their own."""
    first = record("q-1")
    store.import_records([item(first)])
    spec = judge()
    ruled = tuple(
        verdict(u, spec, "not_entailed", own_value="entailed", evidence=()) for u in claims(first)
    )
    store.sink(spec).commit([judgement(first, spec, ruled)])
    found = {"metric": "groundedness", "fingerprint": spec.fingerprint}

    assert store.record_tallies(**found)[0].tally == Tally(2, 0, 2)
    assert store.record_tallies(**found, own=True)[0].tally == Tally(2, 2, 0)


def test_the_two_halves_of_correctness_are_joined(store: Store) -> None:
    """A record has two tallies; a verdict of either half makes it count anew."""
    first = record("q-1", release="r1", reference="Ninety days.")
    units = claims(first)
    other = tuple(
        type(u)(first.key, f"{first.id}#r{u.ordinal}", "reference_claim", u.text, u.ordinal)
        for u in units
    )
    store.import_records([item(first, claims={"answer_claim": units, "reference_claim": other})])
    halves = [judge(metric=m) for m in ("correctness_precision", "correctness_recall")]
    prints = [h.fingerprint for h in halves]
    given = tuple(verdict(u, halves[0], evidence=()) for u in units)
    store.sink(halves[0]).commit([judgement(first, halves[0], given)])
    assert store.correctness_groups(*prints) == []

    given = (verdict(other[0], halves[1], "not_entailed", evidence=()),)
    store.sink(halves[1]).commit([judgement(first, halves[1], given)])
    (made,) = store.correctness_groups(*prints)
    assert list(made.tallies) == [(Tally(2, 2, 0), Tally(2, 0, 1, reason="missing_verdict"))]

    given = (verdict(other[1], halves[1], evidence=()),)
    store.sink(halves[1]).commit([judgement(first, halves[1], given, part=1)])
    (made,) = store.correctness_groups(*prints)
    assert list(made.tallies) == [(Tally(2, 2, 0), Tally(2, 1, 1))]


def test_end_to_end_counts_by_release(store: Store) -> None:
    """Failing, not failing and unknown, releases in the order of import."""
    given = [("b", True), ("b", None), ("a", False), ("a", True), ("a", True)]
    store.import_records(
        [item(record(f"q-{i}", release=r, failing=f)) for i, (r, f) in enumerate(given)]
    )

    counts = [(e.release, e.failing, e.not_failing, e.unknown) for e in store.end_to_end()]
    assert counts == [("b", 1, 0, 1), ("a", 2, 1, 0)]


def test_a_store_of_the_first_schema_gets_its_counts(tmp_path: Path) -> None:
    """The upgrade names the releases that have verdicts, so that they are counted."""
    path = tmp_path / "trueup.db"
    with Store.open(path, create=True) as store:
        first = record("q-1", release="r1")
        store.import_records([item(first)])
        rule(store, first, judge())
        with store.db.writing() as connection:
            for table in (
                "score_state",
                "calibration",
                "rebaseline",
                "trial",
                "probe",
                "definition",
            ):
                connection.exec_driver_sql(f"DROP TABLE {table}")
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0001'")

    with Store.open(path) as store:
        assert groups(store) == {("r1", "small-2026"): {Tally(2, 1, 1): 1}}
