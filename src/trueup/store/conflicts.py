"""The same id with other content: gathered over an import, said at once, nothing stored."""

from __future__ import annotations

from dataclasses import dataclass, field

from trueup.domain.model import Record
from trueup.errors import ConflictError

_SHOWN = 5
_FIELDS = (
    "question", "context", "answer", "reference", "gold", "gold_context", "retrieved", "failing",
    "slices", "meta",
)  # fmt: skip


@dataclass(slots=True)
class Conflicts:
    """What could not be stored because it is there with other content."""

    first: tuple[str, int | None, str] | None = None
    more: list[str] = field(default_factory=list)
    count: int = 0
    only_update_helps: bool = True

    def add(
        self, path: str, line: int | None, record_id: str, what: str, *, update_helps: bool = True
    ) -> None:
        """One conflict: where the new content stands, and what differs."""
        self.count += 1
        self.only_update_helps = self.only_update_helps and update_helps
        if self.first is None:
            self.first = (path, line, f"record {record_id!r}: {what}")
        elif len(self.more) < _SHOWN:
            where = f"line {line}: " if line is not None else ""
            self.more.append(f"{where}record {record_id!r}: {what}")

    def check(self) -> None:
        """Raise ConflictError if there was any."""
        if self.first is None:
            return
        path, line, message = self.first
        if self.more:
            message += f"; and {self.count - 1} more: " + "; ".join(self.more)
            if self.count - 1 > len(self.more):
                message += "; …"
        hint = (
            "nothing was stored; --update takes the new content and keeps the old as history"
            if self.only_update_helps
            else "nothing was stored; give the records different ids, or take one of them out"
        )
        raise ConflictError(message, path=path or None, line=line, hint=hint)


def differing_fields(old: Record, new: Record) -> str:
    """The names of the fields in which two records differ, for a message."""
    return ", ".join(name for name in _FIELDS if getattr(old, name) != getattr(new, name))


def origin(path: str | None, line: int | None) -> str:
    """`file:line` of content that came before; "" where it is not known."""
    if path is None:
        return ""
    return path if line is None else f"{path}:{line}"
