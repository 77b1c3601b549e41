"""The marks of Markdown, as far as a quote may leave them out.

A mark stays where letters or digits stand on both sides (`2*3`, `snake_case`), where spaces do
(`5 * 3`), and where it is the sign of a number (`- 5`, `> 5`). Numbers of ordered lists stay: they
cannot be told from content.
"""

from __future__ import annotations

import re

from trueup.domain.characters import LINE_BREAKS, UNSPACED

LB = rf"(?:\r\n|[{LINE_BREAKS}])"
HS = rf"[^\S{LINE_BREAKS}]*+"
# Line starts: a ruled line, or bullets, headings and quotation signs (but not signs of numbers).
# Possessive repeats, so that no hostile line takes quadratic time.
_RULE = (
    r"(?:[|:\t ]*+--[-|:\t ]*+|\|[|:\t ]*+-[-|:\t ]*+|={3,}+|\*{3,}+|_{3,}+"
    r"|(?:`{3,}+|~{3,}+)[\w+-]*+)"
)
_LEAD = (
    rf"(?:\#{{1,6}}|[*\u2022\u2023\u25e6\u25aa\u25ab\u00b7\u25cf\u25cb\u25a0]"
    rf"|[-+>\u2013](?!{HS}[.,$€£¥]?\d))"
)
LINE_START = re.compile(
    rf"(?:\A|\s*{LB}){HS}"
    rf"(?:{_RULE}(?={HS}(?:{LB}|\Z))|(?:{_LEAD}[^\S{LINE_BREAKS}]++(?=\S))+)"
)
LINE_MARK_INSIDE = re.compile(rf"[^\S{LINE_BREAKS}](?:{_LEAD}|{_RULE})(?=\s)")
"""What a line start looks like in a text that was put on one line."""
MARKS = re.compile(r"\*+|_+|`+|~+|\|+")
ESCAPE = re.compile(r"\\[*_`~|#>\[\]()-]")
_TARGET = (
    r"(?i:\((?:https?://|www\.|mailto:|\.{0,2}/|\#|[\w./-]+\.(?:md|html?)\b)[^()\s]*+"
    r"(?:\s\"[^\"\n]*+\")?\))"
)
LINK_OPENS = re.compile(rf"!?\[(?=[^\[\]\n]{{1,300}}\]{_TARGET})")
LINK_CLOSES = re.compile(rf"\]{_TARGET}")

_UNSPACED = re.compile(f"[{UNSPACED}]")


def mark_stays(run: str, before: str, after: str) -> bool:
    """Whether a run of equal marks belongs to the text, given the characters beside it."""
    if run[0] == "~" and len(run) != 2:
        return True
    if before.isspace() and after.isspace():
        return run[0] in "*_~" or run.startswith("||")
    if run[0] == "|":
        return not (before.isspace() or after.isspace())
    spaced = not (_UNSPACED.match(before) or _UNSPACED.match(after))
    return spaced and before.isalnum() and after.isalnum()
