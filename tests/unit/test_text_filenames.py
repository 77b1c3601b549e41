"""Names for files and folders made of names in the data."""

from __future__ import annotations

from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueup.domain.display import safe_filename

_HOSTILE = [
    *("../../../../tmp/pwn", "../x", "..", ".", "", " ", "/etc/passwd", "a/b", "a\\b", "C:\\x"),
    *("CON", "con.txt", "NUL.tar.gz", "aux", "COM1", "lpt9.log", "COM¹", "a.", "a ", ".git", "-rf"),
    *("x" * 300, "日本" * 200, "a\x00b", "a\nb", "a\u202eb", "a\ud83db", "a:b", "a*?", "~root"),
]
_NAMES = st.text(st.characters(exclude_categories=[]), max_size=200) | st.sampled_from(_HOSTILE)


@pytest.mark.parametrize(
    "name", ["report", "my set 1", "support-docs_v2", "Übersicht", "日本語", "a.b"]
)
def test_a_good_name_stays(name: str) -> None:
    """Letters of any script, digits, spaces inside, `-`, `_`, `.`."""
    assert safe_filename(name) == name


@pytest.mark.parametrize("name", _HOSTILE)
def test_a_hostile_name_becomes_one_ordinary_name(name: str, tmp_path: Path) -> None:
    """It makes a file inside the folder, and is no device on Windows."""
    safe = safe_filename(name)
    target = tmp_path / safe
    target.write_text("x", "utf-8")

    assert target.resolve().parent == tmp_path.resolve()
    assert [p.name for p in tmp_path.iterdir()] == [safe]
    assert PureWindowsPath(safe).name == safe
    assert safe.partition(".")[0].upper() not in {
        "CON",
        "PRN",
        "AUX",
        "NUL",
        "COM1",
        "LPT9",
        "COM¹",
    }


@given(_NAMES)
def test_a_safe_name_is_short_plain_and_final(name: str) -> None:
    """At most 120 bytes, no separator, no control, and safe again as it is."""
    safe = safe_filename(name)

    assert 0 < len(safe.encode("utf-8")) <= 120
    assert not set(safe) & set('/\\:*?"<>|\x00\n\r\t')
    assert safe not in (".", "..")
    assert safe[0] not in ".- ~"
    assert safe[-1] not in ". "
    assert safe_filename(safe) == safe


def test_different_names_stay_different() -> None:
    """A changed name carries a hash of what it was."""
    names = ["a/b", "a_b", "a\\b", "a:b", "../a_b", "x" * 300, "x" * 301, "", ".", "CON", "_CON"]

    assert len({safe_filename(n).lower() for n in names}) == len(names)
