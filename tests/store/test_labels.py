"""Label events: appended, never changed; samples; notes."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from store_help import claims, item, label, record
from trueup.domain.model import Sample, SampleMember
from trueup.errors import ConflictError, StoreError
from trueup.store import Store, StoredLabel
from trueup.store.labels import LABEL_CODES, ORIGINS


@pytest.fixture
def units(store: Store) -> list[str]:
    """Keys of six claims of three stored records."""
    store.import_records(item(record(f"q-{n}")) for n in range(3))
    return [u.key for u in store.units("answer_claim")]


def test_a_label_comes_back_as_it_was(store: Store, units: list[str]) -> None:
    """Every field survives, the time to the microsecond."""
    at = datetime(2026, 11, 30, 12, 0, 0, 123456, tzinfo=UTC)
    full = replace(
        label(claims(record("q-0"))[0]), at=at, blind=False, note="wörd\n\u202e", quote="90 days",
        policy_sha256="ab" * 32, ms=2**40, origin="adjudication", sample="s", repeat=1,
        meta={"spans": [[1, 2]], "x": None},
    )  # fmt: skip
    store.append_label(full)

    assert store.label_events() == [StoredLabel(1, full)]


def test_an_event_is_stored_once(store: Store, units: list[str]) -> None:
    """The id makes it idempotent; the same id with another content is refused."""
    one = label(claims(record("q-0"))[0])
    assert store.append_labels([one, one]) == 1
    assert store.append_labels([one]) == 0
    with pytest.raises(ConflictError, match="other content"):
        store.append_label(replace(one, label="unsure"))
    assert len(store.label_events()) == 1


def test_many_events_at_once_keep_their_order(store: Store, units: list[str]) -> None:
    """Sequence numbers follow the order given, some of the events being there already."""
    some = [*claims(record("q-0")), *claims(record("q-1"))]
    events = [label(some[n % 4], id=str(n)) for n in range(300)]
    assert store.append_labels(events[150:160]) == 10
    assert store.append_labels(reversed(events)) == 290
    found = [e.label.id for e in store.label_events()]

    rest = [str(n) for n in reversed(range(300)) if not 150 <= n < 160]
    assert found == [str(n) for n in range(150, 160)] + rest


def test_the_last_event_counts_and_undo_takes_it_back(store: Store, units: list[str]) -> None:
    """Current labels are per unit, metric, annotator, repeat and origin."""
    unit = claims(record("q-0"))[0]
    store.append_labels([label(unit), label(unit, value="not_entailed")])
    assert [x.label for x in store.current_labels()] == ["not_entailed"]
    store.append_label(label(unit, value=None))
    assert store.current_labels() == []
    store.append_labels(
        [
            label(unit, "ben"),
            label(unit, "ben", "unsure", repeat=1),
            label(unit, "ben", "not_entailed", origin="adjudication"),
            label(unit, "ben", "bad_split", metric="answer_relevancy"),
        ]
    )

    assert [x.label for x in store.current_labels(annotator="ben")] == [
        "entailed", "unsure", "not_entailed", "bad_split",
    ]  # fmt: skip
    assert len(store.current_labels(metric="groundedness")) == 3
    assert len(store.label_events()) == 7


def test_events_are_read_in_stored_order_from_anywhere(store: Store, units: list[str]) -> None:
    """Filters keep the order; `after_seq` gives what came since."""
    pairs = [(record("q-1"), "ana"), (record("q-0"), "ben"), (record("q-2"), "ana")]
    for one, who in pairs:
        store.append_label(label(claims(one)[1], who, sample="s" if who == "ana" else None))

    assert [e.seq for e in store.label_events()] == [1, 2, 3]
    assert [e.seq for e in store.label_events(annotator="ana")] == [1, 3]
    assert [e.seq for e in store.label_events(sample="s")] == [1, 3]
    assert [e.seq for e in store.label_events(after_seq=1)] == [2, 3]
    some = [claims(record("q-2"))[1].key, claims(record("q-1"))[1].key]
    assert [e.seq for e in store.label_events(units=some)] == [1, 3]


def test_arrays_of_current_labels(store: Store, units: list[str]) -> None:
    """Codes, annotators and rows that match those of verdicts."""
    a, b = claims(record("q-0"))
    store.append_labels([label(a), label(b, "ben", "bad_split"), label(b, value="unsure")])
    arrays = store.label_arrays(metric="groundedness")

    assert arrays.annotators == ("ana", "ben")
    assert arrays.value.tolist() == [1, -2, -1]
    assert arrays.annotator.tolist() == [0, 1, 0]
    assert arrays.unit.tolist()[1:] == [arrays.unit[1]] * 2
    assert len(set(arrays.record.tolist())) == 1
    store.append_labels(
        [
            label(a, value=None),
            label(b, value="entailed"),
            label(b, "ben", "not_entailed", repeat=1),
            label(b, "ben", "entailed", origin="adjudication", blind=False),
            label(b, "ben", "unsure", metric="answer_relevancy"),
        ]
    )
    arrays = store.label_arrays(metric="groundedness")
    current = store.current_labels(metric="groundedness")
    assert arrays.value.tolist() == [-2, 1, 0, 1]
    assert [LABEL_CODES[x.label or ""] for x in current] == arrays.value.tolist()
    assert [x.repeat for x in current] == arrays.repeat.tolist() == [0, 0, 1, 0]
    assert [ORIGINS.index(x.origin) for x in current] == arrays.origin.tolist() == [0, 0, 0, 2]
    assert [x.blind for x in current] == arrays.blind.tolist() == [True, True, True, False]
    assert store.label_arrays(metric="contextual_recall").unit.tolist() == []


def test_a_time_keeps_its_instant(store: Store, units: list[str]) -> None:
    """A zone is turned into UTC, never dropped; a time without a zone is refused."""
    zone = timezone(timedelta(hours=-8))
    at = datetime(2024, 1, 1, 13, 30, 45, tzinfo=zone)
    store.append_label(label(claims(record("q-0"))[0], at=at))
    (event,) = store.label_events()

    assert event.label.at.isoformat() == "2024-01-01T21:30:45+00:00"
    with pytest.raises(ValueError, match="without a zone"):
        store.append_label(label(claims(record("q-1"))[0], at=at.replace(tzinfo=None)))


def sample(name: str = "first", **changes: object) -> Sample:
    """Two of three records."""
    members = (
        SampleMember(record("q-2").key, 2 / 3, "all", 0, overlap=True),
        SampleMember(record("q-0").key, 2 / 3, "all", 1, repeat=True),
    )
    fields = {
        "name": name, "metric": "groundedness", "design": "random", "seed": 2**40,
        "population": 3, "members": members, "judge_fingerprints": ("ab",),
        "strata": {"all": 3}, "notes": ("small",),
    }  # fmt: skip
    return Sample(**fields | changes)  # type: ignore[arg-type]


def test_a_sample_comes_back_as_it_was(store: Store, units: list[str]) -> None:
    """Design, seed, members in the order of the draw, probabilities to the last bit."""
    store.save_sample(sample())
    store.save_sample(sample())
    store.save_sample(sample("second"))

    assert store.sample("first") == sample()
    assert [s.name for s in store.samples()] == ["first", "second"]
    assert store.sample("third") is None


def test_another_sample_of_that_name_is_a_conflict(store: Store, units: list[str]) -> None:
    """A sample never changes under its name."""
    store.save_sample(sample())
    with pytest.raises(ConflictError, match="'first'"):
        store.save_sample(sample(seed=8))
    stray = (SampleMember("0" * 32, 1.0, "all", 0),)
    with pytest.raises(StoreError, match="no record"):
        store.save_sample(sample("stray", members=stray))
    assert store.sample("stray") is None


def test_notes_and_counts(store: Store, units: list[str]) -> None:
    """A note keeps its last value; counts say what there is."""
    store.note("headline", "recall")
    store.note("headline", "hit_rate")
    store.append_label(label(claims(record("q-0"))[0]))
    store.save_sample(sample())

    assert store.note_of("headline") == "hit_rate"
    assert store.note_of("nothing") is None
    counts = store.counts()
    assert (counts.records, counts.units, counts.labels, counts.samples) == (3, 6, 1, 1)
