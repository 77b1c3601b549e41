"""Reads what promptfoo writes: results of an evaluation, with assertions and people's ratings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from trueup.domain.transfer import ImportedRecord
from trueup.exchange.entries import FieldError
from trueup.exchange.json_read import inside
from trueup.exchange.jsonl import read_object
from trueup.exchange.literals import boolean
from trueup.exchange.outside import (
    NOT_BLIND,
    answer_in,
    chunks_in,
    first_in,
    judge_name,
    left_over,
    object_in,
    our_metric,
    text_in,
    whole_answer,
)
from trueup.exchange.reading import Reading, Row
from trueup.exchange.rows import rows_of

ANNOTATOR = "promptfoo"
"""The file names nobody. A rating is made beside the grader's: these labels are not blind."""
_HUMAN = "human"
_KINDS = {"groundedness": "answer", "answer_relevancy": "answer", "contextual_recall": "reference"}


def read_promptfoo(paths: Sequence[Path], reading: Reading) -> Iterator[ImportedRecord]:
    """One record for each output; those of several providers or prompts are several releases.

    `failing` is what a person rated, else what the assertions came to. Model-graded assertions that
    ask what one of our metrics asks are verdicts on the whole answer (or reference).
    """
    for path in paths:
        rows = list(_results(path, reading))
        several = len({_system(row.value) for row in rows}) > 1
        read = partial(_result, several=several, reading=reading)
        yield from reading.each(iter(rows), read)


def _results(path: Path, reading: Reading) -> Iterator[Row]:
    for row in rows_of([path], reading):
        outer = row.value.get("results")
        found = outer.get("results") if isinstance(outer, dict) else outer
        if isinstance(found, list):
            name = {"evalId": row.value.get("evalId")}
            nested = row._replace(value={"rows": found})
            yield from (r._replace(value={**name, **r.value}) for r in inside(nested, "rows"))
        else:
            yield row


def _system(result: dict[str, Any]) -> str:
    """What made the output: the provider, and the prompt where there are several."""
    provider = result.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    number = result.get("promptIdx")
    return f"{provider or ''}" + (f" #{number}" if number else "")


def _result(row: Row, *, several: bool, reading: Reading) -> ImportedRecord | None:
    result = row.value
    variables = object_in(result.get("vars")) or object_in(
        object_in(result.get("testCase")).get("vars")
    )
    answer = answer_in(object_in(result.get("response")).get("output", result.get("output")))
    if answer is None:
        if not (variables or "success" in result):
            raise FieldError("", f"is no result of promptfoo (keys: {', '.join(result)})")
        reading.count("tests without an output (the system failed): left out")
        return None
    question = first_in(variables, "question")
    value: dict[str, Any] = {
        "id": _id(result),
        "question": question if isinstance(question, str) else None,
        "context": chunks_in(first_in(variables, "context")),
        "answer": answer,
        "reference": _reference(first_in(variables, "reference")),
        "release": _system(result) if several else "",
        "meta": _meta(result, variables),
    }
    graded = [c for c in _components(result) if not _is_human(c)]
    people = [c for c in _components(result) if _is_human(c)]
    passed = boolean(people[-1].get("pass")) if people else boolean(result.get("success"))
    if passed is not None:
        value["failing"] = not passed
    _add_verdicts(value, graded, people, reading)
    return read_object(value, reading.entries, str(row.path), row.line)


def _id(result: dict[str, Any]) -> str | None:
    description = object_in(result.get("testCase")).get("description")
    if isinstance(description, str) and description:
        return description
    if result.get("evalId") and result.get("testIdx") is not None:
        return f"{result['evalId']}/{result['testIdx']}"
    return None


def _reference(value: Any) -> Any:
    return value if isinstance(value, (str, list)) else None


def _meta(result: dict[str, Any], variables: dict[str, Any]) -> dict[str, Any]:
    chosen = [first_in(variables, kind) for kind in ("question", "context", "reference")]
    others = {k: v for k, v in variables.items() if not any(v is c for c in chosen)}
    provider = result.get("provider")
    meta = {
        "provider": provider.get("id") if isinstance(provider, dict) else provider,
        "score": result.get("score"),
        "vars": others,
    }
    return left_over(meta, ())


def _components(result: dict[str, Any]) -> list[dict[str, Any]]:
    grading = object_in(result.get("gradingResult"))
    found = grading.get("componentResults") or []
    if not isinstance(found, list):
        raise FieldError("gradingResult.componentResults", "must be a list")
    return [c for c in found if isinstance(c, dict)]


def _is_human(component: dict[str, Any]) -> bool:
    return object_in(component.get("assertion")).get("type") == _HUMAN


def _add_verdicts(
    value: dict[str, Any],
    graded: Sequence[dict[str, Any]],
    people: Sequence[dict[str, Any]],
    reading: Reading,
) -> None:
    """Verdicts of graders; a person's rating is a label where one metric alone was asked.

    A rating is of the output as such. Beside a single metric it is that metric's yes or no; beside
    several (or none) nobody can say what it was about, and it decides `failing` only.
    """
    ruled = _ruled(graded, reading)
    claims: dict[str, dict[str, Any]] = {}
    for metric, judges in ruled.items():
        of = _KINDS[metric]
        text = value["answer"] if of == "answer" else value.get("reference")
        if isinstance(text, str) and text:
            claim = claims.setdefault(of, whole_answer(text, of=of, judges={}))
            claim["judges"] |= judges
    if people and len(ruled) == 1 and claims:
        (metric,) = ruled
        (claim,) = claims.values()
        claim["human"] = [_label(p, metric) for p in people if p.get("pass") is not None]
        reading.count(NOT_BLIND, len(claim["human"]))
    elif people:
        reading.count("ratings beside several metrics or none: they decide `failing` only")
    if claims:
        value["claims"] = list(claims.values())


def _ruled(
    graded: Sequence[dict[str, Any]], reading: Reading
) -> dict[str, dict[str, dict[str, Any]]]:
    """Metric -> judge -> entry, of the assertions that ask what a metric of ours asks."""
    ruled: dict[str, dict[str, dict[str, Any]]] = {}
    for component in graded:
        assertion = object_in(component.get("assertion"))
        negated, kind = _asked(assertion)
        metric = our_metric(str(assertion.get("metric") or "")) or our_metric(kind)
        passed = boolean(component.get("pass"))
        if metric is None or metric not in _KINDS or passed is None:
            reading.count(f"assertions of type {kind or 'unknown'}: they count in `failing` only")
            continue
        model = text_in({"provider": _provider(assertion)}, "provider")
        score = {"score": component.get("score"), "threshold": assertion.get("threshold")}
        ruled.setdefault(metric, {})[judge_name("promptfoo", kind, model)] = {
            "entailed": passed != negated, "metric": metric, "model": model,
            "reason": component.get("reason"),
            "meta": left_over(score, ()),
        }  # fmt: skip
    return ruled


def _asked(assertion: dict[str, Any]) -> tuple[bool, str]:
    """(whether it passes on a no, what is asked): `not-context-faithfulness` is the former."""
    kind = str(assertion.get("type") or "")
    return kind.startswith("not-"), kind.removeprefix("not-")


def _provider(assertion: dict[str, Any]) -> Any:
    provider = assertion.get("provider")
    return provider.get("id") if isinstance(provider, dict) else provider


def _label(component: dict[str, Any], metric: str) -> dict[str, Any]:
    return {
        "annotator": ANNOTATOR,
        "entailed": boolean(component.get("pass")),
        "metric": metric,
        "note": component.get("comment") or None,
        "blind": False,
    }
