"""Core memory: the files a person reads and edits, and what stands in them."""

from dataclasses import dataclass
from typing import TypeAlias

from memoria.model.memory import Trust, Validity
from memoria.model.memory_types import MemoryType

CoreFile: TypeAlias = str
"""The place of a core file below the tenant's folder: `USER.md`, `projects/api-1a2b3c4d/MEMORY.md`.
"""

PROJECT_FILE = "MEMORY.md"
"""The name of a project's core file."""
CORE_FILES: tuple[CoreFile, ...] = (PROJECT_FILE, "USER.md", "PERSONA.md")
"""What holds everywhere. What holds in one project has a file of its own."""

CONTRADICTED = " (contradicted by another memory: ask)"
"""Ends what is shown of a memory that another one contradicts; no word of the memory itself."""
EARLIER = " (earlier: a newer memory is like it)"
"""Ends what is shown of a memory that a newer one in the same file is like."""
SAID_LATER = "later, "
"""Begins what was said later than the memory of the line above, with its day."""
NOT_REMEMBERED = "Not remembered: "
"""Begins the line below a line of the user's that says why it is no memory."""
OWN_COMMENT = "<!-- memoria -->"
"""Ends a line that says something about the file, and nothing of a memory."""
USER_EDIT_NAME = "hand-edit"
"""The channel of what was written into a core file."""


@dataclass(frozen=True, slots=True)
class CoreMemory:
    """A memory in its newest wording, as far as core files ask."""

    id: str
    type: MemoryType
    content: str
    version_n: int
    """The number of the wording."""
    valid_from: int
    importance: float = 0.5
    pinned: bool = False
    verified: bool = False
    subject: str | None = None
    predicate: str | None = None
    trust: Trust = Trust.REPORTED
    channel: str = ""
    project: str | None = None
    """The project in which alone it is seen; None where it is seen in all."""
    utc_offset: int | None = None
    """How many minutes the clock of whoever said it was ahead of UTC, as its turn has it."""


@dataclass(frozen=True, slots=True)
class CoreLine:
    """What a file said of a memory when it was last written. No word of it is kept."""

    memory_id: str
    mark: str
    """`m:` and the end of the id; `c:` in a conflict; `d:` where it was taken out too quickly."""
    digest: bytes
    version_n: int
    """The wording it was written from."""


@dataclass(frozen=True, slots=True)
class LineStatus:
    """Where a memory of a line stands now."""

    memory: CoreMemory
    validity: Validity


@dataclass(frozen=True, slots=True)
class EditConflict:
    """An edit by the user that contradicts what was said elsewhere at the same time."""

    user_edit: CoreMemory
    """It waits until one of the two is chosen."""
    against: CoreMemory
    against_is_active: bool
    """Whether the other one is active."""


@dataclass(frozen=True, slots=True)
class CoreFileState:
    """What was last written to a file: digests, no word."""

    digest: bytes | None = None
    pending: bytes | None = None
    """Of what is about to be written; it stands until the file does."""
