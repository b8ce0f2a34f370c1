"""The collector of cyclic garbage, and work that leaves it nothing to find."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause_collector() -> Iterator[None]:
    """Pause the garbage collector while the block runs, which has to leave nothing in cycles.

    A collector that runs meanwhile would look through all objects again and again. Of several
    threads, the one that has paused the collector lets it go on, whatever the others do. Where
    the program has switched the collector off, it stays off.
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

    Only for programs of our own: all objects are exempt that exist when the block ends.
    """
    with pause_collector():
        yield
        gc.freeze()
