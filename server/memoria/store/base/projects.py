"""Projects of a tenant."""

from typing import Protocol

from memoria.store.joined_rows import JoinedRows
from memoria.store.listed import HeldProject


class Projects(Protocol):
    """The rows of each project, and their move from one project to another."""

    def list_held(self) -> list[HeldProject]:
        """List the projects of which anything is on record, by name."""
        ...

    def list_used(self) -> list[str]:
        """List the names of projects of which a memory or a session is on record."""
        ...

    def list_names(self) -> list[str]:
        """List the names of all projects that were ever heard of, and not forgotten."""
        ...

    def join(self, name: str, into: str) -> JoinedRows | None:
        """Move all rows of a project to another; return what was moved, None if it is unknown."""
        ...

    def find_name(self, number: int) -> str | None:
        """Return the name of the project with a number; None if there is none."""
        ...

    def part(self, rows: JoinedRows, joined_at: int) -> None:
        """Move joined rows back to the project they came from, unless they were moved on since.

        What was concluded from its conversations since goes with them.
        """
        ...
