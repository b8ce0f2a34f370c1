"""How what a memory or a turn says of a repository stands now."""

from typing import Annotated, Literal

from memoria.model.base import UNLESS_EMPTY, Value

GroundWord = Literal["unchanged", "changed", "gone", "not checked"]


class GroundMark(Value):
    """State of the files that carry a memory, or of which a turn shows lines."""

    state: GroundWord
    """`not checked`: the repository is elsewhere, nobody has looked since it changed, or no part of
    it surely says what the memory does."""
    commits: int = 0
    """Commits that changed the files since; 0 where no commit has."""
    moved_to: Annotated[str | None, UNLESS_EMPTY] = None
    """Path at which what carries a memory is now; None where that is still its own."""

    @property
    def phrase(self) -> str:
        """The state as every face tells it.

        >>> GroundMark(state="changed", commits=3).phrase
        'changed since (3 commits)'
        >>> GroundMark(state="unchanged", moved_to="src/retry.py").phrase
        'unchanged, now in src/retry.py'
        """
        place = "" if self.moved_to is None else f", now in {self.moved_to}"
        if self.state != "changed":
            return f"{self.state}{place}"
        if not self.commits:
            return f"changed since{place}"
        return f"changed since ({self.commits} commit{'s' if self.commits > 1 else ''}){place}"
