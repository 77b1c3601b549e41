"""Giving everything out again: the store as files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace


def export_jsonl(workspace: Workspace, *, releases: Sequence[str] | None = None) -> Iterator[str]:
    """Lines of trueup JSONL, one a record, that import to the same store."""
    from trueup.exchange.jsonl_write import write_jsonl

    return write_jsonl(workspace.store.export_records(releases=releases))
