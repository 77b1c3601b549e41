"""People against the judge, claim by claim, after labelling: nobody is blind here.

What counts as the people's label, and what is left out, is decided by the same frame as in the
report, so the list is the report's list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, get_args

from trueup.domain.model import Label, MatchLevel, Unit, Verdict
from trueup.domain.session import LabelSession, TaskItem
from trueup.errors import UsageError
from trueup.services.claim_service import ClaimService, News, Policy
from trueup.services.revealing import locate_evidence

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace

Direction = Literal["judge_entailed", "people_entailed"]


@dataclass(frozen=True, slots=True)
class Disagreed:
    """One claim on which one judge and people differ. `match` is the best match of its quotes."""

    unit: Unit
    judge: str
    human: str
    verdict: str
    match: str
    slices: frozenset[str] = frozenset()

    @property
    def direction(self) -> Direction:
        """Who said entailed."""
        return "judge_entailed" if self.verdict == "entailed" else "people_entailed"


@dataclass(frozen=True, slots=True)
class Filter:
    """Which disagreements to look at; None is any. `slice_` is `name=value`."""

    judge: str | None = None
    direction: Direction | None = None
    slice_: str | None = None
    match: str | None = None

    def keeps(self, item: Disagreed) -> bool:
        """Whether a disagreement is among them."""
        return (
            self.judge in {None, item.judge}
            and self.direction in {None, item.direction}
            and (self.slice_ is None or self.slice_ in item.slices)
            and self.match in {None, item.match}
        )

    def words(self) -> str:
        """The filter for people: what is looked at."""
        directions = {
            "judge_entailed": "judge says entailed, people do not",
            "people_entailed": "people say entailed, the judge does not",
            None: "",
        }
        parts = (
            f"judge {self.judge}" if self.judge else "",
            directions[self.direction],
            self.slice_ or "",
            f"evidence {self.match}" if self.match else "",
        )
        return " · ".join(p for p in parts if p) or "all disagreements"


@dataclass(slots=True)
class Choices:
    """The values that a filter can take, each in order."""

    judge: list[str] = field(default_factory=list)
    direction: list[str] = field(default_factory=list)
    slice_: list[str] = field(default_factory=list)
    match: list[str] = field(default_factory=list)


class DisagreementService(ClaimService):
    """The disagreements of a yardstick, and relabelling them (recorded as not blind).

    `only` is the id of a unit or a record to look at alone.
    """

    def __init__(
        self,
        workspace: Workspace,
        annotator: str,
        *,
        metric: str = "groundedness",
        labels: str | None = None,
        judges: Sequence[str] = (),
        only: str | None = None,
    ) -> None:
        policy = Policy(workspace.policy, workspace.policy_sha256)
        super().__init__(workspace.store, metric, policy)
        self.annotator = annotator
        self.title = f"disagreements {labels or self.metric.name}"
        self._workspace = workspace
        self._labels = labels
        self._judges = tuple(judges)
        self._only = only
        self._people: dict[str, tuple[Label, ...]] = {}
        self._verdicts: dict[str, list[tuple[str, Verdict]]] = {}
        self._seq = 0
        self.found: tuple[Disagreed, ...] = ()
        self.filter = Filter()

    def load(self) -> None:
        """Read labels and verdicts, and find where they differ.

        Raises UsageError where nothing is labelled, or no judge has ruled on what is.
        """
        from trueup.services.calibrating import by_judge, frame_of
        from trueup.services.yardstick import known_judges, yardstick

        stick = yardstick(self._workspace, self.metric.name, self._labels)
        judges = known_judges(self._workspace, stick, self._judges)
        if not judges:
            raise UsageError(
                "no judge has ruled on a labelled claim", hint="trueup judge, then look again"
            )
        verdicts = by_judge(self._workspace, stick, judges)
        frame = frame_of(stick, verdicts, include_unblinded=True)
        self._people = _current(stick.labels)
        self._verdicts = {}
        for name, given in verdicts.items():
            for verdict in given:
                if verdict.repeat == 0:
                    self._verdicts.setdefault(verdict.unit, []).append((name, verdict))
        self.found = tuple(
            Disagreed(
                stick.units[d.unit],
                judge.name,
                d.human,
                d.judge,
                self._match(d.unit, judge.name),
                frozenset(f"{k}={v}" for k, v in stick.records[d.record].slices.items()),
            )
            for judge in judges
            for d in frame.disagreements(judge.name)
            if self._only in (None, d.unit, stick.units[d.unit].id, stick.records[d.record].id)
        )

    def choices(self) -> Choices:
        """What the disagreements can be filtered by."""
        return Choices(
            judge=sorted({d.judge for d in self.found}),
            direction=sorted({d.direction for d in self.found}),
            slice_=sorted({s for d in self.found for s in d.slices}),
            match=sorted({d.match for d in self.found}),
        )

    def session(self) -> LabelSession:
        """The claims that pass the filter, each once; labels given here are not blind."""
        stored = self._store.label_events(metric=self.metric.name, annotator=self.annotator)
        self._seq = max((s.seq for s in stored), default=0)
        units = {d.unit.key: d.unit for d in self.found if self.filter.keeps(d)}
        mine = [s.label for s in stored if s.label.origin == "person" and s.label.repeat == 0]
        return LabelSession(
            [TaskItem(u) for u in units.values()],
            [e for e in mine if e.unit in units],
            metric=self.metric.name,
            annotator=self.annotator,
            sample=self._labels if self._workspace.store.sample(self._labels or "") else None,
            policy_sha256=self.policy.sha256,
            seen=True,
            stepwise=True,
            extra_units=self.made_units(mine, set(units)),
        )

    def news(self) -> News:
        """Own labels from elsewhere since the last look."""
        stored = self._store.label_events(
            metric=self.metric.name, annotator=self.annotator, after_seq=self._seq
        )
        self._seq = max([self._seq, *(s.seq for s in stored)])
        events = tuple(s.label for s in stored if s.label.origin == "person")
        return News(events, self.made_units(events, set()))

    def people(self, item: TaskItem) -> tuple[Label, ...]:
        """Everyone's current label of a claim, as it was when the list was made."""
        return self._people.get(item.unit.key, ())

    def judges_say(self, item: TaskItem) -> tuple[tuple[str, Verdict], ...]:
        """The judges' verdicts on a claim, their quotes located in its context."""
        record = self.record_of(item.unit)
        return tuple(
            (name, locate_evidence(v, record, item.unit))
            for name, v in self._verdicts.get(item.key[0], ())
        )

    def _match(self, unit: str, judge: str) -> str:
        """The match of the quotes of one judge: the best, `none` where it gave none."""
        given = next((v for name, v in self._verdicts.get(unit, ()) if name == judge), None)
        if given is None or not given.evidence:
            return "none"
        if any(e.match == "unlocated" for e in given.evidence):
            whole = self._store.units_by_key([unit])[unit]
            given = locate_evidence(given, self.record_of(whole), whole)
        return min((e.match for e in given.evidence), key=_BEST_FIRST.index)


_BEST_FIRST = tuple(get_args(MatchLevel))


def _current(labels: Sequence[Label]) -> dict[str, tuple[Label, ...]]:
    """The last event of each annotator and origin on each unit, first showing, undone ones out."""
    last: dict[tuple[str, str, str], Label] = {}
    for label in labels:
        if label.repeat == 0:
            last[label.unit, label.annotator, label.origin] = label
    found: dict[str, tuple[Label, ...]] = {}
    for label in sorted(last.values(), key=lambda e: (e.origin == "adjudication", e.annotator)):
        if label.label is not None:
            found[label.unit] = (*found.get(label.unit, ()), label)
    return found
