"""Whether a fingerprint is calibrated: on which labels, how well, and since when.

A judge is calibrated when labels lie on units that it ruled on. People's labels come first: those
of a drawn sample, then every label of the workspace, then the frozen sets in label_sets/; labels
that are right by construction count last, and say so. What was measured is stored with the state
of labels and verdicts that it is of, and measured again when either has changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from trueup.domain.metrics import METRICS
from trueup.domain.model import Metric
from trueup.domain.transfer import iso
from trueup.errors import StoreError, UsageError
from trueup.stats.counts import Clusters
from trueup.stats.estimate import Estimate

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace
    from trueup.services.yardstick import Yardstick
    from trueup.stats.frame import Frame
    from trueup.store import StoredCalibration

JudgeKey: TypeAlias = tuple[str, str]
WORKSPACE = "workspace"
_SHOWN = "calibrations_shown"
CONSTRUCTED, PEOPLE = "constructed", "people"


@dataclass(frozen=True, slots=True)
class Calibration:
    """A judge measured on labels.

    `whole` holds the cells of people against the judge (n11, n10, n01, n00), `by_release` those of
    each release. `sampled`: the labels are a probability sample of the records of these releases.
    """

    labels: str
    sha256: str | None
    origin: str
    n_records: int
    n_units: int
    agreement: Estimate
    kappa: Estimate
    at: datetime
    whole: Clusters
    by_release: Mapping[str, Clusters]
    sampled: bool

    def to_json(self) -> dict[str, Any]:
        """The contract's `calibration`."""
        return {
            "labels": self.labels,
            "sha256": self.sha256,
            "origin": self.origin,
            "n_records": self.n_records,
            "n_units": self.n_units,
            "agreement": self.agreement.to_json(),
            "kappa": self.kappa.to_json(),
            "date": iso(self.at),
        }


def calibrations(
    workspace: Workspace, metrics: Sequence[Metric], *, labels: str | None = None
) -> dict[JudgeKey, Calibration]:
    """(fingerprint, metric) → calibration; judges without labels on their units are absent.

    `labels` names the set or sample to measure by, instead of the order above.
    """
    store = workspace.store
    stored = {(c.metric, c.fingerprint, c.labels): c for c in store.calibrations()}
    found: dict[JudgeKey, Calibration] = {}
    for metric in metrics:
        stamps = store.verdict_stamps(metric)
        for name, stamp in _candidates(workspace, metric, labels):
            open_ones = [f for f in stamps if _wanting(found.get((f, metric)))]
            if not open_ones:
                break
            known = {f: stored.get((metric, f, name)) for f in open_ones}
            if any(c is None or c.stamp != f"{stamp}/{stamps[f]}" for f, c in known.items()):
                known = _measure(workspace, metric, name, stamp, stamps)
            for fingerprint in open_ones:
                made = _read(known.get(fingerprint))
                if made is not None and (
                    made.origin == PEOPLE or (fingerprint, metric) not in found
                ):
                    found[fingerprint, metric] = made
    return found


def _wanting(mark: Calibration | None) -> bool:
    return mark is None or mark.origin == CONSTRUCTED


def remember(workspace: Workspace, marks: Mapping[JudgeKey, Calibration]) -> None:
    """Keep which labels each judge is shown with, and which ones it was shown with before."""
    import json

    shown = json.loads(workspace.store.note_of(_SHOWN) or "{}")
    changed = False
    for (fingerprint, metric), mark in marks.items():
        key, now = f"{metric}/{fingerprint}", [mark.labels, mark.sha256, mark.n_units]
        if (old := shown.get(key, {"now": None}))["now"] != now:
            shown[key] = {"now": now, "before": old["now"]}
            changed = True
    if changed:
        with suppress(StoreError):  # a store that cannot be written still has its scores shown
            workspace.store.note(_SHOWN, json.dumps(shown, sort_keys=True))


def shown_before(workspace: Workspace, judge: JudgeKey) -> Calibration | None:
    """The calibration that a judge was shown with before the labels changed, if they did."""
    import json

    shown = json.loads(workspace.store.note_of(_SHOWN) or "{}")
    before = shown.get(f"{judge[1]}/{judge[0]}", {}).get("before")
    for stored in reversed(workspace.store.calibrations()):
        made = _read(stored) if (stored.fingerprint, stored.metric) == judge else None
        if made is not None and [made.labels, made.sha256, made.n_units] == before:
            return made
    return None


def _candidates(
    workspace: Workspace, metric: Metric, labels: str | None
) -> Iterator[tuple[str, str]]:
    """(name, state) of the labels that may measure a metric, the best first."""
    state = workspace.store.label_stamp(metric)
    if labels is not None:
        yield labels, f"{state}:{_named(workspace, labels)}"
        return
    if state:
        for sample in reversed(workspace.store.samples()):
            if sample.metric == metric and sample.design in ("random", "score-bands"):
                yield sample.name, str(state)
        yield WORKSPACE, str(state)
    folder = workspace.root / "label_sets"
    for path in sorted(folder.glob("*/labels.jsonl")) if folder.is_dir() else ():
        yield path.parent.name, _state_of_files(path.parent)


def _named(workspace: Workspace, labels: str) -> str:
    """The state of the set or sample of that name. Raises UsageError where there is none."""
    from trueup.services import label_sets

    if workspace.store.sample(labels) is not None:
        return ""
    path = label_sets.find(workspace.root, labels)
    if path is None:
        raise UsageError(
            f"no sample or label set is named {labels!r}",
            hint="samples are drawn by `trueup sample`, sets frozen by `trueup labels freeze`",
        )
    return _state_of_files(path)


