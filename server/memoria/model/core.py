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
"""Files of memories that hold everywhere. Each project has a file of its own besides."""

CONTRADICTED = " (contradicted by another memory: ask)"
"""Suffix of a memory that another one contradicts; no word of the memory itself."""
EARLIER = " (earlier: a newer memory is like it)"
"""Suffix that earlier versions wrote behind a memory that a newer one is like."""
SAID_LATER = "later, "
"""Prefix of a later statement about the memory of the line above, with its day."""
NOT_REMEMBERED = "Not remembered: "
"""Prefix of the line below a line of the user's that says why it is no memory."""
OWN_COMMENT = "<!-- memoria -->"
"""Suffix of a line that says something about the file, and nothing of a memory."""
USER_EDIT_NAME = "hand-edit"
"""Name of the channel of core files."""


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
    """Minutes by which the speaker's clock was ahead of UTC, as its turn has it."""


@dataclass(frozen=True, slots=True)
class CoreLine:
    """A line of a file about a memory, as it was last written. No word of it is kept."""

    memory_id: str
    mark: str
    """`m:` and the end of the id; `c:` in a conflict; `d:` where it was taken out too quickly."""
    digest: bytes
    version_n: int
    """Number of the wording it was written from."""


@dataclass(frozen=True, slots=True)
class LineStatus:
    """The memory of a line, with its present validity."""

    memory: CoreMemory
    validity: Validity


@dataclass(frozen=True, slots=True)
class EditConflict:
    """An edit by the user that contradicts what was said elsewhere at the same time."""

    user_edit: CoreMemory
    """The edit; it waits until one of the two is chosen."""
    against: CoreMemory
    against_is_active: bool
    """True if the other one is active."""


@dataclass(frozen=True, slots=True)
class CoreFileState:
    """Digests of a file's last written text."""

    digest: bytes | None = None
    pending: bytes | None = None
    """Digest of a text about to be written, until the file has it."""
