"""From label events to one label per unit: who counts, what is tied, what is left out and why."""

from __future__ import annotations

from typing import Any

import pytest

from trueup.errors import UsageError
from trueup.stats.frame import Frame
from trueup.stats.frame_rows import LabelRow, VerdictRow, frame_from_rows
from trueup.stats.summary import agreement

YES, NO = "entailed", "not_entailed"


def row(unit: str, who: str, label: Any, **more: Any) -> LabelRow:
    """A label on a unit whose record is the part before the #."""
    return LabelRow(unit, unit.split("#", maxsplit=1)[0], who, label, **more)


def human(rows: list[LabelRow], **options: Any) -> dict[str, int]:
    """Units and their resolved code."""
    frame = frame_from_rows(rows, [], **options)
    return dict(zip(frame.unit_names or [], (int(x) for x in frame.human), strict=True))


@pytest.mark.parametrize(
    ("labels", "excluded", "value"),
    [
        ([YES], {}, 1),
        ([YES, YES, NO], {}, 1),
        ([NO, NO, YES], {}, 0),
        ([YES, NO], {"tie": 1}, None),
        ([YES, "unsure"], {}, 1),
        (["unsure", "unsure", NO], {}, 0),
        (["unsure"], {"unsure": 1}, None),
        ([YES, "bad_split"], {"bad_split": 1}, None),
        ([YES, YES, "bad_split"], {}, 1),
        (["not_a_claim", "not_a_claim", YES], {"not_a_claim": 1}, None),
        ([YES, NO, "bad_split"], {"tie": 1}, None),
        (["unsure", "bad_split"], {"bad_split": 1}, None),
    ],
)
def test_strict_majority(labels: list[str], excluded: dict[str, int], value: int | None) -> None:
    """Unsure is no vote, flags vote for no claim, half is no majority; causes are counted."""
    frame = frame_from_rows([row("r#1", str(i), x) for i, x in enumerate(labels)], [])
    assert frame.excluded() == excluded
    assert (int(frame.human[0]) if frame.human[0] >= 0 else None) == value


def test_the_last_event_of_an_annotator_counts() -> None:
    """A relabelled unit has the later label; the earlier event is counted as superseded."""
    rows = [row("r#1", "ana", YES), row("r#1", "ana", NO), row("r#2", "ana", YES)]
    frame = frame_from_rows(rows, [])
    assert frame.human.tolist() == [0, 1]
    assert frame.label_counts == {"superseded": 1}


def test_time_orders_events_not_their_place() -> None:
    """With times on every row the latest wins, wherever it stands."""
    rows = [row("r#1", "ana", NO, at=5), row("r#1", "ana", YES, at=3)]
    assert human(rows) == {"r#1": 0}


def test_a_taken_back_label_is_none() -> None:
    """The last event without a label leaves the unit unlabelled."""
    frame = frame_from_rows([row("r#1", "ana", YES), row("r#1", "ana", None)], [])
    assert frame.excluded() == {"unlabelled": 1}


def test_an_adjudicated_decision_beats_every_vote() -> None:
    """The last decision counts, whoever made it; a decision may flag the unit."""
    votes = [row(u, who, YES) for u in ("r#1", "r#2") for who in ("ana", "bo", "cy")]
    decisions = [
        row("r#1", "dee", NO, origin="adjudication"),
        row("r#2", "dee", NO, origin="adjudication"),
        row("r#2", "eli", "bad_split", origin="adjudication"),
    ]
    assert human(decisions[:1] + votes + decisions[1:]) == {"r#1": 0, "r#2": -2}


def test_an_adjudicator_keeps_the_own_vote() -> None:
    """Who decides a tie does not lose the vote given before, nor become a voter by deciding."""
    rows = [row("r#1", "ana", YES), row("r#1", "bo", NO)]
    rows.append(row("r#1", "ana", NO, origin="adjudication"))
    frame = frame_from_rows(rows, [])
    assert frame.human.tolist() == [0]
    assert frame.votes is not None
    assert frame.votes[:, 0].tolist() == [1, 0]


