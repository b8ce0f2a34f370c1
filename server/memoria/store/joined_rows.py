"""The rows of a project that became part of another."""

from typing import NamedTuple


class JoinedRows(NamedTuple):
    """Rows that a project brought along when it became part of another: numbers and ids only."""

    former: int
    """Number of the project's name."""
    into: int
    sessions: list[int]
    memories: list[str]
    times: list[int]
    """Numbers of private times."""
