"""Projects of a tenant."""

from typing import Protocol

from memoria.store.joined_rows import JoinedRows
from memoria.store.listed import HeldProject


class Projects(Protocol):
    """What is on record of each project."""

    def list_held(self) -> list[HeldProject]:
        """The projects of which anything is on record, by name."""
        ...

    def list_used(self) -> list[str]:
        """The names of projects of which a memory or a session is on record."""
        ...

    def list_names(self) -> list[str]:
        """The names of all projects that were ever heard of, and not forgotten."""
        ...

    def join(self, name: str, into: str) -> JoinedRows | None:
        """Have all that is on record of a project be another's. Gives what that was."""
        ...

    def find_name(self, number: int) -> str | None:
        """The name of a project that has a number."""
        ...

    def part(self, rows: JoinedRows, joined_at: int) -> None:
        """Have what a project brought with it be its own again, as far as it is the other's still.

        What has been drawn from its conversations since goes with it.
        """
        ...
