"""What made a shift: the model that answered, apart from the judge that came after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from store_help import claims, item, judge, judgement, record, verdict
from trueup.domain.judging import Reply
from trueup.domain.model import JudgeSpec, Record, VerdictValue
from trueup.services.rebaselining import rebaseline
from trueup.services.workspace import Workspace

YES: VerdictValue = "entailed"
NO: VerdictValue = "not_entailed"
OLD, NEW = judge("old"), judge("new")


def rule(
    workspace: Workspace, of: Record, spec: JudgeSpec, values: Sequence[VerdictValue], model: str,
    repeat: int = 0,
) -> None:  # fmt: skip
    ruled = tuple(
        replace(verdict(u, spec, v, evidence=()), repeat=repeat)
        for u, v in zip(claims(of), values, strict=True)
    )
    answered = Reply("{}", "stop", answered_model=model)
    made = judgement(of, spec, ruled, reply=answered, repeat=repeat)
    workspace.store.sink(spec).commit([made])


def test_a_model_that_changed_under_the_old_judge_is_a_part_of_its_own(tmp_path: Path) -> None:
    """Asked again, another model answered the old judge: its part is told from the new judge's."""
    with Workspace.init(tmp_path / "ws", toml="") as workspace:
        made = [record(f"q-{i}", release="r1") for i in range(6)]
        workspace.store.import_records([item(r) for r in made])
        for i, one in enumerate(made):
            rule(workspace, one, OLD, (YES, YES), "m-1")
            rule(workspace, one, OLD, (YES, NO if i < 3 else YES), "m-2", repeat=1)
            rule(workspace, one, NEW, (NO, NO if i < 3 else YES), "n-1")
        found = rebaseline(workspace, "old", "new")

    (outcome,) = found.releases
    parts = {p.name: p.change.value for p in outcome.shift_parts}
    assert parts == {
        "answered model": pytest.approx(-0.25), "verdicts": pytest.approx(-0.5),
    }  # fmt: skip
    assert outcome.restated.shift.value == pytest.approx(-0.75)
    assert outcome.n_parts == 6
