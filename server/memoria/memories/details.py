"""Details that somebody gives with a statement, beside its words.

They are checked here, before anything is written: an end that can be read and is not over, names
without secrets, a memory to be replaced that may be.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import InvalidInputError, NotFoundError, name_options, shorten
from memoria.language.reading.clean import Tally, clean_text
from memoria.language.reading.quotes import find_quote
from memoria.language.words.document import full_text
from memoria.model import (
    EdgeType,
    Memory,
    Mention,
    Node,
    Scope,
    StoredTurn,
    Validity,
    describe_problems,
)
from memoria.store.not_found import not_found
from memoria.store.rows.short_ids import INDEXED_CHARS
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

MOST_ENTITIES = 8
_LONGEST_NAME = 100
_LONGEST_TASK = 200

_KIND_AND_NAME = lazy_regex(
    r"(?:the\s+)?(?:project|operation|team|code ?name|项目|团队)\s*(?P<after>\S.{1,60})"
    r"|(?P<before>\S.{1,60}?)\s*(?:project|team|项目|团队)",
    re.IGNORECASE,
)

EntityName = str | Mention | Mapping[str, object]
"""An entity as callers name it: a name, or an object with the fields of `Mention`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementDetails:
    """Details given with a statement. Those that are None are for us to find out."""

    importance: float | None = None
    valid_from: int | None = None
    until: str | None = None
    """End: a date, an expression, or a duration."""
    subject: str | None = None
    task: str | None = None
    """Task it belongs to; an empty one says that it belongs to none."""
    entities: tuple[Mention, ...] = ()
    supersedes: str | None = None
    """Id of the memory that it takes the place of."""
    turn_id: str | None = None
    quote: str | None = None
    """Words of that turn, on which it rests."""
    session_id: str | None = None
    scope: Scope | None = None
    again: bool = False


NO_DETAILS = StatementDetails()


def read_entities(entities: object) -> tuple[Mention, ...]:
    """Parse the entities of a statement: names, or objects with the fields of `Mention`.

    Raises:
        InvalidInputError: one of them is none, or they are too many.
    """
    is_text = isinstance(entities, str | bytes)
    if is_text or not isinstance(entities, Sequence) or len(entities) > MOST_ENTITIES:
        raise InvalidInputError(
            f"entities: give a list of up to {MOST_ENTITIES} names, those that matter most."
        )
    return tuple(_read_entity(i, one) for i, one in enumerate(entities))


def _read_entity(i: int, entity: object) -> Mention:
    fields = {"name": entity} if isinstance(entity, str) else entity
    try:
        read = Mention.model_validate(dict(fields) if isinstance(fields, Mention) else fields)
        return _add_short_name(read)
    except ValidationError as error:
        problems = describe_problems(error, of="entity")
        raise InvalidInputError(
            f"entities.{i}: {problems}. Give a name of up to {_LONGEST_NAME} characters, or a name "
            "and its kind. Nothing was done."
        ) from error


def _add_short_name(mention: Mention) -> Mention:
    """Add the name without the kind as an alias: `Heron` for Project Heron."""
    match = _KIND_AND_NAME.fullmatch(mention.name)
    if match is None or mention.aliases:
        return mention
    return mention.model_copy(update={"aliases": (match["after"] or match["before"],)})


def clean_entities(entities: Iterable[Mention], tally: Tally) -> tuple[Mention, ...]:
    """Keep the entities whose names may all be stored."""
    return tuple(
        one for one in entities if all(clean_text(name, tally) == name for name in one.names)
    )


def check_subject(subject: str | None, tally: Tally) -> str | None:
    """Return a statement's subject; None without one, or where it is a secret.

    Raises:
        InvalidInputError: it is no name.
    """
    name = _check_name("subject", subject, _LONGEST_NAME, tally)
    return name if name == (subject or "").strip() else None  # a secret names nobody


