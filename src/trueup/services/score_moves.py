"""Two releases against each other: the questions that moved, and what else moved the figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from trueup.domain.model import Record
from trueup.domain.scores import ANSWER_CORRECTNESS
from trueup.report.words import estimate, number
from trueup.services.calibration_marks import shown_before
from trueup.services.record_scores import corpus_of, policy_of, record_scores, tallies_of
from trueup.services.score_definitions import HEADLINES, definition, definitions, policy_then, shown
from trueup.services.score_series import SeriesRow, break_sentence, differences
from trueup.stats.estimate import Estimate
from trueup.stats.rogan_gladen import rogan_gladen_rate
from trueup.stats.scores import ScoreChange, mean_score, score_change

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace
    from trueup.stats.retrieval_summary import RetrievalSummary

_JUMP = 0.01
"""A change of this much that no system made is worth a sentence."""


@dataclass(frozen=True, slots=True)
class Moved:
    """One question whose score changed from one release to the other."""

    record: str
    metric: str
    before: float | None
    after: float | None

    def to_json(self) -> dict[str, Any]:
        """The contract's object."""
        return {
            "record": self.record,
            "metric": self.metric,
            "from": self.before,
            "to": self.after,
        }


@dataclass(frozen=True, slots=True)
class Change:
    """One metric from one release to the other, on the questions that both have.

    `change` is null where the two are not on one scale. `n_only` counts questions that only one
    release has (from, to): they move the means without any question having moved.
    """

    metric: str
    change: Estimate
    n_common: int
    n_only: tuple[int, int]
    comparable: bool
    notes: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "metric": self.metric,
            "change": self.change.to_json(),
            "n_common": self.n_common,
            "n_only_from": self.n_only[0],
            "n_only_to": self.n_only[1],
            "comparable": self.comparable,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Against:
    """A release against an earlier one."""

    before: str
    after: str
    moved: tuple[Moved, ...]
    changes: tuple[Change, ...]
    retrieval: Mapping[str, Any]
    explained: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """What `--against` adds, beside `moved`."""
        return {
            "from": self.before,
            "to": self.after,
            "changes": [c.to_json() for c in self.changes],
            "retrieval": dict(self.retrieval),
            "explained": list(self.explained),
        }


def against(
    workspace: Workspace, old: Mapping[str, SeriesRow], new: Mapping[str, SeriesRow],
    before: str, after: str,
) -> Against:  # fmt: skip
    """Each metric's row of the one release against that of the other, and both retrievals."""
    moved: list[Moved] = []
    changes = []
    for metric, row in new.items():
        if metric in old:
            some, change = _change(workspace, old[metric], row)
            moved += some
            changes.append(change)
    told = [*_definitions(workspace, old, before, after), *_labels(workspace, old, new)]
    retrieval, said = _retrieval(workspace, before, after)
    return Against(before, after, tuple(moved), tuple(changes), retrieval, (*said, *told))


def _change(workspace: Workspace, old: SeriesRow, new: SeriesRow) -> tuple[list[Moved], Change]:
    changed = differences(old, new)
    if changed or old.key != new.key:
        why = break_sentence(old, new, changed)
        none = Estimate.undefined("the two releases are not on one scale")
        return [], Change(new.metric, none, 0, (0, 0), False, (why,))
    if old.restated or new.restated:
        change = _of_means(old, new)
        why = "one release is restated from an overlap: its single scores are not on this scale"
        return [], Change(new.metric, change, 0, (0, 0), True, (why,))
    one, two = ({s.record: s.score.value for s in record_scores(workspace, r)} for r in (old, new))
    common = [name for name in one if name in two]
    made = score_change([one[n] for n in common], [two[n] for n in common])
    moved = [Moved(n, new.metric, one[n], two[n]) for n in common if one[n] != two[n]]
    moved.sort(key=lambda m: (-abs((m.after or 0.0) - (m.before or 0.0)), m.record))
    only = len(one) - len(common), len(two) - len(common)
    notes = tuple(_composition(old, new, made, only))
    return moved, Change(new.metric, made.change, made.n, only, True, notes)


def _of_means(old: SeriesRow, new: SeriesRow) -> Estimate:
    if old.mean.value is None or new.mean.value is None:
        return Estimate.undefined("a mean is undefined")
    return Estimate(
        new.mean.value - old.mean.value,
        method="difference_of_means",
        reason="the releases are not paired by record",
    )


def _composition(
    old: SeriesRow, new: SeriesRow, made: ScoreChange, only: tuple[int, int]
) -> Iterator[str]:
    """What other questions did to the mean."""
    if not any(only) or old.mean.value is None or new.mean.value is None:
        return
    if made.change.value is None:
        yield f"{new.metric}: the two releases have no scored question in common"
        return
    jump = new.mean.value - old.mean.value
    rest = jump - made.change.value
    if abs(rest) >= _JUMP:
        yield (
            f"{new.metric}: of the change of the mean, {number(jump)}, other questions made "
            f"{number(rest)} ({only[0]:,} only in {old.release}, {only[1]:,} only in "
            f"{new.release}); on the {made.n:,} questions of both it is {estimate(made.change)}"
        )


