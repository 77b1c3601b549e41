"""Counting scores when verdicts come in, so that whoever looks later finds them counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from trueup.domain.model import JudgeSpec
from trueup.errors import StoreError

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace

HALVES = ("correctness_precision", "correctness_recall")
"""The metrics that `answer_correctness` is made of."""


def refresh(workspace: Workspace) -> None:
    """Count what the last run left behind."""
    with suppress(StoreError):  # it will be counted when it is looked at
        specs = workspace.store.count_scores()
        for precision, recall in pairs(specs):
            workspace.store.correctness_groups(precision.fingerprint, recall.fingerprint)


def pairs(specs: Sequence[JudgeSpec]) -> Iterator[tuple[JudgeSpec, JudgeSpec]]:
    """(precision, recall) of the judges that make an `answer_correctness` together.

    Two specs belong together that differ in metric and template only.
    """
    recall = {_apart(s): s for s in specs if s.metric == "correctness_recall"}
    for spec in specs:
        if spec.metric == "correctness_precision" and _apart(spec) in recall:
            yield spec, recall[_apart(spec)]


def _apart(spec: JudgeSpec) -> tuple[str, str]:
    """What two halves of one judge have in common."""
    return spec.name, replace(spec, metric="", prompt_text="").fingerprint
