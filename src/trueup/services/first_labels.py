"""`trueup label FILE`: from a file of records to a sample that can be labelled."""

from __future__ import annotations

from pathlib import Path

from trueup import config
from trueup.errors import UsageError
from trueup.services.splitting import freeze_missing
from trueup.services.workspace import Workspace

SAMPLE = "first"
RECORDS = 50


def workspace_for(directory: Path | None, what: str | None, metric: str) -> tuple[Workspace, str]:
    """The workspace, open, and the name of the sample to label.

    `what` is a sample's name, or a file: then the workspace is made where there is none, the file
    imported, answers split by the embedded splitter, and a sample of 50 drawn. Without `what` the
    newest sample is taken. A name is not looked up here: the screen paints first, and says when
    there is no such sample. Raises UsageError where there is nothing to label.
    """
    if what is not None and Path(what).is_file():
        return _from_file(directory, Path(what), metric)
    workspace = Workspace.open(directory)
    if what is not None:
        return workspace, what
    samples = workspace.store.samples()
    if samples:
        return workspace, samples[-1].name
    workspace.close()
    raise UsageError(
        "there is nothing to label yet",
        hint="trueup sample NAME --records 50, or trueup label RECORDS.jsonl",
    )


def _from_file(directory: Path | None, path: Path, metric: str) -> tuple[Workspace, str]:
    try:
        workspace = Workspace.open(directory)
    except UsageError:
        if directory is not None and (directory / config.FILE_NAME).exists():
            raise
        workspace = Workspace.init(directory or Path.cwd())
    workspace.import_files([path])
    freeze_missing(workspace, metric)
    name = SAMPLE if workspace.store.sample(SAMPLE) is None else _name_of(path)
    if workspace.store.sample(name) is None:
        workspace.sample(name, records=RECORDS, metric=metric)
    return workspace, name


def _name_of(path: Path) -> str:
    return f"{SAMPLE}-{path.stem}"
