"""Who labels which answer, and in which order: seeded, pure, the same on every machine.

Whole answers are handed out, never single claims. Answers drawn for overlap go to every annotator;
every other answer belongs to the first annotator who takes it (`claim_id` names that event, so that
the store's uniqueness decides a race) until it is given back. Answers drawn for repeats come back
to the same annotator later in the queue, unannounced.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from trueup.domain.ids import content_id
from trueup.domain.model import Label, Sample, SampleMember

_EARLY = 0.6
"""Answers that come back are shown in the first part of the queue, so that "later" exists."""
_GAP = 5
"""At least so many answers lie between the two showings, where the queue is long enough."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One showing of one answer; `repeat` is 1 for the second showing."""

    record: str
    repeat: int = 0


def queue(sample: Sample, annotator: str, taken: Collection[str] = ()) -> tuple[Turn, ...]:
    """The answers of a sample in this annotator's order.

    `taken` holds the records that belong to another annotator; they are left out without
    disturbing the order of the rest. An answer drawn for overlap is never taken.
    """
    members = sorted(sample.members, key=lambda m: _place(sample, annotator, m))
    turns = _with_second_showings(members)
    free = {m.record for m in members if m.overlap or m.record not in taken}
    return tuple(t for t in turns if t.record in free)


def _place(sample: Sample, annotator: str, member: SampleMember) -> tuple[float, str]:
    """A number in [0, 1) that looks random, from the seed, the annotator and the record."""
    digest = content_id("order", [sample.name, sample.seed, annotator, member.record])
    share = int(digest[:13], 16) / 16**13
    return (share * _EARLY if member.repeat else share, member.record)


def _with_second_showings(members: list[SampleMember]) -> list[Turn]:
    """The order with the second showings put in, each a third of the queue after the first."""
    count = len(members)
    gap = max(_GAP, count // 3)
    later: dict[int, list[Turn]] = {}
    for index, member in enumerate(members):
        if member.repeat:
            later.setdefault(min(index + gap, count - 1), []).append(Turn(member.record, 1))
    turns: list[Turn] = []
    for index, member in enumerate(members):
        turns.append(Turn(member.record))
        turns.extend(later.get(index, ()))
    return turns


def claim_id(sample: str, metric: str, record: str, turn: int = 0) -> str:
    """Id of the event by which an answer is taken: the same for everyone, whoever is first.

    `turn` counts how often the answer was given back.
    """
    return content_id("assignment", [sample, metric, record, turn])


def release_id(sample: str, metric: str, record: str, turn: int) -> str:
    """Id of the event by which an answer is given back."""
    return content_id("release", [sample, metric, record, turn])


def is_assignment(label: Label) -> bool:
    """Whether an event takes an answer or gives it back, and says nothing of a claim."""
    return label.meta.get("kind") in {"assign", "release"}


@dataclass(slots=True)
class Owners:
    """Who has which answer of a sample, from its events in stored order. Answers drawn for overlap
    have no owner."""

    shared: frozenset[str]
    owner: dict[str, str] = field(default_factory=dict)
    turn: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, sample: Sample) -> Owners:
        """Nothing is taken yet."""
        return cls(frozenset(m.record for m in sample.members if m.overlap))

    def absorb(self, events: Iterable[Label]) -> None:
        """Take in events; one that was seen before changes nothing."""
        for event in events:
            record, turn = event.meta.get("record"), event.meta.get("turn")
            if not isinstance(record, str) or record in self.shared or not is_assignment(event):
                continue
            if turn != self.turn.get(record, 0):
                continue
            if event.meta.get("kind") == "assign":
                self.owner.setdefault(record, event.annotator)
            elif self.owner.get(record) == event.annotator:
                del self.owner[record]
                self.turn[record] = self.turn.get(record, 0) + 1

    def others(self, annotator: str) -> set[str]:
        """Records that belong to someone else."""
        return {record for record, who in self.owner.items() if who != annotator}
