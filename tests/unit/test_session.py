"""What one person's labelling session does with each command, without a screen or a store."""

from __future__ import annotations

from dataclasses import fields

import pytest

from session_help import Desk
from shared import golden_cases
from trueup.domain.model import Unit
from trueup.domain.session import LabelSession, TaskItem


def test_a_mark_labels_the_claim_and_goes_on_to_the_next() -> None:
    """One key: the event is the current label, and the cursor stands on the next open claim."""
    desk = Desk()

    action = desk.do(desk.session.mark("entailed"))

    assert desk.labels() == {"q0#1": "entailed"}
    assert action.events[0].blind
    assert action.events[0].policy_sha256 == "p1"
    assert desk.here() == "q0#2"


def test_nothing_changes_before_the_commit() -> None:
    """A command only says what is to be stored; the cursor waits for the store."""
    desk = Desk()

    desk.session.mark("entailed")

    assert desk.here() == "q0#1"
    assert desk.session.progress().done == 0


def test_the_time_on_screen_is_kept_with_the_mark() -> None:
    """`ms` is the time since the claim came up, and the pace is the median of it."""
    desk = Desk()
    for seconds in (2.0, 4.0, 60.0):
        desk.clock.tick(seconds)
        desk.do(desk.session.mark("unsure"))

    assert [e.ms for e in desk.log] == [2000, 4000, 60000]
    assert desk.session.progress().pace_s == 4.0
    assert desk.session.progress().left_s == 12.0


def test_a_claim_left_alone_does_not_count_for_the_pace() -> None:
    """Lunch is not thinking."""
    desk = Desk()
    desk.clock.tick(3600)
    desk.do(desk.session.mark("unsure"))

    assert desk.session.progress().pace_s is None


def test_skip_comes_back_when_the_rest_is_done() -> None:
    """A skipped claim is not labelled, is passed over, and is offered last."""
    desk = Desk(answers=1, claims=3)
    desk.do(desk.session.skip())
    assert desk.here() == "q0#2"
    desk.do(desk.session.mark("entailed"))
    desk.do(desk.session.mark("entailed"))

    assert desk.here() == "q0#1"
    assert "q0#1" not in desk.labels()


def test_skipping_a_labelled_claim_keeps_its_label() -> None:
    """Skip moves on; it never takes a label away."""
    desk = Desk()
    desk.do(desk.session.mark("entailed"))
    desk.session.previous_claim()
    desk.do(desk.session.skip())

    assert desk.labels() == {"q0#1": "entailed"}


def test_undo_takes_back_the_last_mark_and_goes_to_it() -> None:
    """The claim is open again, and says so in its history."""
    desk = Desk()
    desk.do(desk.session.mark("entailed"))
    action = desk.do(desk.session.undo())

    assert action.said == "undone: entailed"
    assert desk.labels() == {}
    assert desk.here() == "q0#1"
    assert len(desk.log) == 2


def test_undo_of_a_relabel_restores_the_label_before() -> None:
    """Taking back a change is not taking back the label."""
    desk = Desk()
    desk.do(desk.session.mark("entailed"))
    desk.session.previous_claim()
    desk.do(desk.session.mark("not_entailed"))
    desk.do(desk.session.undo())

    assert desk.labels() == {"q0#1": "entailed"}


@pytest.mark.parametrize("case", golden_cases("tui", "undo"))
def test_golden_undo_takes_back_each_action_in_order(case: dict[str, object]) -> None:
    """yes, no, undo, undo: nothing is labelled, and the history keeps all four."""
    desk = Desk()
    desk.do(desk.session.mark("entailed"))
    desk.do(desk.session.mark("not_entailed"))
    desk.do(desk.session.undo())
    assert desk.here() == "q0#2"
    desk.do(desk.session.undo())

    assert list(desk.labels()) == case["check"]["labels_after"]  # type: ignore[index]
    assert desk.here() == "q0#1"
    assert len(desk.log) == 4


def test_undo_still_works_after_a_restart() -> None:
    """The stack is in the events."""
    desk = Desk()
    desk.do(desk.session.mark("entailed"))
    desk.do(desk.session.mark("unsure"))
    again = desk.open()

    desk.do(again.undo(), again)
    desk.do(again.undo(), again)
    assert desk.labels() == {}
    assert again.undo().said == "nothing to undo"


