"""Classes of characters, as bodies of regular-expression sets (`f"[{DASHES}]"`).

Shared by the folding of quotes, the checks of evidence and the sanitiser of the screen, so that
what one of them calls invisible the others do too.
"""

from __future__ import annotations

PLAIN_LETTERS = (
    r"\u00c0-\u00de\u00e0-\u00ff\u0400-\u045f\u05d0-\u05ea\u0621-\u063a\u0641-\u064a"
    r"\u0904-\u0939\u3001\u3002\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\uac00-\ud7a3"
)
"""Letters beyond ASCII that fold to their lower case and nothing else: most of what most texts in
Latin, Cyrillic, Hebrew, Arabic, Devanagari, Japanese, Chinese and Korean consist of."""

LINE_BREAKS = r"\n\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029"
"""What `str.splitlines` splits at."""

IGNORABLE = (
    r"\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    r"\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
"""Zero-width characters, soft hyphen, bidi marks, variation selectors, tags and fillers: Unicode's
Default_Ignorable_Code_Point and the annotation marks."""

DASHES = (
    r"\u02d7\u058a\u05be\u1400\u1806\u2010-\u2015\u2043\u2212\u2e17\u2e1a\u2e3a\u2e3b\u2e40\u2e5d"
    r"\u30a0\ufe31\ufe32\ufe58\ufe63\uff0d\U00010ead"
)
"""Dashes other than the ASCII hyphen: category Pd and the minus, without the wave dashes, which
stand for "to" and "about"."""

SINGLE_QUOTES = (
    r"\u00b4\u02b9\u02bb-\u02bd\u02c8\u02ca\u02cb\u0374\u055a\u2018-\u201b\u2032\u2035\u2039\u203a"
    r"\u275b\u275c\u275f\u276e\u276f\u300c\u300d\ufe41\ufe42\uff07\uff40\uff62\uff63"
)
"""Single quotation marks, apostrophes, primes and corner brackets, without the ASCII apostrophe."""

DOUBLE_QUOTES = (
    r"\u00ab\u00bb\u02ba\u02ee\u201c-\u201f\u2033\u2036\u275d\u275e\u2760\u2e42\u300a\u300b\u300e"
    r"\u300f\u301d-\u301f\ufe43\ufe44\uff02\U0001f676-\U0001f678"
)
"""Double quotation marks and double primes, without the ASCII one."""

UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\ua000-\ua4cf\uac00-\ud7ff\uf900-\ufaff"
    r"\uff66-\uffdc\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
"""Scripts that write words, or a word and its particles, without a space between: Thai, Lao,
Burmese, Khmer, Chinese, Japanese, Yi, Korean. Where a word ends there cannot be told from its
neighbours."""
