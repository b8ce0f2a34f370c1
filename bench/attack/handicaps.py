"""What a process is burdened with before it begins: too little room, another clock."""

from collections.abc import Mapping
from pathlib import Path


def with_limits(folder: Path, **limits: int) -> Mapping[str, str]:
    """Return the environment of a process with limits, such as FSIZE or AS in bytes."""
    lines = [
        f"resource.setrlimit(resource.RLIMIT_{name}, ({n}, {n}))" for name, n in limits.items()
    ]
    return _begin_with(folder, "import resource", *lines)


def with_later_clock(folder: Path, days: int) -> Mapping[str, str]:
    """Return the environment of a process for which it is so many days later."""
    return _begin_with(
        folder,
        "import time",
        f"ahead = {days} * 86400",
        "now, now_ns = time.time, time.time_ns",
        "time.time = lambda: now() + ahead",
        "time.time_ns = lambda: now_ns() + ahead * 10**9",
    )


def _begin_with(folder: Path, *lines: str) -> Mapping[str, str]:
    place = folder / f"burden-{len(list(folder.glob('burden-*')))}"
    place.mkdir()
    (place / "sitecustomize.py").write_text("\n".join(lines), "utf-8")
    return {"PYTHONPATH": str(place)}
