"""The judge whose scores a diagnosis reads: one name, under each metric."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.domain.model import JudgeSpec
from trueup.domain.scores import RecordScore
from trueup.errors import UsageError
from trueup.services.counting import HALVES, pairs
from trueup.services.record_scores import correctness_of, policy_of, scores_of

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace


@dataclass(frozen=True, slots=True)
class DiagnoseJudge:
    """A judge of groundedness, and which judges give the other metrics: the same name's, else the
    only one there is."""

    name: str
    fingerprint: str
    others: tuple[JudgeSpec, ...]

    def scores(
        self, workspace: Workspace, metric: str, releases: Sequence[str] | None
    ) -> dict[str, RecordScore]:
        """Record key → score under a metric; {} where nobody judged it."""
        fingerprint = self.fingerprint if metric == "groundedness" else self._of(metric)
        if fingerprint is None:
            return {}
        found = scores_of(workspace, metric, fingerprint, releases=releases)
        return {s.key: s.score for s in found}

    def correctness(
        self, workspace: Workspace, releases: Sequence[str] | None
    ) -> dict[str, RecordScore]:
        """Record key → `answer_correctness`; {} where nobody judged both halves."""
        both = list(pairs([s for s in self.others if s.metric in HALVES]))
        mine = [pair for pair in both if pair[0].name == self.name] or both
        if not mine or (len(mine) > 1 and mine[0][0].name != self.name):
            return {}
        one, two = mine[-1]
        found = correctness_of(workspace, one, two, releases, policy_of(workspace))
        return {s.key: s.score for s in found}

    def _of(self, metric: str) -> str | None:
        specs = [s for s in self.others if s.metric == metric]
        mine = [s for s in specs if s.name == self.name]
        if mine:
            return mine[-1].fingerprint
        return specs[0].fingerprint if len(specs) == 1 else None


def judge_of(workspace: Workspace, name: str | None) -> DiagnoseJudge:
    """The judge of that name or fingerprint, else the only one, else the default one.

    Raises UsageError where nobody judged groundedness, or it is not clear who is meant.
    """
    from trueup.services.specs import default_judges, spec_of
    from trueup.services.yardstick import judges_of_store

    others = tuple(j.spec for j in workspace.store.judges() if j.n_verdicts)
    found = [s for s in others if s.metric == "groundedness"]
    if name is not None:
        (one,) = judges_of_store(workspace, "groundedness", [name])
        return DiagnoseJudge(one.name, one.fingerprint, others)
    if not found:
        raise UsageError("no groundedness is judged yet", hint="trueup judge")
    if len({s.fingerprint for s in found}) > 1:
        usual = {
            spec_of(workspace, n, "groundedness").fingerprint for n in default_judges(workspace)[:1]
        }
        found = [s for s in found if s.fingerprint in usual] or found
    if len({s.fingerprint for s in found}) > 1:
        raise UsageError(
            f"several judges ruled on groundedness: {', '.join(s.name for s in found)}",
            hint="--judge NAME says whose scores count",
        )
    return DiagnoseJudge(found[0].name, found[0].fingerprint, others)