def test_labels_that_were_not_blind_are_left_out_unless_asked_for() -> None:
    """They do not vote; a unit with nothing else is left out as such, and counted."""
    rows = [row("r#1", "ana", YES, blind=False), row("r#2", "ana", YES), row("r#2", "bo", NO)]
    rows[2] = rows[2]._replace(blind=False)
    frame = frame_from_rows(rows, [])
    assert frame.human.tolist()[1] == 1
    assert frame.excluded() == {"not_blind": 1}
    assert frame.label_counts == {"not_blind": 2}
    asked = frame_from_rows(rows, [], include_not_blind=True)
    assert asked.excluded() == {"tie": 1}


def test_constructed_labels_never_meet_peoples() -> None:
    """A frame is of one origin; the other's labels are counted and change nothing."""
    rows = [row("r#1", "maker", NO, origin="constructed"), row("r#1", "ana", YES)]
    assert human(rows) == {"r#1": 1}
    assert human(rows, origin="constructed") == {"r#1": 0}
    frame = frame_from_rows(rows, [])
    assert frame.label_counts == {"other_origin": 1}
    with pytest.raises(UsageError):
        frame_from_rows(rows, [], origin="adjudication")


def test_the_second_showing_does_not_vote() -> None:
    """Repeats measure self-agreement; the first showing is the label."""
    frame = frame_from_rows([row("r#1", "ana", YES), row("r#1", "ana", NO, repeat=1)], [])
    assert frame.human.tolist() == [1]
    assert frame.second is not None
    assert frame.second.tolist() == [[0]]


def test_undecided_and_missing_verdicts_leave_out_per_judge() -> None:
    """Undecided verdicts are counted by reason, verdicts never asked for apart."""
    labels = [row(f"r#{i}", "ana", YES) for i in range(4)]
    verdicts = [
        VerdictRow("r#0", "j", YES),
        VerdictRow("r#1", "j", "undecided", "timeout"),
        VerdictRow("r#2", "j", "undecided", "parse"),
        VerdictRow("elsewhere", "j", NO),
        VerdictRow("r#3", "k", NO),
    ]
    frame = frame_from_rows(labels, verdicts)
    found = agreement(frame, "j")
    assert (found.n_units, found.n_undecided, found.n_missing) == (1, 2, 1)
    assert found.undecided == {"parse": 1, "timeout": 1}
    assert frame.pair("j", "k").n_units == 0


def test_of_repeated_verdicts_the_last_counts_and_runs_are_kept() -> None:
    """A verdict given twice counts once; repeats of a judge are kept for self-agreement."""
    verdicts = [
        VerdictRow("r#1", "j", NO),
        VerdictRow("r#1", "j", YES),
        VerdictRow("r#1", "j", NO, repeat=1),
    ]
    frame = frame_from_rows([row("r#1", "ana", YES)], verdicts)
    assert frame.verdict("j").tolist() == [1]
    assert frame.runs["j"].tolist() == [[1, 0]]


def test_what_makes_no_sense_is_refused() -> None:
    """A unit of two records, an unknown label or verdict, an unknown judge."""
    with pytest.raises(UsageError, match="belongs to record"):
        frame_from_rows([row("r#1", "ana", YES), row("r#1", "bo", YES)._replace(record="s")], [])
    with pytest.raises(UsageError, match="is no label"):
        frame_from_rows([row("r#1", "ana", "maybe")], [])
    with pytest.raises(UsageError, match="is no verdict"):
        frame_from_rows([row("r#1", "ana", YES)], [VerdictRow("r#1", "j", "maybe")])  # type: ignore[arg-type]
    frame: Frame = frame_from_rows([row("r#1", "ana", YES)], [])
    with pytest.raises(UsageError, match="named j"):
        agreement(frame, "j")
