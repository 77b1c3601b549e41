"""Metrics other than groundedness on the screen, an older policy, and the queue of a service."""

from __future__ import annotations

from pathlib import Path

import pytest

from trueup.domain.model import Sample, SampleMember
from trueup.errors import UsageError
from trueup.services.labelling import LabellingService, Policy
from trueup.store import Store
from tui_help import app_on, record, service, started, text_of, until, workspace


def _sampled(store: Store, metric: str) -> LabellingService:
    members = tuple(
        SampleMember(r.key, 1.0, "all", i, overlap=True) for i, r in enumerate(store.iter_records())
    )
    store.save_sample(Sample(metric, metric, "random", 1, len(members), members))
    return LabellingService.open(store, metric, "ana", Policy.of("x"))


async def test_chunks_are_labelled_in_the_metrics_own_words(tmp_path: Path) -> None:
    """Useful or not, of each chunk; the chunks become units when they are first asked about."""
    store = workspace(tmp_path, [record()])
    app = app_on(_sampled(store, "context_relevancy"))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = await started(pilot)
        shown = text_of(app)
        assert "a useful" in shown
        assert "x not useful" in shown
        assert "Is this chunk useful" in shown
        assert "Chunk 1 of 2" in shown
        await pilot.press("b")
        await until(pilot, lambda: "a chunk cannot be split" in text_of(app))
        await pilot.press("a")
        await until(pilot, lambda: "✓ useful" in text_of(app))

        assert screen.session is not None
        assert screen.session.progress().total == 2
    assert [e.label for e in store.current_labels(metric="context_relevancy")] == ["entailed"]


async def test_claims_are_held_against_the_reference_where_the_metric_says_so(
    tmp_path: Path,
) -> None:
    """And not against the context, which is not shown."""
    store = workspace(tmp_path, [record()])
    app = app_on(_sampled(store, "correctness_precision"))
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        shown = text_of(app)

        assert "30 days." in shown
        assert "── reference" in shown
        assert "Enterprise plan" not in shown


async def test_labels_under_an_older_policy_are_told_and_can_be_asked_again(
    tmp_path: Path,
) -> None:
    """The guideline says how many; asked for, they come back as open."""
    store = workspace(tmp_path, [record()])
    old = service(store, policy="old")
    session = old.session()
    assert session.current is not None
    old.deliver(session.current, session.mark("entailed"))
    app = app_on(service(store, policy="new"), requeue_outdated=True)
    async with app.run_test(size=(80, 30)) as pilot:
        screen = await started(pilot)
        assert "older guideline" in text_of(app)
        assert screen.session is not None
        assert screen.session.progress().done == 0
        await pilot.press("g")
        await until(pilot, lambda: "1 label was given under another version" in text_of(app))
        await pilot.press("enter", "a")
        await until(pilot, lambda: screen.session and screen.session.progress().done == 1)


async def test_the_overview_is_one_key_away(tmp_path: Path) -> None:
    """And back."""
    app = app_on(service(workspace(tmp_path)))
    async with app.run_test(size=(80, 24)) as pilot:
        await started(pilot)
        await pilot.press("O")
        await until(pilot, lambda: "begin: trueup label pilot" in text_of(app))
        await pilot.press("Q")
        await until(pilot, lambda: len(app.screen_stack) == 1)
        assert app.is_running


def test_repeats_come_back_later_and_count(tmp_path: Path) -> None:
    """Unannounced: the queue is longer, and the second showing is its own label."""
    made = service(workspace(tmp_path, [record(i) for i in range(4)], repeats=[0]))
    session = made.session()
    assert session.progress().total == 10
    while (item := session.current) is not None and session.is_open(item.key):
        action = session.mark("entailed")
        made.deliver(item, action)
        session.commit(action)

    repeats = [e.repeat for e in made._store.current_labels(metric="groundedness")]
    assert sorted(repeats) == [0] * 8 + [1] * 2


def test_of_two_who_take_an_answer_at_once_one_has_it(tmp_path: Path) -> None:
    """Neither had seen the other; what the loser says of it is not stored."""
    store = workspace(tmp_path, overlap=False)
    ana, bo = service(store), service(store, "bo")
    session = ana.session()
    bo.session()
    item = session.current
    assert item is not None

    assert bo.take(item.unit.record)
    assert not ana.take(item.unit.record)
    assert ana.deliver(item, session.mark("entailed")) is None
    assert store.current_labels(metric="groundedness") == []
    assert bo.take(item.unit.record)


def test_an_unknown_sample_names_the_known_ones(tmp_path: Path) -> None:
    """With what to do."""
    store = workspace(tmp_path)
    with pytest.raises(UsageError) as caught:
        LabellingService.open(store, "nope", "ana", Policy.of("x"))

    assert "pilot" in str(caught.value.hint)
    with pytest.raises(UsageError, match="an annotator is needed"):
        LabellingService.open(store, "pilot", "  ", Policy.of("x"))
