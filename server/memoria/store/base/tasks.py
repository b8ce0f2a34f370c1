"""Tasks: names of what was being worked on, as memories bear them."""

from collections.abc import Callable
from typing import Protocol


class TaskNames(Protocol):
    """The names of tasks that a tenant's memories bear."""

    def list_names(self) -> list[str]:
        """List the tasks that memories were learnt at, each once."""
        ...

    def erase(self, unwanted: Callable[[str], bool]) -> None:
        """Erase the names that are unwanted; the memories that bear them stay."""
        ...
