"""Wishes: lasting requests of the user to their assistant, in their own words.

They are turns that a classifier has marked, and no memories. A few are laid before an agent that
has asked for nothing: whole, dated, the newest of those that are alike, and only where nothing
speaks against it. Everything else stays a turn that a search finds.
"""

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from memoria.bare.projects import find_place
from memoria.ingest.attribution import find_participants
from memoria.language.reading.lines import join_lines
from memoria.language.statements.lasting import lasting_end
from memoria.language.statements.standing import takes_back
from memoria.language.words.analyser import query_terms
from memoria.memories.conditions import condition_of_turn
from memoria.memories.days import date_of_turn, zone_of_turn
from memoria.model import InferredBy, MemoryType, StoredTurn
from memoria.policy.privacy import screen
from memoria.policy.scope import decide_scope, default_scope
from memoria.store.rows.transaction import Transaction

HEADING = "What the user asked for, in their words"
_ID_CHARS = 8
_LOOKED_AT = 60
_MOST = 12
_ALIKE = 0.5
"""Share of common words from which only the newer one of two wishes is told."""


def list_wishes(tx: Transaction, project: str | None) -> list[StoredTurn]:
    """List the wishes to lay before an agent in a project, the newest first."""
    told, words = list[StoredTurn](), list[frozenset[str]]()
    for turn in _list_sure(tx, project):
        own = frozenset(query_terms(turn.content))
        if any(_are_alike(own, other) for other in words):
            continue
        told.append(turn)
        words.append(own)
        if len(told) == _MOST:
            break
    return told


def wish_lines(
    tx: Transaction, turns: Sequence[StoredTurn], project: str | None, home: str
) -> list[str]:
    """List a line for each wish, as read in a project: its day, its source and all its words."""
    return [f'{_head_of(tx, turn, project, home)}: "{join_lines(turn.content)}"' for turn in turns]


def name_other_project(turn: StoredTurn, project: str | None, home: str | None = None) -> str:
    """Name the other project in which a wish was said; empty for this one, or none.

    Readers are left to judge if it is meant for that project alone.

    Args:
        turn: the wish.
        project: where it is read.
        home: which knows the folder in which the other project is now; None for the one it was in.
    """
    if turn.workspace in (None, project):
        return ""
    place = turn.workspace if home is None else find_place(home, turn.workspace)
    return f", said in {join_lines(PurePath(place).name or place)}"


def _head_of(tx: Transaction, turn: StoredTurn, project: str | None, home: str) -> str:
    source = f"[turn {turn.id[-_ID_CHARS:]}]{name_other_project(turn, project, home)}"
    return f"- {date_of_turn(turn, tx.zone)} {source}"


def _list_sure(tx: Transaction, project: str | None) -> Iterator[StoredTurn]:
    participants = find_participants(tx)
    for turn in tx.conversations.list_wishes(_LOOKED_AT):
        is_users = participants.find_person(turn) is None
        if (
            is_users
            and _is_seen_from(turn, project)
            and _holds(tx, turn)
            and not _is_kept(tx, turn)
        ):
            yield turn


def _is_seen_from(turn: StoredTurn, project: str | None) -> bool:
    if turn.workspace in (None, project):
        return True
    scope = decide_scope(turn.content, MemoryType.RULE, None)
    return (scope or default_scope(MemoryType.RULE)) == "everywhere"


def _holds(tx: Transaction, turn: StoredTurn) -> bool:
    """Check that nothing bounds a wish, nothing takes it back, and nothing in it is private."""
    zone = zone_of_turn(turn, tx.zone)
    if lasting_end(turn.content, MemoryType.RULE, turn.at, zone) is not None:
        return False
    if screen(turn.content).found:
        return False
    _, after = tx.conversations.user_turns_beside([turn.n])[turn.n]
    if after is not None and takes_back(after.content):
        return False
    return condition_of_turn(tx, turn) is None


def _is_kept(tx: Transaction, turn: StoredTurn) -> bool:
    """Check whether a memory was already concluded from the turn."""
    return any(tx.memories.list_concluded_from([turn.n], by) for by in InferredBy)


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _ALIKE * min(len(one), len(other))
