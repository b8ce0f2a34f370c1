"""Record of what was written into other programs' files: taking it out again is then exact.

The text of a file alone can't say whether an empty container, a comma or a line break was there
before. Without the ledger, as in a project's file on another machine, what is ours is found by its
form and taken out all the same; then a container that was made for it may stay, empty.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from memoria.connectors.clients.config_file import ConfigFile
from memoria.connectors.clients.syntax.interface import InsertedPiece

_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """Changes made to one file."""

    client: str
    pieces: tuple[InsertedPiece, ...] = ()
    made_file: bool = False
    made_folders: tuple[str, ...] = ()
    """Folders that were made, the innermost first."""

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """Return the entry that the ledger has so."""
        return cls(
            client=str(kept["client"]),
            pieces=tuple(map(InsertedPiece.from_json, kept["pieces"])),
            made_file=bool(kept["made_file"]),
            made_folders=tuple(map(str, kept["made_folders"])),
        )


@dataclass(frozen=True, slots=True)
class _Kept:
    """All that the ledger holds."""

    files: dict[str, LedgerEntry] = field(default_factory=dict)
    made_folders: tuple[str, ...] = ()
    """Folders made for the ledger itself, the innermost first."""

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        if kept["version"] != _VERSION:
            raise ValueError(kept["version"])
        files = {name: LedgerEntry.from_json(entry) for name, entry in kept["files"].items()}
        return cls(files, tuple(map(str, kept["made_folders"])))

    def as_json(self) -> dict[str, Any]:
        files = {name: asdict(entry) for name, entry in self.files.items()}
        return {"version": _VERSION, "made_folders": self.made_folders, "files": files}


class ConnectionLedger:
    """The entries, by file."""

    def __init__(self, file: Path) -> None:
        """Keep it in a file that only the user can read."""
        self._file = file

    def look_up(self, path: Path) -> LedgerEntry | None:
        """Return what was done to a file."""
        return self._read().files.get(str(path))

    def write(self, path: Path, entry: LedgerEntry | None) -> None:
        """Keep what was done to a file; None forgets it."""
        kept = self._read()
        if entry is not None:
            kept.files[str(path)] = entry
        elif kept.files.pop(str(path), None) is None:
            return
        if not kept.files:
            ConfigFile(self._file).remove(kept.made_folders)
            return
        if made := self._save(kept):
            self._save(replace(kept, made_folders=made))
        self._file.chmod(0o600)

    def _save(self, kept: _Kept) -> tuple[str, ...]:
        """Write the ledger; the folders that had to be made for it."""
        content = json.dumps(kept.as_json(), indent=1, ensure_ascii=False)
        return ConfigFile(self._file).replace(content.encode("utf-8", "surrogatepass"))

    def _read(self) -> _Kept:
        """Read what is kept; empty if it can't be read, as what is ours is known by its form."""
        try:
            return _Kept.from_json(json.loads(self._file.read_bytes()))
        except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
            return _Kept()
