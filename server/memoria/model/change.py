"""Changes: a person's actions on memories, as they are listed and undone."""

from collections.abc import Mapping

from memoria.model.base import Value


class Change(Value):
    """One thing that a person did: a statement, a revision, a forget, an import, an undo."""

    id: str
    at: int
    """Time of the action, UTC epoch milliseconds."""
    action: str
    """`remember`, an action of a revision, `forget`, `import` or `undo`."""
    by: str
    """The way in: `on the command line`, `by a program`."""
    memory_id: str | None = None
    """The memory that it was done to; none for a forget or an import."""
    content: str | None = None
    """The memory's text after it, or now; None where it was forgotten since."""
    former: str | None = None
    """The memory's text before a correction, where that is still there."""
    others: tuple[str, ...] = ()
    """Ids of the other memories that it changed."""
    items: Mapping[str, int] | None = None
    """Of a forget: how many of each kind it has hidden; of an import: how many came in."""
    sessions: tuple[str, ...] = ()
    """Of an import: conversations of which something came in by it and is there still."""
    undoes: str | None = None
    """Id of the change that it took back."""
    is_undone: bool = False
    is_gone: bool = False
    """Whether the memory, or what it said before, was forgotten since, or by a forget for good, or
    it was an import: it can't be undone."""
    is_overtaken: bool = False
    """True if the memory was changed again since: the later change is to be undone first."""


class ChangeList(Value):
    """Changes, newest first."""

    changes: tuple[Change, ...]
    id_chars: int
    """Number of last characters that tell these ids apart."""
