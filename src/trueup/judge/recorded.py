"""A judge that came with a file: answers from its recorded verdicts, and from nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trueup.domain.ids import canonical_json
from trueup.domain.judging import JudgeTask, Reply
from trueup.domain.model import JudgeSpec
from trueup.judge.base import CallFailed
from trueup.judge.render import claim_text


@dataclass(frozen=True, slots=True)
class RecordedVerdict:
    """What a file says of a unit: `entailed` null where the recorded judge did not decide."""

    entailed: bool | None
    quotes: tuple[str, ...] = ()


class RecordedBackend:
    """Answers by unit key, in the same JSON as any judge, so that the same reader reads it.

    A unit without a recorded verdict, or with a null one, is left out of the reply and ends as
    undecided (`missing_verdict`); a record of which nothing is recorded fails with `not_found`.
    """

    def __init__(self, verdicts: Mapping[str, RecordedVerdict]) -> None:
        self._verdicts = verdicts

    async def complete(self, spec: JudgeSpec, task: JudgeTask) -> Reply:
        """The recorded verdicts on a task. Raises CallFailed where there are none."""
        found = [(n, u, self._verdicts.get(u.key)) for n, u in enumerate(task.units, 1)]
        if all(v is None for _, _, v in found):
            message = f"{spec.name} has no recorded verdict on record {task.record_id!r}"
            raise CallFailed("not_found", message, scope="record")
        entries = [
            {
                "number": number,
                "claim": claim_text(task, unit),
                "entailed": verdict.entailed,
                "evidence": list(verdict.quotes),
            }
            for number, unit, verdict in found
            if verdict is not None and verdict.entailed is not None
        ]
        return Reply(canonical_json({"claims": entries}), finish_reason="stop")

    async def aclose(self) -> None:
        """Nothing to give back."""
