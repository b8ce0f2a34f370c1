"""Looking at the write lock from outside, to see whether a process is in the middle of a write."""

import struct
import sys
from pathlib import Path

if sys.platform == "linux":
    import fcntl

_WRITE_LOCK = 120
"""The lock's byte in the log's index: (22 + 8) * 4, SQLite's WAL_WRITE_LOCK."""
_FLOCK = "hhqqi4x"


def is_writing(log_index: Path) -> bool:
    """Whether a process holds the write lock at this moment; False where that can't be seen."""
    if sys.platform != "linux" or not log_index.exists():
        return False
    with log_index.open("r+b") as opened:
        asked = struct.pack(_FLOCK, fcntl.F_WRLCK, 0, _WRITE_LOCK, 1, 0)
        answer = fcntl.fcntl(opened, fcntl.F_GETLK, asked)
    return bool(struct.unpack(_FLOCK, answer)[0] != fcntl.F_UNLCK)
