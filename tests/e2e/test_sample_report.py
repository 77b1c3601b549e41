"""The sample report is what the demo writes; renew it with TRUEUP_UPDATE_SAMPLE=1."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from trueup.services.demo import run_demo

SAMPLE = Path(__file__).resolve().parents[2] / "reports" / "support-docs"
_VERSION = re.compile(r"(numpy|scipy|trueup)(\W{1,12})\d+\.\d+(?:\.\w+)*")


def steady(text: str) -> str:
    """The text without the versions of the machine that wrote it."""
    return _VERSION.sub(r"\1\2VERSION", text)


def test_the_sample_is_what_the_demo_writes(tmp_path: Path) -> None:
    """Markdown and HTML, but for the versions of libraries."""
    made = run_demo(tmp_path / "demo").html.parent
    if os.environ.get("TRUEUP_UPDATE_SAMPLE"):
        SAMPLE.mkdir(parents=True, exist_ok=True)
        for name in ("report.md", "report.html"):
            shutil.copy(made / name, SAMPLE / name)

    for name in ("report.md", "report.html"):
        fresh = steady((made / name).read_text("utf-8"))
        assert fresh == steady((SAMPLE / name).read_text("utf-8")), name
