"""How much memory this process takes."""

import resource
import sys
from dataclasses import dataclass
from pathlib import Path

_STATUS = Path("/proc/self/status")
_MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Footprint:
    """Memory in MiB."""

    resident: float
    """All of it, pages of the database file that are mapped included."""
    private: float
    """Without files. Where the system does not say, the most there ever was."""
    vectors: float
    """What of it holds vectors for searching."""


def footprint(vector_bytes: int) -> Footprint:
    """The footprint now."""
    sizes = _linux() if _STATUS.exists() else {}
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _RUSAGE_UNIT / _MIB
    return Footprint(
        sizes.get("VmRSS", most), sizes.get("RssAnon", most), vectors=vector_bytes / _MIB
    )


_RUSAGE_UNIT = 1 if sys.platform == "darwin" else 1024


def _linux() -> dict[str, float]:
    lines = (line.split() for line in _STATUS.read_text("ascii").splitlines())
    return {words[0].rstrip(":"): int(words[1]) / 1024 for words in lines if words[-1] == "kB"}
