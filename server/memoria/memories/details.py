"""Details: what somebody who states something knows of it beside its words.

They are checked here, before anything is written: an end that can be read and is not over, names
without secrets, a memory to be replaced that may be.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from memoria.errors import InvalidInputError, quote_value, shorten
from memoria.model import (
    DAY_MS,
    Memory,
    Mention,
    Scope,
    Validity,
    describe_problems,
    to_iso,
)
from memoria.model.zone import Zone
from memoria.store.base import Transaction
from memoria.store.not_found import not_found
from memoria.text.clean import Tally, clean_text
from memoria.text.dates import find_end

MOST_ENTITIES = 8
_LONGEST_NAME = 100
_LONGEST_TASK = 200
_UNIT_MS = {"h": DAY_MS // 24, "d": DAY_MS, "w": 7 * DAY_MS}
_LASTING = re.compile(
    r"\s*(?P<number>\d{1,4})\s*(?:(?P<h>h|hours?|小时|个小时)|(?P<d>d|days?|天)"
    r"|(?P<w>w|weeks?|周|星期|个星期))\s*",
    re.IGNORECASE,
)
_FOR_EVER = re.compile(
    r"\s*(?:permanent(?:ly)?|for ?ever|always|永久|永远|长期|一直)\s*", re.IGNORECASE
)
_SESSION = re.compile(r"\s*(?:(?:this )?session|本?次?会话|这次会话|本次对话)\s*", re.IGNORECASE)


EntityName = str | Mention | Mapping[str, object]
"""An entity as callers name it: a name, or an object with the fields of `Mention`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementDetails:
    """What is given with a statement. What is None is for us to find out."""

    importance: float | None = None
    valid_from: int | None = None
    until: str | None = None
    """Its end: a date, an expression, or how long it holds."""
    subject: str | None = None
    task: str | None = None
    """The task it belongs to; an empty one says that it belongs to none."""
    entities: tuple[Mention, ...] = ()
    supersedes: str | None = None
    """The id of the memory that it takes the place of."""
    turn_id: str | None = None
    session_id: str | None = None
    scope: Scope | None = None
    again: bool = False


NO_DETAILS = StatementDetails()


@dataclass(frozen=True, slots=True)
class End:
    """When something stops to count, UTC epoch milliseconds; None for never."""

    at: int | None


def read_end(until: str, said_at: int, zone: Zone) -> End:
    """The end that somebody has given with a statement.

    Args:
        until: a date, an expression such as `Friday` or 到周五, or how long it holds: `7d`,
            `session`, `permanent`.
        said_at: when it was said, UTC epoch milliseconds.
        zone: where it was said: a day that is named ends there.

    Raises:
        InvalidInputError: it can't be read, or is over.
    """
    if _FOR_EVER.fullmatch(until):
        return End(None)
    end = _end_of(until, said_at, zone)
    if end is None:
        raise InvalidInputError(
            f"until: no end can be read from {quote_value(until)}. Give a date (2026-06-30), words "
            "for one (Friday, 下周五), how long it holds (24h, 3d, 7d, 30d, session, permanent), "
            "or leave it out. Nothing was done."
        )
    if end <= said_at:
        raise InvalidInputError(
            f"until: {quote_value(until)} is over ({to_iso(end)}). What is past is remembered "
            "without until: say in the sentence when it was. Nothing was done."
        )
    return End(end)


def _end_of(until: str, said_at: int, zone: Zone) -> int | None:
    lasting = _LASTING.fullmatch(until)
    if lasting is not None:
        unit = next(name for name in _UNIT_MS if lasting[name])
        return said_at + int(lasting["number"]) * _UNIT_MS[unit]
    if _SESSION.fullmatch(until):
        return said_at + DAY_MS  # a session has no certain end, but after a day it is over
    return find_end(until, said_at, zone) if until.strip() else None


def read_entities(entities: Sequence[object]) -> tuple[Mention, ...]:
    """Whom and what a statement names: names, or objects with the fields of `Mention`.

    Raises:
        InvalidInputError: one of them is none, or they are too many.
    """
    if isinstance(entities, str | bytes | Mapping) or len(entities) > MOST_ENTITIES:
        raise InvalidInputError(
            f"entities: give a list of up to {MOST_ENTITIES} names, those that matter most."
        )
    return tuple(_read_entity(i, one) for i, one in enumerate(entities))


def _read_entity(i: int, entity: object) -> Mention:
    fields = {"name": entity} if isinstance(entity, str) else entity
    try:
        return Mention.model_validate(dict(fields) if isinstance(fields, Mention) else fields)
    except ValidationError as error:
        problems = describe_problems(error, of="entity")
        raise InvalidInputError(
            f"entities.{i}: {problems}. Give a name of up to {_LONGEST_NAME} characters, or a name "
            "and its kind. Nothing was done."
        ) from error


def clean_entities(entities: Iterable[Mention], tally: Tally) -> tuple[Mention, ...]:
    """The entities without those whose names must not be stored."""
    return tuple(
        one for one in entities if all(clean_text(name, tally) == name for name in one.names)
    )


def check_subject(subject: str | None, tally: Tally) -> str | None:
    """Of whom or what a statement speaks, without what must not be stored.

    Raises:
        InvalidInputError: it is no name.
    """
    name = _check_name("subject", subject, _LONGEST_NAME, tally)
    return name if name == (subject or "").strip() else None  # a secret names nobody


def check_task(task: str | None, tally: Tally) -> str | None:
    """The task that a statement belongs to, without what must not be stored.

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


def require_replaceable(tx: Transaction, memory_id: str) -> Memory:
    """The memory that a statement is to take the place of.

    Raises:
        InvalidInputError: it is a turn, sums up others, or does not hold.
        NotFoundError: there is no such memory, or no longer.
    """
    memory = tx.memories.get(memory_id)
    if memory is None:
        if tx.conversations.turn(memory_id) is not None:
            raise InvalidInputError(
                f"supersedes: {shorten(memory_id)} is a turn, and turns stay as they were said. "
                "Give the id of a memory (search_memory shows it), or turn_id for the turn that "
                "the statement rests on."
            )
        raise not_found(tx, "memory", memory_id)
    if memory.type.is_derived:
        raise InvalidInputError(
            f"supersedes: memory {memory.id} is an {memory.type.value}, which sums up others. "
            "Remember the statement without it, and archive that one if it misleads."
        )
    if memory.validity is not Validity.ACTIVE:
        raise InvalidInputError(
            f"supersedes: memory {memory.id} does not hold any more: it is "
            f"{memory.validity.value}. Search again for what holds now, or leave supersedes out."
        )
    return memory
