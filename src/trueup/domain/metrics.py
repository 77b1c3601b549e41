"""The table of metrics: each asks one yes/no question of each unit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from trueup.domain.model import UnitKind

Against = Literal["context", "question", "reference", "answer"]


@dataclass(frozen=True, slots=True)
class MetricSpec:
    """One metric: its units, what they are judged against, the question, and its silences."""

    name: str
    units: UnitKind
    against: Against
    question: str
    silent_about: str
    aliases: tuple[str, ...] = ()
    yes: str = "entailed"
    no: str = "not entailed"


METRICS: dict[str, MetricSpec] = {
    m.name: m
    for m in (
        MetricSpec(
            "groundedness",
            "answer_claim",
            "context",
            "Does the context alone entail this claim?",
            "whether the question was addressed, whether an unsupported claim is false, "
            "and what was left out",
            ("faithfulness",),
        ),
        MetricSpec(
            "contextual_recall",
            "reference_claim",
            "context",
            "Does the context alone entail this claim?",
            "whether the answer used what arrived, and what the reference itself leaves out",
        ),
        MetricSpec(
            "context_relevancy",
            "chunk",
            "question",
            "Is this chunk useful for answering the question?",
            "whether everything needed arrived, and whether the answer used it",
            ("context_precision",),
            "useful",
            "not useful",
        ),
        MetricSpec(
            "answer_relevancy",
            "answer_claim",
            "question",
            "Does this claim address what was asked?",
            "whether the claim is true or supported, and what was left out",
            (),
            "addresses it",
            "does not",
        ),
        MetricSpec(
            "correctness_precision",
            "answer_claim",
            "reference",
            "Does the reference entail this claim?",
            "whether the reference is complete, and whether the context supports the claim",
        ),
        MetricSpec(
            "correctness_recall",
            "reference_claim",
            "answer",
            "Does the answer state this claim?",
            "what the answer says beyond the reference",
            (),
            "stated",
            "not stated",
        ),
    )
}

_BY_NAME = {alias: m for m in METRICS.values() for alias in (m.name, *m.aliases)}


def metric(name: str) -> MetricSpec:
    """The metric of that name or alias. Raises KeyError for a name that no metric has."""
    return _BY_NAME[name]


def metric_names() -> tuple[str, ...]:
    """Every name and alias a user may type."""
    return tuple(_BY_NAME)
