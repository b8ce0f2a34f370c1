"""Remark: what a ranking asks of a turn."""

from collections.abc import Callable
from typing import NamedTuple


class Remark(NamedTuple):
    """Who said a turn and when."""

    speaker: str | None
    role: str
    at: int
    read: Callable[[], str]
    """Unpacks what was said, while the transaction lasts."""
    is_whole: bool = True
    """Whether that is all: a turn may be a tool call as well."""

    @property
    def content(self) -> str:
        """What was said; unpacked where it is asked for."""
        return self.read()
