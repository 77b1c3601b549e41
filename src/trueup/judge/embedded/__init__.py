"""The embedded judge: lexical, transparent, fast; on the CPU, with no key, model or network.

It cannot see subtle edits; docs/embedded-judge.md is its card, with what was measured.
"""

from __future__ import annotations

from trueup.judge.embedded.backend import EMBEDDED_VERSION, STYLES, EmbeddedBackend

__all__ = ["EMBEDDED_VERSION", "STYLES", "EmbeddedBackend"]
