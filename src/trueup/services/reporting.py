"""Writing a report's three files."""

from __future__ import annotations

import json
from pathlib import Path

from trueup.errors import UsageError
from trueup.report.model import ReportData


def write(data: ReportData, target: Path) -> list[Path]:
    """report.html, report.md and report.json in a directory; returns their paths.

    Each file is written whole or not at all. Raises UsageError where it cannot be written.
    """
    from trueup.report.html import to_html
    from trueup.report.json import to_json
    from trueup.report.markdown import to_markdown

    texts = {
        "report.html": to_html(data),
        "report.md": to_markdown(data),
        "report.json": json.dumps(to_json(data), ensure_ascii=False, allow_nan=False, indent=1)
        + "\n",
    }
    try:
        target.mkdir(parents=True, exist_ok=True)
        return [_replace(target / name, text) for name, text in texts.items()]
    except OSError as error:
        raise UsageError(
            f"cannot write the report into {target}: {error.strerror or error}",
            hint="name another directory with --out",
        ) from error


def _replace(path: Path, text: str) -> Path:
    draft = path.with_name(path.name + ".part")
    draft.write_text(text, "utf-8", newline="\n")
    return draft.replace(path)
