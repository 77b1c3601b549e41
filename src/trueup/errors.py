"""Every error that trueup raises on purpose.

    TrueupError                    message, hint, exit code
    ├── UsageError                 2   a command or call that makes no sense as given
    │   └── ConfigError            2   trueup.toml: path and key
    ├── InputError                 2   bad input: path, line and field
    │   └── ConflictError          2   the same id with other content
    ├── TooFewLabels               3   nothing can be decided yet; says how many labels would do
    ├── StoreError                 5   the database cannot be opened, read or written
    └── ServiceError               5   a judge or Label Studio refused or did not answer

The layer that knows raises; errors of other libraries are wrapped where they enter.
"""

from __future__ import annotations

from pathlib import Path


class TrueupError(Exception):
    """Base of all errors meant for a person.

    `message` says what happened and where, in one line; `hint` says what to do.
    """

    exit_code = 2

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


class UsageError(TrueupError):
    """A command or call that makes no sense as given."""


class ConfigError(UsageError):
    """trueup.toml cannot be used; the message names the file and the key."""


class InputError(TrueupError):
    """Input that cannot be read: names the file, the line (1-based) and the field."""

    def __init__(
        self,
        message: str,
        *,
        path: str | Path | None = None,
        line: int | None = None,
        field: str | None = None,
        hint: str | None = None,
    ) -> None:
        where = "" if path is None else str(path)
        if line is not None:
            where += f":{line}"
        prefix = f"{where}: " if where else ""
        middle = f"field {field}: " if field else ""
        super().__init__(f"{prefix}{middle}{message}", hint=hint)
        self.reason = message
        self.path = path
        self.line = line
        self.field = field


class ConflictError(InputError):
    """The same id with other content: nothing was overwritten."""


class TooFewLabels(TrueupError):  # noqa: N818 (named after the state, as in the contract)
    """There are not enough labels to decide."""

    exit_code = 3


class StoreError(TrueupError):
    """The store cannot be opened, read or written."""

    exit_code = 5


class ServiceError(TrueupError):
    """A service could not be reached or refused us."""

    exit_code = 5
