"""Scores over time as scores.html, scores.md and scores.json."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from trueup.domain.scores import ANSWER_CORRECTNESS
from trueup.report.simple import Section, SimplePage
from trueup.report.tables import Table
from trueup.report.trend import Line
from trueup.report.trend_figure import trend_figure
from trueup.report.words import count, estimate
from trueup.services.page_files import write_page
from trueup.services.score_series import SeriesRow, lines
from trueup.services.scoring import Scores

_MOST = 400


def write(found: Scores, data: Mapping[str, Any], target: Path) -> list[Path]:
    """The three files in a directory; returns their paths. Raises UsageError where it cannot."""
    return write_page(page_of(found), {"schema": "trueup.scores/1", **data}, target, "scores")


def page_of(found: Scores) -> SimplePage:
    """The page of all series."""
    shown = [r for r in found.series if not r.superseded]
    releases = len({r.release for r in shown})
    metrics = len({r.metric for r in shown})
    lead = f"{count(metrics, 'metric')} over {count(releases, 'release')}."
    return SimplePage("Scores over time", lead, tuple(_sections(found)))


def _sections(found: Scores) -> Iterator[Section]:
    for metric, rows in lines(found.series):
        yield _metric(found, metric, rows)
    known = [e for e in found.end_to_end if e.failing + e.not_failing]
    if known:
        table = Table(
            "Failing questions",
            ("release", "failing", "of", "not known"),
            tuple(
                (e.release or "–", f"{e.failing:,}", f"{e.failing + e.not_failing:,}",
                 f"{e.unknown:,}")
                for e in known[-_MOST:]
            ),
            "lnnn",
        )  # fmt: skip
        yield Section("End to end", (), (), (table,))
    if found.notes:
        yield Section("What figures mean", tuple(f"{note}." for note in found.notes))


def _metric(found: Scores, metric: str, rows: Sequence[SeriesRow]) -> Section:
    drawn = series_lines(rows)
    releases = [r for r in found.releases if any(r in x.points for x in drawn)]
    cuts = [b for b in found.breaks if b.metric == metric]
    title = metric.replace("_", " ")
    figure = trend_figure(f"trend-{metric}", title, releases, drawn, {b.after for b in cuts})
    sentences = [f"{b.sentence}." for b in cuts]
    if len(drawn) > 1 and not cuts:
        sentences.append("Lines of different judges are not comparable.")
    if metric != ANSWER_CORRECTNESS:
        sentences += _calibrations(rows)
    table = Table(
        title,
        ("release", "judge", "scored", "mean", "corrected, per claim", "comes from"),
        tuple(
            (r.release or "–", r.judge, f"{r.n_scored:,} of {r.n_records:,}", estimate(r.mean),
             "–" if r.corrected.value is None else estimate(r.corrected),
             "restated" if r.rebaselined_from else "its own verdicts")
            for r in rows[-_MOST:]
        ),
        "llnnnl",
    )  # fmt: skip
    return Section(title.capitalize(), tuple(sentences), (figure,), (table,))


def series_lines(rows: Sequence[SeriesRow]) -> list[Line]:
    """One line a key, named by its judge, and by the model where one judge has several."""
    by_key: dict[str, list[SeriesRow]] = {}
    for row in rows:
        by_key.setdefault(row.key, []).append(row)
    return [
        Line(
            _name(some[0], len(by_key)),
            {r.release: r.mean for r in some},
            frozenset(r.release for r in some if r.rebaselined_from),
        )
        for some in by_key.values()
    ]


def _name(row: SeriesRow, lines: int) -> str:
    if lines > 1 and row.key != row.fingerprint and row.answered_model:
        return f"{row.judge} ({row.answered_model})"
    return row.judge


def _calibrations(rows: Sequence[SeriesRow]) -> Iterator[str]:
    for row in {r.fingerprint: r for r in rows}.values():
        mark = row.calibration
        if mark is None:
            yield f"{row.judge} is uncalibrated: no label lies on a unit that it ruled on."
            continue
        origin = "" if mark.origin == "people" else " (constructed: nobody labelled)"
        yield (
            f"{row.judge} is calibrated by {mark.labels}{origin}: agreement "
            f"{estimate(mark.agreement, 2)}, kappa {estimate(mark.kappa, 2)}, "
            f"{count(mark.n_units, 'unit')}, {mark.at:%Y-%m-%d}."
        )