def test_a_restart_stands_at_the_same_claim_with_the_same_count() -> None:
    """Marks, a skip and an undo later, the next start sees what this one sees."""
    desk = Desk()
    desk.do(desk.session.mark("entailed"))
    desk.do(desk.session.skip())
    desk.do(desk.session.mark("unsure"))
    desk.do(desk.session.undo())

    again = desk.open()
    assert again.cursor == desk.session.cursor
    assert again.progress().done == desk.session.progress().done == 1


@pytest.mark.parametrize("case", golden_cases("tui", "resume"))
def test_golden_each_annotator_resumes_at_their_own_place(case: dict[str, object]) -> None:
    """Seven labelled: the eighth is next; three: the fourth."""
    given = case["input"]
    for done in given["annotators"].values():  # type: ignore[index]
        desk = Desk(answers=given["queue"], claims=1)  # type: ignore[index]
        for _ in range(done):
            desk.do(desk.session.mark("entailed"))
        assert desk.open().cursor == done
        assert len(desk.labels()) == done


def test_children_take_the_place_behind_their_parent() -> None:
    """A split flags the claim, queues its parts behind it, and stands on the first."""
    desk = Desk()
    desk.do(desk.session.split(["claim 0", "one more"], "claim 0. one more"))

    ids = [i.unit.id for i in desk.session.items]
    assert ids[:4] == ["q0#1", "q0#1.1", "q0#1.2", "q0#2"]
    assert desk.here() == "q0#1.1"
    assert desk.labels()["q0#1"] == "bad_split"
    child = desk.session.items[1].unit
    assert child.provisional
    assert child.parent == desk.items[0].unit.key
    assert child.span is not None


def test_undoing_a_split_takes_its_parts_out() -> None:
    """The parts are gone from the queue, the claim is open again."""
    desk = Desk()
    desk.do(desk.session.split(["a", "b"]))
    desk.do(desk.session.undo())

    assert len(desk.session.items) == len(desk.items)
    assert desk.here() == "q0#1"


def test_relabelling_a_split_claim_takes_its_parts_out() -> None:
    """A claim that is entailed after all has no parts."""
    desk = Desk()
    desk.do(desk.session.split(["a", "b"]))
    desk.session.previous_claim()
    desk.do(desk.session.mark("entailed"))

    assert len(desk.session.items) == len(desk.items)


@pytest.mark.parametrize("parts", [[], ["one"], ["one", " one "], ["", "  "], ["claim 0.1", "x"]])
def test_a_split_needs_two_different_parts(parts: list[str]) -> None:
    """What is empty, twice the same, or the claim itself is no part."""
    desk = Desk()

    action = desk.session.split(parts)

    assert not action.events
    assert not action.units


def test_a_comment_on_a_split_keeps_the_parts() -> None:
    """A comment changes the comment alone."""
    desk = Desk()
    desk.do(desk.session.split(["a", "b"]))
    desk.session.previous_claim()
    desk.do(desk.session.comment("two facts"))

    assert [i.unit.id for i in desk.session.items][:3] == ["q0#1", "q0#1.1", "q0#1.2"]
    assert desk.labels()["q0#1"] == "bad_split"


def test_a_missed_claim_stands_last_in_its_answer_and_is_labelled() -> None:
    """It joins the queue at once, with its place in the answer, and counts as open."""
    desk = Desk()
    desk.do(desk.session.add_missed("a third fact", "one. a third fact.", 5))

    assert [i.unit.text for i in desk.session.items][2] == "a third fact"
    item = desk.session.current
    assert item is not None
    assert item.unit.span is not None
    assert item.unit.span.start == 5
    desk.do(desk.session.mark("entailed"))
    assert desk.open().progress().total == len(desk.items) + 1


def test_undoing_a_missed_claim_takes_it_out() -> None:
    """And the same claim can be added again afterwards."""
    desk = Desk()
    desk.do(desk.session.add_missed("more"))
    desk.do(desk.session.undo())
    assert len(desk.session.items) == len(desk.items)

    desk.do(desk.session.add_missed("more"))
    assert len(desk.session.items) == len(desk.items) + 1


