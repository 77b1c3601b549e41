"""The first thing to look at for each failing question: named in its own words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from trueup.domain.model import Record

if TYPE_CHECKING:
    from trueup.services.diagnose_judge import DiagnoseJudge
    from trueup.services.diagnose_model import Finding
    from trueup.services.workspace import Workspace

_LONG = 90


def first_look(
    workspace: Workspace, judge: DiagnoseJudge, findings: Sequence[Finding]
) -> list[Finding]:
    """The findings with `look_at` filled in."""
    unsupported = _unsupported(workspace, judge, [f for f in findings if f.cell == "generation"])
    relevancy = judge.scores(workspace, "answer_relevancy", None)
    stated = judge.scores(workspace, "correctness_recall", None)
    made = []
    for finding in findings:
        key, record = finding.looked.record.key, finding.looked.record
        text = ""
        if finding.cell == "generation":
            claim = unsupported.get(key)
            text = (
                f"the claim {claim!r}, which the context does not carry" if claim else "the prompt"
            )
        elif finding.cell in ("retrieval", "both"):
            text = _missing(record)
        elif finding.cell == "end_to_end":
            low = {
                "the answer does not address what was asked (answer relevancy)": relevancy.get(key),
                "the answer leaves out what the reference states": stated.get(key),
            }
            found = [
                t for t, s in low.items() if s is not None and s.value is not None and s.value < 1
            ]
            text = found[0] if found else "the reference, the format, the labels"
        made.append(replace(finding, look_at=text))
    return made


def _unsupported(
    workspace: Workspace, judge: DiagnoseJudge, findings: Sequence[Finding]
) -> dict[str, str]:
    """Record key → its first claim that is not entailed."""
    keys = [f.looked.record.key for f in findings]
    units = workspace.store.units("answer_claim", records=keys)
    verdicts = {
        v.unit: v.value
        for v in workspace.store.verdicts(
            metric="groundedness", fingerprints=[judge.fingerprint], units=[u.key for u in units]
        )
    }
    found: dict[str, str] = {}
    for unit in units:
        if verdicts.get(unit.key) == "not_entailed":
            found.setdefault(unit.record, _short(unit.text))
    return found


def _missing(record: Record) -> str:
    """Which gold chunk did not arrive, and how far it came."""
    if not record.gold:
        return "which statement of the reference no chunk carries"
    seen = {c.id for c in record.context or ()}
    missing = [g for g in record.gold if g not in seen] or list(record.gold)
    name = missing[0]
    if record.retrieved is not None and name in record.retrieved:
        rank = record.retrieved.index(name) + 1
        return f"chunk {name}: retrieved at rank {rank}, and cut off before the generator"
    if record.retrieved is not None:
        return f"chunk {name}: not among the {len(record.retrieved):,} retrieved ids"
    return f"chunk {name}: not in the context"


def _short(text: str) -> str:
    return text if len(text) <= _LONG else f"{text[: _LONG - 1]}…"
