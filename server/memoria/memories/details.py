"""Details of a statement: its end, its subject and the rest that its speaker gives."""

import calendar
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import InvalidInputError, NotFoundError, name_options, quote_value, shorten
from memoria.language.dates import find_end, times
from memoria.language.dates.chinese import number
from memoria.language.dates.english import COUNTS
from memoria.language.reading.clean import Tally, clean_name, clean_text
from memoria.language.reading.quotes import find_quote
from memoria.language.words.document import full_text
from memoria.model import (
    DAY_MS,
    EdgeType,
    Memory,
    Mention,
    Node,
    Scope,
    StoredTurn,
    Validity,
    describe_problems,
    to_iso,
)
from memoria.model.metadata import MetadataValue
from memoria.model.moments import Zone
from memoria.model.parse import replace_unfit
from memoria.store.not_found import not_found
from memoria.store.rows.listings import INDEXED_CHARS
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
    """Details given with a statement; rules fill in details that are None."""

    importance: float | None = None
    valid_from: int | None = None
    until: str | None = None
    """End: a date, an expression, or a duration."""
    subject: str | None = None
    task: str | None = None
    """Task of the statement; an empty text says that the statement has none."""
    entities: tuple[Mention, ...] = ()
    supersedes: str | None = None
    """Id of the memory that the statement replaces."""
    turn_id: str | None = None
    quote: str | None = None
    """Words of the turn, on which the statement rests."""
    session_id: str | None = None
    scope: Scope | None = None
    again: bool = False
    metadata: Mapping[str, MetadataValue] | None = None
    covers: tuple[str, ...] = ()
    """Ids of the turns, or of the session, that an episode sums up."""


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
        one for one in entities if all(clean_name(name, tally) == name for name in one.names)
    )


def check_subject(subject: str | None, tally: Tally) -> str | None:
    """Return a statement's subject; None without one, or where it is a secret.

    Raises:
        InvalidInputError: it is no name.
    """
    name = _check_name("subject", subject, _LONGEST_NAME, tally)
    return name if name == (subject or "").strip() else None  # a secret names nobody


def check_task(task: str | None, tally: Tally) -> str | None:
    """Return the task that a statement belongs to, without secrets.

    Raises:
        InvalidInputError: it is no name of a task.
    """
    return _check_name("task", task, _LONGEST_TASK, tally)


def _check_name(field: str, given: str | None, longest: int, tally: Tally) -> str | None:
    if given is None:
        return None
    name = " ".join(clean_text(replace_unfit(given), tally).split())
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
    """Return advice on a memory that no longer holds: its successor, or to search again."""
    everything = Filters(everywhere=True, include_history=True, include_processed=True)
    for edge in tx.graph.list_edges(Node("memory", memory.id), everything):
        if edge.type is EdgeType.VERSION_NEXT and edge.src.id == memory.id:
            return f"Memory {edge.dst.id} has taken its place: give that id."
    return "Search again for what holds now, or leave supersedes out."


