"""Text told to an agent unasked: memories, what stands beside them, and the user's wishes.

Core files, the briefing, the instructions and the resources all take their lines from this module.
Their readers believe that the rules and preferences are the user's.

A wish is a lasting request of the user to their assistant: a turn that a classifier has marked, and
no memory. A few wishes are shown to an agent that has asked for nothing: whole, dated, the newest
of those that are alike, and only where nothing speaks against it.
"""

from collections.abc import Iterator, Sequence
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
from memoria.memories.conditions import condition_of_turn, is_open
from memoria.memories.times import date_of_turn, zone_of_turn
from memoria.model import InferredBy, MemoryType, MemoryVersion, SourceKind, StoredTurn, Trust
from memoria.model.core import PROJECT_FILE, CoreLine, CoreMemory, ToldLine
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


def may_be_told(tx: Transaction, memory: CoreMemory) -> bool:
    """Check whether a memory may stand in core memory.

    Refused are memories told in confidence, text that gives orders to the memory itself, and
    directions that rest on a tool's output, on what the user only pasted or on an assistant's word.
    Of memories that are not confidential, those that the user has confirmed are allowed.
    """
    known = tx.memories.get(memory.id)
    if known is None or not is_open(tx, known):
        return False
    if memory.verified:
        return True
    if instruction_shaped(memory.content, Trust.REPORTED):
        return False
    if not directs(memory.type, memory.content):
        return True
    is_concluded = memory.channel == EXTRACTION_CHANNEL
    is_theirs = not is_concluded or _is_the_users_word(tx, memory, known.current)
    return is_theirs and memory.trust is not Trust.TOOL


def may_be_quoted(turn: StoredTurn) -> bool:
    """Check whether a turn of the user's may stand beside a memory in core memory.

    Refused are pasted texts, texts that held a secret, and texts with orders to the memory itself.
    """
    said = turn.content
    is_held_back = REDACTED in said or instruction_shaped(said, Trust.REPORTED)
    return not is_held_back and not find_pasted_spans(said)


def _is_the_users_word(tx: Transaction, memory: CoreMemory, now: MemoryVersion) -> bool:
    """Check whether the user said themselves what was concluded from a conversation."""
    turn = tx.conversations.turn(now.provenance.turn_id) if now.provenance.turn_id else None
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
    for turn in tx.conversations.list_wishes(_LOOKED_AT):
        is_users = participants.find_person(turn) is None
        if (
            is_users
            and _is_seen_from(tx, turn, project)
            and _holds(tx, turn)
            and not _is_kept(tx, turn)
        ):
            yield turn


def _is_seen_from(tx: Transaction, turn: StoredTurn, project: str | None) -> bool:
    if turn.workspace in (None, project):
        return True
    if project == EVERYWHERE:
        return not tx.memories.is_private(turn.workspace)
    scope = decide_scope(turn.content, MemoryType.RULE, None)
    return (scope or default_scope(MemoryType.RULE)) == "everywhere"


def _holds(tx: Transaction, turn: StoredTurn) -> bool:
    """Check that a wish has no end, was not taken back at once, and has nothing private in it."""
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
