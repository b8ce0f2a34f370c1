"""Parts that adapters share: the error for a missing framework, and how they record."""

from typing import TypeVar

from memoria.app.memory import Memoria
from memoria.app.sync import SyncMemoria
from memoria.errors import ForgottenError, PrivateTimeError
from memoria.model import LIBRARY, Channel, Receipt, to_iso

ANY_PROJECT = "*"
PAGE = 500
"""Number of records read at once from a list that may be long."""
_MemoryT = TypeVar("_MemoryT", Memoria, SyncMemoria)


def missing_extra(extra: str, error: ImportError) -> ImportError:
    """Return the error that says how to install an adapter's framework."""
    return ImportError(
        f"memoria.adapters.{extra.replace('-', '_')} needs a package that is not installed "
        f"({error}). Install it with: pip install 'memoria-server[{extra}]'",
        name=error.name,
    )


def adapter_channel(framework: str) -> Channel:
    """Return the channel of a framework's records: a program reports them, under its name."""
    return LIBRARY.model_copy(update={"client": framework})


def name_source(framework: str, memory: _MemoryT) -> _MemoryT:
    """Return the memory with the framework's own numbering of sessions and messages."""
    return memory.with_channel(adapter_channel(framework))


def find_awaitable(memory: Memoria | SyncMemoria) -> Memoria:
    """Find the memory for a framework that awaits, whichever way it was opened."""
    return memory.asynchronous if isinstance(memory, SyncMemoria) else memory


def check_written(receipt: Receipt) -> None:
    """Check that every value was written, for nobody may believe it is there where it is not.

    Raises:
        ForgottenError: the user has forgotten what was under a key, or what a value says.
        PrivateTimeError: private time is on.
    """
    if receipt.forgotten:
        raise ForgottenError(
            f"{receipt.forgotten} of these values were not stored: the user has forgotten what was "
            "under their keys, or what they say. Another key can be used."
        )
    if receipt.private_since is not None:
        raise PrivateTimeError(to_iso(receipt.private_since))
