"""What an endpoint accepts: learned from its refusals, once, and remembered for the run."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from trueup.domain.model import JudgeSpec
from trueup.judge.openai_errors import ServerError
from trueup.judge.render import Prompt
from trueup.judge.schema import reply_schema

_FORMATS = ("json_schema", "json_object", None)
_LIMITS = ("max_completion_tokens", "max_tokens", None)
_UNKNOWN = re.compile(r"unrecognized|unknown|unexpected|extra|not permitted", re.IGNORECASE)
_NO_SYSTEM = re.compile(r"(?:system|developer)\b.{0,40}(?:not|n't|unsupported)", re.IGNORECASE)
_NEEDS_USER = re.compile(r"(?:missing|required)\b.{0,40}\buser\b", re.IGNORECASE)
_NEVER_DROPPED = frozenset({"model", "messages"})


class Accepted:
    """The shape of a request body that a model at an endpoint accepts.

    `notes` say what the server refused and what was sent instead: they go into the run's notes.
    """

    def __init__(self) -> None:
        self.notes: dict[str, str] = {}
        self._format = 0
        self._limit = 0
        self._dropped: set[str] = set()
        self._system = True
        self._user = False

    def body(self, spec: JudgeSpec, prompt: Prompt) -> dict[str, Any]:
        """The request body of a prompt, with what is known to be accepted."""
        body: dict[str, Any] = {"model": spec.model, "messages": self._messages(prompt)}
        for name, value in spec.params.items():
            if name == "max_output_tokens":
                if limit := _LIMITS[self._limit]:
                    body[limit] = value
            elif name not in self._dropped:
                body[name] = value
        kind = _FORMATS[self._format]
        if kind == "json_schema":
            body["response_format"] = reply_schema(spec.prompt_text)
        elif kind is not None:
            body["response_format"] = {"type": kind}
        if self._user:
            body["user"] = "trueup"
        return body

    def learn(self, error: ServerError, sent: Mapping[str, Any]) -> bool:
        """Adapt to a refusal (400 or 422) of a body; False where it teaches nothing."""
        said = f"{error.code} {error.message}"
        if "user" not in sent and _NEEDS_USER.search(said):
            self._user = True
            self.notes["user"] = "sent, because the server asks for it"
            return True
        named = [n for n in sent if n not in _NEVER_DROPPED and _names(error, n)]
        for name in self._chosen(error, named):
            self._refuse(name, said, sent)
        if named:
            return True
        if self._system_sent(sent) and _NO_SYSTEM.search(error.message):
            self._system = False
            self.notes["system"] = "sent as part of the user message"
            return True
        return False

    def _chosen(self, error: ServerError, named: list[str]) -> list[str]:
        """All fields that a list of errors names, else the one that the error points at."""
        if error.fields:
            return named
        pointed = [n for n in named if error.param.partition(".")[0] == n]
        return (pointed or named)[:1]

    def _refuse(self, name: str, said: str, sent: Mapping[str, Any]) -> None:
        if name == "response_format":
            # Two calls may be refused for the same thing: only what was sent is stepped down from.
            at = _FORMATS.index(sent[name]["type"])
            step = len(_FORMATS) - 1 if _UNKNOWN.search(said) else at + 1
            self._format = max(self._format, step)
            self.notes[name] = _FORMATS[self._format] or "not sent"
        elif name in _LIMITS:
            self._limit = max(self._limit, _LIMITS.index(name) + 1)
            self.notes["max_output_tokens"] = _LIMITS[self._limit] or "not sent"
        else:
            self._dropped.add(name)
            self.notes[name] = "not sent"

    def _messages(self, prompt: Prompt) -> list[dict[str, str]]:
        if self._system:
            return prompt.messages()
        return [{"role": "user", "content": f"{prompt.system}\n\n{prompt.user}"}]

    @staticmethod
    def _system_sent(sent: Mapping[str, Any]) -> bool:
        return any(m["role"] == "system" for m in sent["messages"])


def _names(error: ServerError, name: str) -> bool:
    if error.fields:
        return name in error.fields
    if error.param.partition(".")[0] == name:
        return True
    return re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", error.message) is not None
