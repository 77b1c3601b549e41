"""Reads what OpenAI's evals write: logs and samples of the library, rows and results of the API."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trueup.domain.transfer import ImportedRecord
from trueup.exchange.base import id_text
from trueup.exchange.entries import FieldError
from trueup.exchange.json_read import inside
from trueup.exchange.jsonl import read_object
from trueup.exchange.literals import boolean
from trueup.exchange.outside import (
    answer_in,
    chunks_in,
    content_text,
    first_in,
    judge_name,
    last_message,
    left_over,
    object_in,
    objects_in,
    our_metric,
    question_in,
    text_in,
)
from trueup.exchange.reading import Reading, Row
from trueup.exchange.rows import rows_of
from trueup.exchange.whole import Said, add_whole

_CONTEXT_HEADING = re.compile(r"(?im)^(?:#+\s*)?(?:retrieved )?contexts?:[ \t]*\n?")


@dataclass(slots=True)
class _Sample:
    """The events of one sample of a log."""

    first: Row
    prompt: Any = None
    sampled: Any = None
    ideal: Any = None
    correct: bool | None = None
    meta: dict[str, Any] = field(default_factory=dict)


def read_openai_evals(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """One record for each sample: of a log (by its events), of a sample file, of the API's rows.

    What a log or the API calls wrong is failing; the release is the model that was sampled. The
    context is what stands under `Context:` in a system message, or the item's own.
    """
    for path in paths:
        yield from _file(path, reading)


def _file(path: Path, reading: Reading) -> Iterator[ImportedRecord]:
    spec: dict[str, Any] = {}
    samples: dict[str, _Sample] = {}
    for outer in rows_of([path], reading):
        for row in inside(outer, "data"):
            try:
                if "spec" in row.value:
                    spec = object_in(row.value["spec"])
                elif "event_id" in row.value:
                    _event(row, samples)
                elif "final_report" not in row.value:
                    yield _row(row, reading)
            except FieldError as error:
                reading.refuse(row.path, row.line, error)
    for name, sample in samples.items():
        try:
            yield _logged(name, sample, spec, reading)
        except FieldError as error:
            reading.refuse(path, sample.first.line, error)


def _event(row: Row, samples: dict[str, _Sample]) -> None:
    name = id_text(row.value.get("sample_id"))
    data = object_in(row.value.get("data"))
    if name is None:
        return  # an event of the run as such
    sample = samples.setdefault(name, _Sample(row))
    kind = row.value.get("type")
    if kind == "sampling":
        sample.prompt = data.get("prompt", sample.prompt)
        sample.sampled = data.get("sampled", sample.sampled)
    elif kind == "match":
        sample.correct = boolean(data.get("correct"))
        sample.ideal = data.get("expected", sample.ideal)
        sample.sampled = sample.sampled if sample.sampled is not None else data.get("sampled")
    else:
        sample.meta[str(kind)] = data


def _logged(
    name: str, sample: _Sample, spec: Mapping[str, Any], reading: Reading
) -> ImportedRecord:
    sampled = sample.sampled[0] if isinstance(sample.sampled, list) and sample.sampled else (
        sample.sampled
    )  # fmt: skip
    models = spec.get("completion_fns")
    record: dict[str, Any] = {
        "id": name,
        "question": question_in(sample.prompt),
        "context": _context(sample.prompt),
        "answer": sampled if isinstance(sampled, str) else "",
        "reference": _ideal(sample.ideal),
        "release": ", ".join(map(str, models)) if isinstance(models, list) else "",
        "meta": left_over({"eval": spec.get("eval_name"), **sample.meta}, ()),
    }
    if sample.correct is not None:
        record["failing"] = not sample.correct
    return read_object(record, reading.entries, str(sample.first.path), sample.first.line)


def _ideal(value: Any) -> Any:
    """The reference: a text, or several that would each do."""
    if isinstance(value, list):
        return [str(item) for item in value] or None
    return value if isinstance(value, str) else None


def _context(messages: Any) -> list[dict[str, Any]] | None:
    """What stands under `Context:` in a system message, as one passage."""
    for message in messages if isinstance(messages, list) else ():
        if isinstance(message, dict) and message.get("role") in ("system", "developer"):
            text = content_text(message.get("content")) or ""
            heading = _CONTEXT_HEADING.search(text)
            if heading and (passage := text[heading.end() :].strip()):
                return [{"text": passage}]
    return None


def _row(row: Row, reading: Reading) -> ImportedRecord:
    value = row.value
    if "item" in value or "datasource_item" in value:
        record = _api(value, reading)
    elif "input" in value and "ideal" in value:
        record = {
            "id": id_text(value.get("id")),
            "question": question_in(value["input"]),
            "context": _context(value["input"]),
            "answer": "",
            "reference": _ideal(value["ideal"]),
            "meta": left_over(value, ("id", "input", "ideal")),
        }
    else:
        raise FieldError("", f"is no row of OpenAI's evals (keys: {', '.join(value)})")
    return read_object(record, reading.entries, str(row.path), row.line)


def _api(value: Mapping[str, Any], reading: Reading) -> dict[str, Any]:
    """A row of a data source, or an output item with what the graders said of it."""
    item = object_in(value.get("item", value.get("datasource_item")))
    sample = object_in(value.get("sample"))
    answer = text_in(sample, "output_text")
    if answer is None:
        output = sample.get("output")
        answer = last_message(output, "assistant") if isinstance(output, list) else None
    context = first_in(item, "context")
    chosen = [first_in(item, kind) for kind in ("question", "context", "reference")]
    others = {k: v for k, v in item.items() if not any(v is c for c in chosen)}
    record: dict[str, Any] = {
        "id": id_text(item.get("id") or value.get("id")),
        "question": question_in(item) or question_in(sample.get("input")),
        "context": chunks_in(context) if context is not None else _context(sample.get("input")),
        "answer": answer or answer_in({k: item.get(k) for k in ("answer", "response")}) or "",
        "reference": _ideal(chosen[2]),
        "release": text_in(sample, "model") or "",
        "meta": left_over(others, ("id",)),
    }
    add_whole(record, [_result(r) for r in objects_in(value.get("results"), "results")], reading)
    if (status := value.get("status")) in ("pass", "fail"):
        record["failing"] = status == "fail"
    return record


def _result(result: Mapping[str, Any]) -> Said:
    """What one grader said."""
    name = str(result.get("name") or "")
    metric = our_metric(name) or our_metric(name.partition("-")[0])
    passed = boolean(result.get("passed"))
    return Said(
        metric=metric,
        means=passed,
        person=None,
        judge=judge_name("openai-evals", name),
        name=name,
        raw=result.get("score", passed),
    )
