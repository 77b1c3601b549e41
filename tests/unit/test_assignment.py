"""Who labels which answer, in which order."""

from __future__ import annotations

from datetime import UTC, datetime

from trueup.domain.assignment import Owners, Turn, claim_id, is_assignment, queue, release_id
from trueup.domain.model import Label, Sample, SampleMember


def _sample(count: int, *, overlap: int = 0, repeats: int = 0, seed: int = 1) -> Sample:
    members = tuple(
        SampleMember(f"r{i}", 1.0, "all", i, overlap=i < overlap, repeat=i < repeats)
        for i in range(count)
    )
    return Sample("s", "groundedness", "random", seed, count, members)


def _event(kind: str, record: str, annotator: str, turn: int = 0) -> Label:
    return Label(
        id=f"{kind}{record}{annotator}{turn}",
        unit="u",
        metric="groundedness",
        annotator=annotator,
        label=None,
        at=datetime(2026, 1, 1, tzinfo=UTC),
        sample="s",
        meta={"kind": kind, "record": record, "turn": turn},
    )


def test_the_order_is_seeded_and_differs_between_annotators() -> None:
    """The same seed and name give the same order; another name or seed another one."""
    sample = _sample(30)

    assert queue(sample, "ana") == queue(sample, "ana")
    assert queue(sample, "ana") != queue(sample, "bo")
    assert queue(sample, "ana") != queue(_sample(30, seed=2), "ana")


def test_every_answer_comes_once() -> None:
    """Nothing is lost or doubled by the shuffle."""
    turns = queue(_sample(30), "ana")

    assert sorted(t.record for t in turns) == sorted(f"r{i}" for i in range(30))


def test_the_order_of_the_draw_does_not_show() -> None:
    """Strata follow one another in a sample; in the queue they do not."""
    turns = queue(_sample(40), "ana")

    assert [t.record for t in turns] != [f"r{i}" for i in range(40)]


def test_answers_of_others_are_left_out_without_moving_the_rest() -> None:
    """Also their second showings."""
    sample = _sample(20, repeats=6)
    whole = queue(sample, "ana")
    part = queue(sample, "ana", taken={"r1", "r2", "r9"})

    assert part == tuple(t for t in whole if t.record not in {"r1", "r2", "r9"})


def test_an_answer_drawn_for_overlap_goes_to_everyone() -> None:
    """Whatever the events say of it."""
    sample = _sample(5, overlap=2)
    owners = Owners.of(sample)
    owners.absorb([_event("assign", "r0", "bo"), _event("assign", "r4", "bo")])

    assert owners.others("ana") == {"r4"}
    assert {"r0", "r1"} <= {t.record for t in queue(sample, "ana", taken={"r0", "r4"})}


def test_second_showings_come_later_with_others_between() -> None:
    """Five answers at least lie between, in a queue that is long enough."""
    turns = queue(_sample(30, repeats=6), "ana")

    seconds = [t for t in turns if t.repeat]
    assert len(seconds) == 6
    for second in seconds:
        gap = turns.index(second) - turns.index(Turn(second.record))
        assert gap > 5


def test_a_second_showing_never_comes_before_the_first() -> None:
    """Not even in the shortest queue."""
    for count in range(1, 8):
        turns = queue(_sample(count, repeats=count), "ana")
        assert len(turns) == 2 * count
        for turn in turns:
            if turn.repeat:
                assert turns.index(Turn(turn.record)) < turns.index(turn)


def test_the_first_to_take_an_answer_has_it() -> None:
    """In the order of the store."""
    owners = Owners.of(_sample(3))
    owners.absorb([_event("assign", "r0", "ana"), _event("assign", "r0", "bo")])

    assert owners.owner == {"r0": "ana"}
    assert owners.others("bo") == {"r0"}


def test_an_answer_given_back_is_free_for_the_next() -> None:
    """Its turn counts up, so that the event of the next taker has an id of its own."""
    owners = Owners.of(_sample(3))
    owners.absorb(
        [
            _event("assign", "r0", "ana"),
            _event("release", "r0", "bo"),
            _event("release", "r0", "ana"),
            _event("assign", "r0", "bo", turn=1),
        ]
    )
    owners.absorb([_event("assign", "r0", "ana")])

    assert owners.owner == {"r0": "bo"}
    assert claim_id("s", "m", "r0", 0) != claim_id("s", "m", "r0", 1)
    assert claim_id("s", "m", "r0", 0) != release_id("s", "m", "r0", 0)


def test_assignments_are_told_from_labels() -> None:
    """A label never counts as one, nor the other way round."""
    assert is_assignment(_event("assign", "r0", "ana"))
    assert is_assignment(_event("release", "r0", "ana"))
    assert not is_assignment(_event("mark", "r0", "ana"))
