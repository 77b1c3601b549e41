"""Text made safe to show, to store and to name a file.

Data reaches a terminal only through `display`: it replaces one code point by one, so offsets hold,
and each code point by itself, so a part of a text is shown as in the whole.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from trueup.domain.model import Json

REPLACEMENT: Final = "\ufffd"
INVISIBLE: Final = "\u2426"
"""Shown for what has no shape but acts on its neighbours: bidi controls, zero-width characters."""

_UNSAFE = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    r"\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufeff\uffa0\ufff0-\uffff\ufdd0-\ufdef"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
)
"""What a terminal would obey or hide. Not in it, although invisible: the joiners U+200C and U+200D
(Persian and Indic spelling, emoji) and variation selectors; they change nothing but a glyph."""
_SURROGATE_PAIR = re.compile(r"[\ud800-\udbff][\udc00-\udfff]")
_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_LINE_ENDS = "\x85\u2028\u2029"
_BROKEN = re.compile(r"[\x80-\x9f\ud800-\udfff\ufdd0-\ufdef\ufffc-\uffff]")


def display(text: str, *, keep_newlines: bool = False, keep_tabs: bool = False) -> str:
    """The text with every code point that a terminal would obey or hide replaced by one that shows.

    C0 and DEL become their control pictures (ESC is `␛`), other line ends `␤`, C1 controls, lone
    surrogates and noncharacters U+FFFD, bidi controls and zero-width characters `␦`, a soft hyphen
    a hyphen, a tab one space (how far it reaches is the widget's business).
    """
    if text.isascii() and text.isprintable():
        return text
    kept = ("\n" if keep_newlines else "") + ("\t" if keep_tabs else "")
    return _UNSAFE.sub(lambda m: m[0] if m[0] in kept else _shown(m[0]), text)


def _shown(char: str) -> str:
    if char == "\t":
        return " "
    if char < " ":
        return chr(0x2400 + ord(char))
    if char == "\x7f":
        return "\u2421"
    if char in _LINE_ENDS:
        return "\u2424"
    if char == "\u00ad":
        return "\u2010"
    return REPLACEMENT if _BROKEN.match(char) else INVISIBLE


def sanitise_stored(text: str) -> str:
    """The text as every database takes it: NUL becomes U+2400, a pair of surrogates the character
    that it stands for, a lone surrogate U+FFFD. Everything else is stored as it came."""
    if text.isascii():
        return text.replace("\x00", "\u2400")
    text = _SURROGATE_PAIR.sub(_joined, text)
    return _UNSTORABLE.sub(lambda m: "\u2400" if m[0] == "\x00" else REPLACEMENT, text)


def _joined(match: re.Match[str]) -> str:
    return match[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def sanitise_json(value: Json) -> Json:
    """`sanitise_stored` for every text in a JSON value, keys included."""
    if isinstance(value, str):
        return sanitise_stored(value)
    if isinstance(value, list):
        return [sanitise_json(v) for v in value]
    if isinstance(value, dict):
        return {sanitise_stored(k): sanitise_json(v) for k, v in value.items()}
    return value


_MAX_BYTES = 120
_NOT_IN_NAMES = re.compile(r"[/\\:*?\"<>|]")
_SHOWN_OR_SPACE = re.compile(r"[\u2400-\u2426\ufffd]|[^\S ]")
_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])(?:\.|\Z)",
    re.IGNORECASE,
)


def safe_filename(name: str) -> str:
    """A name for one file or folder on every system, the same for the same name.

    Letters of any script stay (NFC). A name that has to change (separators, control and invisible
    characters, `..`, a leading `-`, names that Windows keeps for devices, more than 120 bytes,
    nothing at all) gets eight hex digits of its hash, so that two names never become one.
    """
    composed = unicodedata.normalize("NFC", name)
    safe = _NOT_IN_NAMES.sub("_", display(composed, keep_tabs=True))
    safe = _SHOWN_OR_SPACE.sub("_", safe).lstrip(" .-~").rstrip(" .")
    if _RESERVED.match(safe):
        safe = "_" + safe
    if safe and safe == composed and len(safe.encode()) <= _MAX_BYTES:
        return safe
    from trueup.domain.ids import sha256_text  # not needed to show a text: keep the start light

    digest = sha256_text(name)[:8]
    room = safe.encode("utf-8", "replace")[: _MAX_BYTES - len(digest) - 1]
    stem = room.decode("utf-8", "ignore").rstrip(" .") or "unnamed"
    return f"{stem}-{digest}"
