"""The period that a question asks about."""

import re
from dataclasses import dataclass

from memoria.model.zone import Zone
from memoria.text.dates.find import TimeSpan, times
from memoria.text.dates.windows import Prefer

_LATIN = re.compile(
    r"\b(?:(?P<since>since|from)|(?P<after>after)|(?P<before>before)|(?P<until>until|till|by))"
    r"\s{1,4}(?:the\s{1,4})?\Z",
    re.IGNORECASE,
)
_CHINESE = re.compile(
    r"\s?(?:(?P<since>以来|起|开始)|(?P<after>[之以]?后)|(?P<before>[之以]?前)|(?P<until>为止))"
)
_LOOK_BACK = 20


@dataclass(frozen=True, slots=True)
class Interval:
    """A period in UTC epoch milliseconds. A bound that is None is open."""

    from_ms: int | None
    until_ms: int | None


def interval(text: str, said_ms: int, zone: Zone, *, prefer: Prefer = "past") -> Interval | None:
    """The period that a question names; None if it names no time.

    Several expressions span one period from the first to the last, as in `between May and July` and
    五月到七月. `since last week` and 去年以来 are open towards the present, `before May` and
    五月之前 towards the past.

    Args:
        text: the question.
        said_ms: when it is asked, UTC epoch milliseconds.
        zone: the asker's.
        prefer: in which direction a recurring date is resolved; see the package.
    """
    found = times(text, said_ms, zone, prefer=prefer)
    if len(found) == 1:
        return _open(text, found[0])
    if not found:
        return None
    return Interval(min(span.from_ms for span in found), max(span.until_ms for span in found))


def _open(text: str, span: TimeSpan) -> Interval:
    before = text[max(0, span.start - _LOOK_BACK) : span.start]
    side = _LATIN.search(before) or _CHINESE.match(text, span.end)
    match side.lastgroup if side else None:
        case "since":
            return Interval(span.from_ms, None)
        case "after":
            return Interval(span.until_ms, None)
        case "before":
            return Interval(None, span.from_ms)
        case "until":
            return Interval(None, span.until_ms)
        case _:
            return Interval(span.from_ms, span.until_ms)