def _definitions(
    workspace: Workspace, old: Mapping[str, SeriesRow], before: str, after: str
) -> Iterator[str]:
    """What the earlier release was published as, where that meant something else."""
    then = definitions(workspace, [before, after])[before]
    if policy_then(then) == policy_of(workspace):
        return
    for row in old.values():
        if row.restated or row.metric == ANSWER_CORRECTNESS or row.mean.value is None:
            continue
        first = mean_score(
            [s.score.value for s in record_scores(workspace, row, policy_then(then))]
        )
        if first.mean.value is not None and abs(first.mean.value - row.mean.value) >= _JUMP:
            yield (
                f"{row.metric} of {before} was first measured as {number(first.mean.value)}, with "
                f"no_claims = {shown(then['no_claims'])} and min_decided = "
                f"{shown(then['min_decided'])}; the same verdicts give {number(row.mean.value)} "
                "under the present definition. No answer changed by that"
            )


def _labels(
    workspace: Workspace, old: Mapping[str, SeriesRow], new: Mapping[str, SeriesRow]
) -> Iterator[str]:
    """What a change of labels did to corrected rates of the very same verdicts."""
    for metric, row in new.items():
        last = shown_before(workspace, (row.fingerprint, metric))
        if row.calibration is None or last is None or metric not in old:
            continue
        corpus = corpus_of(t.tally for t in tallies_of(workspace, old[metric]))
        a, b = (rogan_gladen_rate(c.whole, corpus).value for c in (last, row.calibration))
        if a is not None and b is not None and abs(a - b) >= _JUMP:
            yield (
                f"{metric} is corrected by the labels {row.calibration.labels} "
                f"({row.calibration.n_units:,} units) and was by {last.labels} "
                f"({last.n_units:,} units) before: that alone takes the corrected rate of "
                f"{old[metric].release} from {number(a)} to {number(b)}"
            )


def _retrieval(workspace: Workspace, before: str, after: str) -> tuple[dict[str, Any], list[str]]:
    """Recall and hit rate of both releases, and what of a jump is no change of retrieval."""
    from trueup.services.retrieving import of_records

    k = max(workspace.settings.workspace.k)
    sides = {name: list(workspace.store.iter_records(releases=[name])) for name in (before, after)}
    made = {name: of_records(records, (k,)) for name, records in sides.items()}
    if not all(m.n_questions for m in made.values()):
        return {}, []
    shown_as = {name: _figures(m, k) for name, m in made.items()}
    told = [
        *_headline(workspace, made, k, before, after),
        *_gold(sides, made, k, before, after, definition(workspace)["retrieval_headline"]),
    ]
    return {"k": k, "from": shown_as[before], "to": shown_as[after]}, told


def _figures(made: RetrievalSummary, k: int) -> dict[str, Any]:
    return {
        "recall": made.at[k].recall.to_json(),
        "hit_rate": made.at[k].hit_rate.to_json(),
        "ceiling": made.at[k].ceiling,
        "mean_gold": made.mean_gold,
        "n_questions": made.n_questions,
    }


def _value(made: RetrievalSummary, k: int, name: str) -> float:
    found = made.at[k].recall if name == "recall" else made.at[k].hit_rate
    assert found.value is not None
    return found.value


def _headline(
    workspace: Workspace, made: Mapping[str, RetrievalSummary], k: int, before: str, after: str
) -> Iterator[str]:
    """A headline that changed its meaning: what of the jump is the definition alone."""
    now = definition(workspace)["retrieval_headline"]
    then = definitions(workspace, [before])[before]["retrieval_headline"]
    if then == now:
        return
    published, present = _value(made[before], k, then), _value(made[after], k, now)
    real = present - _value(made[before], k, now)
    yield (
        f"the headline was {HEADLINES[then]}@{k} for {before}, {number(published)}, and is "
        f"{HEADLINES[now]}@{k} for {after}, {number(present)}: of the jump of "
        f"{number(present - published)}, {number(present - published - real)} is the change of "
        f"definition and {number(real)} the change of {HEADLINES[now]}@{k}"
    )


def _gold(
    sides: Mapping[str, Sequence[Record]],
    made: Mapping[str, RetrievalSummary],
    k: int,
    before: str,
    after: str,
    headline: str,
) -> Iterator[str]:
    """Gold sets that changed for the same questions: what of the jump is the gold alone."""
    from trueup.services.retrieving import of_records

    old = {r.id: r.gold for r in sides[before]}
    changed = [r for r in sides[after] if r.id in old and set(r.gold or ()) != set(old[r.id] or ())]
    if not changed:
        return
    names = {r.id for r in changed}
    before_gold = [replace(r, gold=old[r.id]) if r.id in names else r for r in sides[after]]
    same = of_records(before_gold, (k,))
    if not same.n_questions:
        return
    effect = _value(made[after], k, headline) - _value(same, k, headline)
    sizes = ", ".join(f"{number(made[n].mean_gold, 2)} in {n}" for n in (before, after))
    yield (
        f"the gold sets of {len(changed):,} questions changed (gold ids a question: {sizes}): that "
        f"alone moves {HEADLINES[headline]}@{k} of {after} by {number(effect)}"
    )
