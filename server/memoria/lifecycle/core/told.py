"""Text told to an agent unasked: memories, what stands beside them, and the user's wishes.

Core files, the briefing, the instructions and the resources all take their lines from this module.
Their readers believe that the rules and preferences are the user's.

A wish is a lasting request of the user to their assistant: a turn that a classifier has marked, and
no memory. A few wishes are shown to an agent that has asked for nothing: whole, dated, the newest
of those that are alike, and only where nothing speaks against it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from memoria.bare.projects import find_place
from memoria.inference import LazyEmbedder
from memoria.ingest.attribution import find_participants
from memoria.language.reading.fences import join_lines
from memoria.language.reading.pasted import find_pasted_spans
from memoria.language.statements.classifier import takes_back
from memoria.language.statements.lasting import REDACTED, lasting_end
from memoria.language.statements.orders import directs, doubt_direction, instruction_shaped
from memoria.language.words.analyser import query_terms
from memoria.lifecycle.core.lines import CorePlace, Quote, render_text
from memoria.lifecycle.core.render import Rows
from memoria.memories.conditions import conditions_of_memories, conditions_of_turns
from memoria.memories.times import date_of_turn, zone_of_turn
from memoria.model import MemoryType, MemoryVersion, SourceKind, StoredTurn, Trust
from memoria.model.core import PROJECT_FILE, CoreLine, CoreMemory, ToldLine
from memoria.model.moments import Zone
from memoria.model.provenance import EXTRACTION_CHANNEL
from memoria.policy.privacy import screen
from memoria.policy.scope import decide_scope, default_scope
from memoria.retrieval.lookup.newer import Told, find_newer
from memoria.retrieval.query.plan import EVERYWHERE
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

HEADING = "What the user asked for, in their words"
_ID_CHARS = 8
_LOOKED_AT = 60
_MOST = 12
_ALIKE = 0.5
"""Share of common words from which two wishes are alike: only the newer one is told."""
_MOST_QUOTES = 8
_AT_ONCE = 500
"""Number of memories that are read at once: a night looks at all of them."""


def list_tellable(tx: Transaction, memories: Sequence[CoreMemory]) -> list[CoreMemory]:
    """List the memories that may stand in core memory, in their order.

    Refused are memories told in confidence, text that gives orders to the memory itself, and
    directions that rest on a tool's output, on what the user only pasted or on an assistant's word.
    Of memories that are not confidential, those that the user has confirmed are allowed.
    """
    parts = (memories[first : first + _AT_ONCE] for first in range(0, len(memories), _AT_ONCE))
    return [one for part in parts for one in _select_tellable(tx, part)]


def _select_tellable(tx: Transaction, memories: Sequence[CoreMemory]) -> list[CoreMemory]:
    known = tx.memories.by_version_numbers([one.version_n for one in memories])
    conditions = conditions_of_memories(tx, list(known.values()))
    is_open = {one.id for one in known.values() if conditions[one.id] is None}
    allowed = [one for one in memories if one.id in is_open and _may_be_told(one)]
    concluded = {
        one.id: known[one.version_n].current for one in allowed if _needs_the_users_word(one)
    }
    ids = {now.provenance.turn_id for now in concluded.values()}
    turns = {one.id: one for one in tx.conversations.list_turns_by_id(list(filter(None, ids)))}
    return [
        one
        for one in allowed
        if one.id not in concluded or _is_the_users_word(one, concluded[one.id], turns)
    ]


def _may_be_told(memory: CoreMemory) -> bool:
    """Check by what a memory says and its channel whether it may stand in core memory."""
    if memory.verified:
        return True
    if instruction_shaped(memory.content, Trust.REPORTED):
        return False
    return memory.trust is not Trust.TOOL or not directs(memory.type, memory.content)


def _needs_the_users_word(memory: CoreMemory) -> bool:
    """Check whether a memory is a direction that was concluded from a conversation."""
    is_concluded = memory.channel == EXTRACTION_CHANNEL and not memory.verified
    return is_concluded and directs(memory.type, memory.content)


def may_be_quoted(turn: StoredTurn) -> bool:
    """Check whether a turn of the user's may stand beside a memory in core memory.

    Refused are pasted texts, texts that held a secret, and texts with orders to the memory itself.
    """
    said = turn.content
    is_held_back = REDACTED in said or instruction_shaped(said, Trust.REPORTED)
    return not is_held_back and not find_pasted_spans(said)


def _is_the_users_word(
    memory: CoreMemory, now: MemoryVersion, turns: Mapping[str, StoredTurn]
) -> bool:
    """Check whether the user said themselves what was concluded from a conversation."""
    turn = turns.get(now.provenance.turn_id or "")
    if turn is None:
        return now.provenance.source_kind is SourceKind.USER_SAID
    quote = now.provenance.quote or ""
    return doubt_direction(memory.type, now.content, memory.subject, turn, quote) is None


def list_wishes(tx: Transaction, project: str | None) -> list[StoredTurn]:
    """List the wishes to lay before an agent in a project, or of all, the newest first."""
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
) -> list[ToldLine]:
    """List a line for each wish, for readers in a project: its day, its source, its words."""
    return [
        ToldLine(
            f"- {date_of_turn(turn, tx.zone)} [turn {turn.id[-_ID_CHARS:]}]"
            f'{name_other_project(turn, project, home)}: "{join_lines(turn.content)}"',
            "wish",
            turn.id,
        )
        for turn in turns
    ]


def name_other_project(turn: StoredTurn, project: str | None, home: str | None = None) -> str:
    """Name the other project in which a wish was said; empty if said in this project or in none.

    Readers are left to judge whether the wish is meant for that project alone.

    Args:
        turn: the wish.
        project: where it is read.
        home: which knows the folder in which the other project is now; None for the one it was in.
    """
    if turn.workspace in (None, project):
        return ""
    place = turn.workspace if home is None else find_place(home, turn.workspace)
    return f", said in {join_lines(PurePath(place).name or place)}"


def _list_sure(tx: Transaction, project: str | None) -> Iterator[StoredTurn]:
    participants = find_participants(tx)
    turns = [
        turn
        for turn in tx.conversations.list_wishes(_LOOKED_AT)
        if participants.find_person(turn) is None and _is_seen_from(tx, turn, project)
    ]
    if not turns:
        return
    ns = [turn.n for turn in turns]
    kept = tx.memories.list_concluded_turns(ns)
    conditions, beside = conditions_of_turns(tx, turns), tx.conversations.user_turns_beside(ns)
    for turn in turns:
        is_open = turn.n not in kept and conditions[turn.n] is None
        if is_open and _holds(turn, zone_of_turn(turn, tx.zone), beside[turn.n][1]):
            yield turn


def _is_seen_from(tx: Transaction, turn: StoredTurn, project: str | None) -> bool:
    if turn.workspace in (None, project):
        return True
    if project == EVERYWHERE:
        return not tx.memories.is_private(turn.workspace)
    scope = decide_scope(turn.content, MemoryType.RULE, None)
    return (scope or default_scope(MemoryType.RULE)) == "everywhere"


def _holds(turn: StoredTurn, zone: Zone, after: StoredTurn | None) -> bool:
    """Check that a wish has no end, was not taken back at once, and has nothing private in it."""
    if lasting_end(turn.content, MemoryType.RULE, turn.at, zone) is not None:
        return False
    if screen(turn.content).found:
        return False
    return after is None or not takes_back(after.content)


def _are_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _ALIKE * min(len(one), len(other))


@dataclass(frozen=True, slots=True)
class BesideSearch:
    """Finds contradictions and later words beside memories, in one snapshot."""

    tx: Transaction
    project: str | None
    """Project in which the memories are read."""
    embedder: LazyEmbedder | None = None
    """Embedder by whose vectors later words are found; None: none are."""

    def add_to(self, rows: Rows, shown: Sequence[CoreLine]) -> Rows:
        """Return the rows, with contradictions and later words of the memories that are shown."""
        ids = {line.memory_id for line in shown}
        told = [
            Told(one.id, one.version_n, one.valid_from)
            for one in rows.memories
            if one.id in ids and not one.type.is_derived
        ]
        seen = Filters(workspace=self.project)
        return replace(
            rows,
            contradicted=frozenset(self.tx.memories.list_contradictions(list(ids), seen)),
            newer=find_newer(self.tx, self.embedder, told, self.project, may_be_quoted),
        )


def list_quotes(tx: Transaction, place: CorePlace, home: str | None = None) -> list[Quote]:
    """List requests of the user of which there is no memory, for one core file.

    Args:
        tx: sees the tenant's rows.
        place: the file in which it is to stand.
        home: which knows the folders in which projects are now; None for those they were in.
    """
    if place.file != PROJECT_FILE and place.project is None:
        return []
    wishes = list_wishes(tx, place.project)
    if place.project is not None:
        everywhere = {turn.n for turn in list_wishes(tx, None)}
        wishes = [turn for turn in wishes if turn.n not in everywhere]
    return [
        Quote(turn.id, _when(tx, turn, place, home), turn.content)
        for turn in wishes[:_MOST_QUOTES]
        if may_be_quoted(turn)
    ]


def _when(tx: Transaction, turn: StoredTurn, place: CorePlace, home: str | None) -> str:
    other = render_text(name_other_project(turn, place.project, home))
    return f"{date_of_turn(turn, tx.zone)}{other}"
