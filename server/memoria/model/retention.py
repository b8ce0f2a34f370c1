"""Retention: the settings and the figures by which memories stay strong or fade."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import quote_value
from memoria.model.memory_types import MemoryType


class MemoryTier(StrEnum):
    """Tiers of a memory between the passing and the lasting, lowest first."""

    SHORT = "short"
    MID = "mid"
    LONG = "long"
    CORE = "core"
    """Tier that a reviewer alone gives; such a memory never fades."""

    @property
    def rank(self) -> int:
        """Place, from 0."""
        return tuple(MemoryTier).index(self)


@dataclass(frozen=True, slots=True)
class RetentionAttributes:
    """Numbers and dates (UTC epoch ms) of a memory that decide on retention; no text.

    One is made for each of 100,000 memories, so nothing is checked here.
    """

    id: str
    type: str
    importance: float
    confidence: float
    learnt_at: int
    """Time at which the present wording was read, however old the conversation."""
    tier: MemoryTier = MemoryTier.SHORT
    task: bool = False
    """True if the memory holds for one task alone."""
    pinned: bool = False
    verified: bool = False
    said_at: int | None = None
    """Time at which the present wording was said, if known."""
    event_at: int | None = None
    evidence_at: int | None = None
    """Time at which the memory was last repeated."""
    last_used_at: int | None = None
    reviewed_at: int | None = None
    expires_at: int | None = None
    evidence: int = 1
    use_count: int = 0
    upvotes: int = 0


@dataclass(frozen=True, slots=True)
class SupportCounts:
    """Breadth of a memory's support."""

    sessions: int = 1
    """Number of sessions in which the memory was said."""
    sources: int = 1
    """Number of sources: each session, speaker and channel is a source of its own."""
    theme: int = 1
    """Number of memories about the same entity or concept, the memory itself included."""


class NumberBounds(NamedTuple):
    """Allowed values of a number of the retention table."""

    least: float
    most: float
    what: str
    """Description of the valid numbers, for an error."""
    may_be_never: bool = False
    whole: bool = False


_SHARE = NumberBounds(0, 1, "a number from 0 to 1")
_DAYS = NumberBounds(0.01, 36_500, "days from 0.01 to 36500, or never", may_be_never=True)
_PAUSE = NumberBounds(0, 36_500, "days from 0 to 36500")
_COUNT = NumberBounds(1, 10**9, "a whole number from 1", whole=True)

TASK_RULE = "task_rule"
"""Row for rules and preferences that hold for one task alone."""
TABLE_ROWS = (*(one.value for one in MemoryType), TASK_RULE)
"""Rows of the retention table: the types of memory, and rules of one task."""
ROW_FIELDS: Mapping[str, NumberBounds] = {
    "tau": _DAYS,
    "floor": _SHARE,
    "archive": _SHARE,
    "ttl": _DAYS,
}
"""Fields of each row: `fact.tau`."""
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
"""Numbers that hold for all rows."""

_CHANGE = lazy_regex(r"[A-Za-z_. ]{0,40}(?:=[\w.+-]{0,20})?")

RetentionChanges = Mapping[str, float | None]
"""Numbers, by name (`fact.tau`, `active`), in place of the table's; None for never."""


def parse_retention_changes(value: object) -> dict[str, float | None]:
    """Parse changes of the retention table, from a mapping or from text.

    >>> parse_retention_changes("fact.tau=120, task_rule.tau=never")
    {'fact.tau': 120.0, 'task_rule.tau': None}

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
    """Split changes into (part as written, name, number)."""
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
    """Quote a part of the setting, unless it may be something else, such as a secret."""
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
