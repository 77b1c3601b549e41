"""A workspace on disk and a running screen, for tests of the screens."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from trueup.domain.model import (
    Chunk,
    Evidence,
    JudgeSpec,
    Label,
    Record,
    Sample,
    SampleMember,
    Span,
    Unit,
    Verdict,
)
from trueup.domain.transfer import ImportedRecord
from trueup.services.labelling import LabellingService, Policy
from trueup.store import Store
from trueup_tui.app import LabelApp
from trueup_tui.screens.label import LabelScreen

_PATIENCE_S = 20.0
QUOTE = "Audit log retention on the Enterprise plan is 90 days."
CLAIMS = ("Audit logs are retained for 90 days.", "They can be exported as CSV.")
CONTEXT = (
    f"{QUOTE} Logs are removed at the end of the retention window.",
    "Team plan customers can export audit logs as CSV for 30 days after an event.",
)
JUDGE = JudgeSpec("quoted", "recorded", "groundedness", "some-model")


def record(
    number: int = 0,
    *,
    context: Sequence[str] = CONTEXT,
    claims: Sequence[str] = CLAIMS,
    question: str = "How long are audit logs kept?",
    answer: str | None = None,
    record_id: str | None = None,
    metric: str = "groundedness",
    quote: str = QUOTE,
) -> ImportedRecord:
    """One answer with its claims, and a recorded verdict with a quote on each."""
    made = Record(
        id=record_id or f"q-{number}",
        question=question,
        answer=" ".join(claims) if answer is None else answer,
        context=tuple(Chunk(f"c-{number}-{i}", t) for i, t in enumerate(context)),
        reference="30 days.",
        release="r1",
    )
    units = []
    for ordinal, claim in enumerate(claims, 1):
        at = made.answer.find(claim)
        span = None if at < 0 else Span(at, at + len(claim))
        units.append(Unit(made.key, f"{made.id}#{ordinal}", "answer_claim", claim, ordinal, span))
    verdicts = tuple(
        Verdict(
            u.key,
            metric,
            JUDGE.fingerprint,
            "entailed",
            "entailed",
            evidence=(Evidence(quote, "unlocated"),),
        )
        for u in units
    )
    return ImportedRecord(
        made, {"answer_claim": tuple(units)}, verdicts, judges=(JUDGE,), path="t.jsonl", line=1
    )


def workspace(
    folder: Path,
    records: Sequence[ImportedRecord] = (),
    *,
    overlap: bool = True,
    repeats: Sequence[int] = (),
    sample: str = "pilot",
) -> Store:
    """A store in a folder with records and a sample of all of them."""
    return workspace_at(
        folder / "trueup.db", records, overlap=overlap, repeats=repeats, sample=sample
    )


def workspace_at(
    target: str | Path,
    records: Sequence[ImportedRecord] = (),
    *,
    overlap: bool = True,
    repeats: Sequence[int] = (),
    sample: str = "pilot",
) -> Store:
    """The same at a path or database URL."""
    items = list(records) or [record(i) for i in range(3)]
    store = Store.open(target, create=True)
    store.import_records(items)
    members = tuple(
        SampleMember(r.record.key, 1.0, "all", i, overlap=overlap, repeat=i in repeats)
        for i, r in enumerate(items)
    )
    store.save_sample(Sample(sample, "groundedness", "random", 1, len(items), members))
    return store


def service(store: Store, annotator: str = "ana", policy: str = "Be fair.") -> LabellingService:
    """One annotator on the sample."""
    return LabellingService.open(store, "pilot", annotator, Policy.of(policy))


def app_on(made: LabellingService, **options: Any) -> LabelApp:
    """The application over a service, in colours that do not depend on the terminal."""
    return LabelApp(lambda: made, theme=options.pop("theme", "dark"), **options)


def screen_of(app: LabelApp) -> LabelScreen:
    """The labelling screen, under whatever lies on top of it."""
    found = app.screen_stack[0]
    assert isinstance(found, LabelScreen)
    return found


async def until(pilot: Pilot[Any], condition: Callable[[], object]) -> None:
    """Let the application run until a condition holds; fail when it never does."""
    end = time.monotonic() + _PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise AssertionError("the condition never held; on the screen:\n" + text_of(pilot.app))
        await pilot.pause()
        await asyncio.sleep(0.001)


async def started(pilot: Pilot[Any]) -> LabelScreen:
    """Wait for the first claim."""
    screen = screen_of(pilot.app)  # type: ignore[arg-type]
    await until(pilot, lambda: screen.session is not None and screen.texts is not None)
    await pilot.pause()
    return screen


def text_of(app: Any) -> str:
    """What stands on the terminal, row by row."""
    return "\n".join(
        "".join(segment.text for segment in strip)
        for strip in app.screen._compositor.render_strips()
    )


def labels(store: Store, annotator: str | None = "ana") -> dict[str, str | None]:
    """Current labels by the visible id of the claim."""
    current: list[Label] = store.current_labels(metric="groundedness", annotator=annotator)
    units = store.units_by_key({e.unit for e in current})
    return {units[e.unit].id: e.label for e in current}
