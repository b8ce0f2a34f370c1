"""Lasting statements, and those that were for one conversation or one day.

Core files are read at the start of every session, by somebody who does not see when a line was
said. An order for one conversation, an errand of yesterday and a reminder whose date has passed
mislead there; a search still finds them. Nothing but the wording and the moment it was said is
asked, so that what was written down long ago is judged as well.

A date is one point in time if it is the same whichever way it is resolved, as `tomorrow` is and
`2026-12-03`. `Friday` is the last one or the next one, and may well be every Friday; such a date
counts only where the wording speaks of one occasion.
"""

from collections.abc import Iterator

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.dates import TimeSpan, times
from memoria.language.lazy import remember_results
from memoria.model import DAY_MS
from memoria.model.memory_types import MemoryType
from memoria.model.moments import Zone

_LOOK_BACK = 24
_COARSE = ("month", "season", "year", "range")
"""Periods in which things begin that go on when the period is over."""
REDACTED = "[redacted:"
"""Start of the replacement of a secret."""

_ONE_SESSION = lazy_regex(
    r"""(?xi)
    \b(?:this|(?:the\s)?current|today['’]s)\s(?:session|conversation|chat|thread)\b
    | \b(?:(?:just|only)\s(?:for\s)?(?:today|tonight|now|this\s(?:once|time)|once)
        | (?:today|tonight|this\stime|this\sonce)\sonly | this\sone\stime
        | for\s(?:today|tonight))\b
    | \bfor\sthe\srest\sof\s(?:the|this)\s(?:session|conversation|chat|day)\b
    | (?:这|本|当前|目前这?)[一个次轮场]{0,2}(?:对话|会话|聊天|交流|谈话)
    | 这一?[次回](?:先|就|只|请|都|用)
    | [只仅就](?:限|在|是)?(?:今天|今晚|今日|本次) | (?:今天|今晚|今日)[先就只]
    """
)
_PASSING = lazy_regex(
    r"(?i)\b(?:for\s(?:now|the\smoment|the\stime\sbeing)|at\sthe\smoment|right\snow|temporarily)\b"
    r"|这一?[次回]|暂时|暂且|眼下|先这样"
)
"""Says that a state of things passes, not when."""
_ONE_OCCASION = lazy_regex(
    r"""(?xi)
    \b(?:remind|remember\sto|do\s?n[o'’]t\sforget|needs?\sto|ha(?:s|ve)\sto|must|will|going\sto|due
      |(?:is|are)\s(?:on|at|due)|appointment|buy|call|pick\sup)\b
    | [\u3400-\u9fff]  # where a weekday that comes again is 每周五
    """
)
_RECURS = lazy_regex(
    r"""(?xi)
    \b(?:every|each|always|never|usually|annual(?:ly)?|yearly|weekly|monthly|daily|birthday
      |anniversary|born)\b
    | 每|总是|从不|从来不|通常|一向|生日|纪念日|出生|诞辰
    """
)
_CHANGED = lazy_regex(
    r"""(?xi)
    \b(?:moved|became|got|began|started|quit|left|joined|finished|completed|decided|married
      |graduated|retired|adopted|switched|changed|stopped|learn(?:ed|t)|signed|ha(?:s|ve)\sbeen)\b
    | 了|过(?!去|会)
    """
)
"""Says that something came about on that day, and goes on."""
_UNTIL = lazy_regex(r"(?i)(?:\b(?:until|till|by|before|up\sto)|到|至|截至)\s?(?:the\s)?\Z")
_UP_TO = lazy_regex(r"\s?(?:[之以]?前|为止)")
_AFTERWARDS = lazy_regex(r"(?i)(?:\b(?:since|from|after|as\sof|starting)|自|从|打)\s?(?:the\s)?\Z")
_OPEN_BEHIND = lazy_regex(r"\s?(?:以来|起|开始|之?后|以后)")


def is_for_one_session(content: str, kind: MemoryType) -> bool:
    """Check whether a statement is meant for the present conversation or day alone.

    An order "for now" is; that somebody lives somewhere for now may be so for months.

    >>> is_for_one_session("Use tabs for now", MemoryType.RULE)
    True
    """
    guides = kind.is_binding or kind is MemoryType.PREFERENCE
    passes = guides and _PASSING.search(content) is not None
    return passes or _ONE_SESSION.search(content) is not None


def session_end(content: str, kind: MemoryType, said_at: int) -> int | None:
    """Return when a statement for one session ends, UTC epoch ms; None for any other.

    A session has no certain end, but after a day it is over.
    """
    return said_at + DAY_MS if is_for_one_session(content, kind) else None


@remember_results(4096)
def lasting_end(content: str, kind: MemoryType, said_at: int, zone: Zone) -> int | None:
    """Return when a statement stops to matter in every session, UTC epoch ms; None for never.

    Remembered, as core memory asks about the same few hundred memories again and again.

    Args:
        content: what the memory says.
        kind: its type.
        said_at: when it was said, UTC epoch milliseconds.
        zone: that of whoever said it.
    """
    if REDACTED in content or is_for_one_session(content, kind):
        return said_at
    passing = [said_at + DAY_MS] if _PASSING.search(content) else []
    ends = [span.until_ms for span in _ends(content, kind, said_at, zone)]
    return min((*passing, *ends), default=None)


def _ends(content: str, kind: MemoryType, said_at: int, zone: Zone) -> Iterator[TimeSpan]:
    """Yield the time expressions after which a statement no longer matters."""
    ahead = times(content, said_at, zone, prefer="future", clocks="none")
    if not ahead:
        return
    fixed = {
        (span.start, span.from_ms)
        for span in times(content, said_at, zone, prefer="past", clocks="none")
    }
    for span in ahead:
        is_point = (span.start, span.from_ms) in fixed
        if span.until_ms > said_at and _is_end(content, kind, span, said_at, is_point=is_point):
            yield span


def _is_end(
    content: str, kind: MemoryType, span: TimeSpan, said_at: int, *, is_point: bool
) -> bool:
    before = content[max(0, span.start - _LOOK_BACK) : span.start]
    if _UNTIL.search(before) or _UP_TO.match(content, span.end):
        return True
    if _AFTERWARDS.search(before) or _OPEN_BEHIND.match(content, span.end):
        return False
    if not is_point:
        return _is_one_occasion(content, kind)
    has_begun = span.from_ms <= said_at
    if has_begun and span.granularity in _COARSE:
        return False
    return not (has_begun and _CHANGED.search(content))


def _is_one_occasion(content: str, kind: MemoryType) -> bool:
    """Check whether a date that comes again is meant once."""
    if kind.is_binding or kind is MemoryType.PREFERENCE or _RECURS.search(content):
        return False
    return kind is MemoryType.GOAL or _ONE_OCCASION.search(content) is not None
