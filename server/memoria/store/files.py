"""Files of the home beside the database: core memory, and the key of the tombstones.

Core memory is MEMORY.md, USER.md and PERSONA.md, grown from seeds. Reading never writes: a home
without the file is shown the seed.
"""

import contextlib
import os
import secrets
from importlib import resources
from pathlib import Path
from typing import Literal, get_args

from memoria.errors import StoreUnavailableError

DATABASE = "memoria.db"
TOMBSTONE_KEY = "tombstone.key"
BACKUPS = "backups"
_KEY_BYTES = 32
_OWNER_ONLY = 0o600

CoreFile = Literal["MEMORY.md", "USER.md", "PERSONA.md"]

CORE: tuple[CoreFile, ...] = get_args(CoreFile)


def read_core(home: Path, name: CoreFile) -> str:
    """The file as it stands in the home, else its seed."""
    live = home / name
    return live.read_text("utf-8") if live.is_file() else _seed(name)


def live_core(home: Path, name: CoreFile) -> str | None:
    """The file as it stands in the home; None where it says no more than its seed."""
    text = read_core(home, name)
    return None if text == _seed(name) else text


def _seed(name: CoreFile) -> str:
    """The seed: in the wheel it lies in the package, in a checkout at the top of the tree."""
    package = resources.files("memoria")
    installed = package.joinpath("identity", name)
    if installed.is_file():
        return installed.read_text("utf-8")
    return (Path(str(package)).parent.parent / "identity" / name).read_text("utf-8")


def tombstone_key(home: Path) -> bytes:
    """The home's secret key for tombstones: 32 random bytes in a file of their own.

    Raises:
        StoreUnavailableError: it can't be read or made, or is not a key.
    """
    file = home / TOMBSTONE_KEY
    try:
        if not file.exists():
            _settle_on(file, secrets.token_bytes(_KEY_BYTES))
        key = file.read_bytes()
    except OSError as error:
        raise StoreUnavailableError(
            f"{file} can't be used: {error.strerror}. Check that the home is writable."
        ) from error
    if len(key) != _KEY_BYTES:
        raise StoreUnavailableError(
            f"{file} is damaged; without it what was forgotten can't be known again. "
            "Restore it from a backup of the home."
        )
    return key


def replace(file: Path, content: bytes) -> None:
    """Give a file other content, all or nothing."""
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        _write_new(draft, content)
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def _settle_on(file: Path, content: bytes) -> None:
    """Give a file its first content. Of several processes at once, the first decides."""
    draft = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        _write_new(draft, content)
        with contextlib.suppress(FileExistsError):
            os.link(draft, file)
    finally:
        draft.unlink(missing_ok=True)


def _write_new(file: Path, content: bytes) -> None:
    """Write a file that was not there, for its owner alone, down to the disk."""
    descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, _OWNER_ONLY)
    with os.fdopen(descriptor, "wb") as opened:
        opened.write(content)
        opened.flush()
        os.fsync(descriptor)
