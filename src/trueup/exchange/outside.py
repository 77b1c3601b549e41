"""What importers of other tools' files share: verdict words, metric names, texts inside JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from trueup.exchange.base import finite
from trueup.exchange.entries import FieldError
from trueup.exchange.literals import structured

WHOLE_ANSWER = "whole-answer"
"""The splitter of a claim set that holds the whole answer as its one claim: where another tool
rules on an answer as a whole, and not claim by claim."""

CORRECTNESS = "correctness"
"""A verdict on the record as such: it says whether the record is failing."""

NOT_BLIND = "labels were made with the judge's verdict in view: they are recorded as not blind"
"""Said of labels that a tool takes beside its own verdict; agreement leaves them out."""

_METRICS: dict[str, str] = {
    "groundedness": "groundedness", "faithfulness": "groundedness", "hallucination": "groundedness",
    "context_faithfulness": "groundedness", "faithfulness_metric": "groundedness",
    "answer_faithfulness": "groundedness",
    "contextual_recall": "contextual_recall", "context_recall": "contextual_recall",
    "contextual_recall_metric": "contextual_recall",
    "answer_relevancy": "answer_relevancy", "answer_relevance": "answer_relevancy",
    "response_relevancy": "answer_relevancy", "answer_relevancy_metric": "answer_relevancy",
    "context_relevancy": "context_relevancy", "context_relevance": "context_relevancy",
    "contextual_relevancy": "context_relevancy", "contextual_precision": "context_relevancy",
    "context_precision": "context_relevancy", "relevance": "context_relevancy",
    "document_relevance": "context_relevancy", "retrieval_relevance": "context_relevancy",
    "correctness": CORRECTNESS, "qa_correctness": CORRECTNESS, "answer_correctness": CORRECTNESS,
    "factual_correctness": CORRECTNESS,
}  # fmt: skip
_YES = frozenset({
    "entailed", "faithful", "grounded", "factual", "supported", "fully", "relevant", "correct",
    "pass", "passed", "true", "yes", "entailment", "good",
})  # fmt: skip
_NO = frozenset({
    "not_entailed", "unfaithful", "ungrounded", "hallucinated", "hallucination", "unsupported",
    "not_supported", "irrelevant", "unrelated", "not_relevant", "incorrect", "fail", "failed",
    "false", "no", "contradiction", "neutral", "bad",
})  # fmt: skip
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_QUESTIONS = ("question", "query", "user_input", "input", "user_query", "prompt", "text", "message")
_ANSWERS = ("answer", "response", "output", "output_text", "result", "completion", "text")
_REFERENCES = (
    "reference", "expected", "ground_truth", "expected_output", "expected_answer",
    "expected_response", "ideal", "reference_answer",
)  # fmt: skip
_CONTEXTS = ("context", "contexts", "retrieved_contexts", "retrieval_context", "documents")
_TEXTS = (
    "text",
    "content",
    "page_content",
    "pageContent",
    "document",
    "document.content",
    "passage",
)
_IDS = ("id", "doc_id", "document_id", "document.id", "chunk_id", "_id")


def snake(name: str) -> str:
    """`traceId`, `Answer Relevancy` -> `trace_id`, `answer_relevancy`."""
    return re.sub(r"[\s\-]+", "_", _CAMEL.sub("_", name.strip())).casefold()


def snaked(value: Mapping[str, Any]) -> dict[str, Any]:
    """The object with its keys in snake case, as the other of a tool's two spellings has them."""
    return {snake(key): item for key, item in value.items()}


def our_metric(name: str) -> str | None:
    """The metric that another tool's name means, `CORRECTNESS`, or None."""
    return _METRICS.get(snake(name))


def said(word: Any) -> bool | None:
    """What a verdict word means; None for a word that is neither."""
    if isinstance(word, bool):
        return word
    text = snake(str(word)).replace("-", "_")
    return True if text in _YES else False if text in _NO else None


def judge_name(tool: str, evaluator: str, model: Any = None) -> str:
    """`MODEL/EVALUATOR`, with the tool's name where the file names no model."""
    return f"{model if isinstance(model, str) and model else tool}/{evaluator}"


def whole_answer(answer: str, **more: Any) -> dict[str, Any]:
    """The whole answer as a claim, with entries under `human` and `judges`."""
    return {"text": answer, "splitter": WHOLE_ANSWER, **more}


