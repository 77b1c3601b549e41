"""What states nothing: declining to answer, greetings, offers of help, questions, lead-ins.

A sentence declines when its subject is the speaker or the given material and what it says is that
nothing is known or found there. "The API does not provide hooks" is a statement of fact.
"""

from __future__ import annotations

from functools import cache, lru_cache

import regex

from trueup.judge.splitting import denials

_DENIES = regex.compile(denials.denies(), regex.I)
_LEAD_IN = regex.compile(r"[:：][\"'”’»*_ ]*$")
_QUESTION = regex.compile(r"[?？؟⁇⁈՞][\"'”’»)\]」』*_]*$")


@cache
def _declining() -> tuple[regex.Pattern[str], ...]:
    """The patterns, compiled when the first denial is met: it takes a tenth of a second."""
    return tuple(regex.compile(p, regex.I) for p in denials.declines())


@cache
def _filling() -> regex.Pattern[str]:
    return regex.compile(denials.filler(), regex.I)


@lru_cache(maxsize=4096)
def declines(text: str) -> bool:
    """Whether a sentence only says that the answer is not known or not in the material."""
    head = " ".join(text[:400].split()).replace("**", "")
    return _DENIES.search(head) is not None and any(p.search(head) for p in _declining())


def is_filler(text: str) -> bool:
    """Whether a sentence is a greeting, an offer of help, thanks, or a bare yes or no."""
    return len(text) <= 400 and _filling().match(text) is not None


def is_question(text: str) -> bool:
    """Whether a sentence asks."""
    return _QUESTION.search(text[-12:]) is not None


def is_lead_in(text: str) -> bool:
    """Whether a sentence only introduces what follows ("The plans are:")."""
    return _LEAD_IN.search(text[-12:]) is not None
