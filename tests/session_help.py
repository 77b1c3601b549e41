"""A small queue and a clock that the test turns, for tests of the session."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import count

from trueup.domain.model import Label, Unit
from trueup.domain.session import Action, LabelSession, TaskItem


class Clock:
    """Time that moves only when the test says so."""

    def __init__(self) -> None:
        self.now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def tick(self, seconds: float = 1.0) -> None:
        self.now += timedelta(seconds=seconds)


class Desk:
    """A session with a list for a store: `do` stores an action and only then commits it."""

    def __init__(self, answers: int = 3, claims: int = 2, **options: object) -> None:
        self.clock = Clock()
        self.log: list[Label] = []
        self.units: dict[str, Unit] = {}
        self.items = [
            TaskItem(Unit(f"r{a}", f"q{a}#{c}", "answer_claim", f"claim {a}.{c}", c))
            for a in range(answers)
            for c in range(1, claims + 1)
        ]
        self.options = options
        self._ids = count()
        self.session = self.open()

    def open(self, **more: object) -> LabelSession:
        """A session over what is stored: what another terminal, or the next start, sees."""
        return LabelSession(
            self.items,
            self.log,
            metric="groundedness",
            annotator="ana",
            sample="s",
            extra_units=self.units.values(),
            clock=self.clock,
            new_id=lambda: f"e{next(self._ids)}",
            **{"policy_sha256": "p1", **self.options, **more},  # type: ignore[arg-type]
        )

    def store(self, action: Action) -> None:
        """Append the events of an action."""
        self.units |= {u.key: u for u in action.units}
        self.log.extend(action.events)

    def do(self, action: Action, session: LabelSession | None = None) -> Action:
        """Store and commit."""
        self.store(action)
        (session or self.session).commit(action)
        return action

    def labels(self) -> dict[str, str | None]:
        """The last event of each claim, as the store would give the current labels."""
        last = {(e.unit, e.repeat): e for e in self.log}
        names = {i.unit.key: i.unit.id for i in self.items} | {
            u.key: u.id for u in self.units.values()
        }
        return {names[u]: e.label for (u, _), e in last.items() if e.label is not None}

    def here(self, session: LabelSession | None = None) -> str:
        """The visible id of the current claim."""
        item = (session or self.session).current
        assert item is not None
        return item.unit.id
