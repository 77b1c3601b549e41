"""Names a run by its process, so that a lease of a process that died is not waited for."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from pathlib import Path


def new_owner() -> str:
    """`HOST:PID:STARTED:RANDOM`: one name for each run, readable in the store."""
    pid = os.getpid()
    return f"{socket.gethostname()}:{pid}:{_started(pid) or '-'}:{secrets.token_hex(4)}"


def owner_is_dead(owner: str) -> bool:
    """Whether the process is known to be gone: same host, and no such process any more.

    False where it cannot be known (another host, Windows); the lease then ends by its time.
    """
    parts = owner.rsplit(":", 3)
    if len(parts) != 4 or parts[0] != socket.gethostname() or not parts[1].isdigit():
        return False
    if sys.platform == "win32":
        return False
    pid = int(parts[1])
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    started = _started(pid)
    # The same number may have been given to a younger process since.
    return started is not None and parts[2] not in {"-", started}


def _started(pid: int) -> str | None:
    """Start time of a process in clock ticks since boot, where /proc tells."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text("ascii", "replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    if fields[:1] == ["Z"]:
        return "dead"
    return fields[19] if len(fields) > 19 else None
