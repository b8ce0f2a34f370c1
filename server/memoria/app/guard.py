"""Words before a mistake, laid ready for the hook: drawn anew when the record grew."""

from memoria.app.briefing import CoreReader
from memoria.bare.guard_words import MOST_WORDS_BYTES
from memoria.bare.plain_json import write_json
from memoria.bare.projects import find_place
from memoria.config import Settings
from memoria.model import Role, StoredTurn
from memoria.model.core import ToldLine, ToldText
from memoria.policy.guard import GuardStep, draw_words, read_step
from memoria.store.rows.transaction import Transaction

_MOST_TURNS = 2_000
"""Newest calls and words of the user in a project that words are drawn from."""


class WordsWriter:
    """Writes a project's words, each a line of JSON; remembers what it has read of each turn."""

    def __init__(self, settings: Settings) -> None:
        """Bind to a home, in which projects are found by their folders."""
        self._home = str(settings.home_path)
        self._steps: dict[str, dict[int, GuardStep | None]] = {}

    def __call__(self, tx: Transaction, _reader: CoreReader, project: str | None) -> ToldText:
        """Return the words for a project; for no project none."""
        if project is None:
            return ToldText((ToldLine("{}"),))
        root = find_place(self._home, project)
        steps = self._read(tx, project, root)
        lines, left = [ToldLine(write_json({"root": root}))], MOST_WORDS_BYTES
        for word in draw_words(steps):
            text = write_json(word.match)
            left -= len(text)
            if left < 0:
                break
            lines.append(ToldLine(text, record_id=word.turns[0]))
        return ToldText(tuple(lines))

    def _read(self, tx: Transaction, project: str, root: str) -> list[GuardStep]:
        """Return a project's steps in the order in which they happened."""
        ns = tx.conversations.list_calls_and_words(project, _MOST_TURNS)
        known = self._steps.get(project, {})
        new = tx.conversations.turns([n for n in ns if n not in known])
        read = {n: known[n] if n in known else _read_turn(new[n], root) for n in ns}
        self._steps[project] = read
        found = (one for n in sorted(read) if (one := read[n]) is not None)
        return sorted(found, key=lambda one: one.at)


def _read_turn(turn: StoredTurn, root: str) -> GuardStep | None:
    said = turn.content if turn.role is Role.USER else ""
    named = (turn.id, turn.at, turn.session_id)
    return read_step(*named, turn.tool_name, turn.tool_args, turn.tool_result, said=said, root=root)
