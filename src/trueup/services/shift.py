"""What made the shift between two judges: the verdicts, the evidence rule, the splitter, the model
that answered."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from trueup.services.record_scores import scores_of
from trueup.stats.rebaseline_release import ShiftPart, attribute_shift

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace
    from trueup.store import RecordTally

_NEARLY_ALL = 0.9
Scores = dict[str, float | None]


def attribution(
    workspace: Workspace,
    metric: str,
    release: str,
    source: str,
    target: str,
    records: Collection[str],
) -> tuple[tuple[ShiftPart, ...], int]:
    """(parts, records that they are measured on) of the shift from `source` to `target`.

    One change at a time, from the old judge's scores on the claims that it ruled on first, to its
    scores on the present claims (`splitter`), to its scores where another model answered it when it
    was asked again (`answered model`), to what it said itself (`evidence rule lifted`), to what the
    new judge says itself (`verdicts`), to the new judge's scores (`evidence rule`). A step that
    cannot have changed anything is left out.
    """
    look = _Look(workspace, metric, release, frozenset(records))
    again = look.other_model(source)
    steps = [("the old judge", look.scores(source, first=True))]
    if (present := look.scores(source)) != steps[0][1]:
        steps.append(("splitter", present))
    if again:
        steps.append(("answered model", look.scores(source, repeat=again)))
    if look.has_rule(source):
        steps.append(("evidence rule lifted", look.scores(source, own=True, repeat=again)))
    rule = look.has_rule(target)
    steps.append((look.verdict_step(source, target), look.scores(target, own=rule)))
    if rule:
        steps.append(("evidence rule", look.scores(target)))
    parts, n = attribute_shift(steps)
    return tuple(parts), n


@dataclass(frozen=True, slots=True)
class _Look:
    """The records of one release, seen through either judge."""

    workspace: Workspace
    metric: str
    release: str
    records: frozenset[str]

    def scores(
        self, fingerprint: str, *, own: bool = False, first: bool = False, repeat: int = 0
    ) -> Scores:
        found = scores_of(
            self.workspace, self.metric, fingerprint, releases=[self.release],
            own=own, first=first, repeat=repeat,
        )  # fmt: skip
        return {s.key: s.score.value for s in found if s.key in self.records}

    def tallies(self, fingerprint: str, repeat: int = 0) -> dict[str, RecordTally]:
        """The records that a judge ruled on."""
        found = self.workspace.store.record_tallies(
            metric=self.metric, fingerprint=fingerprint, releases=[self.release], repeat=repeat
        )
        return {t.key: t for t in found if t.judged and t.key in self.records}

    def other_model(self, fingerprint: str) -> int:
        """The newest repeat that another model answered for (nearly) all records; 0 for none."""
        last = self.workspace.store.last_repeat(metric=self.metric, fingerprint=fingerprint)
        before = self.tallies(fingerprint) if last else {}
        for repeat in range(last, 0, -1):
            after = self.tallies(fingerprint, repeat)
            changed = [
                key
                for key, tally in after.items()
                if key in before and tally.answered_model != before[key].answered_model
            ]
            if before and len(changed) >= _NEARLY_ALL * len(before):
                return repeat
        return 0

    def has_rule(self, fingerprint: str) -> bool:
        """Whether a judge's evidence rule can turn its verdicts."""
        judges = self.workspace.store.judges(metric=self.metric)
        return any(j.fingerprint == fingerprint and j.spec.evidence == "required" for j in judges)

    def verdict_step(self, source: str, target: str) -> str:
        """The step from one judge to the other; where the claims differ too, they are named."""
        before, after = self.tallies(source), self.tallies(target)
        apart = any(k in before and t.claim_set != before[k].claim_set for k, t in after.items())
        return "verdicts and splitter" if apart else "verdicts"