def test_a_comment_keeps_the_label_and_its_blindness() -> None:
    """Writing a comment after a reveal does not make a blind label a seen one."""
    desk = Desk()
    desk.do(desk.session.mark("entailed"))
    desk.session.previous_claim()
    desk.do(desk.session.reveal())
    desk.do(desk.session.comment("clear"))

    last = desk.log[-1]
    assert (last.label, last.blind, last.note) == ("entailed", True, "clear")


def test_a_comment_before_the_mark_stays_with_it() -> None:
    """The comment is stored at once, and the mark carries it."""
    desk = Desk()
    desk.do(desk.session.comment("hm"))
    assert desk.open().state(desk.items[0].key).note == "hm"
    desk.do(desk.session.mark("unsure"))

    assert desk.log[-1].note == "hm"


def test_own_evidence_is_kept_with_its_place() -> None:
    """And outlives a relabel."""
    desk = Desk()
    desk.do(desk.session.quote("the sentence", {"chunk": "c", "start": 0, "end": 12}))
    desk.do(desk.session.mark("entailed"))

    assert desk.log[-1].quote == "the sentence"
    assert desk.log[-1].meta["where"] == {"chunk": "c", "start": 0, "end": 12}
    desk.session.previous_claim()
    desk.do(desk.session.quote(None))
    assert desk.log[-1].quote is None
    assert "where" not in desk.log[-1].meta
    assert desk.log[-1].label == "entailed"


def test_a_label_after_a_reveal_is_not_blind() -> None:
    """Also after a restart: that the verdict was seen is itself an event."""
    desk = Desk()
    desk.do(desk.session.reveal())
    again = desk.open()
    desk.do(again.mark("entailed"), again)

    assert not desk.log[-1].blind


def test_a_label_before_a_reveal_stays_blind_and_a_relabel_does_not() -> None:
    """The order of events decides."""
    desk = Desk()
    desk.do(desk.session.mark("entailed"))
    desk.session.previous_claim()
    desk.do(desk.session.reveal())
    assert desk.log[-1].blind
    assert desk.labels() == {"q0#1": "entailed"}
    desk.do(desk.session.mark("not_entailed"))

    assert not desk.log[-1].blind


def test_a_reveal_cannot_be_undone() -> None:
    """Undo takes back the mark before it; what was seen stays seen."""
    desk = Desk()
    desk.do(desk.session.mark("entailed"))
    desk.session.previous_claim()
    desk.do(desk.session.reveal())
    desk.do(desk.session.undo())
    assert desk.labels() == {}

    desk.do(desk.session.mark("entailed"))
    assert not desk.log[-1].blind


def test_a_second_showing_knows_nothing_of_the_first() -> None:
    """No label, no comment, no reveal of the first showing is in the state of the second."""
    desk = Desk(answers=1, claims=1)
    desk.items.append(TaskItem(desk.items[0].unit, 1))
    desk.session = desk.open()
    desk.do(desk.session.comment("remember me"))
    desk.do(desk.session.mark("entailed"))

    item = desk.session.current
    assert item is not None
    assert item.repeat == 1
    state = desk.session.state(item.key)
    assert (state.label, state.note, state.revealed) == (None, None, False)
    desk.do(desk.session.mark("not_entailed"))
    assert [e.repeat for e in desk.log] == [0, 0, 1]
    assert desk.log[-1].note is None


def test_a_second_showing_of_a_revealed_claim_is_not_blind() -> None:
    """The verdict was seen, though it is not shown again."""
    desk = Desk(answers=1, claims=1)
    desk.items.append(TaskItem(desk.items[0].unit, 1))
    desk.session = desk.open()
    desk.do(desk.session.reveal())
    desk.do(desk.session.mark("entailed"))
    desk.do(desk.session.mark("entailed"))

    assert not desk.log[-1].blind
    assert not desk.session.state(desk.items[1].key).revealed


