"""All words of a project, newest first, of those that nothing has lifted since."""

from collections.abc import Sequence
from typing import NamedTuple

from memoria.policy.guard.commands import draw_commands
from memoria.policy.guard.edits import draw_edits
from memoria.policy.guard.rules import draw_rules
from memoria.policy.guard.steps import GuardStep

_MOST_WORDS = 200


class GuardWord(NamedTuple):
    """A word with what a call must have for it."""

    match: dict[str, object]
    turns: tuple[str, ...]
    """Ids of the turns that it rests on."""


def draw_words(steps: Sequence[GuardStep]) -> list[GuardWord]:
    """List the words that steps give, in their order; what the user ruled out comes first."""
    found: dict[str, GuardWord] = {}
    for match, turns in (*draw_rules(steps), *draw_commands(steps), *draw_edits(steps)):
        said = {name: value for name, value in match.items() if name != "line"}
        # Of failures that tell the same the newest stands first; its word is the one that is kept.
        found.setdefault(repr(sorted(said.items())), GuardWord(match | {"id": turns[0]}, turns))
    return [*found.values()][:_MOST_WORDS]
