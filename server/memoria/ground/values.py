"""Values of grounding: what a memory is bound to, and how that stands now."""

from dataclasses import dataclass
from enum import StrEnum


class GroundState(StrEnum):
    """State of the part of a repository that a memory speaks of."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    GONE = "gone"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True)
class Binding:
    """A part of a file that carries a statement."""

    path: str
    """Path of the file below the repository's folder."""
    symbol: str
    """Names of what the part is in, outermost first, joined by ` > `; empty at the top."""
    fingerprint: str
    """Marks by which the part is found again, see `memoria.ground.fingerprints`."""
    commit: str | None
    """Commit at which it was read; None in a repository without any."""


@dataclass(frozen=True, slots=True)
class GroundCheck:
    """State of all bindings of a memory together."""

    state: GroundState
    commits: int
    """Commits that changed the files since; 0 where nothing has, or where all is uncommitted."""
    path: str | None
    """Where the first part is now; None if it is gone."""
    stamp: str
    """HEAD and the files' times and sizes: while these are the same, so is the state."""
