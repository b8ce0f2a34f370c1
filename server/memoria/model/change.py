"""Changes: a person's actions on memories, as they are listed and undone."""

from collections.abc import Mapping
from typing import Annotated, Any

from memoria.model.base import HIDDEN, Shown, Value
from memoria.model.instant import Moment


class Change(Value):
    """One thing that a person did: a statement, a revision, a forget, an import, an undo."""

    id: str
    at: Moment
    """Time of the action."""
    action: str
    """`remember`, an action of a revision, `forget`, `import` or `undo`."""
    by: str
    """The way in: `on the command line`, `by a program`."""
    memory_id: str | None = None
    """Memory that it was done to; None for a forget or an import."""
    content: Annotated[str | None, Shown("text")] = None
    """The memory's text after it, or now; None where it was forgotten since."""
    former: Annotated[str | None, Shown("former_text")] = None
    """The memory's text before a correction, where that is still there."""
    others: Annotated[tuple[str, ...], Shown("other_memories", when_empty=False)] = ()
    """Ids of the other memories that it changed."""
    items: Annotated[Mapping[str, int] | None, HIDDEN] = None
    """Of a forget: how many of each kind it has hidden; of an import: how many came in."""
    sessions: Annotated[tuple[str, ...], HIDDEN] = ()
    """Of an import: conversations of which something came in by it and is there still."""
    undoes: str | None = None
    """Id of the change that it took back."""
    is_undone: Annotated[bool, Shown("undone")] = False
    is_gone: Annotated[bool, HIDDEN] = False
    """True if the memory, or its text before, was forgotten since, or by a forget for good, or it
    was an import: it can't be undone."""
    is_overtaken: Annotated[bool, HIDDEN] = False
    """True if the memory was changed again since: the later change is to be undone first."""

    def _write_fields(self) -> dict[str, Any]:
        """Return every field as JSON; the items of a forget are `forgotten`, else `imported`."""
        kind = "imported" if self.action == "import" else "forgotten"
        return super()._write_fields() | ({kind: dict(self.items)} if self.items else {})


class ChangeList(Value):
    """Changes, newest first."""

    changes: tuple[Change, ...]
    id_chars: int
    """Number of last characters that tell these ids apart."""
