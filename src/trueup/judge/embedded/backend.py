"""The embedded judge as a backend: it answers in the same JSON as any other judge."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from trueup.domain.ids import canonical_json
from trueup.domain.judging import JudgeTask, Reply, TaskUnit, Usage
from trueup.domain.metrics import METRICS
from trueup.domain.model import JudgeSpec
from trueup.judge.base import CallFailed
from trueup.judge.embedded.passages import held
from trueup.judge.embedded.questions import addresses, useful
from trueup.judge.embedded.ruling import Ruling, plain, quoted
from trueup.judge.render import claim_text

EMBEDDED_VERSION = "trueup-embedded/1"
"""Part of the call fingerprint, as the model's name: raise it when any ruling would change."""
STYLES = ("plain", "quoted")


class EmbeddedBackend:
    """Lexical rules on the CPU, with no key, model or network; deterministic.

    `plain` is coverage of the whole context; `quoted` gives verbatim evidence and has guards.
    """

    async def complete(self, spec: JudgeSpec, task: JudgeTask) -> Reply:
        """Rule on every unit of the task. Raises CallFailed for a style it does not have.

        Entries have, besides what any judge gives, `confidence` (0 to 1) and `reason`. `entailed`
        is null only for a unit without any text.
        """
        style = spec.prompt.rpartition("/")[2]
        if style not in STYLES:
            known = ", ".join(STYLES)
            message = f"the embedded judge has no style {spec.prompt!r} (known: {known})"
            raise CallFailed("not_found", message, scope="run")
        await asyncio.sleep(0)  # a run of many short tasks leaves the loop its turns
        entries = [_entry(task, n, unit, style) for n, unit in enumerate(task.units, start=1)]
        return Reply(
            canonical_json({"claims": entries}),
            finish_reason="stop",
            answered_model=EMBEDDED_VERSION,
            usage=Usage(0, 0),
        )

    async def aclose(self) -> None:
        """Nothing to give back."""


def _entry(task: JudgeTask, number: int, unit: TaskUnit, style: str) -> dict[str, object]:
    ruling = rule(task, unit, style) if unit.text.strip() else None
    entry: dict[str, object] = {
        "number": number,
        "claim": claim_text(task, unit),
        "entailed": ruling.entailed if ruling else None,
        "confidence": round(ruling.confidence, 3) if ruling else 0.0,
        "reason": ruling.why if ruling else "the unit has no text",
    }
    if style == "quoted":
        entry["evidence"] = list(ruling.quotes) if ruling else []
    return entry


def rule(task: JudgeTask, unit: TaskUnit, style: str) -> Ruling:
    """The ruling on one unit in a style, by what its metric holds it against."""
    spec = METRICS[task.metric]
    question = task.question or ""
    if spec.against == "question":
        if spec.units == "chunk":
            return useful(question, unit.text, _texts(task) or [unit.text], style)
        return addresses(question, unit.text, style)
    if spec.against == "context":
        return entails(_texts(task), unit, style)
    text = task.reference if spec.against == "reference" else task.answer
    # A reference is often elliptic ("30 days"): what the question says is given with it.
    return entails([text or ""], unit, style, given=question)


def entails(texts: Sequence[str], unit: TaskUnit, style: str, given: str = "") -> Ruling:
    """Whether the texts carry a claim; the words of `given` need not be found there."""
    against = held(texts)
    if not against.passages:
        return Ruling(False, 1.0, (), "there is no text that could carry it")
    if style == "plain":
        return plain(against, unit.text, given)
    return quoted(against, unit.text, unit.context, given)


def _texts(task: JudgeTask) -> list[str]:
    return [c.text for c in task.context or ()]
