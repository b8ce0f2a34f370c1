"""Last turns: the end of a session in a context package, within its share of the budget.

The newest turns are taken first, so that the oldest make room. A turn stands there whole, or it is
cut and says so, with its id; what a tool was given and gave back is shortened in any case.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from memoria.language.budget import price_text
from memoria.language.reading.lines import indent_lines, join_lines
from memoria.language.reading.strip import escape_fences
from memoria.language.words.document import as_text
from memoria.memories.conditions import is_withheld
from memoria.model import Role, StoredTurn
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.store.rows.transaction import Transaction

_SPARE = 8
"""Turns read beyond those wanted, since some are not to be shown."""
_LEAST_TOKENS = 40
"""Fewest tokens for which a turn that has to be cut is shown."""
_ARGS_CHARS = 120
_RESULT_CHARS = 240
_CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class SessionEnd:
    """The last turns of a session that may be shown, oldest first."""

    turns: Sequence[StoredTurn] = ()
    answered_id: str | None = None
    """Id of the turn that is being answered, where it is on record: the asker shows it anyway."""


NO_TURNS = SessionEnd()


@dataclass(frozen=True, slots=True)
class LastTurns:
    """The turns that fitted, as lines."""

    lines: tuple[str, ...] = ()
    whole_ids: Collection[str] = frozenset()
    """Ids of the turns that are shown whole."""


def read_session_end(
    tx: Transaction, session_id: str, most: int, query: str, workspace: str | None
) -> SessionEnd:
    """Read the last turns of a session that may be shown.

    Turns whose words were forgotten, instructions of a system and the query itself are left out,
    and so is what was said in a project that is not asked from.

    Args:
        tx: the transaction to read in.
        session_id: the session.
        most: turns at most.
        query: what is about to be answered.
        workspace: the project that is asked from.
    """
    if most == 0:
        return NO_TURNS
    wanted = 2 * most + _SPARE
    offset = max(0, tx.conversations.session_size(session_id) - wanted)
    turns = tx.conversations.session_turns(session_id, offset, wanted)
    shown = [turn for turn in turns if _may_be_shown(tx, turn, workspace)]
    is_answered = bool(shown) and shown[-1].content.strip() == query.strip()
    answered_id = shown.pop().id if is_answered else None
    return SessionEnd(shown[-most:], answered_id)


def fit_last_turns(turns: Sequence[StoredTurn], tokens: int) -> LastTurns:
    """Return the newest of the turns that fit into so many tokens, in their order."""
    lines: list[str] = []
    whole: set[str] = set()
    left = tokens - line_cost(_note_dropped(len(turns))) if turns else 0
    for turn in reversed(turns):
        head, text, is_cut = _describe_turn(turn)
        line = head + text
        if line_cost(line) > left:
            shorter = _cut_to_fit(turn, head, text, left)
            lines += [shorter] if shorter else []
            break
        left -= line_cost(line)
        lines.append(line)
        whole |= set() if is_cut else {turn.id}
    dropped = len(turns) - len(lines)
    notes = [_note_dropped(dropped)] if dropped else []
    return LastTurns((*notes, *reversed(lines)), frozenset(whole))


def line_cost(line: str) -> int:
    """Estimate the tokens of a line with its end, escaped as it will be."""
    return price_text(escape_fences(f"{line}\n"))


def _note_dropped(count: int) -> str:
    return f"({count} earlier {'turn' if count == 1 else 'turns'} left out)"


def _may_be_shown(tx: Transaction, turn: StoredTurn, workspace: str | None) -> bool:
    is_here = turn.workspace in (None, workspace)
    is_seen = is_here or (workspace == EVERYWHERE and not tx.memories.is_private(turn.workspace))
    if not is_seen or turn.suppressed or turn.role is Role.SYSTEM:
        return False
    return not is_withheld(tx, turn)


def _describe_turn(turn: StoredTurn) -> tuple[str, str, bool]:
    """Return the speaker with the place, the words, and whether anything was cut."""
    head = f"- #{turn.turn_index} {join_lines(turn.speaker or turn.role.value)}: "
    args, result = as_text(turn.tool_args), as_text(turn.tool_result)
    if not (turn.tool_name or args or result):
        return head, indent_lines(turn.content.strip(), "  "), False
    call = f"{turn.tool_name or 'tool'}({_shorten(args, _ARGS_CHARS)})"
    parts = [turn.content.strip(), call, f"→ {_shorten(result, _RESULT_CHARS)}" if result else ""]
    is_cut = len(args) > _ARGS_CHARS or len(result) > _RESULT_CHARS
    return head, indent_lines(" ".join(filter(None, parts)), "  "), is_cut


def _shorten(text: str, chars: int) -> str:
    return text if len(text) <= chars else f"{text[:chars]}… (of {len(text):,} characters)"


def _cut_to_fit(turn: StoredTurn, head: str, text: str, tokens: int) -> str | None:
    """Cut a turn to its beginning and say so; None where hardly any of it would fit."""
    mark = f"… (cut; turn {turn.id} has {len(text):,} characters)"
    if tokens < _LEAST_TOKENS + line_cost(head + mark):
        return None
    chars = min(len(text), tokens * _CHARS_PER_TOKEN)
    while chars > 0:
        line = f"{head}{text[:chars]}{mark}"
        cost = line_cost(line)
        if cost <= tokens:
            return line
        chars = min(chars - 1, chars * tokens // cost)
    return None
