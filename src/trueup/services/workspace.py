"""The workspace: a directory with trueup.toml, and everything that can be done in it.

`Workspace` is the front door of the Python interface: each method is one use case, whose code is in
the file of that name, and gives the same figures as the command.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from trueup import config
from trueup.domain.ids import sha256_text
from trueup.errors import StoreError, UsageError

if TYPE_CHECKING:
    import pandas as pd

    from trueup.config import Settings
    from trueup.domain.model import Sample
    from trueup.domain.transfer import ImportCounts
    from trueup.report.model import ReportData
    from trueup.services.diagnose_model import Diagnosis
    from trueup.services.importing import ImportOutcome
    from trueup.services.judging import JudgeOutcome
    from trueup.services.planning import Plan
    from trueup.services.probing import Probes
    from trueup.services.rebaselining import Rebaseline
    from trueup.services.score_gate import GateResult
    from trueup.services.score_moves import Against
    from trueup.services.scoring import Scores
    from trueup.services.validating import Decision
    from trueup.stats.estimate import Estimate
    from trueup.stats.retrieval_summary import RetrievalSummary
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
    def has_store(self) -> bool:
        """Whether there is a store already: a clone with frozen label sets has none."""
        database = self.database
        return isinstance(database, str) or database.exists()

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

    def bootstrap(
        self, judge: str, statistic: Callable[..., float | None], **options: Any
    ) -> Estimate:
        """A statistic of your own with a bootstrap over answers (see services.calibrating)."""
        from trueup.services.calibrating import bootstrapped

        return bootstrapped(self, judge, statistic, **options)

    def to_frame(self, **options: Any) -> pd.DataFrame:
        """A pandas DataFrame of labels beside verdicts, unit by unit."""
        from trueup.services.calibrating import labelled_frame

        return labelled_frame(self, **options).to_frame()

    def scores(self, **options: Any) -> Scores:
        """Stored scores by release, with intervals and corrected rates (see services.scoring)."""
        from trueup.services.scoring import scores

        return scores(self, **options)

    def rebaseline(self, source: str, target: str, **options: Any) -> Rebaseline:
        """Stored scores of one judge on the scale of another (see services.rebaselining)."""
        from trueup.services.rebaselining import rebaseline

        return rebaseline(self, source, target, **options)

    def recall(self, **options: Any) -> RetrievalSummary:
        """Retrieval metrics of the records (see services.retrieving)."""
        from trueup.services.retrieving import of_workspace

        return of_workspace(self, **options)

    def diagnose(self, **options: Any) -> Diagnosis:
        """Failing questions in four cells (see services.diagnosing)."""
        from trueup.services.diagnosing import diagnose

        return diagnose(self, **options)

    def plan(self, judge: str, **options: Any) -> Plan:
        """How many labels for which interval, from the labels there are (see services.planning)."""
        from trueup.services.planning import from_workspace

        return from_workspace(self, judge, **options)

    def probe(self, judge: str, **options: Any) -> Probes:
        """Self-tests of a judge that need no labels (see services.probing)."""
        from trueup.services.probing import probe

        return probe(self, judge, **options)

    def labels(self, *, events: bool = False) -> list[dict[str, Any]]:
        """The current labels (or all events) as rows of the contract (see services.label_files)."""
        from trueup.services.label_files import export_labels

        return list(export_labels(self, events=events))

    def export(self, *, releases: Sequence[str] | None = None) -> Iterator[str]:
        """Lines of trueup JSONL that import to the same store (see services.exporting)."""
        from trueup.services.exporting import export_jsonl

        return export_jsonl(self, releases=releases)

    def gate(
        self,
        expression: str,
        *,
        release: str | None = None,
        allow: Sequence[str] = (),
        **options: Any,
    ) -> GateResult:
        """Hold the newest (or this) release against bars: "groundedness >= 0.9"."""
        from trueup.services.release_questions import gate_release, newest_release
        from trueup.services.score_gate import parse

        terms, found = parse(expression), self.scores(**options)
        chosen = newest_release(found) if release is None else release
        return gate_release(self, found, terms, chosen, frozenset(allow))

    def moved(self, before: str, after: str | None = None, **options: Any) -> Against:
        """The newest (or this) release against an earlier one (see services.score_moves)."""
        from trueup.services.release_questions import against_release, newest_release

        found = self.scores(**options)
        chosen = newest_release(found, against=before) if after is None else after
        return against_release(self, found, before, chosen)

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
