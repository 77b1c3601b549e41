"""Tells whether a path is on a network file system, where SQLite's write-ahead log is unsafe.

SQLite documents that WAL needs shared memory between all processes that use the file
(sqlite.org/wal.html), which two machines cannot have.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

NETWORK = frozenset(
    (
        "nfs", "nfs4", "cifs", "smb", "smb2", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs",
        "lustre", "gpfs", "beegfs", "ncpfs", "davfs", "fuse.sshfs", "fuse.glusterfs", "fuse.ceph",
        "fuse.rclone", "fuse.s3fs",
    )
)  # fmt: skip
_MOUNTS = Path("/proc/self/mountinfo")
_OCTAL = re.compile(r"\\([0-7]{3})")


def filesystem_type(path: Path) -> str | None:
    """The type of the file system that holds a path (`ext4`, `nfs4`, …); None where unknown."""
    try:
        lines = _MOUNTS.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return None
    where = os.fspath(path.resolve())
    best, kind = -1, None
    for line in lines:
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if len(fields) < 5 or not right:
            continue
        mount = _OCTAL.sub(lambda m: chr(int(m[1], 8)), fields[4])
        inside = where == mount or where.startswith(mount.rstrip("/") + "/")
        # Of two mounts on one place the later one is what is seen.
        if inside and len(mount) >= best:
            best, kind = len(mount), right.split(" ")[0]
    return kind


type_of: Callable[[Path], str | None] = filesystem_type
"""What `network_kind` asks; a test puts another answer here."""


def network_kind(path: Path) -> str | None:
    """The network file system that holds a path, or None for a local or unknown one."""
    kind = type_of(path)
    return kind if kind in NETWORK else None