_HOUR_MS = DAY_MS // 24
_MONTHS_A_YEAR = 12
_LONGEST_YEARS = 200
_EXAMPLES = (
    "Give a date (2026-06-30), words for one (Friday, 下周五), how long it holds (24h, 3d, 7d, "
    "30d, session, permanent), or leave it out. Nothing was done."
)
_COUNT = rf"\d{{1,5}}|an?|{'|'.join(COUNTS)}"
_LASTING = lazy_regex(
    rf"\s*(?:for\s+)?(?:the\s+(?:next|coming)\s+)?(?P<n>{_COUNT})\s*"
    r"(?P<unit>h|hours?|d|days?|w|weeks?|months?|y|years?)\s*",
    re.IGNORECASE,
)
_LASTING_CHINESE = lazy_regex(
    r"\s*(?P<n>\d{1,5}|[一二两三四五六七八九十百]{1,5}|半)\s*"
    r"(?P<unit>个?小时|个?钟头|天|个?星期|个?礼拜|周|个?月|年)(?:之?内|以内)?\s*"
)
_MOST_END_CHARS = 1_000
"""A longer text is no expression of an end."""
_FOR_EVER = lazy_regex(
    r"\s*(?:permanent(?:ly)?|for ?ever|always|永久|永远|长期|一直)\s*", re.IGNORECASE
)
_SESSION = lazy_regex(r"\s*(?:(?:this )?session|本?次?会话|这次会话|本次对话)\s*", re.IGNORECASE)
_TIME_WORD = lazy_regex(
    r"\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|[年月号]", re.IGNORECASE
)
_ISO_TIME = lazy_regex(r"\s*\d{4}-\d\d-\d\d[T ]\d\d:?\d\d")
_LEADING = lazy_regex(
    r"^\s*(?:until|till|through|up to|by|before|(?:一?直)?到|至)?\s*"
    r"(?:the\s+)?(?:end\s+of\s+)?(?:the\s+)?",
    re.IGNORECASE,
)
_LAST_WORDS = lazy_regex(
    r"(?:\b(?:until|till|through)\s(?P<en>[^.!?;,]{2,40})|(?:一?直到|到|至)(?P<zh>[^，。！？,.;；]{1,15}?)"
    r"(?:为止|截止|结束)?)[.!?。！？]?\s*$",
    re.IGNORECASE,
)
_OVER_OR_OFTEN = lazy_regex(
    r"\b(?:was|were|had|did|lived|worked|stayed|used|every|each|always|usually|daily|weekly)\b"
    r"|[了过每]|曾",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class End:
    """End of a memory, UTC epoch milliseconds; None for never."""

    at: int | None


def read_end(until: str, said_at: int, zone: Zone, since: int | None = None) -> End:
    """Parse the end that was given with a statement.

    Args:
        until: a date, an expression such as `Friday` or 到周五, or how long it holds: `7d`,
            `session`, `permanent`.
        said_at: when it was said, UTC epoch milliseconds.
        zone: where it was said: a day that is named ends there.
        since: from when on it holds, where that is another moment; what lasts is counted from it.

    Raises:
        InvalidInputError: it can't be read, or is over.
    """
    if _FOR_EVER.fullmatch(until):
        return End(None)
    begins = said_at if since is None else since
    is_short = len(until) <= _MOST_END_CHARS
    end = _read_lasting(until, begins, zone) if is_short else None
    if end is None and is_short and _is_read_whole(until, said_at, zone):
        end = find_end(until, said_at, zone)
    if end is None:
        problem = f"until: no end can be read from {quote_value(until)}. {_EXAMPLES}"
        raise InvalidInputError(problem, for_person=name_options(problem))
    if end <= max(begins, said_at):
        problem = (
            f"until: {quote_value(until)} is over before it begins ({to_iso(end)}). What is past "
            "is remembered without until: say in the sentence when it was. Nothing was done."
        )
        raise InvalidInputError(problem, for_person=name_options(problem))
    return End(end)


def find_end_in_words(content: str, said_at: int, zone: Zone) -> int | None:
    """Find the day with which a statement ends by its last words: `… until Friday`.

    What was, and what happens again and again, does not end so; nor is an hour the end.
    """
    match = _LAST_WORDS.search(content)
    if match is None or _OVER_OR_OFTEN.search(content):
        return None
    when = (match["en"] or match["zh"]).strip()
    if not _is_time(when, said_at, zone):
        return None
    end = find_end(f"until {when}" if match["en"] else f"到{when}", said_at, zone)
    if end is None or end <= said_at:
        return None
    return end if zone.to_local(end).hour == zone.to_local(end).minute == 0 else None


def ends_with_session(until: str) -> bool:
    """Return whether a text names the end of the session, such as `this session`."""
    return _SESSION.fullmatch(until) is not None


def _read_lasting(until: str, since: int, zone: Zone) -> int | None:
    """Return the end of a duration that begins at `since`; None if the text is no duration."""
    if ends_with_session(until):
        return since + DAY_MS  # a session has no certain end, but after a day it is over
    english, chinese = _LASTING.fullmatch(until), _LASTING_CHINESE.fullmatch(until)
    if english is not None:
        count = english["n"].lower()
        amount = int(count) if count.isdigit() else COUNTS.get(count, 1)
        return _add(since, amount, english["unit"][0].lower(), zone)
    if chinese is not None:
        unit = chinese["unit"].removeprefix("个")
        if chinese["n"] == "半":
            half = {"年": (6, "m"), "月": (15, "d"), "天": (12, "h")}.get(unit)
            return None if half is None else _add(since, *half, zone)
        try:
            amount = number(chinese["n"])
        except ValueError:
            return None
        letters = {"小时": "h", "钟头": "h", "天": "d", "月": "m", "年": "y"}
        return _add(since, amount, letters.get(unit, "w"), zone)
    return None


def _add(since: int, amount: int, letter: str, zone: Zone) -> int | None:
    """Add hours, days, weeks, months or years to a moment; None after two centuries."""
    lengths = {"h": _HOUR_MS, "d": DAY_MS, "w": 7 * DAY_MS}
    if letter in lengths:
        end = since + amount * lengths[letter]
        return end if end - since <= _LONGEST_YEARS * 366 * DAY_MS else None
    months = amount * (_MONTHS_A_YEAR if letter == "y" else 1)
    if months > _LONGEST_YEARS * _MONTHS_A_YEAR:
        return None
    local = zone.to_local(since)
    year, month = divmod(local.year * _MONTHS_A_YEAR + local.month - 1 + months, _MONTHS_A_YEAR)
    day = min(local.day, calendar.monthrange(year, month + 1)[1])
    return zone.to_millis(local.replace(year=year, month=month + 1, day=day))


def _is_read_whole(until: str, said_at: int, zone: Zone) -> bool:
    """Return whether every time word of a text was read; of "31 June" only a part is."""
    if _ISO_TIME.match(until):
        return True
    for span in times(until, said_at, zone, prefer="future"):
        rest = until[: span.start] + " " + until[span.end :]
        return _TIME_WORD.search(rest) is None
    return bool(until.strip())


def _is_time(when: str, said_at: int, zone: Zone) -> bool:
    """Return whether some words are a time and nothing else."""
    plain = _LEADING.sub("", when)
    return any(
        span.start == 0 and span.end >= len(plain.rstrip())
        for span in times(plain, said_at, zone, prefer="future")
    )
