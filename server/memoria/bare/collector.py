"""The collector of cyclic garbage, and work that leaves it nothing to find."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause_collector() -> Iterator[None]:
    """Pause the garbage collector while the block runs, which has to leave nothing in cycles.

    It would be looked through again and again for what it holds in its midst, and now and then
    with it all that the program has ever loaded. Of several threads, the one that has paused the
    collector lets it go on, whatever the others are at: it is never kept waiting for long. Where
    the program has switched it off, it stays so.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@contextmanager
def load_for_good() -> Iterator[None]:
    """Exempt everything that the block loads from garbage collection for good.

    For a program of our own alone: it holds of all that is there when the block ends.
    """
    with pause_collector():
        yield
        gc.freeze()
