"""What figures mean, fixed for each release when it is first measured.

trueup.toml chooses the headline of retrieval, how much of a record must be decided, and what an
answer without claims scores. A choice that is changed later changes figures though no system did:
every comparison of releases then says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from trueup.domain.scores import ScorePolicy
from trueup.errors import StoreError

if TYPE_CHECKING:
    from trueup.services.workspace import Workspace

HEADLINES = {"recall": "recall", "hit_rate": "hit rate"}
_NAMES = ("retrieval_headline", "min_decided", "no_claims")


def definition(workspace: Workspace) -> dict[str, Any]:
    """What trueup.toml says now."""
    settings = workspace.settings.workspace
    no_claims = settings.no_claims
    return {
        "retrieval_headline": settings.retrieval_headline,
        "min_decided": settings.min_decided,
        "no_claims": None if no_claims == "null" else float(no_claims),
    }


def definitions(workspace: Workspace, releases: Iterable[str]) -> dict[str, Mapping[str, Any]]:
    """Release → its definition; releases that have none yet get the present one, for good."""
    now = definition(workspace)
    known = workspace.store.definitions()
    new = [r for r in releases if r not in known]
    if new:
        # A store that cannot be written still has its figures shown.
        with suppress(StoreError):
            workspace.store.define(new, now)
    return {r: known.get(r, now) for r in releases}


def policy_then(body: Mapping[str, Any]) -> ScorePolicy:
    """The policy of a stored definition."""
    return ScorePolicy(body["min_decided"], body["no_claims"])


def changed_definitions(workspace: Workspace, releases: Iterable[str]) -> Iterator[str]:
    """A sentence for each choice that some releases were first measured under otherwise."""
    now = definition(workspace)
    then = definitions(workspace, releases)
    for name in _NAMES:
        old: dict[str, list[str]] = {}
        for release, body in then.items():
            if body.get(name) != now[name]:
                old.setdefault(shown(body.get(name)), []).append(release)
        for value, some in old.items():
            yield (
                f"{name} was {value} when {_releases(some)} first measured and is "
                f"{shown(now[name])} now: figures that were published then do not compare with "
                "these. All releases are shown under the present one"
            )


def shown(value: Any) -> str:
    """A choice as trueup.toml writes it."""
    return "null" if value is None else str(value)


def _releases(names: list[str]) -> str:
    verb = "was" if len(names) == 1 else "were"
    some = ", ".join(name or "–" for name in names[:3])
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"{some}{more} {verb}"
