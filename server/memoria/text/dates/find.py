"""Finding time expressions in a text.

Every pattern is bounded, so that the time is linear in the length of the text. Of overlapping
expressions the one that begins first is taken, and of these the longest.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import cache

from memoria.model.zone import Zone
from memoria.text.dates import chinese, english
from memoria.text.dates.rule import DateRule
from memoria.text.dates.windows import Granularity, Prefer, Window


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A time expression, its position in the text and its meaning."""

    start: int
    end: int
    expression: str
    """The text from `start` to `end`."""
    from_ms: int
    """UTC epoch milliseconds, inclusive."""
    until_ms: int
    """UTC epoch milliseconds, exclusive."""
    granularity: Granularity


def times(text: str, said_ms: int, zone: Zone, *, prefer: Prefer = "past") -> tuple[TimeSpan, ...]:
    """The time expressions of `text`, in order, without overlap.

    Args:
        text: anything at all.
        said_ms: when it was said, UTC epoch milliseconds.
        zone: the speaker's; days begin at its midnight.
        prefer: in which direction a recurring date is resolved; see the package.
    """
    try:
        at = zone.to_local(said_ms)
    except OverflowError:  # there are no dates before year 1 or after 9999
        return ()
    found = [
        TimeSpan(
            start,
            end,
            text[start:end],
            zone.to_millis(window.start),
            zone.to_millis(window.until),
            window.granularity,
        )
        for rule in _select_rules(text)
        for start, end, window in _read_matches(rule, text, at, prefer)
    ]
    return tuple(_drop_overlapping(found))


def _select_rules(text: str) -> list[DateRule]:
    """The rules of which a part occurs in the text. In ordinary text they are few."""
    folded = text.lower()
    rules, parts = _rules_for(is_ascii=text.isascii())
    present = {part for part in parts if part in folded}
    return [rule for rule in rules if not present.isdisjoint(rule.parts)] if present else []


@cache
def _rules_for(*, is_ascii: bool) -> tuple[tuple[DateRule, ...], frozenset[str]]:
    """The rules for a text, and every part of which one occurs where a rule may match."""
    rules = (*english.RULES, *(() if is_ascii else chinese.RULES))
    return rules, frozenset(part for rule in rules for part in rule.parts)


def _read_matches(
    rule: DateRule, text: str, at: datetime, prefer: Prefer
) -> Iterator[tuple[int, int, Window]]:
    pattern = rule.pattern.regex
    group = "e" if "e" in pattern.groupindex else 0
    for match in pattern.finditer(text):
        try:
            window = rule.read(match, at, prefer)
        except (ValueError, OverflowError):  # 31 April, the year 12026: no such date
            continue
        if window is not None:
            yield match.start(group), match.end(group), window


def _drop_overlapping(found: list[TimeSpan]) -> Iterator[TimeSpan]:
    end = 0
    for span in sorted(found, key=lambda span: (span.start, -span.end)):
        if span.start >= end:
            yield span
            end = span.end
