"""Changes: what a person did to memories, as a list of them shows it and an undo takes it back."""

from collections.abc import Mapping

from memoria.model.base import Value


class Change(Value):
    """One thing that a person did: a statement, a revision, a forget, an import, an undo."""

    id: str
    at: int
    """When, UTC epoch milliseconds."""
    action: str
    """`remember`, an action of a revision, `forget`, `import` or `undo`."""
    by: str
    """The way in: `on the command line`, `by a program`."""
    memory_id: str | None = None
    """The memory that it was done to; none for a forget or an import."""
    content: str | None = None
    """What the memory says by it, or now; none where it was forgotten since."""
    former: str | None = None
    """What it said before a correction, where that is still there."""
    others: tuple[str, ...] = ()
    """Ids of the other memories that it changed."""
    items: Mapping[str, int] | None = None
    """Of a forget: how many of each kind it has hidden; of an import: how many came in."""
    sessions: tuple[str, ...] = ()
    """Of an import: conversations of which something came in by it and is there still."""
    undoes: str | None = None
    """The change that was taken back by it."""
    is_undone: bool = False
    is_gone: bool = False
    """Whether the memory, or what it said before, was forgotten since, or by a forget for good, or
    it was an import: it can't be undone."""
    is_overtaken: bool = False
    """Whether the memory was changed again since: the later change is to be undone first."""


class ChangeList(Value):
    """Changes, newest first."""

    changes: tuple[Change, ...]
    id_chars: int
    """How many of their last characters tell these ids apart."""
