"""The gate for a new judge: bars on the labels, non-inferiority to the judge in use, a decision.

Three-way: a bar is passed when the lower end of its interval reaches it, failed when the upper end
is below it, else inconclusive with the labels that would decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from xml.sax.saxutils import quoteattr

from trueup.domain.display import display
from trueup.errors import UsageError
from trueup.report.json import to_json as report_json
from trueup.report.markdown import text as markdown_text
from trueup.report.model import ReportData
from trueup.report.words import estimate, number
from trueup.services.calibrating import by_judge, frame_of, source_of
from trueup.services.yardstick import Yardstick, known_judges, yardstick
from trueup.stats.gate import Bar, NonInferiority, lower_bar

if TYPE_CHECKING:
    from trueup.config import GateSettings
    from trueup.services.workspace import Workspace

Outcome = Literal["pass", "fail", "inconclusive"]
_TITLES = {"kappa": "kappa", "tnr": "TNR", "percent_agreement": "agreement"}


@dataclass(frozen=True, slots=True)
class BarResult:
    """One bar: what was asked, what was measured, and whether it holds (None: not decided)."""

    name: str
    bar: float
    measured: dict[str, Any]
    ok: bool | None
    sentence: str
    more_labels: int | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """The gate's answer, with the report it was read from."""

    candidate: str
    against: str | None
    decision: Outcome
    bars: tuple[BarResult, ...]
    labels_needed: int | None
    notes: tuple[str, ...]
    too_many_undecided: bool
    report: ReportData


def validate(
    workspace: Workspace,
    candidate: str,
    *,
    against: str | None = None,
    metric: str = "groundedness",
    labels: str | None = None,
    judge_now: bool = False,
    allow: frozenset[str] = frozenset(),
) -> Decision:
    """Decide whether a judge passes the bars of trueup.toml on these labels.

    `allow` lifts a refusal: "unblinded" labels made after a reveal, "constructed" labels that no
    person gave, "seen" labels that a judge's examples were written from. Raises UsageError for
    labels that are refused.
    """
    from trueup.report.build import build

    stick = yardstick(workspace, metric, labels)
    notes = list(_provenance(stick, allow))
    names = [candidate] if against is None else [candidate, against]
    if judge_now:
        _judge_now(workspace, stick, names)
    judges = known_judges(workspace, stick, names)
    verdicts = by_judge(workspace, stick, judges)
    frame = frame_of(stick, verdicts, include_unblinded="unblinded" in allow)
    new = judges[0].name
    pairs = [(judges[1].name, new)] if against is not None else []
    data = build(source_of(stick, judges, verdicts), frame, pairs)
    gate = workspace.settings.gate
    probes = _probes(workspace, judges[0].fingerprint, metric)
    bars = [*_bars(data, gate), *_against(data, gate), *probes]
    if any(b.ok is None and b.measured["value"] is None for b in probes):
        notes.append(f"A self-test with a bar was not run yet: trueup probe {candidate}")
    undecided = _undecided_bar(data, gate)
    outcome = _outcome([*bars, undecided])
    too_small = bool(data.comparisons) and data.comparisons[0].figures.non_inferiority.too_small
    if too_small and against is not None and gate.non_inferiority is not None:
        notes.append(
            "Too small to gate: fewer than 50 answers seldom decide non-inferiority. Label more, "
            "or draw where the judges differ: trueup sample NAME --design discordant "
            f"--judge {against} --judge {candidate} --records 50"
        )
    more = [b.more_labels for b in bars if b.ok is None and b.more_labels is not None]
    return Decision(
        candidate=new,
        against=judges[1].name if against is not None else None,
        decision=outcome,
        bars=(*bars, undecided),
        labels_needed=max(more, default=None) if outcome == "inconclusive" else None,
        notes=tuple(notes),
        too_many_undecided=undecided.ok is False,
        report=data,
    )


def _provenance(stick: Yardstick, allow: frozenset[str]) -> Iterator[str]:
    """Notes on labels that were let through; refuses those that were not."""
    found = {
        "constructed": stick.constructed,
        "unblinded": bool(stick.labels) and all(not x.blind for x in stick.labels),
        "seen": stick.label_set is not None and stick.label_set.card.get("few_shot") == "yes",
    }
    words = {
        "constructed": "these labels are right by construction; no person gave them",
        "unblinded": "these labels were made after the judge's verdict was shown",
        "seen": "a judge's examples were written from these labels",
    }
    for kind, is_so in found.items():
        if is_so and kind not in allow:
            raise UsageError(
                f"{stick.name} cannot be a yardstick here: {words[kind]}",
                hint=f"--allow {kind} accepts them, and the result says so",
            )
        if is_so:
            yield f"Allowed ({kind}): {words[kind]}."


def _judge_now(workspace: Workspace, stick: Yardstick, names: list[str]) -> None:
    """Run what is missing on the labelled records; a frozen set is brought into the store first."""
    from trueup.services.judging import judge
    from trueup.services.label_sets import RECORDS

    if stick.label_set is not None:
        workspace.import_files([stick.label_set.path / RECORDS])
    known = [n for n in names if n in workspace.settings.judges]
    judge(workspace, known, metrics=(stick.metric,), records=set(stick.records))


def _bars(data: ReportData, gate: GateSettings) -> Iterator[BarResult]:
    figures = data.agreement[0].figures
    wanted = (
        ("kappa", gate.min_kappa),
        ("tnr", gate.min_tnr),
        ("percent_agreement", gate.min_agreement),
    )
    for name, least in wanted:
        if least is not None:
            bar = lower_bar(name, figures[name], least, figures.n_records)
            yield _bar_result(bar, figures.n_units / max(figures.n_records, 1))


