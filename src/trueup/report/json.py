"""ReportData as the contract's JSON: the one shape of report.json and of --json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from trueup.report.model import (
    Answer,
    CorrectedPart,
    Disagreement,
    JudgeSection,
    Pairing,
    ReportData,
)
from trueup.report.words import sentences
from trueup.stats.people import Ceiling

SCHEMA = "trueup.report/1"


def to_json(data: ReportData, *, schema: str = SCHEMA) -> dict[str, Any]:
    """The report as plain JSON values: no NaN, keys in a fixed order."""
    return {
        "schema": schema,
        "metric": data.metric,
        "labels": _plain(asdict(data.labels)),
        "judges": [_plain(asdict(j)) for j in data.judges],
        "agreement": [_section(a, data.unit_ids) for a in data.agreement],
        "human": data.human.to_json(),
        "comparisons": [_pairing(c) for c in data.comparisons],
        **({} if data.winner is None else {"split": data.winner.to_json()}),
        "disagreements": [_disagreement(d) for d in data.disagreements],
        "undecided": [asdict(u) for u in data.undecided],
        "answers": [_answer(a) for a in data.answers],
        "summary": sentences(data),
        "silent_about": data.silent_about,
        "versions": dict(data.versions),
    }


def _plain(value: dict[str, Any]) -> dict[str, Any]:
    return {k: list(v) if isinstance(v, tuple) else v for k, v in value.items()}


def _section(section: JudgeSection, unit_ids: Mapping[str, str]) -> dict[str, Any]:
    units = {c: [unit_ids.get(k, k) for k in keys] for c, keys in section.cells.items()}
    return {
        **section.figures.to_json(),
        "ceiling": None if section.ceiling is None else _ceiling(section.ceiling),
        "calibration": section.calibration,
        "score_shift": None if section.shift is None else section.shift.to_json(),
        "units": units,
        "disagreement_by": {
            one.by: [asdict(group) for group in one.groups] for one in section.breakdowns
        },
        "bootstrap": {name: e.to_json() for name, e in section.bootstrap.items()},
        "corrected_by": _corrected(section.corrected),
    }


def _corrected(parts: Sequence[CorrectedPart]) -> dict[str, dict[str, Any]]:
    """Release or slice name → value → the corrected rate of that part of the corpus."""
    out: dict[str, dict[str, Any]] = {}
    for part in parts:
        out.setdefault(part.by, {})[part.value] = {
            "n_records": part.n_records,
            "n_units": part.n_units,
            "n_labelled": part.n_labelled,
            "corrected_rate": part.rate.to_json(),
            "corrected_rate_alt": part.alt.to_json(),
        }
    return out


def _answer(answer: Answer) -> dict[str, Any]:
    return {
        "record": answer.record,
        "release": answer.release,
        "failing": answer.failing,
        "human_score": answer.human,
        "judge_scores": dict(answer.judges),
    }


def _ceiling(ceiling: Ceiling) -> dict[str, Any]:
    return {
        "n_units": ceiling.n_units,
        "judge": ceiling.judge.to_json(),
        "human": ceiling.human.to_json(),
        "difference": ceiling.difference.to_json(),
    }


def _pairing(pairing: Pairing) -> dict[str, Any]:
    return {
        **pairing.figures.to_json(),
        "fixed": list(pairing.fixed),
        "broken": list(pairing.broken),
        "shift_by_rule": pairing.shift_by_rule,
        "shift_by_verdicts": pairing.shift_by_verdicts,
        "notes": list(pairing.notes),
    }


def _disagreement(d: Disagreement) -> dict[str, Any]:
    return {
        "unit": d.unit,
        "record": d.record,
        "release": d.release,
        "judge_name": d.judge,
        "human": d.human,
        "judge": d.verdict,
        "own_verdict": d.own_verdict,
        "text": d.text,
        "direction": d.direction,
        "cause": d.cause,
        "flags": list(d.flags),
        "evidence": _evidence(d),
    }


def _evidence(d: Disagreement) -> dict[str, Any] | None:
    if not d.evidence:
        return None
    first = d.evidence[0]
    return {
        "match": first.match,
        "chunk": first.chunk,
        "start": first.spans[0].start if first.spans else None,
        "end": first.spans[-1].end if first.spans else None,
        "quote": first.quote,
    }
