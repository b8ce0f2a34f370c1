"""Change of one file of a client, as it is shown before it is written."""

from dataclasses import dataclass
from pathlib import Path

from memoria.bare.lazy_regex import lazy_regex
from memoria.connectors.clients.config_file import decode, unified_lines
from memoria.connectors.clients.document import ConfigDocument, EditError, WantedParts
from memoria.connectors.clients.syntax.interface import InsertedPiece, SyntaxName
from memoria.errors import ClientError

_TOKEN = lazy_regex(r"(?<=Bearer )[^\s\"'${]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdit:
    """Change that is planned for one file."""

    path: Path
    before: bytes | None
    after: bytes | None
    """Content afterwards; None if the file is deleted."""
    pieces: tuple[InsertedPiece, ...] = ()
    is_own: bool = False
    """True for a file of hooks that is Memoria's alone."""
    is_executable: bool = False
    secret: str = ""
    """Token that the content may hold; a file that holds it is for the user alone."""
    syntax: SyntaxName = "JSON"

    def is_cut(self, copy: bytes) -> bool:
        """Check whether a backup from before the connection is only the beginning of the file."""
        if not self.pieces or self.before is None:
            return False
        try:
            ConfigDocument(WantedParts(syntax=self.syntax)).read(decode(copy, self.path)[1])
        except (EditError, ClientError):
            return True
        return copy != self.before and self.before.startswith(copy)

    @property
    def changes(self) -> bool:
        """True if any file changes."""
        return self.before != self.after

    @property
    def holds_secret(self) -> bool:
        """True if the file holds a token afterwards."""
        return bool(self.secret) and self.secret.encode() in (self.after or b"")

    @property
    def is_all_ours(self) -> bool:
        """True if the file is made or deleted, so that no line in it is the user's."""
        return self.changes and None in (self.before, self.after)

    def diff(self) -> list[str]:
        """Return the lines of the change as a unified diff, with a word in place of each token."""
        lines = unified_lines(str(self.path), self.before, self.after)
        return [_TOKEN.sub(self._name_token(line), line) for line in lines]

    def _name_token(self, line: str) -> str:
        """Return what stands for a token in a line; a change of the token is to be seen."""
        return "(another token)" if self.secret and self.secret not in line else "…"
