"""Text in CSV cells that no spreadsheet runs as a formula, and the way back.

A spreadsheet takes a cell for a formula when its first character is one of `= + - @`, also in full
width, also after spaces and line ends. Such a text gets an apostrophe before it, which spreadsheets
take for "this is text". The same inside a text after `;`, a tab or a line end, since a program of
another locale splits there and does not mind the quotation marks of a cell that is not its first.

A text that already looks protected gets one apostrophe more, so that `restore(protect(text)) ==
text` for every text. Only texts are protected: write a number as a number, and -5.2 stays one.
"""

from __future__ import annotations

import csv
import re
from typing import Final

QUOTING: Final = csv.QUOTE_NONNUMERIC
"""For `csv.writer`: every text in quotation marks, so that no comma in it ends the cell."""

# What may stand before the sign: spaces and invisible characters, which some programs drop
# on import, and quotation marks, which mean nothing inside a cell; not what may end a cell.
_SKIPPED = (
    r"\"\x00-\x08\x0b\x0c\x0e-\x20\x7f-\x9f\u00a0\u00ad\u1680\u2000-\u200f\u2028-\u202f"
    r"\u205f-\u206f\u3000\ufeff"
)
_FORMULA = rf"[{_SKIPPED}]*+[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b]"
# Where a cell may begin, then apostrophes and what they protect: a formula, or (at the text's own
# beginning only) a tab or line end.
_BEGINS, _THEN = r"((\A)|[;\t\r\n])", rf"('*+)({_FORMULA}|(?(2)(?=[\t\r\n])|(?!)))"
_RISKY = re.compile(_BEGINS + _THEN)
_PROTECTED = re.compile(_BEGINS + "'" + _THEN)


def protect(cell: str) -> str:
    """The text as it is safe in a cell."""
    return _RISKY.sub(r"\1'\3\4", cell)


def restore(cell: str) -> str:
    """The text that `protect` was given."""
    return _PROTECTED.sub(r"\1\3\4", cell)
