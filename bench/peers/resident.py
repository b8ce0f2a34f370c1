"""How much memory the processes take that this one has started."""

import os
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")
_MIB = 1 << 20


def children_mib() -> float:
    """Resident memory of every process below this one, in MiB; 0 where the system does not say."""
    return sum(_resident(pid) for pid in _below(os.getpid())) / _MIB


def _below(pid: int) -> Iterator[int]:
    for task in (_PROC / str(pid) / "task").glob("*/children"):
        for child in _text(task).split():
            yield int(child)
            yield from _below(int(child))


def _resident(pid: int) -> int:
    pages = _text(_PROC / str(pid) / "statm").split()
    return int(pages[1]) * os.sysconf("SC_PAGE_SIZE") if pages else 0


def _text(path: Path) -> str:
    try:
        return path.read_text("ascii")
    except OSError:  # a process that has just ended takes no memory
        return ""
