"""Rules that read a time expression by its pattern, and those for times of day in both languages.

Times of day are such as `7:15 am`, `at half past six`, 晚上七点, 六点半.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.dates import windows
from memoria.language.dates.windows import Prefer, Window

ReadMatch = Callable[[re.Match[str], datetime, Prefer], Window | None]
"""Reads a match that was said at a local time; None if it is no time after all."""
Kind = Literal["time", "day", "date", "weekday", "day_of_month", "part", "clock", "offset", "range"]
"""Kind of piece, by which it joins its neighbours: `day` is a day by itself (yesterday), `date` one
of a year, `part` a part of a day that is named (tonight), `clock` a time of any day (`7pm`, 晚上),
and `offset` so many days from another (`two days after`)."""


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time of day without its day: a part of the day, an hour, or both."""

    part: str | None = None
    hours: tuple[int, ...] = ()
    """The hours that may be meant; two where the half of the day is not said."""
    minute: int | None = None
    is_weak: bool = False
    """True for a time of day only beside a day or a part of one."""


Value = int | ClockTime | None
ReadValue = Callable[[re.Match[str]], Value]


def _no_value(_match: re.Match[str]) -> Value:
    return None


@dataclass(frozen=True, slots=True)
class DateRule:
    """A pattern and how its match is read. A group `e` of the pattern is the expression."""

    parts: tuple[str, ...]
    """Parts in lower case. Unless one of them occurs, the pattern, which is slower, can't match."""
    pattern: re.Pattern[str]
    read: ReadMatch
    kind: Kind = "time"
    value: ReadValue = _no_value
    """The number of the weekday, of the day of the month or of days, or the time of day."""


def read_nothing(_match: re.Match[str], _at: datetime, _prefer: Prefer) -> Window | None:
    """Return None: `two days after`, 前三天 and `7pm` are no time without their neighbour."""
    return None


def make_english(
    parts: str, read: ReadMatch, *patterns: str, kind: Kind = "time", value: ReadValue = _no_value
) -> tuple[DateRule, ...]:
    """Make the English rules of one meaning.

    Args:
        parts: of each pattern, with spaces or `|` between them.
        read: reads a match.
        patterns: with a space for each of up to four.
        kind: what piece it is.
        value: reads its number or time of day.
    """
    apart = tuple(parts.split("|") if "|" in parts else parts.split())
    # ASCII, so that a word ends where Chinese goes on without a space.
    flags = re.IGNORECASE | re.ASCII
    compiled = (lazy_regex(each.replace(" ", r"\s{1,4}"), flags) for each in patterns)
    return tuple(DateRule(apart, each, read, kind, value) for each in compiled)


def make_chinese(
    parts: str, read: ReadMatch, *patterns: str, kind: Kind = "time", value: ReadValue = _no_value
) -> tuple[DateRule, ...]:
    """Make the Chinese rules of one meaning; parts are single characters, or have a `|` behind."""
    apart = tuple(filter(None, parts.split("|")) if "|" in parts else parts)
    return tuple(DateRule(apart, lazy_regex(each), read, kind, value) for each in patterns)


