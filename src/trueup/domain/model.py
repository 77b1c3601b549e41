"""The nouns of trueup, as frozen dataclasses. Pure: standard library only.

A *record* is one evaluated question. A *unit* is what one verdict or label is about. A judge gives
*verdicts*, a person gives *labels*; labels are events, appended and never changed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from trueup.domain.ids import content_id, text_id

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"
Metric: TypeAlias = str
VerdictValue = Literal["entailed", "not_entailed", "undecided"]
LabelValue = Literal["entailed", "not_entailed", "unsure", "bad_split", "not_a_claim"]
UnitKind = Literal["answer_claim", "reference_claim", "chunk", "answer"]
EvidenceRule = Literal["off", "flag", "required"]
MatchLevel = Literal[
    "exact", "normalised", "elided", "near", "altered", "absent", "trivial", "unlocated"
]
"""`unlocated`: a quote that was stored as it came (recorded judges) and is located when shown."""
Design = Literal["random", "score-bands", "discordant", "convenience"]
Origin = Literal["person", "constructed", "adjudication"]

REASONS = (
    "no_claims",
    "abstained",
    "empty_context",
    "no_context",
    "no_reference",
    "incomplete",
    "parse",
    "schema",
    "missing_verdict",
    "truncated",
    "empty",
    "refusal",
    "content_filter",
    "context_length",
    "timeout",
    "rate_limit",
    "auth",
    "quota",
    "bad_response",
    "not_found",
    "budget",
    "cancelled",
)
"""The closed list of reasons of undecided verdicts and null scores."""

UNKNOWN_TIME = datetime.fromtimestamp(0, UTC)
"""`Label.at` where a file gives no time: written as null, and the same at every import."""


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open character range [start, end) in code points of a text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chunk:
    """One retrieved passage as the generator saw it."""

    id: str
    text: str
    source: str | None = None
    meta: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """One evaluated question.

    `context is None`: not given; `()`: retrieval returned nothing. `gold is None`: not labelled;
    `()`: unanswerable. `failing is None`: unknown. `release` is "" when the file names none.
    """

    id: str
    answer: str
    question: str | None = None
    context: tuple[Chunk, ...] | None = None
    reference: str | None = None
    gold: tuple[str, ...] | None = None
    gold_context: tuple[str, ...] | None = None
    retrieved: tuple[str, ...] | None = None
    release: str = ""
    failing: bool | None = None
    slices: Mapping[str, str] = field(default_factory=dict)
    meta: Mapping[str, Json] = field(default_factory=dict)
    _key: str | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def key(self) -> str:
        """Content id of what verdicts and labels depend on: id, release and the four texts.

        Gold ids, slices and other annotations may be corrected later without losing a label.
        """
        key = self._key
        if key is None:
            chunks = self.context
            texts = {
                "id": self.id,
                "release": self.release,
                "question": _digest(self.question),
                "context": None if chunks is None else [[c.id, text_id(c.text)] for c in chunks],
                "answer": text_id(self.answer),
                "reference": _digest(self.reference),
            }
            # Once per object, and over digests: JSON of whole contexts would cost an import more
            # than reading it.
            key = content_id("record", texts)
            object.__setattr__(self, "_key", key)
        return key

    @property
    def version_id(self) -> str:
        """Content id of everything: a change under the same id and release is a conflict."""
        return content_id(
            "record-version",
            {
                "key": self.key,
                "context": None
                if self.context is None
                else [[c.source, dict(c.meta)] for c in self.context],
                "gold": None if self.gold is None else list(self.gold),
                "gold_context": None if self.gold_context is None else list(self.gold_context),
                "retrieved": None if self.retrieved is None else list(self.retrieved),
                "failing": self.failing,
                "slices": dict(self.slices),
                "meta": dict(self.meta),
            },
        )


def _digest(text: str | None) -> str | None:
    return None if text is None else text_id(text)


@dataclass(frozen=True, slots=True)
class Unit:
    """What one verdict or label is about.

    `id` is what people see (`q-0412#1`); `key` is the content id that everything stored hangs on.
    `span` is the place in the answer (or reference) where it could be located. `parent` is the key
    of the unit that was split into this one; such a unit is provisional until adjudicated.
    """

    record: str
    id: str
    kind: UnitKind
    text: str
    ordinal: int
    span: Span | None = None
    claim_set: int = 1
    splitter: str = "given"
    parent: str | None = None
    provisional: bool = False
    context: str | None = None
    """Text that resolves a pronoun (the subject's sentence), shown and judged with the claim."""
    meta: Mapping[str, Json] = field(default_factory=dict)
    _key: str | None = field(default=None, init=False, repr=False, compare=False)

    @property
    def key(self) -> str:
        """Content id over the record, kind, claim-set version, visible id and text."""
        key = self._key
        if key is None:
            whole = [self.record, self.kind, self.claim_set, self.id, self.ordinal, self.text]
            key = content_id("unit", whole)
            object.__setattr__(self, "_key", key)
        return key


@dataclass(frozen=True, slots=True)
class Evidence:
    """One quote and where it was found: `spans` are offsets into the original chunk text."""

    quote: str
    match: MatchLevel
    chunk: str | None = None
    spans: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of a unit.

    `value` is effective (after the evidence rule); `own_value` is what the judge itself said.
    `reason` is one of REASONS where `value` is undecided. `flags` name what a person should know
    (`quote_absent`, `quote_unrelated`, `instruction_like`, …).
    """

    unit: str
    metric: Metric
    fingerprint: str
    value: VerdictValue
    own_value: VerdictValue
    reason: str | None = None
    evidence: tuple[Evidence, ...] = ()
    flags: tuple[str, ...] = ()
    repeat: int = 0
    meta: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Label:
    """What a person says of a unit: one event, appended, never changed.

    The current label is the last event per (unit, metric, annotator); `label is None` takes back
    the one before (undo). `id` makes the event idempotent: storing it twice stores it once.
    `quote` is the person's own evidence sentence. `ms` is the time the claim was on screen.
    """

    id: str
    unit: str
    metric: Metric
    annotator: str
    label: LabelValue | None
    at: datetime
    blind: bool = True
    note: str | None = None
    quote: str | None = None
    policy_sha256: str | None = None
    ms: int | None = None
    origin: Origin = "person"
    sample: str | None = None
    repeat: int = 0
    """1 for the second showing of a claim to the same annotator (self-agreement)."""
    meta: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JudgeSpec:
    """A judge: a model at an endpoint with a prompt, decoding parameters and an evidence rule.

    `prompt_text` is the template of one metric, so a spec (and its fingerprint) is per metric.
    `declared` names the fields of a recorded judge that its file declares.
    """

    name: str
    backend: str
    metric: Metric
    model: str
    prompt: str = "plain"
    prompt_text: str = ""
    evidence: EvidenceRule = "off"
    base_url: str | None = None
    params: Mapping[str, Json] = field(default_factory=dict)
    claims_per_call: int | None = None
    reader_version: str = "1"
    locator_version: str = "1"
    layout_version: str = "1"
    """How the prompt lays out and fences its data: part of what is sent."""

    @property
    def prompt_sha256(self) -> str:
        """Hash of the template text: shown beside each score."""
        return content_id("prompt", self.prompt_text)

    @property
    def call_fingerprint(self) -> str:
        """Identity of what is sent: one stored reply serves every evidence rule and reader."""
        return content_id(
            "call",
            {
                "backend": self.backend,
                "name": self.name if self.backend == "recorded" else None,
                "base_url": self.base_url,
                "model": self.model,
                "prompt": self.prompt_text,
                "layout": self.layout_version,
                "params": dict(self.params),
                "claims_per_call": self.claims_per_call,
            },
        )

    @property
    def fingerprint(self) -> str:
        """Identity of the judge: the call, the evidence rule, the reply reader, the locator."""
        return content_id(
            "judge",
            [self.call_fingerprint, self.evidence, self.reader_version, self.locator_version],
        )


@dataclass(frozen=True, slots=True)
class SampleMember:
    """One drawn record: its inclusion probability, its stratum, its place in the draw."""

    record: str
    probability: float
    stratum: str
    order: int
    overlap: bool = False
    repeat: bool = False


@dataclass(frozen=True, slots=True)
class Sample:
    """Records drawn for labelling. `population` counts the records that could have been drawn."""

    name: str
    metric: Metric
    design: Design
    seed: int
    population: int
    members: tuple[SampleMember, ...]
    judge_fingerprints: tuple[str, ...] = ()
    strata: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
