"""Time expressions in English."""

import re
from datetime import datetime

from memoria.text.dates import windows
from memoria.text.dates.rule import DateRule, ReadMatch
from memoria.text.dates.windows import Prefer, Which, Window
from memoria.text.pattern import LazyPattern

_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_WEEKDAYS = "mon tue wed thu fri sat sun".split()
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_COUNTS = {word: i for i, word in enumerate(_NUMBERS)} | {
    "a": 1,
    "an": 1,
    "a couple of": 2,
    "fifteen": 15,
    "twenty": 20,
    "thirty": 30,
}
_THIRDS = {"early": 0, "mid": 1, "late": 2}
_NAMED = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}

# "may", "march" and "mar" are words of other trades, so a number alone does not make them months.
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?|(?-i:M(?:ay|ar(?:ch)?)))"
)
_ANY_MONTH = "(?P<m>may|mar(?:ch)?|" + _MONTH + ")"
_YEAR = r"(?P<y>(?:19|20)\d\d)\b"
_ISO = r"(?P<y>(?:19|20)\d\d)(?P<s>[-/])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})"
_DATE_YEAR = f"(?:,? {_YEAR})?"
_DATE_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_WEEKDAY = "(?P<w>(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_SHORT_WEEKDAY = "(?P<w>(?-i:Mon|Tues?|Wed|Thu(?:rs)?|Fri|Sat|Sun))"
_COUNT = r"(?P<n>\d{1,4}|" + "|".join(sorted(_COUNTS, key=len, reverse=True)) + ")"
_SEVERAL = "(?!an? )(?:" + _COUNT + ")"  # "will last a week" is no stretch before today
_UNIT = "(?P<u>minute|hour|day|week|month|year)s?"
_SEASON = "(?P<season>spring|summer|autumn|fall|winter)"
_THIRD = r"(?P<third>early|mid|late)[\s-]"
_PART = "(?: (?P<part>morning|noon|afternoon|evening|night))?"
_NO_DATE = rf"(?!,? (?:the )?(?:\d{{1,2}}\b|{_MONTH} \d))"  # Sunday, May 3: the date says it
_WHICH = "(?P<which>last|this|next)"
_NEAR = "(?P<which>last|this past|this coming|this|next)"
_WHICHES: dict[str, Which] = {
    "last": "last",
    "this past": "last",
    "this": "this",
    "this coming": "next",
    "next": "next",
}
_IN = "(?:in|since|during|until|till|by|before|after)"
_FROM = "(?:between|from)"
_TO = "(?:and|to|until|till|through)"
_NO_HABIT = r"(?<!every\s)(?<!each\s)(?<!black\s)(?<!good\s)(?<!today\sis\s)"


def _which(match: re.Match[str], prefer: Prefer) -> Which:
    said = match.groupdict().get("which")
    return _WHICHES[" ".join(said.lower().split())] if said else prefer


def _count(match: re.Match[str]) -> int:
    word = " ".join(match["n"].lower().split())
    return int(word) if word.isdigit() else _COUNTS[word]


def _month_number(match: re.Match[str]) -> int:
    return _MONTHS.index(match["m"][:3].lower()) + 1


def _third_of(match: re.Match[str], window: Window) -> Window:
    third = match.groupdict().get("third")
    return windows.third(window, _THIRDS[third.lower()]) if third else window


def _part_of(match: re.Match[str], window: Window) -> Window:
    part = match.groupdict().get("part")
    return windows.part(window, part.lower()) if part else window


