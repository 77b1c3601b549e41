"""True up your LLM judge against people.

Names are lazy (PEP 562): `import trueup` costs nothing; the first use of a name imports its module.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from trueup.errors import TrueupError
    from trueup.judge.near import locate_quote
    from trueup.services.quick import agreement, bootstrap, compare
    from trueup.services.workspace import Workspace
    from trueup.stats.retrieval import hit_rate_at_k, recall_at_k

_HOMES = {
    "Workspace": "trueup.services.workspace",
    "TrueupError": "trueup.errors",
    "agreement": "trueup.services.quick",
    "bootstrap": "trueup.services.quick",
    "compare": "trueup.services.quick",
    "hit_rate_at_k": "trueup.stats.retrieval",
    "locate_quote": "trueup.judge.near",
    "recall_at_k": "trueup.stats.retrieval",
}

__all__ = [
    "TrueupError",
    "Workspace",
    "agreement",
    "bootstrap",
    "compare",
    "hit_rate_at_k",
    "locate_quote",
    "recall_at_k",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'trueup' has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
