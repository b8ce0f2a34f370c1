"""What adapters share: the error where a framework is missing, and the channel they record by."""

from typing import TypeVar

from memoria.app.memory import Memoria
from memoria.app.sync import SyncMemoria
from memoria.model import LIBRARY, Channel

ANY_PROJECT = "*"
PAGE = 500
"""How much is read at once of what may be long."""
_MemoryT = TypeVar("_MemoryT", Memoria, SyncMemoria)


def missing_extra(extra: str, error: ImportError) -> ImportError:
    """What to say where the framework of an adapter is not installed."""
    return ImportError(
        f"memoria.adapters.{extra.replace('-', '_')} needs a package that is not installed "
        f"({error}). Install it with: pip install 'memoria-server[{extra}]'",
        name=error.name,
    )


def adapter_channel(framework: str) -> Channel:
    """The way in of what a framework records: a program reports it, under the framework's name."""
    return LIBRARY.model_copy(update={"client": framework})


def name_source(framework: str, memory: _MemoryT) -> _MemoryT:
    """The same memory, in which the framework's sessions and messages have their own numbering."""
    return memory.with_channel(adapter_channel(framework))
