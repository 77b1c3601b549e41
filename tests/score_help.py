"""Small workspaces with scores: answers of given shares, recorded judges, people's labels."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def line(
    name: str,
    release: str,
    judges: Mapping[str, Sequence[bool | None]],
    *,
    people: Sequence[bool] = (),
    **fields: Any,
) -> dict[str, Any]:
    """One record as trueup JSONL; `judges` gives each judge's verdicts on its claims."""
    count = max([len(v) for v in judges.values()] + [len(people)])
    claims: list[dict[str, Any]] = []
    for i in range(count):
        claim: dict[str, Any] = {"text": f"Claim {i} of {name} in {release}."}
        claim["judges"] = {j: {"entailed": v[i]} for j, v in judges.items() if i < len(v)}
        if i < len(people):
            claim["human"] = [{"annotator": "ana", "entailed": people[i]}]
        claims.append(claim)
    usual = {"question": "q", "context": "c", "answer": "a"}
    return {"id": name, "release": release, **usual, **fields, "claims": claims}


def write(path: Path, lines: Sequence[Mapping[str, Any]]) -> Path:
    """The lines as a file."""
    path.write_text("".join(json.dumps(x) + "\n" for x in lines), "utf-8")
    return path


def shares(release: str, judge: str, counts: Sequence[int], of: int = 4) -> list[dict[str, Any]]:
    """A record for each count: that many of its claims are entailed."""
    return [
        line(f"q-{i}", release, {judge: [True] * n + [False] * (of - n)})
        for i, n in enumerate(counts)
    ]
