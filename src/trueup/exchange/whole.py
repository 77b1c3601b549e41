"""What other tools say of a whole answer: labels of people and verdicts of evaluators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trueup.domain.transfer import ImportedRecord
from trueup.exchange.entries import FieldError
from trueup.exchange.jsonl import read_object
from trueup.exchange.jsonl_write import record_line
from trueup.exchange.outside import CORRECTNESS, WHOLE_ANSWER, whole_answer
from trueup.exchange.reading import Reading, Row

_ANSWER_METRICS = frozenset({"groundedness", "answer_relevancy"})


@dataclass(frozen=True, slots=True)
class Said:
    """One score: what it means, and whose it is.

    `metric` is one of ours, CORRECTNESS, or None; `means` is None for what is neither yes nor no.
    `person` is the annotator of a person's score, None for one that `judge` gave.
    """

    metric: str | None
    means: bool | None
    person: str | None
    judge: str
    note: str | None = None
    at: str | None = None
    event: str | None = None
    name: str = ""
    raw: Any = None
    model: str | None = None

    def entry(self) -> dict[str, Any]:
        """As an entry under `human` or `judges`."""
        common = {"entailed": self.means, "metric": self.metric}
        if self.person is None:
            meta = {} if isinstance(self.raw, (bool, type(None))) else {"meta": {"said": self.raw}}
            return {**common, "reason": self.note, "model": self.model, **meta}
        return {
            **common, "annotator": self.person, "note": self.note, "at": self.at, "id": self.event,
        }  # fmt: skip


def add_whole(
    record: dict[str, Any], scores: Sequence[Said], reading: Reading, *, keep: bool = True
) -> None:
    """Add scores to a record: entries on its whole answer, `failing`, and metadata.

    A person's word on correctness stands above an evaluator's. What is no yes or no, or what no
    metric of ours asks of an answer, is kept as metadata under `scores` (not with `keep` false: to
    a record that is stored only entries are added).
    """
    claim = whole_answer(record["answer"], human=[], judges={})
    kept: list[dict[str, Any]] = []
    verdicts = [s for s in scores if s.metric == CORRECTNESS and s.means is not None]
    people = [s for s in verdicts if s.person is not None]
    for last in (people or verdicts)[-1:]:
        record["failing"] = not last.means
    for score in scores:
        if score.metric in _ANSWER_METRICS and score.means is not None and record["answer"]:
            if score.person is not None:
                claim["human"].append(score.entry())
            else:
                claim["judges"].setdefault(score.judge, []).append(score.entry())
            continue
        if score.metric != CORRECTNESS or score.means is None:
            what = "kept as metadata" if keep else "left out"
            reading.count(f"scores that are no yes or no of a whole answer: {what}")
        kept.append({"name": score.name, "value": score.raw, "by": score.person or score.judge})
    for entries in claim["judges"].values():
        for repeat, entry in enumerate(entries):
            entry["repeat"] = repeat
    if claim["human"] or claim["judges"]:
        record["claims"] = [claim]
    if kept and keep:
        record["meta"] = {**record.get("meta", {}), "scores": kept}


def add_to_known(
    name: str, scores: Sequence[Said], row: Row, reading: Reading, where: str
) -> ImportedRecord:
    """Scores of a record that the files do not hold, on the workspace's record of that id.

    Raises FieldError where the workspace has none either, or has other claims of its answer.
    """
    found = reading.lookup(name)
    if not found:
        raise FieldError(
            "", f"holds scores of {name!r}, which is in none of the files and not in the workspace",
            hint=f"give the file of {where} too, or import it first",
        )  # fmt: skip
    if len(found) > 1:
        raise FieldError("", f"holds scores of {name!r}, which is in several releases")
    known = found[0]
    other = [u for u in known.units if u.kind == "answer_claim" and u.splitter != WHOLE_ANSWER]
    if other:
        raise FieldError("", f"holds scores of the whole answer of {name!r}, which has claims")
    record = record_line(known.record)
    add_whole(record, scores, reading, keep=False)
    return read_object(record, reading.entries, str(row.path), row.line)
