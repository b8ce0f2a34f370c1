"""The rows of a project that became part of another."""

from typing import NamedTuple


class JoinedRows(NamedTuple):
    """What a project brought with it when it became part of another, without a word of it."""

    former: int
    """The number of the project's name."""
    into: int
    sessions: list[int]
    memories: list[str]
    times: list[int]
    """The numbers of private times."""
