"""Marks: what kind of thing a recorded turn says, by its words and by the vector of them."""

from collections.abc import Iterator, Mapping, Sequence

from memoria.inference.bundled import BUNDLED
from memoria.model import Role, StoredTurn, Vector
from memoria.model.turn import Mark
from memoria.policy.plain_statements import find_plain_statements
from memoria.policy.statements.standing import is_standing_wish


def read_mark(turn: StoredTurn, vector: Vector | None) -> Mark:
    """What kind of thing a turn says.

    Args:
        turn: what was recorded.
        vector: what the bundled embedder has made of it; None where there is none.
    """
    is_tool_call = turn.tool_args is not None or turn.tool_result is not None
    own = vector if speaks_alone(turn) else None
    return find_plain_statements(turn.role, turn.content, tool_call=is_tool_call, vector=own).mark


def list_other_marks(
    model: str, turns: Sequence[StoredTurn], vectors: Mapping[int, Vector]
) -> Iterator[tuple[int, Mark]]:
    """The marks of turns of which their vectors tell something else than their words alone.

    Args:
        model: whose vectors they are; those of another embedder than the bundled one tell nothing.
        turns: what was recorded.
        vectors: by the number of the turn.
    """
    told = [turn for turn in turns if turn.n in vectors and speaks_alone(turn)]
    for turn in told if model == BUNDLED else ():
        vector = vectors[turn.n]
        if is_standing_wish(turn.content) != is_standing_wish(turn.content, vector):
            yield turn.n, read_mark(turn, vector)


def speaks_alone(turn: StoredTurn) -> bool:
    """Whether a turn is embedded by itself, without the turn before it."""
    return turn.role is Role.USER and turn.speaker is None
