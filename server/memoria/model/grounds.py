"""How what a memory or a turn says of a repository stands now."""

from typing import Literal

from memoria.model.base import Value

GroundWord = Literal["unchanged", "changed", "gone", "not checked"]


class GroundMark(Value):
    """State of the files that carry a memory, or of which a turn shows lines."""

    state: GroundWord
    """`not checked`: the repository is elsewhere, nobody has looked since it changed, or no part of
    it surely says what the memory does."""
    commits: int = 0
    """Commits that changed the files since; 0 where no commit has."""

    @property
    def phrase(self) -> str:
        """The state as every face tells it.

        >>> GroundMark(state="changed", commits=3).phrase
        'changed since (3 commits)'
        """
        if self.state != "changed":
            return self.state
        if not self.commits:
            return "changed since"
        return f"changed since ({self.commits} commit{'s' if self.commits > 1 else ''})"
