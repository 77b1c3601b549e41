"""Labels, verdicts and scores as rows, and records with what people say of their units."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from trueup.domain.model import Label, Verdict

if TYPE_CHECKING:
    from trueup.exchange.tables_write import Columns
    from trueup.exchange.tools_write import Labelled
    from trueup.services.workspace import Workspace

LABEL_COLUMNS: Columns = {
    "unit": "text", "record": "text", "release": "text", "metric": "text", "text": "text",
    "annotator": "text", "label": "text", "entailed": "bool", "note": "text", "quote": "text",
    "blind": "bool", "policy_sha256": "text", "ms": "int", "at": "text", "origin": "text",
    "sample": "text", "repeat": "int", "event": "text",
}  # fmt: skip
VERDICT_COLUMNS: Columns = {
    "unit": "text", "record": "text", "release": "text", "metric": "text", "text": "text",
    "judge": "text", "model": "text", "prompt_sha256": "text", "fingerprint": "text",
    "verdict": "text", "entailed": "bool", "own": "text", "reason": "text", "quote": "text",
    "evidence": "json", "flags": "json", "repeat": "int",
}  # fmt: skip
SCORE_COLUMNS: Columns = {
    "record": "text", "release": "text", "metric": "text", "judge": "text", "model": "text",
    "answered_model": "text", "prompt_sha256": "text", "fingerprint": "text", "score": "float",
    "reason": "text", "flag": "text", "n_units": "int", "n_decided": "int", "n_undecided": "int",
}  # fmt: skip
_ENTAILED = {"entailed": True, "not_entailed": False}


def label_rows(
    workspace: Workspace, labels: str | None, releases: Sequence[str] | None
) -> Iterator[dict[str, Any]]:
    """Current labels, of a sample or of the workspace, as `trueup labels export` has them."""
    from trueup.services.label_files import chosen_labels, export_labels

    for row in export_labels(workspace, labels=chosen_labels(workspace, labels, events=False)):
        if releases is None or row.get("release", "") in releases:
            yield row


def verdict_rows(workspace: Workspace, releases: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    """Every stored verdict with its judge, by record."""
    for item in workspace.store.export_records(releases=releases, labels=False):
        units = {unit.key: unit for units in item.claims.values() for unit in units}
        judges = {(spec.fingerprint, spec.metric): spec for spec in item.judges}
        for verdict in item.verdicts:
            unit, spec = units[verdict.unit], judges[verdict.fingerprint, verdict.metric]
            yield {
                "unit": unit.id,
                "record": item.record.id,
                "release": item.record.release or None,
                "metric": verdict.metric,
                "text": unit.text,
                "judge": spec.name,
                "model": spec.model or None,
                "prompt_sha256": spec.prompt_sha256,
                "fingerprint": verdict.fingerprint,
                **_ruling(verdict),
            }


def _ruling(verdict: Verdict) -> dict[str, Any]:
    return {
        "verdict": verdict.value,
        "entailed": _ENTAILED.get(verdict.value),
        "own": verdict.own_value,
        "reason": verdict.reason,
        "quote": verdict.evidence[0].quote if verdict.evidence else None,
        "evidence": [
            {"quote": e.quote, "match": e.match, "chunk": e.chunk,
             "spans": [[s.start, s.end] for s in e.spans]}
            for e in verdict.evidence
        ],
        "flags": list(verdict.flags),
        "repeat": verdict.repeat,
    }  # fmt: skip


def score_rows(workspace: Workspace, releases: Sequence[str] | None) -> Iterator[dict[str, Any]]:
    """The score of every record under every judge that was asked about it; null with its reason."""
    from trueup.domain.scores import record_score
    from trueup.services.record_scores import policy_of

    policy = policy_of(workspace)
    for judge in workspace.store.judges():
        spec = judge.spec
        for found in workspace.store.record_tallies(
            metric=spec.metric, fingerprint=judge.fingerprint, releases=releases
        ):
            if not found.judged:
                continue
            score = record_score(spec.metric, found.tally, policy)
            yield {
                "record": found.record,
                "release": found.release or None,
                "metric": spec.metric,
                "judge": spec.name,
                "model": spec.model or None,
                "answered_model": found.answered_model,
                "prompt_sha256": spec.prompt_sha256,
                "fingerprint": judge.fingerprint,
                "score": score.value,
                "reason": score.reason,
                "flag": score.flag,
                "n_units": found.tally.units,
                "n_decided": found.tally.decided,
                "n_undecided": found.tally.undecided,
            }


def _last(events: Sequence[Label]) -> list[Label]:
    """What each annotator said last of each unit, at its first showing; taken-back ones are out."""
    found = {(x.unit, x.annotator, x.origin): x for x in events if x.repeat == 0}
    return [x for x in found.values() if x.label is not None]


def labelled(
    workspace: Workspace, metric: str, labels: str | None, releases: Sequence[str] | None
) -> Iterator[Labelled]:
    """Labelled records, in the order of their first label. Raises UsageError where none is.

    Every label counts, also one that was made with the judge in view: this gives out what people
    said, and measures nobody.
    """
    from trueup.exchange.tools_write import Labelled
    from trueup.services.calibrating import frame_of
    from trueup.services.yardstick import yardstick

    stick = yardstick(workspace, metric, labels)
    frame = frame_of(stick, {}, include_unblinded=True)
    codes = zip(frame.unit_names or (), frame.human.tolist(), strict=True)
    human = {name: {1: True, 0: False}.get(code) for name, code in codes}
    last = _last(stick.labels)
    by_record: dict[str, list[str]] = {}
    for label in last:
        keys = by_record.setdefault(stick.units[label.unit].record, [])
        if label.unit not in keys:
            keys.append(label.unit)
    for key, units in by_record.items():
        record = stick.records[key]
        if releases is None or record.release in releases:
            yield Labelled(
                record,
                metric,
                tuple(sorted((stick.units[u] for u in units), key=lambda u: u.ordinal)),
                {u: human.get(u) for u in units},
                {u: tuple(x for x in last if x.unit == u) for u in units},
            )
