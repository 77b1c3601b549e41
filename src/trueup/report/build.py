"""From a frame of labels and verdicts to everything that a report says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import metadata

import numpy as np

from trueup import __version__
from trueup.domain.metrics import MetricSpec
from trueup.domain.model import Chunk, Evidence, JudgeSpec, Label, Record, Sample, Unit, Verdict
from trueup.report.breakdown import breakdowns
from trueup.report.causes import cause
from trueup.report.limits import cannot_give, within_design
from trueup.report.model import (
    Answer,
    Corrected,
    Disagreement,
    JudgeInfo,
    JudgeSection,
    LabelsInfo,
    Pairing,
    ReportData,
    Stratum,
    Undecided,
)
from trueup.report.texts import located, texts_against
from trueup.stats.agreement import MEASURES
from trueup.stats.bootstrap import bootstrap
from trueup.stats.correction import SHIFT
from trueup.stats.discordant import DiscordantCorpus, discordant_comparison
from trueup.stats.estimate import Estimate
from trueup.stats.frame import UNDECIDED, Frame, Mask
from trueup.stats.paired import Comparison, adjust, score_shift
from trueup.stats.people import against_ceiling, people
from trueup.stats.summary import TABLE, AgreementSummary, agreement, compare


@dataclass(frozen=True, slots=True)
class Source:
    """What a frame was made of, by key: texts and identities for the report."""

    metric: MetricSpec
    labels_name: str
    labels: Sequence[Label]
    units: Mapping[str, Unit]
    records: Mapping[str, Record]
    judges: Mapping[str, tuple[JudgeSpec, tuple[str, ...]]]
    verdicts: Mapping[str, Sequence[Verdict]]
    labels_sha256: str | None = None
    sample: Sample | None = None
    corrected: Mapping[str, Corrected] = field(default_factory=dict)
    resamples: int | None = None
    """Bootstrap resamples, where a cross-check is wanted."""
    discordant: DiscordantCorpus | None = None


def build(source: Source, frame: Frame, pairs: Sequence[tuple[str, str]] = ()) -> ReportData:
    """Figures of each judge and pair, and the disagreements with their texts."""
    said = {
        name: {v.unit: v for v in given if v.repeat == 0} for name, given in source.verdicts.items()
    }
    comparisons = adjust([_compared(source, frame, a, b) for a, b in pairs])
    return ReportData(
        metric=source.metric.name,
        question=source.metric.question,
        silent_about=source.metric.silent_about,
        labels=_labels(source, frame),
        judges=tuple(_judge(name, source, said[name]) for name in source.judges),
        agreement=tuple(_section(source, frame, name, said[name]) for name in source.judges),
        human=people(frame),
        comparisons=tuple(
            Pairing(c, *_moved(source, frame, c.a, c.b), *_shift(frame, said, c.a, c.b))
            for c in comparisons
        ),
        disagreements=tuple(_disagreements(source, frame, said)),
        undecided=tuple(_undecided(source, frame, said)),
        versions=_versions(),
        answers=tuple(_answers(source, frame)),
        unit_ids={u: source.units[u].id for u in frame.unit_names or () if u in source.units},
    )


def _compared(source: Source, frame: Frame, a: str, b: str) -> Comparison:
    if source.discordant is None:
        return compare(frame, a, b)
    return discordant_comparison(frame.pair(a, b), a, b, source.discordant)


def _labels(source: Source, frame: Frame) -> LabelsInfo:
    people_only = [x for x in source.labels if x.origin == "person"]
    sample = source.sample
    notes = list(sample.notes) if sample else []
    if frame.n_nonresponse:
        notes.append(f"{frame.n_nonresponse} drawn answers are not labelled whole and left out")
    origin = "constructed" if frame.origin == "constructed" else "people"
    design = sample.design if sample else "convenience"
    return LabelsInfo(
        name=source.labels_name,
        sha256=source.labels_sha256,
        n_records=frame.n_labelled_records,
        n_units=int((frame.human >= 0).sum()),
        annotators=tuple(sorted({x.annotator for x in people_only})),
        origin=origin,
        design=design,
        seed=sample.seed if sample else None,
        weighted=frame.weighted,
        policy_sha256=tuple(sorted({x.policy_sha256 for x in source.labels if x.policy_sha256})),
        left_out={**frame.excluded(), **{f"events_{k}": v for k, v in frame.label_counts.items()}},
        notes=tuple(notes),
        strata=tuple(_strata(sample)) if sample else (),
        cannot_give=cannot_give(design, origin),
    )


def _strata(sample: Sample) -> Iterator[Stratum]:
    """The strata in the order of the draw; a sample without any is one stratum."""
    drawn = Counter(m.stratum for m in sample.members)
    whole = sample.strata or (dict.fromkeys(drawn, sample.population) if len(drawn) == 1 else {})
    for name in dict.fromkeys([*whole, *sorted(drawn)]):
        yield Stratum(name or "all", drawn[name], whole.get(name))


def _judge(name: str, source: Source, said: Mapping[str, Verdict]) -> JudgeInfo:
    spec, answered = source.judges[name]
    return JudgeInfo(
        name=name,
        model=spec.model,
        answered_model=answered[-1] if answered else None,
        prompt=f"{spec.metric}/{spec.prompt}" if spec.backend != "recorded" else spec.prompt,
        prompt_sha256=spec.prompt_sha256,
        evidence=spec.evidence,
        fingerprint=spec.fingerprint,
        rule_changed=sum(v.value != v.own_value for v in said.values()),
    )


def _section(source: Source, frame: Frame, name: str, said: Mapping[str, Verdict]) -> JudgeSection:
    records, human, judge = frame.record_scores(name)
    two_people = len(frame.annotators) > 1
    texts = {key: unit.text for key, unit in source.units.items()}
    if source.discordant is not None:
        return JudgeSection(
            figures=within_design(agreement(frame, name), "discordant"),
            cells=_cells(frame, name),
            breakdowns=breakdowns(frame, name, texts, said),
        )
    return JudgeSection(
        figures=_figures(source, frame, name),
        scores=tuple(zip(human.tolist(), judge.tolist(), strict=True)),
        ceiling=against_ceiling(frame, name) if two_people else None,
        weights=() if frame.weight is None else tuple(frame.weight[records].tolist()),
        shift=score_shift(frame.clusters(name)),
        cells=_cells(frame, name),
        breakdowns=breakdowns(frame, name, texts, said),
        bootstrap=_bootstrap(frame, name, source.resamples) if source.resamples else {},
        corrected=source.corrected[name].parts if name in source.corrected else (),
    )


def _figures(source: Source, frame: Frame, name: str) -> AgreementSummary:
    """The figures, with the corrected rate of the corpus where there is one."""
    figures = agreement(frame, name)
    if (found := source.corrected.get(name)) is None:
        return figures
    return replace(
        figures,
        corrected_rate=found.whole.rate,
        corrected_rate_alt=found.whole.alt,
        warnings=(*figures.warnings, SHIFT) if found.whole.shifted else figures.warnings,
    )


def _bootstrap(frame: Frame, name: str, resamples: int) -> dict[str, Estimate]:
    """Percentile intervals of the headline figures over resampled answers; the seed is fixed."""
    wanted = ("percent_agreement", "kappa", "tpr", "tnr")
    drawn = bootstrap(
        frame.clusters(name), {n: MEASURES[n].kernel for n in wanted}, resamples=resamples, seed=1
    )
    return {n: drawn.estimate(n) for n in wanted}


def _cells(frame: Frame, name: str) -> dict[str, tuple[str, ...]]:
    """Keys of the units in each cell of the table of people against a judge."""
    used = np.flatnonzero(frame.decided(name))
    cell = 2 * (1 - frame.human[used]) + 1 - frame.verdict(name)[used]
    return {
        title: tuple(frame.unit_name(int(i)) for i in used[cell == code])
        for code, title in enumerate(TABLE)
    }


def _answers(source: Source, frame: Frame) -> Iterator[Answer]:
    """Each labelled record with its end-to-end verdict, people's score and the judges'."""
    labelled = frame.human >= 0
    n = np.bincount(frame.answer[labelled], minlength=frame.n_records)
    yes = np.bincount(frame.answer[frame.human == 1], minlength=frame.n_records)
    scores: dict[int, dict[str, float]] = {}
    for name in source.judges:
        at, _, judged = frame.record_scores(name)
        for r, score in zip(at.tolist(), judged.tolist(), strict=True):
            scores.setdefault(r, {})[name] = score
    for r in np.flatnonzero(n).tolist():
        record = source.records[(frame.record_names or ())[r]]
        mine = scores.get(r, {})
        yield Answer(
            record.id,
            record.release,
            record.question,
            record.failing,
            float(yes[r] / n[r]),
            {name: mine.get(name) for name in source.judges},
        )


def _moved(source: Source, frame: Frame, a: str, b: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ids of the units that b gets right where a is wrong, and the other way round."""
    both = frame.decided(a, b)
    human, said_a, said_b = frame.human, frame.verdict(a), frame.verdict(b)

    def ids(mask: Mask) -> tuple[str, ...]:
        return tuple(source.units[frame.unit_name(int(i))].id for i in np.flatnonzero(mask))

    fixed = both & (said_a != human) & (said_b == human)
    broken = both & (said_a == human) & (said_b != human)
    return ids(fixed), ids(broken)


