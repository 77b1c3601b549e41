"""Calibration: labels and verdicts become a frame, figures, and a ReportData."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING

from trueup.domain.metrics import METRICS
from trueup.domain.model import Verdict
from trueup.errors import UsageError
from trueup.report.build import Source, build
from trueup.report.model import ReportData
from trueup.services.correcting import corrections
from trueup.services.yardstick import (
    KnownJudge,
    Yardstick,
    known_judges,
    verdicts_of,
    yardstick,
)
from trueup.stats.bootstrap import bootstrap, per_table
from trueup.stats.estimate import Estimate
from trueup.stats.frame import Frame
from trueup.stats.frame_rows import LabelRow, SampleWeights, VerdictRow, frame_from_rows
from trueup.stats.winner import confirmed_winner

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace
    from trueup.stats.discordant import DiscordantCorpus


def report(
    workspace: Workspace,
    *,
    metric: str = "groundedness",
    labels: str | None = None,
    judges: Sequence[str] = (),
    include_unblinded: bool = False,
    bootstrap: int | None = None,
) -> ReportData:
    """Every judge against the labels, and every pair of judges on their common units.

    `bootstrap` is the number of resamples of a cross-check beside the headline intervals.
    """
    stick = yardstick(workspace, metric, labels)
    chosen = known_judges(workspace, stick, judges)
    pairs = list(combinations([j.name for j in chosen], 2))
    return _built(workspace, stick, chosen, pairs, include_unblinded, bootstrap)


def compare(
    workspace: Workspace,
    names: Sequence[str],
    *,
    metric: str = "groundedness",
    labels: str | None = None,
    include_unblinded: bool = False,
    split: int | None = None,
) -> ReportData:
    """Each later judge against the first one, on their common units; Holm over the comparisons.

    `split` is a seed: the winner is then also chosen on half of the answers and measured on the
    other half.
    """
    stick = yardstick(workspace, metric, labels)
    chosen = known_judges(workspace, stick, names)
    _check_distinct(names, chosen)
    pairs = [(chosen[0].name, other.name) for other in chosen[1:]]
    return _built(workspace, stick, chosen, pairs, include_unblinded, split=split)


def labelled_frame(
    workspace: Workspace, *, metric: str = "groundedness", labels: str | None = None,
    judges: Sequence[str] = (), include_unblinded: bool = False,
) -> Frame:  # fmt: skip
    """Labels and verdicts unit by unit, as every figure is computed from them."""
    stick = yardstick(workspace, metric, labels)
    verdicts = by_judge(workspace, stick, known_judges(workspace, stick, judges))
    return frame_of(stick, verdicts, include_unblinded=include_unblinded)


def bootstrapped(
    workspace: Workspace, judge: str, statistic: Callable[..., float | None], *,
    metric: str = "groundedness", labels: str | None = None, resamples: int = 10_000, seed: int = 1,
) -> Estimate:  # fmt: skip
    """A statistic of your own, `f(n11, n10, n01, n00)`, of a judge: grouped cluster bootstrap.

    Cells are person first, 1 = entailed, weighted where the sample is; None is undefined.
    """
    frame = labelled_frame(workspace, metric=metric, labels=labels, judges=[judge])
    made = bootstrap(
        frame.clusters(frame.judges[0]), {"own": per_table(statistic)}, resamples=resamples,
        seed=seed,
    )  # fmt: skip
    return made.estimate("own")


def _check_distinct(names: Sequence[str], judges: Sequence[KnownJudge]) -> None:
    """Two names of one judge, as when a second entry of trueup.toml repeats the first."""
    first: dict[str, str] = {}
    for name, judge in zip(names, judges, strict=True):
        if judge.fingerprint in first:
            raise UsageError(
                f"{first[judge.fingerprint]!r} and {name!r} are the same judge",
                hint="two judges differ in model, prompt or evidence rule; leave one name out",
            )
        first[judge.fingerprint] = name


def _built(
    workspace: Workspace,
    stick: Yardstick,
    judges: Sequence[KnownJudge],
    pairs: Sequence[tuple[str, str]],
    include_unblinded: bool,
    resamples: int | None = None,
    split: int | None = None,
) -> ReportData:
    verdicts = by_judge(workspace, stick, judges)
    frame = frame_of(stick, verdicts, include_unblinded=include_unblinded)
    source = replace(
        source_of(stick, judges, verdicts),
        corrected=corrections(workspace, stick, frame, judges),
        resamples=resamples,
    )
    winner = None
    if split is not None:
        if stick.discordant is not None:
            raise UsageError("a discordant sample is for two judges: there is nothing to choose")
        winner = confirmed_winner(frame, [j.name for j in judges], seed=split)
    high = workspace.settings.diagnose.groundedness
    return replace(build(source, frame, pairs), high_from=high, winner=winner)


def source_of(
    stick: Yardstick, judges: Sequence[KnownJudge], verdicts: Mapping[str, Sequence[Verdict]]
) -> Source:
    """What a report tells beside the figures: texts and identities."""
    return Source(
        metric=METRICS[stick.metric],
        labels_name=stick.name,
        labels_sha256=stick.sha256,
        labels=stick.labels,
        units=stick.units,
        records=stick.records,
        sample=stick.sample,
        judges={j.name: (j.spec, j.answered_models) for j in judges},
        verdicts=verdicts,
        discordant=_named_corpus(stick, judges),
    )


def _named_corpus(stick: Yardstick, judges: Sequence[KnownJudge]) -> DiscordantCorpus | None:
    """The corpus of a discordant sample, its judges by the names of the report."""
    if (corpus := stick.discordant) is None:
        return None
    name = {j.fingerprint: j.name for j in judges}
    return replace(corpus, a=name.get(corpus.a, corpus.a), b=name.get(corpus.b, corpus.b))


def by_judge(
    workspace: Workspace, stick: Yardstick, judges: Sequence[KnownJudge]
) -> dict[str, list[Verdict]]:
    """The judges' verdicts on the labelled units, by the judge's name."""
    name = {j.fingerprint: j.name for j in judges}
    out: dict[str, list[Verdict]] = {j.name: [] for j in judges}
    for verdict in verdicts_of(workspace, stick, judges):
        out[name[verdict.fingerprint]].append(verdict)
    return out


def frame_of(
    stick: Yardstick, verdicts: Mapping[str, Sequence[Verdict]], *, include_unblinded: bool = False
) -> Frame:
    """The frame of a yardstick: of people's labels, or of constructed ones if nobody labelled."""
    rows = [
        LabelRow(
            x.unit, stick.units[x.unit].record, x.annotator, x.label, x.blind, x.origin, x.repeat
        )
        for x in stick.labels
    ]
    weights = None if stick.sample is None else SampleWeights.from_sample(stick.sample)
    return frame_from_rows(
        rows,
        (
            VerdictRow(v.unit, name, v.value, v.reason, v.repeat)
            for name, given in verdicts.items()
            for v in given
        ),
        units=stick.expected or None,
        origin="constructed" if stick.constructed else "person",
        include_not_blind=include_unblinded,
        sample=weights,
        slices={key: record.slices for key, record in stick.records.items() if record.slices},
        judges=list(verdicts),
        unasked=stick.unasked,
    )
