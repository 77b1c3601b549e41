"""`--isolate`: each failing answer judged again with the gold chunks as its context.

Nothing is generated anew. Where the gold text carries the answer, the evidence would have supported
it had it arrived; where it does not, the answer is wrong anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from trueup.domain.judging import JudgeTask
from trueup.domain.model import Chunk, Record
from trueup.errors import UsageError
from trueup.services.diagnose_model import Diagnosis, Finding, Isolated, Outcome
from trueup.services.specs import spec_of
from trueup.services.tasks import task_of
from trueup.services.trials import Said, ask, case_id

if TYPE_CHECKING:
    from trueup.judge.progress import RunSummary
    from trueup.services.workspace import Workspace

Advance = Callable[..., None]
KIND = "isolate"
SENTENCES: dict[Outcome, str] = {
    "would_have_supported": "the evidence, had it arrived, would have supported the answer",
    "wrong_anyway": "the answer is wrong anyway",
    "no_gold_text": "the text of a gold chunk is not known",
    "undecided": "the judge did not decide every claim",
    "no_claims": "the answer claims nothing",
}


def isolate(
    workspace: Workspace,
    diagnosis: Diagnosis,
    *,
    dry_run: bool = False,
    on_progress: Advance = lambda *_, **__: None,
) -> tuple[Diagnosis, RunSummary | None]:
    """The diagnosis with `isolated` filled in, and what the calls came to (None: none was needed).

    Answers of the judge are kept: a second time nothing is asked. Raises UsageError for a judge
    that trueup.toml does not define, or that it defines otherwise by now.
    """
    name = diagnosis.judge.name
    if name not in workspace.settings.judges:
        raise UsageError(
            f"{name} is a recorded judge and cannot be asked", hint="--judge NAME of trueup.toml"
        )
    spec = spec_of(workspace, name, "groundedness")
    if spec.fingerprint != diagnosis.judge.fingerprint:
        raise UsageError(
            f"{name} is another judge in trueup.toml than the one whose scores are shown",
            hint=f"trueup judge --judge {name}",
        )
    tasks, settled = _tasks(workspace, diagnosis.findings)
    cases = {case_id(task): task for task in tasks.values()}
    trials = ask(workspace, name, spec, KIND, cases, dry_run=dry_run, on_progress=on_progress)
    if dry_run:
        return diagnosis, trials.summary
    at = diagnosis.thresholds.groundedness
    found = [
        replace(f, isolated=settled.get(f.looked.record.key) or _judged(trials.said, tasks, f, at))
        for f in diagnosis.findings
    ]
    return replace(diagnosis, findings=tuple(found)), trials.summary


def _tasks(
    workspace: Workspace, findings: Sequence[Finding]
) -> tuple[dict[str, JudgeTask], dict[str, Isolated]]:
    """(record key → what to ask, record key → what needs no asking)."""
    records = [f.looked.record for f in findings]
    units: dict[str, list[Any]] = {}
    for unit in workspace.store.units("answer_claim", records=[r.key for r in records]):
        units.setdefault(unit.record, []).append(unit)
    wanted = {g for r in records if r.gold_context is None for g in r.gold or ()}
    texts = workspace.store.chunk_texts(wanted)
    tasks: dict[str, JudgeTask] = {}
    settled: dict[str, Isolated] = {}
    for record in records:
        gold = _gold(record, texts)
        if gold is None:
            settled[record.key] = Isolated("no_gold_text")
        elif record.key not in units:
            settled[record.key] = Isolated("no_claims")
        else:
            task = task_of(record, units[record.key], "groundedness")
            tasks[record.key] = replace(task, context=gold)
    return tasks, settled


def _gold(record: Record, texts: dict[str, str]) -> tuple[Chunk, ...] | None:
    """The gold chunks with their texts; None where one is not known, or there is none."""
    if record.gold_context:
        names = record.gold or ()
        return tuple(
            Chunk(names[i] if i < len(names) else f"gold-{i + 1}", text)
            for i, text in enumerate(record.gold_context)
        )
    if not record.gold or any(g not in texts for g in record.gold):
        return None
    return tuple(Chunk(g, texts[g]) for g in record.gold)


def _judged(said: Any, tasks: dict[str, JudgeTask], finding: Finding, at: float) -> Isolated:
    answer: Said | None = said.get(case_id(tasks[finding.looked.record.key]))
    if answer is None or answer.score is None:
        return Isolated("undecided")
    supported = answer.score >= at - 1e-9
    return Isolated("would_have_supported" if supported else "wrong_anyway", answer.score)
