"""`trueup demo`: the whole loop on the bundled label set, with the judge that needs no key."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trueup.errors import TrueupError, UsageError
from trueup.report.json import to_json as report_json
from trueup.report.model import ReportData
from trueup.report.terminal import to_text
from trueup.services import label_sets, validating
from trueup.services.reporting import write
from trueup.services.workspace import Workspace

LABEL_SET = "support-docs"
SAMPLE = "first"
PLAIN, QUOTED = "plain", "quoted"
_SAMPLE_RECORDS = 20


@dataclass(frozen=True, slots=True)
class DemoResult:
    """What the demo made and measured."""

    root: Path
    sample: str
    report: ReportData
    decision: validating.Decision
    html: Path

    def to_json(self) -> dict[str, Any]:
        """The report's object and the gate's decision."""
        report = report_json(self.report)
        return {
            "workspace": str(self.root),
            "report": str(self.html),
            "agreement": report["agreement"],
            "comparisons": report["comparisons"],
            "validate": validating.to_json(self.decision),
        }

    def summary(self) -> str:
        """One screen: the figures, what changed between the styles, the decision, what is next."""
        marks = {True: "✓", False: "✗", None: "?"}
        bars = [f"  {marks[b.ok]} {b.sentence}" for b in self.decision.bars]
        return "\n".join(
            [
                to_text(self.report),
                "",
                f"May {QUOTED} replace {PLAIN}? {self.decision.decision.upper()}",
                *bars,
                *(f"  {n}" for n in self.decision.notes),
                "",
                f"Report: {self.html}",
                f"Label:  trueup label {self.sample} -C {self.root}",
            ]
        )


def run_demo(
    directory: Path, *, on_progress: Callable[..., None] = lambda *_, **__: None
) -> DemoResult:
    """Make the workspace (or go on with it), judge, report and validate. A second run is quick."""
    bundled = label_sets.bundled_dir()
    if bundled is None:
        raise UsageError("the bundled label sets are missing", hint="reinstall trueup")
    source = bundled / LABEL_SET
    with Workspace.init(directory) as workspace:
        _fill(workspace, source)
        workspace.judge([PLAIN, QUOTED], on_progress=on_progress)
        sample = workspace.store.sample(SAMPLE) or workspace.sample(SAMPLE, records=_SAMPLE_RECORDS)
        report = workspace.report(labels=str(source), judges=[PLAIN, QUOTED])
        paths = write(report, workspace.root / "reports" / "demo")
        decision = workspace.validate(
            QUOTED, against=PLAIN, labels=str(source), allow=frozenset({"constructed"})
        )
        return DemoResult(workspace.root, sample.name, report, decision, paths[0])


def _fill(workspace: Workspace, source: Path) -> None:
    done = workspace.store.note_of("demo")
    if done == label_sets.content_hash(source):
        return
    bundled = label_sets.load(source).records
    if any(r.key not in bundled for r in workspace.store.iter_records()):
        raise UsageError(
            f"{workspace.root} is a workspace with records of its own",
            hint="name another directory: trueup demo DIR",
        )
    try:
        workspace.import_files([source / label_sets.RECORDS])
        workspace.import_labels(source / label_sets.LABELS)
    except TrueupError as error:
        raise UsageError(
            f"{workspace.root} holds something else: {error.message}",
            hint="name another directory: trueup demo DIR",
        ) from error
    workspace.store.note("demo", label_sets.content_hash(source))
