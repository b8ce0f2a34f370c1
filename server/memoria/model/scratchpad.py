"""The scratchpad: a session's present task, and those it finished lately."""

from memoria.model.base import Value


class CompletedTask(Value):
    """A task that is done or was left for another. `at` in UTC epoch milliseconds."""

    task: str
    at: int


class Scratchpad(Value):
    """One session's working notes."""

    session_id: str
    current_focus: str | None
    last_day: str | None = None
    """Day the focus was last worked on, where that was before today."""
    completed: tuple[CompletedTask, ...]
    """Newest first, five at most."""
    updated_at: int