def _date(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    month, day = _month_number(match), int(match["d"])
    if match["y"]:
        return windows.date(int(match["y"]), month, day)
    return windows.nearest_occurrence(prefer, at, lambda year: windows.date(year, month, day))


def _iso(match: re.Match[str], _at: datetime, _prefer: Prefer) -> Window:
    return windows.date(int(match["y"]), int(match["m"]), int(match["d"]))


def _month(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    number = _month_number(match)
    if match.groupdict().get("y"):
        return _third_of(match, windows.month(int(match["y"]), number))
    which = _which(match, prefer)
    return _third_of(
        match, windows.nearest_occurrence(which, at, lambda year: windows.month(year, number))
    )


def _season(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    name = {"fall": "autumn"}.get(match["season"].lower(), match["season"].lower())
    if match.groupdict().get("y"):
        return windows.season(int(match["y"]), name)
    which = _which(match, prefer)
    return windows.nearest_occurrence(which, at, lambda year: windows.season(year, name))


def _year(match: re.Match[str], _at: datetime, _prefer: Prefer) -> Window:
    return _third_of(match, windows.year(int(match["y"])))


def _weekday(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    number = _WEEKDAYS.index(match["w"][:3].lower())
    return _part_of(match, windows.weekday_near(_which(match, prefer), at, number))


def _step(match: re.Match[str]) -> int:
    return {"last": -1, "this": 0, "next": 1}[match["which"].lower()]


def _unit(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    return _third_of(match, windows.shift_window(at, _step(match), match["u"].lower()))


def _weekend(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    return windows.weekend(windows.shift_window(at, _step(match), "week").start)


def _past_weekend(_match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    begun = windows.weekend(at).start <= at
    back = prefer == "past" and not begun
    return windows.weekend(windows.shift_window(at, -1 if back else 0, "week").start)


def _ago(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    return windows.shift_window(at, -_count(match), match["u"].lower())


def _ahead(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    return windows.shift_window(at, _count(match), match["u"].lower())


def _half(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    count, unit = (30, "minute") if match["u"].lower() == "hour" else (6, "month")
    return windows.shift_window(at, count if match.groupdict().get("ahead") else -count, unit)


def _rolling(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    count = _count(match) if match.groupdict().get("n") else 1
    ahead = match["which"].lower() in ("next", "coming")
    return windows.rolling(at, count if ahead else -count, match["u"].lower())


def _day(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    name = match["name"].lower()
    night = "night" if name == "tonight" else None
    window = windows.shift_window(at, _NAMED[name], "day")
    return windows.part(window, night) if night else _part_of(match, window)


def _two_days(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    return _part_of(
        match, windows.shift_window(at, -2 if match["way"].lower() == "before" else 2, "day")
    )


def _last_night(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    return windows.part(windows.shift_window(at, -1, "day"), match["part"].lower())


def _this_part(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    return windows.part(windows.day(at), match["part"].lower())


def _rule(parts: str, pattern: str, read: ReadMatch) -> DateRule:
    # ASCII, so that a word ends where Chinese goes on without a space.
    return DateRule(
        tuple(parts.split()),
        LazyPattern(pattern.replace(" ", r"\s{1,4}"), re.IGNORECASE | re.ASCII),
        read,
    )


_MONTH_PARTS = " ".join(_MONTHS)
_WEEKDAY_PARTS = " ".join(_WEEKDAYS)
_SEASON_PARTS = "spring summer autumn fall winter"
_YEAR_PARTS = "19 20"


RULES = (
    _rule("- /", rf"(?<![\d./-]){_ISO}(?![\d/-])", _iso),
    _rule(_MONTH_PARTS, rf"(?<![\d.,:])\b{_DATE_DAY}(?: of)? (?P<m>{_MONTH})\b{_DATE_YEAR}", _date),
    _rule(_MONTH_PARTS, rf"\b(?P<m>{_MONTH})\.? {_DATE_DAY}\b(?![:.]\d|\s?%){_DATE_YEAR}", _date),
    _rule(_MONTH_PARTS, rf"\b(?:{_THIRD})?(?P<m>{_MONTH})(?: of|,)? {_YEAR}", _month),
    _rule(_MONTH_PARTS, rf"\b{_IN} (?P<e>(?:{_THIRD})?{_ANY_MONTH})\b", _month),
    _rule(_MONTH_PARTS, rf"\b{_FROM} (?P<e>(?P<m>{_MONTH}))(?= {_TO} )", _month),
    _rule(_MONTH_PARTS, rf"\b{_FROM} \w{{3,9}} {_TO} (?P<e>(?P<m>{_MONTH}))\b", _month),
    _rule(_MONTH_PARTS, rf"\b{_WHICH} {_ANY_MONTH}\b", _month),
    _rule(_MONTH_PARTS, rf"\b{_THIRD}{_ANY_MONTH}\b", _month),
    _rule(_MONTH_PARTS, rf"\A\s{{0,9}}(?P<e>{_ANY_MONTH})\s{{0,9}}\Z", _month),
    _rule(_YEAR_PARTS, rf"\b(?:{_IN}|of|from) (?P<e>(?:{_THIRD})?{_YEAR})(?![-/.:,]\d)", _year),
    _rule(_YEAR_PARTS, rf"\A\s{{0,9}}(?P<e>(?:{_THIRD})?{_YEAR})\s{{0,9}}\Z", _year),
    _rule(_YEAR_PARTS, rf"\b{_FROM} (?P<e>{_YEAR})(?= {_TO} )", _year),
    _rule(_YEAR_PARTS, rf"\b{_FROM} \w{{3,9}} {_TO} (?P<e>{_YEAR})", _year),
    _rule(_SEASON_PARTS, rf"\b{_SEASON}(?: of)? {_YEAR}", _season),
    _rule(_SEASON_PARTS, rf"\b{_WHICH} {_SEASON}\b", _season),
    _rule(_SEASON_PARTS, rf"\b(?:in|over|during) (?P<e>the {_SEASON})\b(?! of)", _season),
    _rule(_SEASON_PARTS, rf"\A\s{{0,9}}(?P<e>the {_SEASON})\s{{0,9}}\Z", _season),
    _rule(_WEEKDAY_PARTS, rf"{_NO_HABIT}\b(?:{_NEAR} )?{_WEEKDAY}\b{_PART}{_NO_DATE}", _weekday),
    _rule(_WEEKDAY_PARTS, rf"\b{_NEAR} {_SHORT_WEEKDAY}\b{_PART}", _weekday),
    _rule(_WEEKDAY_PARTS, rf"\bon (?P<e>{_SHORT_WEEKDAY}\b{_PART})", _weekday),
    _rule(_WEEKDAY_PARTS, rf"\A\s{{0,9}}(?P<e>{_SHORT_WEEKDAY}\b{_PART})\s{{0,9}}\Z", _weekday),
    _rule("last this next", rf"\b{_WHICH} (?P<u>week|month|year)\b(?! of\b)", _unit),
    _rule("last this next", rf"\b{_THIRD}{_WHICH} (?P<u>month|year)\b", _unit),
    _rule("weekend", rf"\b{_WHICH} weekend\b", _weekend),
    _rule("weekend", r"\bover the weekend\b", _past_weekend),
    _rule("ago", rf"\b{_COUNT} {_UNIT} ago\b", _ago),
    _rule(
        "in from", rf"(?<!once\s)(?<!twice\s)(?<!time\s)(?<!times\s)\bin {_COUNT} {_UNIT}\b", _ahead
    ),
    _rule("in from", rf"\b{_COUNT} {_UNIT} from (?:now|today)\b", _ahead),
    _rule("half", r"\bhalf an? (?P<u>hour|year) ago\b", _half),
    _rule("half", r"\b(?P<ahead>in) half an? (?P<u>hour|year)\b", _half),
    _rule(
        "last past next coming",
        rf"\b(?P<which>last|past|next|coming) {_SEVERAL} {_UNIT}\b",
        _rolling,
    ),
    _rule(
        "last past next coming", r"\b(?P<which>past) (?P<u>hour|day|week|month|year)\b", _rolling
    ),
    _rule(
        "day", r"\b(?:the )?day (?P<way>before|after) (?:yesterday|tomorrow)\b" + _PART, _two_days
    ),
    _rule(
        "today tonight yesterday tomorrow",
        rf"\b(?P<name>today|tonight|yesterday|tomorrow)\b{_PART}",
        _day,
    ),
    _rule("last", r"\blast (?P<part>night|evening)\b", _last_night),
    _rule("this", r"\bthis (?P<part>morning|afternoon|evening)\b", _this_part),
)
