"""What processes do that make new homes, all of them the same ones at the same moment."""

from pathlib import Path
from threading import Barrier

from memoria.store.sqlite import SqliteStore


def make_homes(who: str, homes: list[Path], together: Barrier, timeout_s: float) -> None:
    """Write into each home, as soon as the others are ready to."""
    for home in homes:
        together.wait(timeout_s)
        store = SqliteStore(home / "memoria.db", busy_timeout_ms=30_000, readers=1)
        with store.write(who) as tx:
            tx.scratchpads.put("s", who, [], now=1, keep=5)
        store.close()
