"""Changes: a person's actions on memories, as they are listed and undone."""

from collections.abc import Mapping
from typing import Annotated

from memoria.model.base import HIDDEN, Shown, Value
from memoria.model.instant import Moment


class Change(Value):
    """An action of a person: a statement, a revision, a forget, or the undo of one."""

    id: str
    at: Moment
    """Time of the action."""
    action: str
    """`remember`, an action of a revision, `forget` or `undo`."""
    by: str
    """The way in: `on the command line`, `by a program`."""
    memory_id: str | None = None
    """Memory that it was done to; None for a forget."""
    content: Annotated[str | None, Shown("text")] = None
    """The memory's text after it, or now; None where it was forgotten since."""
    former: Annotated[str | None, Shown("former_text")] = None
    """The memory's text before a correction, where that is still there."""
    others: Annotated[tuple[str, ...], Shown("other_memories", when_empty=False)] = ()
    """Ids of the other memories that it changed."""
    items: Annotated[Mapping[str, int] | None, Shown("forgotten", when_empty=False)] = None
    """Number of items hidden, by kind; of a forget only."""
    undoes: str | None = None
    """Id of the change that it took back."""
    is_undone: Annotated[bool, Shown("undone")] = False
    is_gone: Annotated[bool, HIDDEN] = False
    """True if the memory, or its text before, was forgotten since, or by a forget for good: it
    can't be undone."""
    is_overtaken: Annotated[bool, HIDDEN] = False
    """True if the memory was changed again since: the later change is to be undone first."""


class ChangeList(Value):
    """Changes, newest first."""

    changes: tuple[Change, ...]
    id_chars: int
    """Number of last characters that tell these ids apart."""
