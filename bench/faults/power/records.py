"""What a process asked of its disk, as the preloaded recorder wrote it down."""

import json
import os
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

_SOURCE = Path(__file__).with_name("recorder.c")
_HEAD = struct.Struct("=IIIIq")


class Kind(IntEnum):
    """What was done; the numbers are the recorder's."""

    WRITE = 1
    SYNC_BEGINS = 2
    SYNC_ENDS = 3
    TRUNCATE = 4
    CREATE = 5
    RENAME = 6
    UNLINK = 7
    LINK = 8
    ANSWER = 100
    """A client has heard an answer."""


@dataclass(frozen=True, slots=True)
class Record:
    """One thing that was done."""

    kind: Kind
    path: str
    number: int
    """The place of a write, the length after a truncation, the process of a sync."""
    data: bytes
    """What was written, or where a rename or a link leads."""


class Recorder:
    """The compiled recorder, and the file in which it writes."""

    def __init__(self, library: Path, log: Path, root: Path) -> None:
        self._library, self._log, self._root = library, log, root.resolve()

    @property
    def environment(self) -> Mapping[str, str]:
        """What a process is started with, so that it is watched."""
        return {
            "LD_PRELOAD": str(self._library),
            "POWER_LOG": str(self._log),
            "POWER_ROOT": str(self._root),
        }

    def answer(self, said: object) -> None:
        """Write down that a client has heard an answer."""
        data = json.dumps(said).encode()
        with self._log.open("ab", buffering=0) as log:
            log.write(_HEAD.pack(Kind.ANSWER, 0, len(data), 0, 0) + data)

    def read(self) -> list[Record]:
        """Return everything in the order in which it was done, with paths below the root."""
        return list(_parse(self._log.read_bytes(), self._root))


def why_not() -> str | None:
    """Return why nothing can be recorded here; None where it can."""
    if sys.platform != "linux" or sys.maxsize < 1 << 32:
        return "a library can be preloaded so on Linux of 64 bits only"
    if shutil.which("cc") is None:
        return "there is no C compiler"
    return None


def compile_recorder(folder: Path, root: Path) -> Recorder:
    """Compile the recorder into a new folder, for a root that is to be watched."""
    folder.mkdir(parents=True)
    library = folder / "recorder.so"
    command = ["cc", "-O1", "-shared", "-fPIC", "-o", str(library), str(_SOURCE), "-ldl"]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603  (our own source)
    return Recorder(library, folder / "records", root)


def _parse(data: bytes, root: Path) -> Iterator[Record]:
    at = 0
    while at < len(data):
        kind, path_size, data_size, _, number = _HEAD.unpack_from(data, at)
        at += _HEAD.size
        path, content = data[at : at + path_size], data[at + path_size : at + path_size + data_size]
        at += path_size + data_size
        if kind in (Kind.RENAME, Kind.LINK):
            content = _below(content, root).encode()
        yield Record(Kind(kind), _below(path, root), number, content)


def _below(path: bytes, root: Path) -> str:
    return os.path.relpath(os.fsdecode(path), root) if path else ""