def check_task(task: str | None, tally: Tally) -> str | None:
    """Return the task that a statement belongs to, without what must not be stored.

    Raises:
        InvalidInputError: it is no name of a task.
    """
    return _check_name("task", task, _LONGEST_TASK, tally)


def _check_name(field: str, given: str | None, longest: int, tally: Tally) -> str | None:
    if given is None:
        return None
    name = " ".join(clean_text(given, tally).split())
    if len(name) > longest:
        raise InvalidInputError(
            f"{field}: it has {len(name):,} characters; give a name of up to {longest}. Nothing "
            "was done."
        )
    return name or None


def check_quote(quote: str | None, turn: StoredTurn | None) -> None:
    """Check that a turn has the words on which a statement is said to rest.

    Raises:
        InvalidInputError: it has not, or no turn is named.
    """
    if quote is None:
        return
    if turn is None:
        raise InvalidInputError(
            "quote: name the turn that it stands in (turn_id). Nothing was done."
        )
    if find_quote(quote, full_text(turn)) is None:
        raise InvalidInputError(
            f"quote: turn {turn.id} does not have these words. Copy them exactly, or leave quote "
            "out. Nothing was done."
        )


def require_replaceable(tx: Transaction, memory_id: str, workspace: str | None) -> Memory:
    """Return the memory that a statement is to take the place of.

    Args:
        tx: the transaction.
        memory_id: which.
        workspace: the project that the statement is made in.

    Raises:
        InvalidInputError: it is a turn, sums up others, does not hold, or is seen in another
            project alone: its new wording would not be seen where it was said.
        NotFoundError: there is no such memory, or no longer.
    """
    memory = tx.memories.get(memory_id)
    if memory is None:
        if tx.conversations.turn(memory_id) is not None:
            raise InvalidInputError(
                f"supersedes: {shorten(memory_id)} is a turn, and turns stay as they were said. "
                "Give the id of a memory (search_memory shows it), or turn_id for the turn that "
                "the statement rests on.",
                for_person=f"--supersedes: {memory_id[-INDEXED_CHARS:]} is a turn, and turns "
                "stay as they were said. Give the id of a memory; `memoria search` shows it.",
            )
        raise not_found(tx, "memory", memory_id)
    if memory.project != workspace and tx.memories.is_private(memory.project):
        raise NotFoundError.for_memory(memory_id)
    if memory.type.is_derived:
        problem = (
            f"supersedes: memory {memory.id} is an {memory.type.value}, which sums up others. "
            "Remember the statement without it, and archive that one if it misleads."
        )
        raise InvalidInputError(problem, for_person=name_options(problem))
    if memory.validity is not Validity.ACTIVE:
        problem = (
            f"supersedes: memory {memory.id} does not hold any more: it is "
            f"{memory.validity.value}. {_name_successor(tx, memory)}"
        )
        raise InvalidInputError(problem, for_person=name_options(problem))
    if memory.project not in (None, workspace):
        raise InvalidInputError(
            f"supersedes: memory {memory.id} is seen in the project {memory.project} alone, and "
            "this is said elsewhere. Nothing was done. State it in that project (workspace: "
            f"{memory.project}), or leave supersedes out to keep it here, beside that one.",
            for_person=f"--supersedes: {memory.id[-INDEXED_CHARS:]} is seen in the project "
            f"{memory.project} alone, and this is said elsewhere. Nothing was done. Say it there "
            f"(memoria --workspace {memory.project} remember), or leave --supersedes out to keep "
            "both.",
        )
    return memory


def _name_successor(tx: Transaction, memory: Memory) -> str:
    """Advise on a memory that does not hold any more."""
    everything = Filters(everywhere=True, include_history=True, include_processed=True)
    for edge in tx.graph.list_edges(Node("memory", memory.id), everything):
        if edge.type is EdgeType.VERSION_NEXT and edge.src.id == memory.id:
            return f"Memory {edge.dst.id} has taken its place: give that id."
    return "Search again for what holds now, or leave supersedes out."
