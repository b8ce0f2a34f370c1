"""The scratchpad: a session's present task, and those it finished lately."""

from typing import Annotated

from memoria.model.base import HIDDEN, Value
from memoria.model.instant import Moment


class CompletedTask(Value):
    """A task that is done or was left for another."""

    task: str
    at: Moment


class Scratchpad(Value):
    """One session's working notes."""

    session_id: str
    current_focus: str | None
    last_day: Annotated[str | None, HIDDEN] = None
    """Day the focus was last worked on, where that was before today."""
    updated_at: Moment
    completed: tuple[CompletedTask, ...]
    """Newest first, five at most."""
