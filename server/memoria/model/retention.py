"""Retention: what is configured of how long memories stay strong, and what it is reckoned from."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import quote_value
from memoria.model.memory_types import MemoryType


class MemoryTier(StrEnum):
    """Where a memory stands between the passing and the lasting, lowest first."""

    SHORT = "short"
    MID = "mid"
    LONG = "long"
    CORE = "core"
    """Nobody puts it here but a reviewer. It never fades."""

    @property
    def rank(self) -> int:
        """Its place, from 0."""
        return tuple(MemoryTier).index(self)


@dataclass(frozen=True, slots=True)
class RetentionAttributes:
    """All of a memory that retention goes by: figures and dates (UTC epoch ms), and no word of it.

    One is made for each of 100,000 memories, so nothing is checked here.
    """

    id: str
    type: str
    importance: float
    confidence: float
    learnt_at: int
    """When its present wording was learnt: of an old conversation, when that was read."""
    tier: MemoryTier = MemoryTier.SHORT
    task: bool = False
    """Whether it holds for one task alone."""
    pinned: bool = False
    verified: bool = False
    said_at: int | None = None
    """When its present wording was said, where that is known."""
    event_at: int | None = None
    evidence_at: int | None = None
    """When it was last said again."""
    last_used_at: int | None = None
    reviewed_at: int | None = None
    expires_at: int | None = None
    evidence: int = 1
    use_count: int = 0
    upvotes: int = 0


@dataclass(frozen=True, slots=True)
class SupportCounts:
    """How broadly a memory is borne out."""

    sessions: int = 1
    """Sessions in which it was said."""
    sources: int = 1
    """Sources that say it: another session, speaker or channel is another source."""
    theme: int = 1
    """Memories of its theme: of the same entity, concept or community, itself included."""


class NumberBounds(NamedTuple):
    """What a number of the retention table may be."""

    least: float
    most: float
    what: str
    """In words, for who writes another."""
    may_be_never: bool = False
    whole: bool = False


_SHARE = NumberBounds(0, 1, "a number from 0 to 1")
_DAYS = NumberBounds(0.01, 36_500, "days from 0.01 to 36500, or never", may_be_never=True)
_PAUSE = NumberBounds(0, 36_500, "days from 0 to 36500")
_COUNT = NumberBounds(1, 10**9, "a whole number from 1", whole=True)

TASK_RULE = "task_rule"
"""The row for what binds the assistant during one task alone."""
TABLE_ROWS = (*(one.value for one in MemoryType), TASK_RULE)
"""What has a row in the table: the types of memory, with rules that hold for one task apart."""
ROW_FIELDS: Mapping[str, NumberBounds] = {
    "tau": _DAYS,
    "floor": _SHARE,
    "archive": _SHARE,
    "ttl": _DAYS,
}
"""What each row says: `fact.tau`."""
GENERAL_FIELDS: Mapping[str, NumberBounds] = {
    "demote": _SHARE,
    "review": _SHARE,
    "promote": _SHARE,
    "lasting": _SHARE,
    "grace": _PAUSE,
    "access": _PAUSE,
    "again": _PAUSE,
    "active": _COUNT,
}
"""What the table says for all of them."""

_CHANGE = lazy_regex(r"[A-Za-z_. ]{0,40}(?:=[\w.+-]{0,20})?")

RetentionChanges = Mapping[str, float | None]
"""Numbers by name (`fact.tau`, `active`) that replace those of the table; None for never."""


def parse_retention_changes(value: object) -> dict[str, float | None]:
    """What is to be changed in the table, from a mapping or from text as a shell has it.

    Raises:
        ValueError: a part of it can't be read; it is named, with what may stand there.
    """
    changes: dict[str, float | None] = {}
    for part, name, number in _split_parts(value):
        if name in changes:
            raise ValueError(f"{quote_value(name)} is given twice; write each name once")
        changes[name] = _parse_number(part, _find_bounds(part, name), number)
    return changes


def _split_parts(value: object) -> list[tuple[str, str, str]]:
    """Each part as it was written, its name and its number."""
    match value:
        case str():
            written = [part.strip() for part in value.split(",") if part.strip()]
            halves = [(part, *part.partition("=")[::2]) for part in written]
        case Mapping():
            halves = [(f"{name}={given}", str(name), str(given)) for name, given in value.items()]
        case _:
            raise ValueError(
                f"write name=number, such as fact.tau=120, and not {quote_value(value)}"
            )
    return [(part, name.strip().lower(), given.strip().lower()) for part, name, given in halves]


def _find_bounds(part: str, name: str) -> NumberBounds:
    kind, dot, field = name.partition(".")
    figure = ROW_FIELDS.get(field) if dot and kind in TABLE_ROWS else GENERAL_FIELDS.get(name)
    if figure is None:
        raise ValueError(
            f"{_quote_change(part)} names nothing that can be set; write type.field=number, such "
            f"as fact.tau=120, where a type is one of {', '.join(TABLE_ROWS)} and a field one of "
            f"{', '.join(ROW_FIELDS)}, or name=number with one of {', '.join(GENERAL_FIELDS)}"
        )
    return figure


def _quote_change(part: str) -> str:
    """A part of the setting; none that looks like something else, such as a key gone astray."""
    return quote_value(part) if _CHANGE.fullmatch(part) else "a part of it"


def _parse_number(part: str, figure: NumberBounds, given: str) -> float | None:
    if figure.may_be_never and given in ("never", "none"):
        return None
    try:
        number = float(given)
    except ValueError:
        number = float("nan")
    if not figure.least <= number <= figure.most or (figure.whole and not number.is_integer()):
        raise ValueError(f"{quote_value(part)} can't be; write {figure.what}")
    return number
