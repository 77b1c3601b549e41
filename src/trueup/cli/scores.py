"""`trueup scores`: stored scores by release, what is comparable, and whether a release may go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trueup.cli.context import Env, trueup_command
from trueup.cli.options import MetricType, judges_option
from trueup.cli.output import table
from trueup.domain.scores import ANSWER_CORRECTNESS

if TYPE_CHECKING:
    from trueup.services.score_gate import GateResult, Term
    from trueup.services.score_moves import Against
    from trueup.services.score_series import SeriesRow
    from trueup.services.scoring import Scores
    from trueup.services.workspace import Workspace

_ALLOWED = ("uncalibrated", "constructed")
_LAST = 10
_PLOTTED = 64
"""Releases on one screen: what the plot has room for, and the last of them in the table."""
_MOVES = 20


class ScoredMetricType(MetricType):
    """A metric, or `answer_correctness`."""

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        return (
            ANSWER_CORRECTNESS
            if value == ANSWER_CORRECTNESS
            else super().convert(value, param, ctx)
        )


@trueup_command(
    "scores",
    help="Scores by release and metric, with intervals, corrected rates, and what is not "
    "comparable. With --gate the exit code decides: 0 passed, 1 failed, 3 inconclusive (or the "
    "judge is uncalibrated), 4 too many undecided.",
)
@click.option("--metric", "metrics", type=ScoredMetricType(), multiple=True, help="Only this one.")
@click.option("--release", "releases", multiple=True, help="Only this release.")
@judges_option
@click.option("--labels", help="The label set or sample that calibrates and corrects.")
@click.option("--against", help="An earlier release: which questions moved, and why means did.")
@click.option("--gate", help='Bars for the newest (or the named) release: "groundedness >= 0.9".')
@click.option("--allow", default="", help="What may decide a gate: uncalibrated, constructed.")
@click.option("--per-record", is_flag=True, help="Also each record's score (with --json).")
@click.option("--out", type=click.Path(path_type=Path), help="Also write a report here.")
@click.option("--all", "everything", is_flag=True, help="All releases, and superseded rows too.")
def command(
    env: Env, metrics: tuple[str, ...], releases: tuple[str, ...], judges: tuple[str, ...],
    labels: str | None, against: str | None, gate: str | None, allow: str, per_record: bool,
    everything: bool, out: Path | None,
) -> int:  # fmt: skip
    """Gather, compare, decide."""
    from trueup.services.release_questions import (
        against_release,
        gate_release,
        newest_release,
    )
    from trueup.services.scoring import scores

    terms, gated = _terms(gate)
    allowed = _allowed(allow)
    with env.workspace() as workspace:
        whole = env.out.as_json or everything or out is not None
        found = scores(
            workspace,
            metrics=sorted({*metrics, *gated}) if metrics else None,
            releases=_wanted(workspace, releases, against, whole=whole),
            judges=judges,
            labels=labels,
        )
        newest = newest_release(found, releases, against)
        moves = None if against is None else against_release(workspace, found, against, newest)
        result = None if gate is None else gate_release(workspace, found, terms, newest, allowed)
        data = found.to_json()
        if per_record:
            data["records"] = list(_records(workspace, found))
    if moves is not None:
        data |= {"moved": [m.to_json() for m in moves.moved], "against": moves.to_json()}
    if result is not None:
        data["gate"] = result.to_json()
    written = [] if out is None else _write(found, data, out)
    env.out.result(
        "scores", data, lambda: "\n".join([*_human(found, moves, result, everything), *written])
    )
    return 0 if result is None else result.exit_code


def _write(found: Scores, data: dict[str, Any], out: Path) -> list[str]:
    from trueup.services.scores_report import write

    return [str(write(found, data, out)[0])]


def _terms(gate: str | None) -> tuple[tuple[Term, ...], set[str]]:
    """The bars of a gate, and the metrics that they need scores of."""
    if gate is None:
        return (), set()
    from trueup.services.score_gate import RETRIEVAL, parse

    terms = parse(gate)
    return terms, {t.name for t in terms if t.name not in RETRIEVAL}


def _allowed(allow: str) -> frozenset[str]:
    given = frozenset(a.strip() for a in allow.split(",") if a.strip())
    if unknown := given - set(_ALLOWED):
        raise click.UsageError(f"--allow takes {', '.join(_ALLOWED)}, not {', '.join(unknown)}")
    return given


def _wanted(
    workspace: Workspace, releases: Sequence[str], against: str | None, *, whole: bool
) -> list[str] | None:
    """The releases to read: those asked for, all (None), or as many as a plot can show.

    Raises a usage error for a release that no record has.
    """
    known = [r for r, _ in workspace.store.releases()]
    more = [] if against is None else [against]
    for name in [*releases, *more]:
        if name not in known:
            import difflib

            near = difflib.get_close_matches(name, known, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"no record has the release {name!r}{hint}")
    if releases:
        return [*releases, *more]
    scored = workspace.store.scored_releases()
    order = [r for r in known if r in scored]
    return None if whole or len(order) <= _PLOTTED else [*more, *order[-_PLOTTED:]]


def _records(workspace: Workspace, found: Scores) -> Iterator[dict[str, Any]]:
    from trueup.services.record_scores import record_scores

    for row in found.series:
        if not row.restated:
            for score in record_scores(workspace, row):
                yield score.to_json(row)


def _human(
    found: Scores, moves: Against | None, result: GateResult | None, everything: bool
) -> Iterator[str]:
    from trueup.services.score_series import lines

    if not found.series:
        yield "No scores yet: trueup judge makes them."
    for metric, rows in lines(found.series):
        yield from _metric(found, metric, rows, everything)
    yield from _end_to_end(found, everything)
    for note in found.notes:
        yield f"• {note}."
    if moves is not None:
        yield from _moves(moves)
    if result is not None:
        marks = {True: "✓", False: "✗", None: "?"}
        yield f"gate: {result.decision.upper()}"
        for term in result.terms:
            yield f"  {marks[term.ok]} {term.sentence}"


def _metric(
    found: Scores, metric: str, rows: Sequence[SeriesRow], everything: bool
) -> Iterator[str]:
    from trueup.report.words import estimate

    releases = list(dict.fromkeys(r.release for r in rows))
    kept = set(releases if everything else releases[-_LAST:])
    yield metric
    if len(releases) > 1:
        yield from _plot(found, metric, rows, releases)
    shown = [r for r in (found.series if everything else rows) if r.metric == metric]
    cells = [
        [
            r.release or "–", r.judge + _marks(r), f"{r.n_scored:,} of {r.n_records:,}",
            estimate(r.mean), _rate(r), _calibrated(r),
        ]
        for r in shown
        if r.release in kept
    ]  # fmt: skip
    header = ["release", "judge", "scored", "mean", "corrected, per claim", "calibrated"]
    yield table(cells, header)
    if len(kept) < len(releases):
        yield "… and earlier releases: --all"
    if metric != ANSWER_CORRECTNESS:
        yield from _calibrations(rows)
    for row in rows:
        if row.release in kept:
            yield from _remarks(row)
    yield ""


def _plot(
    found: Scores, metric: str, rows: Sequence[SeriesRow], releases: Sequence[str]
) -> Iterator[str]:
    from trueup.report.trend import legend, plot
    from trueup.services.scores_report import series_lines

    drawn = series_lines(rows)
    cuts = [b for b in found.breaks if b.metric == metric]
    yield from plot(releases, drawn, {b.after for b in cuts})
    if said := legend(drawn):
        yield "  ".join(said)
    for cut in cuts:
        yield f"┊ {cut.sentence}"
    if len(drawn) > 1 and not cuts:
        yield "  lines of different judges are not comparable"


def _marks(row: SeriesRow) -> str:
    if row.superseded:
        return " (superseded)"
    return " (restated)" if row.rebaselined_from else ""


def _rate(row: SeriesRow) -> str:
    from trueup.report.words import estimate

    return "–" if row.corrected.value is None else estimate(row.corrected)


def _calibrated(row: SeriesRow) -> str:
    if row.calibration is None:
        return "no"
    return "yes" if row.calibration.origin == "people" else "constructed"


def _calibrations(rows: Sequence[SeriesRow]) -> Iterator[str]:
    """A line for each judge: calibrated by which labels, how well, since when."""
    from trueup.report.words import count, estimate

    for row in {r.fingerprint: r for r in rows}.values():
        mark = row.calibration
        if mark is None:
            yield f"  {row.judge} is uncalibrated: no label lies on a unit that it ruled on"
            continue
        origin = "" if mark.origin == "people" else " (constructed: nobody labelled)"
        yield (
            f"  {row.judge} is calibrated by {mark.labels}{origin}: agreement "
            f"{estimate(mark.agreement, 2)}, kappa {estimate(mark.kappa, 2)}, "
            f"{count(mark.n_units, 'unit')}, {mark.at:%Y-%m-%d}"
        )


def _remarks(row: SeriesRow) -> Iterator[str]:
    told = [f"no score {reason} {n:,}" for reason, n in row.n_null.items()]
    told += [f"{name} {n:,}" for name, n in row.n_flagged.items() if name not in row.n_null]
    if told:
        yield f"  {row.release or '–'} {row.judge}: {', '.join(told)}"
    for note in row.notes:
        yield f"  {row.release or '–'} {row.judge}: {note}"


def _end_to_end(found: Scores, everything: bool) -> Iterator[str]:
    known = [e for e in found.end_to_end if e.failing + e.not_failing]
    if not known:
        return
    yield "end to end"
    cells = [
        [e.release or "–", f"{e.failing:,} of {e.failing + e.not_failing:,}", f"{e.unknown:,}"]
        for e in (known if everything else known[-_LAST:])
    ]
    yield table(cells, ["release", "failing", "not known"], right=(2,))
    yield ""


def _moves(moves: Against) -> Iterator[str]:
    from trueup.report.words import estimate, number

    yield f"{moves.before} → {moves.after}"
    for change in moves.changes:
        yield f"  {change.metric}: {estimate(change.change)} on {change.n_common:,} questions"
        for note in change.notes:
            yield f"    {note}"
    for move in moves.moved[:_MOVES]:
        yield f"  {move.record} ({move.metric}): {number(move.before, 2)} → {number(move.after, 2)}"
    if len(moves.moved) > _MOVES:
        yield f"  … and {len(moves.moved) - _MOVES:,} more: --json"
    for side in ("from", "to"):
        if side in moves.retrieval:
            yield f"  {_retrieval(moves, side)}"
    for told in moves.explained:
        yield f"• {told}."


def _retrieval(moves: Against, side: str) -> str:
    from trueup.report.words import number

    at, k = moves.retrieval[side], moves.retrieval["k"]
    return (
        f"{moves.before if side == 'from' else moves.after}: recall@{k} "
        f"{number(at['recall']['value'])}, hit rate@{k} {number(at['hit_rate']['value'])}, "
        f"{number(at['mean_gold'], 2)} gold ids a question, ceiling {number(at['ceiling'])}"
    )
