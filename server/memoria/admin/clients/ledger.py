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
        kept = self._read().get(str(path))
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
        held = self._read()
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
            self._file.unlink(missing_ok=True)
            return
        content = json.dumps({"version": _VERSION, "files": held}, indent=1, ensure_ascii=False)
        self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        ConfigFile(self._file).replace(content.encode("utf-8", "surrogatepass"))
        self._file.chmod(0o600)

    def _read(self) -> dict[str, Any]:
        """What is kept. A ledger that can't be read is none: what is ours is known by its form."""
        try:
            held = json.loads(self._file.read_bytes())
        except (OSError, ValueError):
            return {}
        files = held.get("files") if isinstance(held, dict) else None
        return files if isinstance(files, dict) and held.get("version") == _VERSION else {}