def text_in(value: Mapping[str, Any], *keys: str, needed: bool = False) -> str | None:
    """The text under the first of the keys that is there and not null.

    Raises FieldError for one that is no text, and where it is needed and none is there.
    """
    for key in keys:
        found = value.get(key)
        if found is None or found != found:
            continue
        if isinstance(found, (int, float)) and not isinstance(found, bool):
            return str(found)
        if not isinstance(found, str):
            raise FieldError(key, f"must be a text, not {type(found).__name__}")
        return found
    if needed:
        raise FieldError(keys[0], "is missing")
    return None


def listed(value: Any) -> list[Any]:
    """A list, also where a table holds it as text; one thing alone as a list of it."""
    if isinstance(value, str):
        value = structured(value) if value.strip() else None
    if value is None or value != value:
        return []
    return value if isinstance(value, list) else [value]


def objects_in(value: Any, field: str) -> list[dict[str, Any]]:
    """A list of objects; nothing for null. Raises FieldError for anything else."""
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise FieldError(field, "must be a list of objects")
    return value


def object_in(value: Any) -> dict[str, Any]:
    """An object, also where it is written as text; {} for anything else."""
    if isinstance(value, str):
        value = structured(value)
    return value if isinstance(value, dict) else {}


def inner(value: Any) -> Any:
    """What a text holds where it is JSON: tools log inputs and outputs in that way."""
    if isinstance(value, str) and value[:1] in {"{", "["}:
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def question_in(value: Any) -> str | None:
    """The question of a logged input: a text, an object that has one, or messages."""
    value = inner(value)
    if isinstance(value, dict):
        if isinstance(value.get("messages"), list):
            return question_in(value["messages"])
        found = next((value[k] for k in _QUESTIONS if value.get(k) not in (None, "")), None)
        return question_in(found) if found is not None else None
    if isinstance(value, list):
        return last_message(value, "user", "human")
    return value if isinstance(value, str) and value else None


def answer_in(value: Any) -> str | None:
    """The answer of a logged output: a text, an object that has one, or messages."""
    value = inner(value)
    if isinstance(value, dict):
        found = next((value[k] for k in _ANSWERS if value.get(k) is not None), None)
        if found is None and "content" in value:
            found = value["content"]
        if found is None and isinstance(value.get("messages"), list):
            found = value["messages"]
        return answer_in(found) if found is not None else None
    if isinstance(value, list):
        return last_message(value, "assistant", "ai")
    return value if isinstance(value, str) else None


def first_in(value: Mapping[str, Any], kind: str) -> Any:
    """The `question`, `context` or `reference` of variables that people name as they like."""
    names = {"question": _QUESTIONS, "context": _CONTEXTS, "reference": _REFERENCES}[kind]
    return next((value[k] for k in names if value.get(k) not in (None, "")), None)


def last_message(messages: Sequence[Any], *roles: str) -> str | None:
    """The text of the last message of one of the roles."""
    for message in reversed(messages):
        if isinstance(message, dict) and message.get("role", message.get("type")) in roles:
            return content_text(message.get("content"))
    return None


def content_text(content: Any) -> str | None:
    """The text of a message: a text, or parts of which some are texts."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return content_text(content.get("text"))
    if isinstance(content, list):
        parts = [content_text(part) or "" for part in content]
        return "\n".join(p for p in parts if p) or None
    return None


def chunks_in(value: Any) -> list[dict[str, Any]] | None:
    """Passages as trueup has them: texts, or objects under whatever names tools use; None for null.

    Raises FieldError for a passage without a text.
    """
    if value is None or value != value:
        return None
    return [_chunk(item, i) for i, item in enumerate(listed(value))]


def _chunk(item: Any, place: int) -> dict[str, Any]:
    if isinstance(item, str):
        return {"text": item}
    if isinstance(item, dict) and isinstance(item.get("document"), dict):
        item = item["document"]
    if not isinstance(item, dict):
        raise FieldError(f"context[{place}]", "must be a text or an object")
    text_key = next((k for k in _TEXTS if isinstance(item.get(k), str)), None)
    if text_key is None:
        keys = ", ".join(list(item)[:10])
        raise FieldError(f"context[{place}]", f"has no text (keys here: {keys})")
    id_key = next((k for k in _IDS if item.get(k) not in (None, "")), None)
    chunk: dict[str, Any] = {"text": item[text_key]}
    if id_key is not None:
        chunk["id"] = item[id_key]
    if isinstance(item.get("source"), str):
        chunk["source"] = item["source"]
    return chunk


def left_over(value: Mapping[str, Any], used: Iterable[str]) -> dict[str, Any]:
    """What a row says beside the keys that were used: metadata. Nulls and empty things stay out."""
    known = set(used)
    return {
        key: finite(item)
        for key, item in value.items()
        if key not in known and item is not None and item not in ("", [], {}) and item == item
    }
