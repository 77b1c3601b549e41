"""The workspace: a directory with trueup.toml, and everything that can be done in it.

`Workspace` is the front door of the Python interface: each method is one use case, whose code is in
the file of that name, and gives the same figures as the command.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from trueup import config
from trueup.domain.ids import sha256_text
from trueup.errors import StoreError, UsageError

if TYPE_CHECKING:
    from trueup.config import Settings
    from trueup.domain.model import Sample
    from trueup.domain.transfer import ImportCounts
    from trueup.report.model import ReportData
    from trueup.services.importing import ImportOutcome
    from trueup.services.judging import JudgeOutcome
    from trueup.services.validating import Decision
    from trueup.store import Store

DATABASE = "trueup.db"
POLICY = "policy.md"
_IGNORED = "trueup.db*\nreports/\n"


@dataclass(slots=True)
class Workspace:
    """A workspace that is open: its directory, its settings, and its store (opened when needed)."""

    root: Path
    settings: Settings
    _store: Store | None = field(default=None, repr=False)

    @classmethod
    def open(cls, directory: str | Path | None = None) -> Self:
        """Open the workspace at a directory, or the one found from the current one upwards.

        Raises UsageError where there is none and ConfigError for a trueup.toml that is wrong.
        """
        root = _find(Path(directory) if directory is not None else None)
        return cls(root, config.load(root / config.FILE_NAME))

    @classmethod
    def init(cls, directory: str | Path = ".", *, toml: str = config.DEFAULT_TOML) -> Self:
        """Make an empty workspace; one that is there already is opened and left as it is."""
        root = Path(directory).resolve()
        try:
            for folder in (root, root / "prompts", root / "label_sets", root / "reports"):
                folder.mkdir(parents=True, exist_ok=True)
            _write_new(root / config.FILE_NAME, toml)
            _write_new(root / POLICY, config.DEFAULT_POLICY)
            _write_new(root / ".gitignore", _IGNORED)
        except OSError as error:
            raise UsageError(
                f"cannot make a workspace in {root}: {error.strerror or error}"
            ) from error
        workspace = cls.open(root)
        _ = workspace.store
        return workspace

    @property
    def store(self) -> Store:
        """The store: trueup.db, or TRUEUP_DATABASE_URL."""
        if self._store is None:
            from trueup.store import Store

            self._store = Store.open(self.database, create=True)
        return self._store

    @property
    def database(self) -> str | Path:
        """Where the store is."""
        return os.environ.get("TRUEUP_DATABASE_URL") or self.root / DATABASE

    def close(self) -> None:
        """Give back the store's connections."""
        if self._store is not None:
            self._store.close()
            self._store = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def policy(self) -> str:
        """The text people label by (policy.md), or the default where the file is gone."""
        path = self.root / POLICY
        try:
            return path.read_text("utf-8")
        except FileNotFoundError:
            return config.DEFAULT_POLICY
        except OSError as error:
            raise StoreError(f"{path}: cannot be read: {error.strerror}") from error

    @property
    def policy_sha256(self) -> str:
        """The hash stored with each label."""
        return sha256_text(self.policy)

    # Each use case lives in the file of its name; imported when used, so that opening is light.

    def import_files(self, paths: Sequence[str | Path], **options: Any) -> ImportOutcome:
        """Read records, recorded verdicts and labels from files (see services.importing)."""
        from trueup.services.importing import import_files

        return import_files(self, [Path(p) for p in paths], **options)

    def judge(self, names: Sequence[str] = (), **options: Any) -> JudgeOutcome:
        """Rule on every unit not yet ruled on (see services.judging)."""
        from trueup.services.judging import judge

        return judge(self, names, **options)

    def sample(self, name: str, *, records: int, **options: Any) -> Sample:
        """Draw records to label (see services.sampling)."""
        from trueup.services.sampling import draw

        return draw(self, name, records=records, **options)

    def report(self, **options: Any) -> ReportData:
        """Calibration figures of judges against labels (see services.calibrating)."""
        from trueup.services.calibrating import report

        return report(self, **options)

    def compare(self, names: Sequence[str], **options: Any) -> ReportData:
        """Judges or prompt variants on the same labels, paired (see services.calibrating)."""
        from trueup.services.calibrating import compare

        return compare(self, names, **options)

    def validate(self, candidate: str, **options: Any) -> Decision:
        """The gate for a new judge (see services.validating)."""
        from trueup.services.validating import validate

        return validate(self, candidate, **options)

    def freeze(self, name: str, **options: Any) -> Path:
        """Freeze labels into label_sets/NAME/ (see services.label_sets)."""
        from trueup.services.label_sets import freeze

        return freeze(self, name, **options)

    def import_labels(self, path: str | Path) -> ImportCounts:
        """Read labels back from JSONL or CSV (see services.label_files)."""
        from trueup.services.label_files import import_labels

        return import_labels(self, Path(path))


def _find(directory: Path | None) -> Path:
    if directory is not None:
        if (directory / config.FILE_NAME).is_file():
            return directory.resolve()
        raise UsageError(
            f"{directory} is no workspace: it has no {config.FILE_NAME}",
            hint=f"make one with: trueup init {directory}",
        )
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / config.FILE_NAME).is_file():
            return folder
    raise UsageError(
        f"no {config.FILE_NAME} in {here} or above it",
        hint="make a workspace with `trueup init`, name one with -C DIR, or try `trueup demo`",
    )


def _write_new(path: Path, text: str) -> None:
    """Write a file that is not there; one that is there is left alone."""
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        return
