"""What was written into other programs' files: with it, taking it out again is exact.

The text of a file alone can't say whether an empty container, a comma or a line break was there
before. Without the ledger, as in a project's file on another machine, what is ours is found by its
form and taken out all the same; then a container that was made for it may stay, empty.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoria.admin.clients.config_file import ConfigFile
from memoria.admin.clients.syntax.interface import InsertedPiece

_VERSION = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerEntry:
    """What was done to one file."""

    client: str
    pieces: tuple[InsertedPiece, ...] = ()
    made_file: bool = False
    made_folders: tuple[str, ...] = ()
    """The innermost first."""


class ConnectionLedger:
    """The entries, by file."""

    def __init__(self, file: Path) -> None:
        """Kept in a file that only the user can read."""
        self._file = file

    def look_up(self, path: Path) -> LedgerEntry | None:
        """What was done to a file."""
        kept = self._read()["files"].get(str(path))
        if kept is None:
            return None
        return LedgerEntry(
            client=str(kept["client"]),
            pieces=tuple(map(InsertedPiece.from_json, kept["pieces"])),
            made_file=bool(kept["made_file"]),
            made_folders=tuple(map(str, kept["made_folders"])),
        )

    def write(self, path: Path, entry: LedgerEntry | None) -> None:
        """Keep what was done to a file; None forgets it."""
        kept = self._read()
        held = kept["files"]
        if entry is None:
            if held.pop(str(path), None) is None:
                return
        else:
            held[str(path)] = {
                "client": entry.client,
                "pieces": [piece.as_json() for piece in entry.pieces],
                "made_file": entry.made_file,
                "made_folders": entry.made_folders,
            }
        if not held:
            ConfigFile(self._file).remove(tuple(map(str, kept["made_folders"])))
            return
        kept["made_folders"] = self._save(kept) or kept["made_folders"]
        self._save(kept)
        self._file.chmod(0o600)

    def _save(self, kept: dict[str, Any]) -> tuple[str, ...]:
        """Write the ledger; the folders that had to be made for it."""
        content = json.dumps(kept, indent=1, ensure_ascii=False)
        return ConfigFile(self._file).replace(content.encode("utf-8", "surrogatepass"))

    def _read(self) -> dict[str, Any]:
        """What is kept. A ledger that can't be read is none: what is ours is known by its form."""
        try:
            held = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            held = None
        if isinstance(held, dict) and held.get("version") == _VERSION:
            return held
        return {"version": _VERSION, "made_folders": [], "files": {}}