_HOURS = "one two three four five six seven eight nine ten eleven twelve".split()
_DIGITS = {char: i for i, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_HALF_DAY, _NOON, _DAY = 12, 12, 24
_QUARTER, _HALF, _HOUR = 15, 30, 60
_MINUTES = {"half": _HALF, "quarter": _QUARTER, "five": 5, "ten": 10, "twenty": 20}
_PARTS = {
    word: part
    for part, words in (
        ("dawn", "凌晨"),
        ("morning", "一大早 大清早 一早 清早 早上 早晨 清晨 上午"),
        ("noon", "中午"),
        ("afternoon", "下午"),
        ("evening", "傍晚 晚上"),
        ("night", "夜里 半夜 深夜 午夜"),
    )
    for word in words.split()
}
_NUMBER = "twelve|eleven|ten|one|two|three|four|five|six|seven|eight|nine"
_HOUR_OF = rf"(?P<h>\d{{1,2}}|{_NUMBER})"
_AM = r"(?P<am>am\b|pm\b|a\.m\.?|p\.m\.?)"
# A number after "at" is an hour where nothing follows that it could count.
_NO_NOUN = (
    r"(?=\s*(?:[,.;!?)\n]|\Z)|\s(?:at|in|on|and|or|to|until|till|through|with|for|from|by|because|but"
    r"|so|if|when|where|before|after|tomorrow|today|tonight|this|next|every|sharp|i|we|he|she|they"
    r"|you|it|is|was|will|every|mon|tues|wednes|thurs|fri|satur|sun)(?:\b|day\b|['’]))(?!\s?%)"
)
_CHINESE_NUMBER = r"\d{1,2}|二十[一二三四]?|十[一二三四五六七八九]?|[零〇一二两三四五六七八九]"
_CHINESE_MINUTE = (
    r"(?P<half>半)|(?P<q>[一三])刻|(?P<min>[0-5]?\d|[二三四五]?十[一二三四五六七八九]?|[零〇][一二三四五六七八九])"
    r"(?:分(?!之)|(?![\d点年月日号个人元块倍万亿只条名岁次种%％]))"
)
_COUNTED = (
    "建议|意见|原因|理由|要求|想法|问题|好处|不足|区别|体会|看法|说明|注意|希望|感受|教训|经验|内容"
    "|优点|缺点|共识|共同|结论|水|力|错|心|钱|东西|五倍|几"
)


def _read_twelve_hours(hour: int, half: str | None) -> tuple[int, ...]:
    """Return the hours of a day that a clock of twelve hours may mean."""
    if not 0 < hour <= _HALF_DAY:
        raise ValueError("no hour of a clock")
    early = hour % _HALF_DAY
    if half is None:
        return early, early + _HALF_DAY
    return (early,) if half.lower().startswith("a") else (early + _HALF_DAY,)


def _read_hour(text: str, half: str | None = None) -> tuple[int, ...]:
    """Return the hours that may be meant: 19 and 07 are of a clock of 24 hours."""
    word = text.lower()
    if word in _HOURS:
        return _read_twelve_hours(_HOURS.index(word) + 1, half)
    hour = int(word) if word.isdigit() else _read_chinese(word)
    is_of_24 = hour > _HALF_DAY or hour == 0 or word.startswith("0")
    if hour > _DAY:
        raise ValueError("no hour of a day")
    return (hour,) if is_of_24 and half is None else _read_twelve_hours(hour, half)


def _read_chinese(text: str) -> int:
    tens, ten, ones = text.rpartition("十")
    return (10 * (_DIGITS[tens] if tens else 1) if ten else 0) + (
        _DIGITS[ones.lstrip("零〇") or "零"] if ones else 0
    )


def _of_clock(match: re.Match[str]) -> ClockTime:
    found = match.groupdict()
    minute = int(found["min"]) if found.get("min") else None
    return ClockTime(hours=_read_hour(found["h"], found.get("am")), minute=minute)


def _past(match: re.Match[str]) -> ClockTime:
    """Read `half past six`, `a quarter to five`, `ten past three`."""
    hours = _read_hour(match["h"], match["am"])
    word = match["before"].lower().split()[-1]
    minutes = _MINUTES[word] if word in _MINUTES else int(word)
    if match["way"].lower() == "past":
        return ClockTime(hours=hours, minute=minutes)
    return ClockTime(hours=tuple((hour - 1) % _DAY for hour in hours), minute=_HOUR - minutes)


def _noon(match: re.Match[str]) -> ClockTime:
    is_noon = match["name"].lower() in ("noon", "midday", "正午", "中午")
    return ClockTime(hours=(_NOON if is_noon else _DAY,))


def _of_part(match: re.Match[str]) -> ClockTime:
    return ClockTime(part=_PARTS.get(match[0]) or match[0].lower())


def _of_chinese_clock(match: re.Match[str]) -> ClockTime:
    hours, found = _read_hour(match["h"]), match.groupdict()
    if found.get("half"):
        return ClockTime(hours=hours, minute=_HALF)
    if quarters := found.get("q"):
        return ClockTime(hours=hours, minute=_QUARTER * _DIGITS[quarters])
    minute = found.get("min")
    if not minute:
        return ClockTime(hours=hours)
    return ClockTime(hours=hours, minute=int(minute) if minute.isdigit() else _read_chinese(minute))


def _weak(read: ReadValue) -> ReadValue:
    """Return a reader whose time of day counts only beside a day or its part: 三点 in 明天三点."""

    def read_weak(match: re.Match[str]) -> Value:
        found = read(match)
        return replace(found, is_weak=True) if isinstance(found, ClockTime) else found

    return read_weak


def read_nearest(clock: ClockTime, at: datetime, prefer: Prefer) -> Window | None:
    """Return the nearest time of day in a direction; None for a part of the day without its day."""
    if not clock.hours or (clock.is_weak and not clock.part):
        return None
    return windows.nearest_clock(prefer, at, clock.part, clock.hours, clock.minute)


def place_on(clock: ClockTime, window: Window, *, is_over: bool = False) -> Window:
    """Return the time of day on a day, or in a part of it.

    Args:
        clock: the time of day.
        window: the day or its part.
        is_over: true for the night that is over, which reaches into the morning.
    """
    if clock.part and window.granularity == "day":
        is_night = is_over and clock.part == "evening" and not clock.hours
        window = windows.part(window, "night" if is_night else clock.part)
    return windows.on_clock(window, clock.hours, clock.minute) if clock.hours else window


def _english(parts: str, pattern: str, value: ReadValue = _of_clock) -> DateRule:
    (rule,) = make_english(parts, read_nothing, pattern, kind="clock", value=value)
    return rule


def _chinese(parts: str, pattern: str, value: ReadValue) -> DateRule:
    (rule,) = make_chinese(parts, read_nothing, pattern, kind="clock", value=value)
    return rule


_COLON = (
    r"(?<![\d:：.,/-])(?P<h>[01]?\d|2[0-3])[:：](?P<min>[0-5]\d)"
    r"(?![:：]?\d|[.,/-]\d|\s?(?:%|per\b|/|min))"
    rf"(?:\s?{_AM})?"
)
_PAST = (
    r"(?<!from\s)(?<!between\s)\b(?P<before>half|(?:a )?quarter|five|ten|twenty|[125]?[05]|"
    r"\d{1,2}(?= minutes))(?: minutes)? (?P<way>past|to)"
    rf" {_HOUR_OF}\b(?:\s?{_AM}|(?P<end>{_NO_NOUN}))"
)
_TO_PM = r"(?::(?P<min>[0-5]\d))?(?=\s?(?:-|–|to|and|until|till)\s?\d{1,2}(?::\d\d)?\s?[ap]\.?m\b)"
_NAMED = "(?P<e>(?P<name>noon|midday|midnight))"
_BEFORE_A_TIME = "(?:at|until|till|by|before|after|around|since|from|to)"
_HALF_PARTS = "|".join(
    f"{hour}{half}"
    for hour in (*"0123456789", *(f"{each} " for each in (*"0123456789", *_HOURS)))
    for half in ("am", "pm", "a.m", "p.m")
)
ENGLISH_RULES = (
    _english(": ：", _COLON),
    _english(_HALF_PARTS, rf"(?<![\d:.,/$€£])(?<!\s-)\b{_HOUR_OF}(?:\.(?P<min>[0-5]\d))?\s?{_AM}"),
    _english("o'clock o’clock", rf"(?<![\d:.,])\b{_HOUR_OF}\s?o['’]clock\b"),
    _english(" past | to |past\n|to\n", _PAST, _past),
    _english("at |around |at\n|around\n", rf"\b(?:at|around) {_HOUR_OF}\b(?!\.\d){_NO_NOUN}"),
    _english("until till", rf"\b(?:until|till) (?P<e>{_HOUR_OF})\b(?!\.\d){_NO_NOUN}"),
    _english(
        "in the|at night",
        rf"\b{_HOUR_OF}(?= (?:in the (?:morn|after|even)|at night))",
        _weak(_of_clock),
    ),
    _english(_HALF_PARTS, rf"(?<![\d:.,/$€£-])\b{_HOUR_OF}{_TO_PM}"),
    _english("noon midday midnight", rf"\b{_BEFORE_A_TIME} {_NAMED}\b", _noon),
    _english("noon midday midnight", rf"\b{_NAMED}\b", _weak(_noon)),
    _english(
        "morning afternoon evening night", r"\b(?:morning|afternoon|evening|night)\b", _of_part
    ),
)
# A numeral before it belongs to it, unless it is the weekday's: 周一9点.
_NO_NUMBER = r"(?<![\d.:：第几])(?<!(?<![周期拜])[一二三四五六七八九十百])"
_HOUR_ZH = (
    rf"{_NO_NUMBER}(?P<h>{_CHINESE_NUMBER})"
    "(?:点(?![儿滴心评击点档式水论]|之间|一线)|(?<!一)时(?![候间期代刻辰而髦]))"
)
_SURE = rf"(?:(?:钟|整)|(?:{_CHINESE_MINUTE}))"
_UNSURE = "(?<!(?<!十)一点)(?![都也就没不])"
CHINESE_RULES = (
    _chinese("点时", rf"{_HOUR_ZH}{_SURE}", _of_chinese_clock),
    _chinese(
        "点时",
        rf"(?<![有提出给补充下这那讲谈说列共]){_HOUR_ZH}{_UNSURE}(?!{_COUNTED}|[\d一二三四五六七八九十])",
        _of_chinese_clock,
    ),
    _chinese("点时", rf"{_HOUR_ZH}(?![都也就没不])", _weak(_of_chinese_clock)),
    _chinese("午", "(?P<name>正午|中午(?=[之以]?前))", _noon),
    _chinese("早晚午晨夜", "|".join(_PARTS), _of_part),
)
