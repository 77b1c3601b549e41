"""The labelling session as a state machine: two terminals of one annotator over one store."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from session_help import Desk
from trueup.domain.ledger import ItemKey, ItemState
from trueup.domain.session import Action, LabelSession

_LABELS = st.sampled_from(["entailed", "not_entailed", "unsure", "not_a_claim"])
_TEXTS = st.lists(st.sampled_from(["a", "b", "c", "claim 0.1"]), max_size=4)


def _picture(session: LabelSession) -> list[tuple[ItemKey, ItemState, bool]]:
    return [(i.key, session.state(i.key), session.is_open(i.key)) for i in session.items]


class OneTerminal(RuleBasedStateMachine):
    """Every command in any order. `past` holds a picture before each action that can be undone."""

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk(answers=2, claims=2)
        self.past: list[list[tuple[ItemKey, ItemState, bool]]] = []

    @property
    def session(self) -> LabelSession:
        return self.desk.session

    def _do(self, action: Action) -> None:
        before = _picture(self.session)
        self.desk.clock.tick(1)
        self.desk.do(action)
        if action.events:
            self.past.append(before)

    @rule(label=_LABELS)
    def mark(self, label: str) -> None:
        """A mark is the current label at once, blind exactly when nothing was revealed."""
        item = self.session.current
        assert item is not None
        revealed = self.session.state(item.key).revealed
        self._do(self.session.mark(label))  # type: ignore[arg-type]
        state = self.session.state(item.key)
        assert state.label == label
        assert state.blind == (not revealed)

    @rule(parts=_TEXTS)
    def split(self, parts: list[str]) -> None:
        """Parts join the queue, or nothing happens."""
        action = self.session.split(parts)
        self._do(action)
        for unit in action.units:
            assert any(i.unit.key == unit.key for i in self.session.items)

    @rule(text=st.sampled_from(["more", "still more", "  "]))
    def add_missed(self, text: str) -> None:
        """A missed claim joins the queue once."""
        self._do(self.session.add_missed(text))

    @rule(note=st.sampled_from(["", "hm", "why"]))
    def comment(self, note: str) -> None:
        """A comment changes nothing but the comment."""
        item = self.session.current
        assert item is not None
        before = self.session.state(item.key)
        self._do(self.session.comment(note))
        after = self.session.state(item.key)
        assert (after.label, after.quote) == (before.label, before.quote)
        assert after.label is None or after.blind == before.blind

    @rule(quote=st.sampled_from([None, "sentence"]))
    def quote(self, quote: str | None) -> None:
        """Evidence changes nothing but the evidence."""
        item = self.session.current
        assert item is not None
        before = self.session.state(item.key)
        self._do(self.session.quote(quote, {"start": 1}))
        after = self.session.state(item.key)
        assert (after.label, after.note) == (before.label, before.note)
        assert after.label is None or after.blind == before.blind

    @rule()
    def skip(self) -> None:
        """Skipping never takes a label away."""
        item = self.session.current
        assert item is not None
        before = self.session.state(item.key).label
        self._do(self.session.skip())
        assert self.session.state(item.key).label == before

    @rule()
    def reveal(self) -> None:
        """What is revealed stays so; it is no step that undo goes back to."""
        item = self.session.current
        assert item is not None
        label = self.session.state(item.key).label
        self.desk.do(self.session.reveal())
        assert self.session.state(item.key).revealed
        assert self.session.state(item.key).label == label

    @precondition(lambda self: self.past)
    @rule()
    def undo(self) -> None:
        """Undo restores the labels, notes and quotes of before, and nothing that was revealed."""
        self.desk.do(self.session.undo())
        before = self.past.pop()
        told = [(k, s.label, s.note, s.quote, s.skipped) for k, s, _ in before]
        now = [(k, s.label, s.note, s.quote, s.skipped) for k, s, _ in _picture(self.session)]
        assert now == told

    @rule(steps=st.integers(-3, 3), kind=st.sampled_from(["claim", "answer", "open"]))
    def move(self, steps: int, kind: str) -> None:
        """Moving stores nothing."""
        size = len(self.desk.log)
        for _ in range(abs(steps)):
            if kind == "open":
                self.session.next_unlabelled()
            elif kind == "answer":
                self.session.next_answer() if steps > 0 else self.session.previous_answer()
            else:
                self.session.next_claim() if steps > 0 else self.session.previous_claim()
        assert len(self.desk.log) == size

    @rule()
    def restart(self) -> None:
        """A fresh start from the store sees exactly the same, undo stack included."""
        again = self.desk.open()
        assert _picture(again) == _picture(self.session)
        assert again.progress().done == self.session.progress().done
        self.desk.session = again

    @invariant()
    def the_cursor_stands_on_a_claim(self) -> None:
        """Always, and the counts are right."""
        progress = self.session.progress()
        assert 0 <= self.session.cursor < len(self.session.items)
        assert progress.total == len(self.session.items)
        assert progress.done == sum(not o for _, _, o in _picture(self.session))

    @invariant()
    def the_store_says_the_same(self) -> None:
        """The last event of each claim is what the session shows."""
        shown = {
            i.unit.key: self.session.state(i.key).label
            for i in self.session.items
            if self.session.state(i.key).label
        }
        last = {e.unit: e.label for e in self.desk.log if e.label or e.meta["kind"] == "undo"}
        stored = {u: label for u, label in last.items() if label and u in shown}
        assert stored == shown


class TwoTerminals(RuleBasedStateMachine):
    """Marks and undos from two terminals; each looks into the store when it moves."""

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk(answers=2, claims=2)
        self.ends = [self.desk.session, self.desk.open()]
        self.heard = [0, 0]

    def _look(self, which: int) -> None:
        fresh = self.desk.log[self.heard[which] :]
        self.heard[which] = len(self.desk.log)
        self.ends[which].apply(fresh, self.desk.units.values())

    @rule(which=st.integers(0, 1), label=_LABELS, look=st.booleans())
    def mark(self, which: int, label: str, look: bool) -> None:
        """With or without having looked before."""
        if look:
            self._look(which)
        self.desk.do(self.ends[which].mark(label), self.ends[which])  # type: ignore[arg-type]

    @rule(which=st.integers(0, 1), parts=_TEXTS)
    def split(self, which: int, parts: list[str]) -> None:
        """Parts made in one terminal."""
        self.desk.do(self.ends[which].split(parts), self.ends[which])

    @rule(which=st.integers(0, 1))
    def undo(self, which: int) -> None:
        """Only what this terminal did and what still stands."""
        self._look(which)
        self.desk.do(self.ends[which].undo(), self.ends[which])

    @rule(which=st.integers(0, 1), step=st.integers(0, 3))
    def move(self, which: int, step: int) -> None:
        """Anywhere."""
        self.ends[which].goto(step)

    @rule()
    def both_look(self) -> None:
        """After both have looked, both show what a fresh start would show."""
        self._look(0)
        self._look(1)
        fresh = self.desk.open()
        assert _picture(self.ends[0]) == _picture(fresh)
        assert _picture(self.ends[1]) == _picture(fresh)


_SETTINGS = settings(max_examples=50, stateful_step_count=30, deadline=None)
TestOneTerminal = OneTerminal.TestCase
TestOneTerminal.settings = _SETTINGS
TestTwoTerminals = TwoTerminals.TestCase
TestTwoTerminals.settings = _SETTINGS