def _state_of_files(folder: Path) -> str:
    stats = [p.stat() for p in sorted(folder.glob("*.jsonl"))] if folder.is_dir() else []
    return ",".join(f"{s.st_size}.{s.st_mtime_ns}" for s in stats)


def _measure(
    workspace: Workspace, metric: Metric, name: str, stamp: str, stamps: Mapping[str, int]
) -> dict[str, StoredCalibration | None]:
    """Measure every judge of a metric on these labels, and keep what came of it."""
    from trueup.services.yardstick import yardstick
    from trueup.store import StoredCalibration

    bodies: dict[str, dict[str, Any]] = {}
    with suppress(UsageError):  # these labels hold none of this metric
        bodies = _bodies(
            workspace, yardstick(workspace, metric, None if name == WORKSPACE else name)
        )
    made: dict[str, StoredCalibration | None] = {}
    for fingerprint, number in stamps.items():
        body, full = bodies.get(fingerprint, {}), f"{stamp}/{number}"
        at = datetime.now(UTC)
        with suppress(StoreError):  # a store that cannot be written still has its scores shown
            at = workspace.store.save_calibration(fingerprint, metric, name, full, body)
        made[fingerprint] = StoredCalibration(fingerprint, metric, name, full, body, at)
    return made


def _bodies(workspace: Workspace, stick: Yardstick) -> dict[str, dict[str, Any]]:
    """Fingerprint → what is stored of a judge's calibration."""
    from trueup.services.calibrating import by_judge, frame_of
    from trueup.services.yardstick import known_judges
    from trueup.stats.agreement_intervals import estimate

    if stick.sample is not None and stick.constructed:
        return {}  # nobody labelled the sample: it is no better a yardstick than all labels
    if stick.discordant is not None:
        return {}  # claims on which two judges differ say nothing of how good either is
    judges = [j for j in known_judges(workspace, stick) if j.in_store]
    frame = frame_of(stick, by_judge(workspace, stick, judges))
    sampled = _is_sample(workspace, stick)
    found = {}
    for judge in judges:
        whole = frame.clusters(judge.name)
        if whole.n_units:
            parts = _by_release(stick, frame, judge.name)
            found[judge.fingerprint] = {
                "sha256": stick.sha256,
                "origin": CONSTRUCTED if stick.constructed else PEOPLE,
                "n_records": whole.n_answers,
                "n_units": whole.n_units,
                "agreement": estimate(whole, "percent_agreement").to_json(),
                "kappa": estimate(whole, "kappa").to_json(),
                "sampled": sampled,
                "whole": _clusters_json(whole),
                "by_release": {name: _clusters_json(part) for name, part in parts.items()},
            }
    return found


def _is_sample(workspace: Workspace, stick: Yardstick) -> bool:
    """Whether the labels are a probability sample of all records of the releases drawn from."""
    if stick.sample is None:
        return False
    drawn = {m.record for m in stick.sample.members}
    refs = workspace.store.record_refs(drawn)
    kind = METRICS[stick.metric].units
    releases = sorted({ref.release for ref in refs.values()})
    there = workspace.store.count_with_units(kind, releases=releases)
    return there == stick.sample.population


def _by_release(stick: Yardstick, frame: Frame, judge: str) -> dict[str, Clusters]:
    of_answer = []
    for i in range(frame.n_records):
        key = frame.record_names[i] if frame.record_names is not None else ""
        record = stick.records.get(key)
        of_answer.append(None if record is None else record.release)
    releases = np.array([of_answer[a] or "" for a in frame.answer.tolist()], dtype=object)
    return {
        release: frame.part(releases == release).clusters(judge)
        for release in sorted(set(releases.tolist()))
    }


def _clusters_json(clusters: Clusters) -> dict[str, Any]:
    return {
        "vectors": clusters.vectors.tolist(),
        "multiplicity": clusters.multiplicity.tolist(),
        "weight": clusters.weight.tolist(),
        "stratum": clusters.stratum.tolist(),
        "designed": clusters.designed,
        "population": None if clusters.population is None else clusters.population.tolist(),
    }


def _clusters(body: Mapping[str, Any]) -> Clusters:
    return Clusters(
        vectors=np.array(body["vectors"], np.int64).reshape(-1, 4),
        multiplicity=np.array(body["multiplicity"], np.int64),
        weight=np.array(body["weight"], np.float64),
        stratum=np.array(body["stratum"], np.int64),
        designed=body["designed"],
        population=None if body["population"] is None else np.array(body["population"]),
    )


def _read(stored: StoredCalibration | None) -> Calibration | None:
    if stored is None or not stored.body:
        return None
    body = stored.body
    return Calibration(
        labels=stored.labels,
        sha256=body["sha256"],
        origin=body["origin"],
        n_records=body["n_records"],
        n_units=body["n_units"],
        agreement=estimate_of(body["agreement"]),
        kappa=estimate_of(body["kappa"]),
        at=stored.at,
        whole=_clusters(body["whole"]),
        by_release={name: _clusters(part) for name, part in body["by_release"].items()},
        sampled=body["sampled"],
    )


def estimate_of(body: Mapping[str, Any]) -> Estimate:
    """An estimate from its JSON."""
    named = ("value", "low", "high", "method", "reason", "se", "flags")
    return Estimate(
        body["value"],
        body["low"],
        body["high"],
        body["method"],
        body["reason"],
        body.get("se"),
        tuple(body.get("flags", ())),
        {k: v for k, v in body.items() if k not in named},
    )