def _shift(
    frame: Frame, said: Mapping[str, Mapping[str, Verdict]], a: str, b: str
) -> tuple[float | None, float | None]:
    """The change of the mean score from a to b, split: (by the evidence rules, by the verdicts).

    Mean over answers of the entailed share on the common units, effective minus own verdicts.
    """
    common = np.flatnonzero(frame.decided(a, b))
    if not len(common):
        return None, None
    answers = frame.answer[common]
    names = [frame.unit_name(int(i)) for i in common]

    def mean(judge: str, own: bool) -> float | None:
        given = [said[judge][n] for n in names]
        values = [v.own_value if own else v.value for v in given]
        if "undecided" in values:
            return None
        yes = np.array([v == "entailed" for v in values], dtype=np.float64)
        size = np.bincount(answers)
        share = np.bincount(answers, weights=yes)[size > 0] / size[size > 0]
        return float(share.mean())

    effective, own = [mean(j, False) for j in (a, b)], [mean(j, True) for j in (a, b)]
    if None in effective or None in own:
        return None, None
    total, verdicts = effective[1] - effective[0], own[1] - own[0]  # type: ignore[operator]
    return total - verdicts, verdicts


def _disagreements(
    source: Source, frame: Frame, said: Mapping[str, Mapping[str, Verdict]]
) -> Iterator[Disagreement]:
    notes, quotes = _said_by_people(source.labels)
    for judge in source.judges:
        for found in frame.disagreements(judge):
            unit, verdict = source.units[found.unit], said[judge][found.unit]
            record = source.records[unit.record]
            texts = texts_against(source.metric, record, unit)
            evidence = tuple(located(e, texts) for e in verdict.evidence)
            yield Disagreement(
                unit=unit.id,
                key=unit.key,
                record=record.id,
                release=record.release,
                judge=judge,
                human=found.human,
                verdict=found.judge,
                own_verdict=verdict.own_value,
                text=unit.text,
                question=record.question,
                evidence=evidence,
                chunk_text=_chunk_text(texts, evidence),
                cause=cause(
                    unit.text,
                    human=found.human,
                    verdict=found.judge,
                    own_verdict=verdict.own_value,
                    evidence=evidence,
                    texts=texts,
                    people_quotes=quotes.get(found.unit, ()),
                ),
                flags=verdict.flags,
                notes=tuple(notes.get(found.unit, ())),
                texts=texts,
            )


