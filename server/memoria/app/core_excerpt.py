"""What the user has confirmed, in a few lines: for a reader who has asked for nothing yet."""

from collections.abc import Iterator
from contextlib import closing

from memoria.app.engine import choose_engine
from memoria.config import Settings
from memoria.model import Validity
from memoria.model.core import CoreFile
from memoria.store.base import Transaction

_FILES: tuple[CoreFile, ...] = ("USER.md", "MEMORY.md")


def list_confirmed_lines(settings: Settings, room: int) -> list[str]:
    """Lines of core files that the user has confirmed and that still hold, best first.

    What nobody has confirmed is left out: whoever reads these lines believes them.

    Args:
        settings: whose.
        room: how many characters all of them may have; a line more than fits is left out.

    Raises:
        StoreError: the home can't be used.
    """
    engine = choose_engine(settings)
    if not engine.exists(settings):
        return []
    with closing(engine.open(settings)) as store, store.read(settings.tenant) as tx:
        found = dict.fromkeys(line for file in _FILES for line in _lines(tx, file))
    return list(_fit(found, room))


def _lines(tx: Transaction, file: CoreFile) -> Iterator[str]:
    ids = [line.memory_id for line in tx.core.lines(file)]
    for standing in tx.core.statuses(ids).values():
        if standing.memory.verified and standing.validity is Validity.ACTIVE:
            yield f"- {' '.join(standing.memory.content.split())}"


def _fit(lines: dict[str, None], room: int) -> Iterator[str]:
    for line in lines:
        if len(line) < room:
            room -= len(line) + 1
            yield line
