"""Core memory: files that a person reads and edits, their lines, and their memories."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from memoria.model.memory import Trust, Validity
from memoria.model.memory_types import MemoryType

CoreFile: TypeAlias = str
"""The place of a core file below the tenant's folder: `USER.md`, `projects/api-1a2b3c4d/MEMORY.md`.
"""

PROJECT_FILE = "MEMORY.md"
"""The name of a project's core file."""
CORE_FILES: tuple[CoreFile, ...] = (PROJECT_FILE, "USER.md", "PERSONA.md")
"""Core files of memories that are seen everywhere; each project has a further file."""

CONTRADICTED = " (contradicted by another memory: ask)"
"""Suffix of a memory that another one contradicts; no word of the memory itself."""
EARLIER = " (earlier: a newer memory is like it)"
"""Suffix that older versions wrote behind a memory with a similar newer memory."""
SAID_LATER = "later, "
"""Prefix of a line with a later statement about the memory of the line above."""
NOT_REMEMBERED = "Not remembered: "
"""Prefix of a line that says why the user's line above has become no memory."""
OWN_COMMENT = "<!-- memoria -->"
"""Suffix of a line that says something about the file, and nothing of a memory."""
USER_EDIT_NAME = "hand-edit"
"""Name of the channel of core files."""


@dataclass(frozen=True, slots=True)
class CoreMemory:
    """A memory in its newest wording, with the fields that core files need."""

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
    """Only project in which the memory is seen; None if seen in all."""
    utc_offset: int | None = None
    """Minutes by which the speaker's clock was ahead of UTC, from the memory's turn."""


@dataclass(frozen=True, slots=True)
class ToldLine:
    """A line that an agent is told unasked, and the record that it rests on."""

    text: str
    """Words as an agent reads them; of a guide or a task they may run over several lines."""
    part: "ToldPart" = "frame"
    record_id: str | None = None
    """Id of the memory or turn that the line rests on, or the end of it; of a task its session."""


ToldPart: TypeAlias = Literal["frame", "guide", "core", "wish", "task", "episode"]
"""Part of a told text: `frame` for headings, blank lines and fences, `guide` for Memoria's own
words, `core` for a line of a core file."""


@dataclass(frozen=True, slots=True)
class ToldText:
    """A text that an agent is told unasked, by line."""

    lines: tuple[ToldLine, ...]

    @property
    def text(self) -> str:
        """The text as an agent reads it."""
        return "\n".join(line.text for line in self.lines)

    @property
    def record_ids(self) -> list[str]:
        """Ids of the memories and turns that its lines rest on, in their order."""
        known = (line.record_id for line in self.lines if line.part != "task")
        return list(dict.fromkeys(one for one in known if one is not None))


@dataclass(frozen=True, slots=True)
class CoreLine:
    """A core file's line about a memory, as last written; the text is not stored."""

    memory_id: str
    mark: str
    """`m:` and the end of the id; `c:` in a conflict; `d:` if the line was deleted too quickly."""
    digest: bytes
    version_n: int
    """Number of the wording in the line."""


@dataclass(frozen=True, slots=True)
class LineStatus:
    """The memory of a line, with its present validity."""

    memory: CoreMemory
    validity: Validity


@dataclass(frozen=True, slots=True)
class EditConflict:
    """A user's edit of a core file that contradicts a memory made at the same time."""

    user_edit: CoreMemory
    """Memory of the edit; pending until the user chooses one of the two."""
    against: CoreMemory
    against_is_active: bool
    """True if the other memory is active."""


@dataclass(frozen=True, slots=True)
class CoreFileState:
    """Digests of a file's last written text."""

    digest: bytes | None = None
    pending: bytes | None = None
    """Digest of a text about to be written, until the write is confirmed."""
