"""What a disk may hold after a loss of power.

What was written before a sync of its file began is there once the sync has ended. Of the rest,
chance keeps all, none, some pages or some sectors, in whatever order. Names (a file made, renamed,
removed) change in the order in which they were changed, as on file systems with a journal: a sync
keeps all before it, and of the rest a beginning is kept.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.faults.power.records import Kind, Record

PAGE, SECTOR = 4096, 512
_CHANGES = (Kind.WRITE, Kind.TRUNCATE)
_NAMES = (Kind.CREATE, Kind.RENAME, Kind.UNLINK, Kind.LINK)


@dataclass(slots=True)
class _File:
    """A file as it was changed, whatever its name."""

    changes: list[tuple[int, Record]] = field(default_factory=list)
    synced: int = -1
    """What was done before this record is on the disk."""


class Disk:
    """Everything that was asked of a disk until the power went."""

    def __init__(self, records: Sequence[Record], *, heeds_syncs: bool = True) -> None:
        self._heeds_syncs = heeds_syncs
        self._files: dict[str, _File] = {}
        self._names: list[tuple[int, Record, _File]] = []
        self._synced = -1
        begun: dict[tuple[str, int], int] = {}
        for n, record in enumerate(records):
            self._take(n, record, begun)

    def _take(self, n: int, record: Record, begun: dict[tuple[str, int], int]) -> None:
        if record.kind in _CHANGES and record.path in self._files:
            self._files[record.path].changes.append((n, record))
        elif record.kind is Kind.CREATE or (
            record.kind in _NAMES and record.path in self._files
        ):  # a socket or a folder is no matter of ours
            file = _File() if record.kind is Kind.CREATE else self._files[record.path]
            self._names.append((n, record, file))
            _rename(self._files, record, file)
        elif record.kind is Kind.SYNC_BEGINS:
            begun[record.path, record.number] = n
        elif record.kind is Kind.SYNC_ENDS and self._heeds_syncs:
            since = begun[record.path, record.number]
            self._synced = max(self._synced, since)
            if record.path in self._files:
                self._files[record.path].synced = since

    def lose_power(self, chance: random.Random, folder: Path) -> None:
        """Write what is left into a new folder."""
        names: dict[str, _File] = {}
        kept = sum(n < self._synced for n, _, _ in self._names)
        for _, record, file in self._names[: chance.randint(kept, len(self._names))]:
            _rename(names, record, file)
        keeps = _Chance(chance)
        for name, file in names.items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(_content(file, keeps))

    def lose_nothing(self, folder: Path) -> None:
        """Write everything into a new folder, as if all had been synced in time."""
        for name, file in self._files.items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(_content(file, None))


class _Chance:
    """What becomes of writes that were not synced, the same way for one loss of power."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._share = chance.choice((0.0, 1.0, chance.random(), chance.random()))
        self._unit = chance.choice((PAGE, SECTOR))

    def keeps(self) -> bool:
        """Say whether the next piece is kept."""
        return self._chance.random() < self._share

    def pieces(self, record: Record) -> Iterator[tuple[int, bytes]]:
        """Return what is kept of a write: pages of the file, or sectors."""
        start, end = record.number, record.number + len(record.data)
        while start < end:
            stop = min(end, (start // self._unit + 1) * self._unit)
            if self.keeps():
                yield start, record.data[start - record.number : stop - record.number]
            start = stop


def _rename(names: dict[str, _File], record: Record, file: _File) -> None:
    """Change names as a record says."""
    match record.kind:
        case Kind.CREATE:
            names[record.path] = file
        case Kind.LINK:
            names[record.data.decode()] = file
        case Kind.UNLINK:
            del names[record.path]
        case _:
            names[record.data.decode()] = names.pop(record.path)


def _content(file: _File, chance: _Chance | None) -> bytes:
    """Return what a file holds: what was synced, and what chance keeps of the rest."""
    content = bytearray()
    for n, record in file.changes:
        is_safe = chance is None or n < file.synced
        if record.kind is Kind.TRUNCATE:
            if is_safe or (chance is not None and chance.keeps()):
                _resize(content, record.number)
        elif is_safe or chance is None:
            _put(content, record.number, record.data)
        else:
            for place, data in chance.pieces(record):
                _put(content, place, data)
    return bytes(content)


def _resize(content: bytearray, size: int) -> None:
    del content[size:]
    content.extend(bytes(size - len(content)))


def _put(content: bytearray, place: int, data: bytes) -> None:
    if len(content) < place:
        _resize(content, place)
    content[place : place + len(data)] = data
