"""Spans: the steps of a call that may be timed, and whoever has asked for it.

A step says what it is and how much it handles, and nothing of what that says. While nobody has
asked, a span is one comparison.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext

Figure = str | int
BeginSpan = Callable[[str, Mapping[str, Figure]], AbstractContextManager[object]]
"""Function that times a block, given the step's name and its figures."""

_UNTIMED = nullcontext()


class Spans:
    """The steps of this process."""

    __slots__ = ("begin",)

    def __init__(self) -> None:
        self.begin: BeginSpan | None = None
        """What times a step; None while nobody has asked for it."""

    def time(self, name: str, **figures: Figure) -> AbstractContextManager[object]:
        """Return what times a block as a step.

        Args:
            name: what the step does: `embed`.
            figures: numbers and kinds, never a text, an id or a name that somebody gave.
        """
        return _UNTIMED if self.begin is None else self.begin(name, figures)


spans = Spans()