def test_labels_under_an_older_policy_can_be_put_back() -> None:
    """They are told apart, and open again when asked for."""
    desk = Desk()
    desk.do(desk.session.mark("entailed"))

    plain = desk.open(policy_sha256="p2")
    assert plain.state(desk.items[0].key).outdated
    assert plain.progress().done == 1
    again = desk.open(policy_sha256="p2", requeue_outdated=True)
    assert desk.here(again) == "q0#1"
    desk.do(again.mark("entailed"), again)
    assert not again.is_open(desk.items[0].key)


def test_moving_between_answers() -> None:
    """Next and previous go to the first claim of an answer and stop at the ends."""
    desk = Desk()
    session = desk.session

    assert session.next_answer()
    assert desk.here() == "q1#1"
    session.next_claim()
    assert session.previous_answer()
    assert desk.here() == "q0#1"
    assert not session.previous_answer()
    assert not session.previous_claim()
    session.goto(len(session.items) - 1)
    assert not session.next_claim()
    assert not session.next_answer()


def test_next_unlabelled_goes_round_the_end() -> None:
    """From the last claim on, the search begins at the first."""
    desk = Desk()
    desk.do(desk.session.mark("entailed"))
    desk.session.goto(len(desk.session.items) - 1)
    assert desk.session.next_unlabelled()

    assert desk.here() == "q0#2"


def test_two_terminals_the_last_mark_wins() -> None:
    """Each sees the other's on the next move, in the order of the store."""
    desk = Desk()
    other = desk.open()
    desk.do(desk.session.mark("entailed"))
    desk.do(other.mark("not_entailed"), other)

    assert desk.session.apply(desk.log) == 1
    assert other.apply(desk.log) == 1
    key = desk.items[0].key
    assert desk.session.state(key).label == other.state(key).label == "not_entailed"


def test_the_stored_order_wins_over_the_order_of_hearing() -> None:
    """An event of the other terminal that was stored first does not cover the own later one."""
    desk = Desk()
    other = desk.open()
    desk.do(other.mark("not_entailed"), other)
    desk.do(desk.session.mark("entailed"))

    desk.session.apply(desk.log)
    assert desk.session.state(desk.items[0].key).label == "entailed"


def test_undo_leaves_what_the_other_terminal_changed() -> None:
    """A mark that was replaced elsewhere is no longer this terminal's to take back."""
    desk = Desk()
    other = desk.open()
    desk.do(desk.session.mark("entailed"))
    desk.do(other.mark("not_entailed"), other)
    desk.session.apply(desk.log)

    assert desk.session.undo().said == "nothing to undo"


def test_answers_that_others_took_leave_the_queue() -> None:
    """All but those of which something was said here."""
    desk = Desk()
    desk.do(desk.session.mark("entailed"))

    assert desk.session.drop_answers(["r0", "r1"]) == 2
    assert [i.unit.record for i in desk.session.items] == ["r0", "r0", "r2", "r2"]


def test_dropping_the_current_answer_moves_to_an_open_claim() -> None:
    """The cursor never stands on nothing."""
    desk = Desk()
    desk.session.drop_answers(["r0"])

    assert desk.here() == "q1#1"


def test_an_empty_queue_has_no_current_claim() -> None:
    """And no move, and no unlabelled claim."""
    session = LabelSession([], [], metric="groundedness", annotator="ana")

    assert session.current is None
    assert session.answer_items() == ()
    assert not session.next_answer()
    assert not session.previous_answer()
    assert not session.next_unlabelled()
    assert session.progress().total == 0


def test_when_all_is_labelled_a_mark_goes_to_the_claim_below() -> None:
    """Looking through one's labels again does not jump."""
    desk = Desk(answers=1, claims=3)
    for _ in range(3):
        desk.do(desk.session.mark("entailed"))
    desk.session.goto(0)
    desk.do(desk.session.mark("unsure"))

    assert desk.here() == "q0#2"


def test_nothing_a_session_holds_could_carry_a_verdict() -> None:
    """Blindness by construction: a queue item is a unit and a showing, and nothing else."""
    names = {f.name for f in fields(TaskItem)}

    assert names == {"unit", "repeat", "key"}
    assert "verdict" not in {f.name for f in fields(Unit)}
