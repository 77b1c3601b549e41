"""A lease of a process that died is not waited for."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from trueup.judge.base import Lease
from trueup.judge.leases import new_owner, owner_is_dead


def test_a_run_of_this_process_is_alive() -> None:
    """And each run has a name of its own."""
    assert not owner_is_dead(new_owner())
    assert new_owner() != new_owner()


@pytest.mark.skipif(sys.platform == "win32", reason="there a lease ends by its time")
def test_a_process_that_is_gone_is_dead() -> None:
    """Known at once, on the same host."""
    code = "from trueup.judge.leases import new_owner; print(new_owner())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert Lease("me").dead(done.stdout.strip())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_a_number_that_was_given_to_a_younger_process_is_dead() -> None:
    """Start times tell them apart."""
    host, pid, started, rest = new_owner().rsplit(":", 3)

    assert owner_is_dead(f"{host}:{pid}:{int(started) - 1}:{rest}")


@pytest.mark.parametrize("owner", ["", "x", "elsewhere:1:2:3", f"{socket.gethostname()}:x:1:2"])
def test_what_cannot_be_known_is_not_dead(owner: str) -> None:
    """Another host, or a name that is none of ours: the lease ends by its time."""
    assert not owner_is_dead(owner)