def _bar_result(bar: Bar, units_per_answer: float) -> BarResult:
    labels = None if bar.more_answers is None else round(bar.more_answers * units_per_answer)
    title = _TITLES[bar.name]
    sentence = f"{title} {estimate(bar.measured)}: the lower end is to reach {number(bar.bar)}"
    if bar.ok is None and labels:
        sentence += f"; about {labels:,} more labels would decide"
    return BarResult(f"min_{bar.name}", bar.bar, bar.measured.to_json(), bar.ok, sentence, labels)


def _against(data: ReportData, gate: GateSettings) -> Iterator[BarResult]:
    if not data.comparisons or gate.non_inferiority is None:
        return
    c = data.comparisons[0].figures
    # The margin of the gate, not the default one that the comparison was made with.
    from trueup.stats.gate import non_inferiority

    tnr = c.delta_tnr if len(c.non_inferiority.sides) > 1 else None
    result = non_inferiority(c.delta_agreement, tnr, gate.non_inferiority, c.n_records, c.n_units)
    yield _non_inferiority_bar(result, c.b, c.a)


def _non_inferiority_bar(result: NonInferiority, new: str, old: str) -> BarResult:
    ok = {"pass": True, "fail": False, "inconclusive": None}[result.decision]
    if ok and result.too_small:
        ok = None
    parts = [
        f"{_TITLES[s.measure]} {number(s.value)} (at least {number(s.lower)})" for s in result.sides
    ]
    sentence = (
        f"{new} − {old}: {', '.join(parts)}; not worse than {number(-result.margin)} is wanted"
    )
    if ok is None and result.more_labels:
        sentence += f"; about {result.more_labels:,} more labels would decide"
    side = result.sides[0]
    measured = {"value": side.value, "low": side.lower, "high": side.upper,
                "method": "one_sided_95", "reason": side.reason}  # fmt: skip
    return BarResult("non_inferiority", result.margin, measured, ok, sentence, result.more_labels)


def _probes(workspace: Workspace, fingerprint: str, metric: str) -> list[BarResult]:
    """Bars on the self-tests that [gate.probes] names, from what `trueup probe` kept."""
    from trueup.services.probe_bars import stored_bars

    return [
        BarResult(f"probe_{b.kind}", b.bar, b.rate.to_json(), b.ok, b.sentence)
        for b in stored_bars(workspace, fingerprint, metric)
    ]


def _undecided_bar(data: ReportData, gate: GateSettings) -> BarResult:
    figures = data.agreement[0].figures
    total = figures.n_units + figures.n_undecided + figures.n_missing
    left = figures.n_undecided + figures.n_missing
    share = left / total if total else None
    measured = {"value": share, "low": None, "high": None, "method": "count",
                "reason": None if total else "no labelled unit"}  # fmt: skip
    ok = share is not None and share <= gate.max_undecided
    sentence = (
        f"undecided or missing {left:,} of {total:,} verdicts: "
        f"at most {gate.max_undecided:.1%} is allowed"
    )
    return BarResult("max_undecided", gate.max_undecided, measured, ok, sentence)


def _outcome(bars: list[BarResult]) -> Outcome:
    if any(b.ok is False for b in bars if b.name != "max_undecided"):
        return "fail"
    if all(b.ok for b in bars):
        return "pass"
    return "inconclusive"


def to_json(decision: Decision) -> dict[str, Any]:
    """The contract's object: the decision, the bars, and the figures they were read from."""
    figures = report_json(decision.report)
    return {
        "candidate": decision.candidate,
        "against": decision.against,
        "decision": decision.decision,
        "bars": [
            {
                "name": b.name,
                "bar": b.bar,
                "measured": b.measured,
                "ok": b.ok,
                "sentence": b.sentence,
                "labels_needed": b.more_labels if b.ok is None else None,
            }
            for b in decision.bars
        ],
        "labels_needed": decision.labels_needed,
        "notes": list(decision.notes),
        **{k: figures[k] for k in ("metric", "labels", "judges", "agreement", "comparisons")},
    }


def to_junit(decision: Decision) -> str:
    """JUnit XML: one test case a bar; an inconclusive bar is a skipped one, with the reason."""
    cases = []
    for bar in decision.bars:
        head = f'  <testcase classname="trueup.validate" name={quoteattr(bar.name)}'
        said = quoteattr(display(bar.sentence))
        if bar.ok:
            cases.append(f"{head}/>")
        elif bar.ok is None:
            cases.append(f"{head}><skipped message={said}/></testcase>")
        else:
            cases.append(f"{head}><failure message={said}/></testcase>")
    failed = sum(b.ok is False for b in decision.bars)
    skipped = sum(b.ok is None for b in decision.bars)
    name = quoteattr(display(f"trueup validate {decision.candidate}"))
    head = f'tests="{len(cases)}" failures="{failed}" errors="0" skipped="{skipped}"'
    body = "\n".join(cases)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name={name} {head}>\n'
        f"{body}\n</testsuite>\n"
    )


def to_markdown(decision: Decision) -> str:
    """A summary for a CI page."""
    marks = {True: "passed", False: "**failed**", None: "inconclusive"}
    rows = [f"| {marks[b.ok]} | {markdown_text(b.sentence)} |" for b in decision.bars]
    against = f" against {markdown_text(decision.against)}" if decision.against else ""
    notes = [f"\n- {markdown_text(n)}" for n in decision.notes]
    return "\n".join(
        [
            f"## {markdown_text(decision.candidate)}{against}: {decision.decision}\n",
            "| | bar |",
            "|---|---|",
            *rows,
            *notes,
            "",
        ]
    )
