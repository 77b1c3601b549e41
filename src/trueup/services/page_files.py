"""Writing a page's three files: HTML, Markdown, JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from trueup.errors import UsageError
from trueup.report.simple import SimplePage, to_html, to_markdown


def write_page(page: SimplePage, data: Mapping[str, Any], target: Path, name: str) -> list[Path]:
    """NAME.html, NAME.md and NAME.json in a directory; returns their paths.

    Each file is written whole or not at all. Raises UsageError where it cannot be written.
    """
    texts = {
        f"{name}.html": to_html(page),
        f"{name}.md": to_markdown(page),
        f"{name}.json": json.dumps(data, ensure_ascii=False, allow_nan=False, indent=1) + "\n",
    }
    try:
        target.mkdir(parents=True, exist_ok=True)
        for file, body in texts.items():
            draft = target / f"{file}.part"
            draft.write_text(body, "utf-8", newline="\n")
            draft.replace(target / file)
    except OSError as error:
        raise UsageError(
            f"cannot write into {target}: {error.strerror or error}",
            hint="name another directory with --out",
        ) from error
    return [target / file for file in texts]
