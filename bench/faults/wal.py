"""Reading a write-ahead log from outside, to see what a dead process was in the middle of."""

import struct
from pathlib import Path

_HEADER, _FRAME_HEADER = 32, 24


def commits_and_rest(log: Path) -> tuple[int, int]:
    """(commits in the log, pages after the last one that no commit followed).

    A frame belongs to the log as it is now if it carries the header's salts.
    """
    content = log.read_bytes() if log.exists() else b""
    if len(content) < _HEADER:
        return 0, 0
    page_size, salts = struct.unpack_from(">I", content, 8)[0], content[16:24]
    commits = rest = 0
    step = _FRAME_HEADER + page_size
    for at in range(_HEADER, len(content) - step + 1, step):
        _, size_after_commit = struct.unpack_from(">II", content, at)
        if content[at + 8 : at + 16] != salts:
            break
        commits, rest = (commits + 1, 0) if size_after_commit else (commits, rest + 1)
    return commits, rest
