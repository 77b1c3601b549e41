"""Small worlds of answers, labels and verdicts, and the report that is made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trueup.domain.metrics import METRICS
from trueup.domain.model import (
    UNKNOWN_TIME,
    Chunk,
    Evidence,
    JudgeSpec,
    Label,
    Record,
    Sample,
    SampleMember,
    Unit,
    Verdict,
)
from trueup.domain.text import ContextIndex
from trueup.report.build import Source, build
from trueup.report.model import ReportData
from trueup.stats.frame_rows import LabelRow, SampleWeights, VerdictRow, frame_from_rows

CHUNKS = (
    Chunk("c-1", "Audit logs are kept for 90 days on Enterprise. They cannot be restored.", "a.md"),
    Chunk("c-2", "The Team plan keeps audit logs for 30 days.", "b.md"),
)
YES, NO, OPEN = "entailed", "not_entailed", "undecided"


@dataclass
class Claim:
    """A claim with what people (one label, or one each) and the judges say of it.

    A judge says a word, or a word and its quotes.
    """

    text: str
    human: str | Mapping[str, str] | None
    judges: Mapping[str, Any] = field(default_factory=dict)
    note: str | None = None


@dataclass
class Answer:
    """One answer of claims."""

    claims: Sequence[Claim]
    name: str = ""
    question: str | None = "How long are audit logs kept?"
    context: tuple[Chunk, ...] | None = CHUNKS
    failing: bool | None = None
    slices: Mapping[str, str] = field(default_factory=dict)
    release: str = ""


def claims(table: str, judges: Sequence[str] = ("plain", "quoted")) -> list[Claim]:
    """Claims from words like `111 010`: digits of people, then of each judge; `u` is undecided."""
    words = {"1": YES, "0": NO, "u": OPEN}
    return [
        Claim(
            f"Claim {i} of {len(table.split())}.",
            words[cell[0]],
            {j: words[c] for j, c in zip(judges, cell[1:], strict=True) if c != "-"},
        )
        for i, cell in enumerate(table.split(), 1)
    ]


def report(
    answers: Sequence[Answer],
    judges: Sequence[str] = ("plain", "quoted"),
    *,
    metric: str = "groundedness",
    origin: str = "person",
    sample: Sample | None = None,
    name: str = "fixture",
    evidence: str = "off",
    **source: Any,
) -> ReportData:
    """The report of these answers, through the frame and the real statistics."""
    world = _World(metric, origin, evidence)
    for i, one in enumerate(answers, 1):
        world.add(one, i, judges)
    specs = {
        j: JudgeSpec(j, "openai", metric, f"model-of-{j}", prompt=j, evidence=evidence)  # type: ignore[arg-type]
        for j in judges
    }
    frame = frame_from_rows(
        [LabelRow(x.unit, world.units[x.unit].record, x.annotator, x.label, x.blind, x.origin)
         for x in world.labels],
        [VerdictRow(v.unit, j, v.value, v.reason) for j, vs in world.verdicts.items() for v in vs],
        units={key: unit.record for key, unit in world.units.items()},
        origin=origin,  # type: ignore[arg-type]
        sample=None if sample is None else SampleWeights.from_sample(sample),
        slices={key: record.slices for key, record in world.records.items() if record.slices},
        judges=list(judges),
    )  # fmt: skip
    return build(
        Source(
            metric=METRICS[metric],
            labels_name=name,
            labels_sha256="5eed" * 16,
            labels=world.labels,
            units=world.units,
            records=world.records,
            judges={j: (specs[j], (f"{specs[j].model}-2026",)) for j in judges},
            verdicts={j: world.verdicts.get(j, []) for j in judges},
            sample=sample,
            **source,
        ),
        frame,
        [(a, b) for i, a in enumerate(judges) for b in judges[i + 1 :]],
    )


def sample_of(answers: Sequence[Answer], probabilities: Sequence[float]) -> Sample:
    """A sample of these answers, in a stratum for each probability."""
    world = _World("groundedness", "person", "off")
    for i, one in enumerate(answers, 1):
        world.add(one, i, ())
    drawn = zip(world.records, probabilities, strict=True)
    members = tuple(SampleMember(k, p, f"p{p}", i) for i, (k, p) in enumerate(drawn))
    sizes = {f"p{p}": round(list(probabilities).count(p) / p) for p in probabilities}
    population = sum(sizes.values())
    return Sample("drawn", "groundedness", "score-bands", 7, population, members, strata=sizes)


class _World:
    """Records, units, labels and verdicts by key."""

    def __init__(self, metric: str, origin: str, evidence: str) -> None:
        self.metric, self.origin, self.evidence = metric, origin, evidence
        self.records: dict[str, Record] = {}
        self.units: dict[str, Unit] = {}
        self.labels: list[Label] = []
        self.verdicts: dict[str, list[Verdict]] = {}

    def add(self, one: Answer, number: int, judges: Sequence[str]) -> None:
        """Take in one answer."""
        record = Record(
            id=one.name or f"q-{number}",
            answer=" ".join(c.text for c in one.claims),
            question=one.question,
            context=one.context,
            failing=one.failing,
            slices=one.slices,
            release=one.release,
        )
        self.records[record.key] = record
        for n, claim in enumerate(one.claims, 1):
            unit = Unit(record.key, f"{record.id}#{n}", "answer_claim", claim.text, n)
            self.units[unit.key] = unit
            self._label(unit, claim)
            for judge in judges:
                if judge in claim.judges:
                    self._verdict(unit, judge, claim.judges[judge], record)

    def _label(self, unit: Unit, claim: Claim) -> None:
        given = {"ana": claim.human} if isinstance(claim.human, str) else claim.human or {}
        for who, label in given.items():
            self.labels.append(
                Label(f"{unit.key}-{who}", unit.key, self.metric, who, label, UNKNOWN_TIME,  # type: ignore[arg-type]
                      note=claim.note, origin=self.origin, policy_sha256="ab" * 32)  # type: ignore[arg-type]
            )  # fmt: skip

    def _verdict(self, unit: Unit, judge: str, said: Any, record: Record) -> None:
        value, *quotes = (said,) if isinstance(said, str) else said
        index = ContextIndex(record.context or ())
        found: tuple[Evidence, ...] = tuple(index.locate(q) for q in quotes)
        own = value
        if self.evidence == "required" and value == YES and not any(e.spans for e in found):
            value = NO
        self.verdicts.setdefault(judge, []).append(
            Verdict(unit.key, self.metric, f"fp-{judge}", value, own,
                    reason="timeout" if value == OPEN else None, evidence=found,
                    flags=("quote_absent",) if found and not found[0].spans else ())
        )  # fmt: skip