def _said_by_people(
    labels: Sequence[Label],
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """(notes, quotes) that stand with the labels, by the unit's key."""
    notes: dict[str, list[str]] = {}
    quotes: dict[str, list[str]] = {}
    for label in labels:
        if label.note:
            notes.setdefault(label.unit, []).append(label.note)
        if label.quote:
            quotes.setdefault(label.unit, []).append(label.quote)
    return notes, quotes


def _chunk_text(texts: Sequence[Chunk], evidence: tuple[Evidence, ...]) -> str | None:
    wanted = next((e.chunk for e in evidence if e.chunk is not None), None)
    return next((c.text for c in texts if c.id == wanted), None)


def _undecided(
    source: Source, frame: Frame, said: Mapping[str, Mapping[str, Verdict]]
) -> Iterator[Undecided]:
    for judge in source.judges:
        codes = frame.verdict(judge)
        for i, human in enumerate(frame.human):
            if human >= 0 and codes[i] == UNDECIDED:
                unit = source.units[frame.unit_name(i)]
                reason = said[judge][unit.key].reason or "missing_verdict"
                yield Undecided(unit.id, source.records[unit.record].id, judge, reason)


def _versions() -> dict[str, str]:
    return {"trueup": __version__, "numpy": metadata.version("numpy")}
