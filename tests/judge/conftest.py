"""The misbehaving server of the golden cases, where the folder of golden cases is present."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from judge_support import FakeServer
from shared import shared_dir


@pytest.fixture(scope="session")
def fake_server() -> Iterator[FakeServer]:
    """One server for the session, on a free loopback port, ended by its pid."""
    program = shared_dir() / "tools" / "fake_openai.py"
    server = subprocess.Popen(
        [sys.executable, "-B", program, "--port", "0", "--max-seconds", "600"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        said = server.stdout.readline()
        port = re.search(r":(\d+)/v1", said)
        assert port is not None, said
        yield FakeServer(int(port[1]))
    finally:
        server.terminate()
        server.wait(10)
        server.stdout.close()


@pytest.fixture
def fake(fake_server: FakeServer) -> FakeServer:
    """The server with nothing asked yet."""
    fake_server.reset()
    return fake_server
