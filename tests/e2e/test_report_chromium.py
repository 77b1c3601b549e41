"""The report in a real browser: it opens without a word on the console, hostile texts or not."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from report_help import NO, YES, Answer, Claim, claims, report
from trueup.domain.model import Chunk
from trueup.report.html import to_html

pytestmark = pytest.mark.service

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-dev-shm-usage", "--host-resolver-rules=MAP * ~NOTFOUND",
    "--enable-logging=stderr", "--v=0",
)  # fmt: skip
HOSTILE = (
    "</title></style><script>document.title = 'owned'</script>",
    '"><img src=x onerror="document.title=1">',
    "<svg onload=alert(1)>",
    "javascript:alert(1)",
    "\u202egnp.exe",
    "<link rel=stylesheet href=http://example.invalid/x.css>",
)


@pytest.fixture(scope="module")
def browser() -> str:
    """The path of a browser; without one a skip, or a failure where services are required."""
    wanted = os.environ.get("TRUEUP_CHROMIUM")
    found = wanted or next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        reason = "no Chromium here"
        if os.environ.get("TRUEUP_REQUIRE_SERVICES"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


def opened(browser: str, html: str, folder: Path, *flags: str) -> tuple[str, list[str]]:
    """(the page after loading, what the console said)."""
    path = folder / "report.html"
    path.write_text(html, "utf-8", newline="\n")
    done = subprocess.run(
        [browser, *QUIET, f"--user-data-dir={folder / 'profile'}", "--dump-dom", *flags,
         path.as_uri()],
        capture_output=True, text=True, encoding="utf-8", errors="replace", timeout=180,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def plain() -> str:
    """A report with figures, comparisons and disagreements."""
    return to_html(report([Answer(claims("111 101 010 000"), failing=True) for _ in range(12)]))


def test_the_report_opens_without_a_console_message(browser: str, tmp_path: Path) -> None:
    """Nothing is refused, nothing is missing, nothing is asked for."""
    html = plain()
    page, console = opened(browser, html, tmp_path)

    assert console == []
    assert page.count("<svg") == html.count("<svg") > 5
    assert "Where they differ" in page


def test_the_console_would_tell(browser: str, tmp_path: Path) -> None:
    """The policy refuses a script, and this test would see it."""
    html = plain().replace("</body>", "<script>document.title = 'owned'</script></body>")
    page, console = opened(browser, html, tmp_path)

    assert any("Content Security Policy" in line for line in console)
    assert "<title>owned" not in page


def test_hostile_texts_run_nothing(browser: str, tmp_path: Path) -> None:
    """Claims, quotes, names and contexts that try to be markup stay texts."""
    claim_of = {text: (YES, text) for text in HOSTILE}
    answers = [
        Answer([Claim(text, NO, claim_of, note=text), Claim("Tea is hot.", YES, claim_of)],
               name=text, question=text, context=(Chunk(text, f"Before {text} after.", text),),
               slices={text: text}, release=text, failing=True)
        for text in HOSTILE
    ]  # fmt: skip
    page, console = opened(browser, to_html(report(answers, HOSTILE, name=HOSTILE[0])), tmp_path)

    assert console == []
    assert "<script" not in page
    assert "<title>owned" not in page
    assert "<img" not in page


def test_another_style_sheet_would_be_refused(browser: str, tmp_path: Path) -> None:
    """The policy holds the page's own sheet, and no other: a silent console means it applies."""
    html = plain()
    changed = html.replace("<style>", "<style> p { color: red; } ", 1)
    _, console = opened(browser, changed, tmp_path)

    assert any("style" in line for line in console)
