"""One item after the other: what goes wrong inside of one is named, and the next one is read.

Other programs' data may hold anything, and a reader may have met nothing like it. So every reader
hands its items to `read_each`: whatever an item makes it raise becomes a line that can't be used.
The error with its traceback goes to the log, at the level DEBUG: `memoria import --verbose`.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from memoria.connectors.transcripts.source import Record, TranscriptSource, UnusableLine
from memoria.errors import shorten
from memoria.language.secrets.redact import redact

_LOG = logging.getLogger(__name__)
_ItemT = TypeVar("_ItemT")
_GivenT = TypeVar("_GivenT")


def read_each(
    source: TranscriptSource,
    given: Iterable[_GivenT | UnusableLine],
    read: Callable[[_GivenT], Iterable[_ItemT]],
) -> Iterator[_ItemT | UnusableLine]:
    """Yield what a reader makes of each item.

    Args:
        source: the file, which counts the items that have no line of their own.
        given: the items; those that can't be used already are passed on.
        read: what is made of one.
    """
    for one in given:
        if isinstance(one, UnusableLine):
            yield one
            continue
        line = one.line if isinstance(one, Record) else source.lines
        yield from guard(line, read, one)


def guard(
    line: int | None, read: Callable[[_GivenT], Iterable[_ItemT]], given: _GivenT
) -> Iterator[_ItemT | UnusableLine]:
    """Yield what a reader makes of one item, and behind it what went wrong.

    Args:
        line: where the item stands; None for the whole file.
        read: what is made of it.
        given: the item.
    """
    try:
        yield from read(given)
    except Exception as error:  # noqa: BLE001  (it is named, counted and logged)
        yield name_fault(line, error)


def name_fault(line: int | None, error: Exception) -> UnusableLine:
    """Return the line that an error came of, with the error in words and without secrets."""
    _LOG.debug("An item can't be read", exc_info=error)
    said = redact(shorten(str(error))).text if str(error) else "no more is known"
    return UnusableLine(
        line, f"holds something that can't be read ({type(error).__name__}: {said})"
    )
