"""docs/formats.md says what the program does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trueup.exchange.detect import FORMATS
from trueup.exchange.fields import CLAIM_FIELDS, RECORD_FIELDS, field_of
from trueup.exchange.literals import NO, YES

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_is_described(name: str) -> None:
    """Each has its row."""
    assert re.search(rf"^\| .*`{name}`", PAGE, re.MULTILINE)


def test_every_spelling_and_field_is_named() -> None:
    """Yes, no, and the columns."""
    spellings = PAGE[PAGE.index("**Yes and no**") : PAGE.index("**Any other name**")]
    named = set(re.findall(r"`([^`]+)`", spellings))
    assert YES | NO - {"not entailed"} <= named
    columns = set(re.findall(r"`([^`]+)`", PAGE[PAGE.index("## Tables") :]))
    inner = {"claims", "claim_sets", "judges", "empty", "model", "note", "evidence", "at"}
    assert set(RECORD_FIELDS) | set(CLAIM_FIELDS) <= columns | inner


def test_names_of_the_page_are_recognised() -> None:
    """Each alias stands for the field of its row."""
    table = PAGE[PAGE.index("| field | also called |") :].split("\n\n")[0]
    for row in table.splitlines()[2:]:
        fields, aliases = (re.findall(r"`([^`]+)`", cell) for cell in row.split("|")[1:3])
        for alias in aliases:
            found = field_of(alias)
            assert found is not None, alias
            assert found in fields or found == alias, alias
