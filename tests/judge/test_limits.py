"""How many calls at once, how long to wait, how much to spend."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any

import pytest

from judge_support import spec, task
from trueup.domain.judging import Usage
from trueup.errors import UsageError
from trueup.judge.base import CallFailed
from trueup.judge.budget import Budget, Price, estimate
from trueup.judge.limits import Gate
from trueup.judge.retry import Attempts, RetryPolicy


async def entered(gate: Gate, count: int) -> list[int]:
    """Let calls in until one would have to wait."""
    episodes = []
    while gate.active < int(gate.limit) and len(episodes) < count:
        episodes.append(await gate.enter())
    return episodes


async def test_the_first_call_goes_alone() -> None:
    """Its success opens the gate to all."""
    gate = Gate(8)
    assert len(await entered(gate, 10)) == 1
    waiting = [asyncio.create_task(gate.enter()) for _ in range(3)]
    await asyncio.sleep(0)
    assert gate.active == 1

    gate.leave(0, ok=True)
    await asyncio.gather(*waiting)
    assert (gate.limit, gate.active) == (8, 3)
    gate.close()


async def test_a_silent_first_call_does_not_hold_up_the_rest() -> None:
    """After a while the others go ahead."""
    gate = Gate(8, probe_s=0.001)
    await gate.enter()
    await asyncio.wait_for(gate.enter(), 5)
    assert gate.limit == 8


async def test_a_failing_first_call_lets_few_others_try() -> None:
    """Two, four, eight: not all at once against a server that is down."""
    gate = Gate(8)
    await gate.enter()
    gate.leave(0)
    assert len(await entered(gate, 10)) == 2
    gate.close()


async def test_an_episode_of_429_cuts_once() -> None:
    """Calls that started before the cut do not cut again; later ones do."""
    gate = Gate(16)
    gate.leave(await gate.enter(), ok=True)
    episodes = await entered(gate, 16)

    for episode in episodes:
        gate.leave(episode, throttled=True)
    assert (gate.limit, gate.cuts) == (8, 1)

    later = await entered(gate, 16)
    for episode in later:
        gate.leave(episode, throttled=True)
    assert (gate.limit, gate.cuts) == (4, 2)


async def test_the_limit_grows_back_and_not_beyond() -> None:
    """By one with each round of calls."""
    gate = Gate(4)
    gate.leave(await gate.enter(), ok=True)
    for episode in await entered(gate, 4):
        gate.leave(episode, throttled=True)
    assert gate.limit == 2

    gate.leave(await gate.enter(), ok=True)
    gate.leave(await gate.enter(), ok=True)
    assert 2.5 < gate.limit < 3.5
    for _ in range(50):
        gate.leave(await gate.enter(), ok=True)
    assert gate.limit == 4


async def test_a_single_429_is_no_sign_of_too_many() -> None:
    """One call under way cannot be one too many: the gate opens step by step."""
    gate = Gate(16)
    gate.leave(await gate.enter(), throttled=True)
    for _ in range(16):
        gate.leave(await gate.enter(), ok=True)
    assert gate.limit == 16


async def test_a_cancelled_call_leaves_its_place() -> None:
    """Whether it waited or had just been let in."""
    gate = Gate(1)
    await gate.enter()
    first, second = (asyncio.create_task(gate.enter()) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.sleep(0)
    gate.leave(0)
    second.cancel()
    await asyncio.gather(first, second, return_exceptions=True)

    assert gate.active == 0
    assert len(await entered(gate, 2)) == 1


def waits(policy: RetryPolicy, failed: CallFailed, most: int = 50) -> list[float]:
    """The waits until there is no further attempt."""
    attempts = Attempts(policy, Random(1))
    found: list[float] = []
    while len(found) < most and (wait := attempts.wait(failed)) is not None:
        found.append(wait)
    return found


@pytest.mark.parametrize("retries", [0, 1, 5])
def test_retries_are_counted(retries: int) -> None:
    """`retries` = 2 means three requests."""
    failed = CallFailed("bad_response", "down")
    assert len(waits(RetryPolicy(retries=retries), failed)) == retries


@pytest.mark.parametrize("scope", ["record", "run"])
def test_what_does_not_pass_is_not_asked_again(scope: Any) -> None:
    """A wrong key stays wrong."""
    assert waits(RetryPolicy(), CallFailed("auth", "no", scope=scope)) == []


def test_waits_grow_with_jitter_up_to_a_cap() -> None:
    """Between half and all of 0.5, 1, 2, 4 … seconds; the same seed, the same waits."""
    failed = CallFailed("timeout", "slow")
    policy = RetryPolicy(retries=12, base_s=0.5, cap_s=8)
    found = waits(policy, failed)

    assert found == waits(policy, failed)
    for n, wait in enumerate(found):
        longest = min(8, 0.5 * 2**n)
        assert longest / 2 <= wait <= longest


def test_a_wait_that_the_server_named_is_never_shorter() -> None:
    """And not all calls come back at the same moment."""
    found = waits(RetryPolicy(), CallFailed("rate_limit", "busy", retry_after=2.0))

    assert all(2.0 < wait < 3.0 for wait in found)
    assert len(set(found)) > 1


def test_a_429_does_not_use_up_the_retries() -> None:
    """It is waited for until the patience is spent."""
    failed = CallFailed("rate_limit", "busy", retry_after=1.0)
    found = waits(RetryPolicy(retries=0, patience_s=10), failed)

    assert 5 < len(found) < 11
    assert sum(found) <= 10


def test_a_wait_that_is_too_long_is_not_begun() -> None:
    """The run stops instead, and says when to come back."""
    policy = RetryPolicy(max_wait_s=300)
    assert waits(policy, CallFailed("rate_limit", "busy", retry_after=3600)) == []
    assert waits(policy, CallFailed("bad_response", "down", retry_after=3600)) == []


def test_calls_are_capped() -> None:
    """Exactly as many as allowed."""
    budget = Budget(max_calls=2)
    granted = [budget.take(spec(), task()) for _ in range(4)]

    assert [g is not None for g in granted] == [True, True, False, False]


def test_cost_is_capped_with_calls_under_way() -> None:
    """What is asked at the same time is counted with its estimate, then with its cost."""
    price = Price(input=1.0, output=1.0)
    one = price.of(estimate(spec(), task()))
    assert one is not None
    budget = Budget(max_cost=one * 2.5, price=price)
    assert budget.take(spec(), task()) == one
    assert budget.take(spec(), task()) == one
    assert budget.take(spec(), task()) is None

    budget.settle(one, 0.0)
    assert budget.take(spec(), task()) == one
    budget.settle(one, None)
    assert budget.take(spec(), task()) is None


def test_a_cost_cap_needs_a_price() -> None:
    """Nothing is guessed."""
    with pytest.raises(UsageError, match="price"):
        Budget(max_cost=1.0)


def test_an_unknown_usage_has_no_cost() -> None:
    """Null, never 0."""
    price = Price(1.0, 2.0)

    assert price.of(Usage()) is None
    assert price.of(Usage(10, None)) is None
    assert price.of(Usage(1_000_000, 500_000)) == 2.0
