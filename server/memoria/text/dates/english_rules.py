"""The patterns of time expressions in English."""

import re
from dataclasses import replace

from memoria.text.dates import english
from memoria.text.dates.rule import DateRule, Kind, ReadMatch, ReadValue
from memoria.text.pattern import LazyPattern

# "may", "march" and "mar" are words of other trades, so a number alone does not make them months.
_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|apr(?:il)?|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    "|nov(?:ember)?|dec(?:ember)?|(?-i:M(?:ay|ar(?:ch)?)))"
)
_ANY_MONTH = "(?P<m>may|mar(?:ch)?|" + _MONTH + ")"
_YEAR = r"(?P<y>(?:19|20)\d\d)\b"
_ISO = r"(?P<y>(?:19|20)\d\d)(?P<s>[-/])(?P<m>\d{1,2})(?P=s)(?P<d>\d{1,2})"
_DATE_YEAR = f"(?:,? {_YEAR})?(?! (?:street|road|avenue|lane|square)\\b)"
_DATE_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_WEEKDAY = "(?P<w>(?:mon|tues|wednes|thurs|fri|satur|sun)day)"
_SHORT_WEEKDAY = "(?P<w>(?-i:Mon|Tues?|Wed|Thu(?:rs)?|Fri|Sat|Sun))"
# Written small, "sat", "sun" and "wed" are other words too: a day of the month or an hour decides.
_SMALL_WEEKDAY = "(?P<w>mon|tues?|weds?|thu(?:rs)?|fri|sat|sun)"
_DAY_OR_HOUR = r"(?: the \d{1,2}(?:st|nd|rd|th)\b| at \d{1,2}(?::\d\d|\s?[ap]\.?m))"
_COUNT = r"(?P<n>\d{1,4}|" + "|".join(sorted(english.COUNTS, key=len, reverse=True)) + ")"
_SEVERAL = "(?!an? )(?:" + _COUNT + ")"  # "will last a week" is no stretch before today
_UNIT = "(?P<u>minute|hour|day|week|fortnight|month|year)s?"
_AND_A_HALF = "(?P<half> and a half)?"
_SEASON = "(?P<season>spring|summer|autumn|fall|winter)"
_THIRD = r"(?P<third>early|mid|late)[\s-]"
_WHICH = "(?P<which>last|this|next)"
_NEAR = "(?P<which>last|this past|this coming|this|next)"
_IN = "(?:in|since|during|until|till|by|before|after)"
_FROM = "(?:between|from)"
_TO = "(?:and|to|until|till|through)"
_NO_HABIT = r"(?<!every\s)(?<!every\sother\s)(?<!each\s)(?<!black\s)(?<!good\s)(?<!today\sis\s)"


def _rule(
    parts: str, pattern: str, read: ReadMatch, kind: Kind = "time", value: ReadValue | None = None
) -> DateRule:
    # ASCII, so that a word ends where Chinese goes on without a space.
    compiled = LazyPattern(pattern.replace(" ", r"\s{1,4}"), re.IGNORECASE | re.ASCII)
    rule = DateRule(_split_parts(parts), compiled, read, kind)
    return rule if value is None else replace(rule, value=value)


def _split_parts(parts: str) -> tuple[str, ...]:
    return tuple(parts.split("|") if "|" in parts else parts.split())


def _weekday_rule(pattern: str) -> DateRule:
    return _rule(
        _WEEKDAY_PARTS, pattern, english.read_weekday, "weekday", english.read_weekday_number
    )


_MONTH_PARTS = " ".join(english.MONTHS)
_WEEKDAY_PARTS = " ".join(english.WEEKDAYS)
_SEASON_PARTS = "spring summer autumn fall winter"
_YEAR_PARTS = "19 20"


_TO_DAY = r"\s?(?:-|–|—|to|and|until|till|through)\s?(?:the )?(?P<d2>\d{1,2})(?:st|nd|rd|th)?"
_RANGE = rf"(?:{_TO_DAY})?"
# A number with its ordinal is a day where nothing follows that it could count.
_NTH = r"(?P<d>\d{1,2})(?:st|nd|rd|th)\b"
_NO_NOUN = (
    r"(?=\s*(?:[,.;:!?()\n–—-]|\Z)|\s(?:at|in|on|and|or|to|of|until|till|through|with|for|from|by"
    r"|because|but|so|if|when|where|before|after|i|we|he|she|they|you|it|is|was|will|my|our|the)"
    r"(?:\b|['’]))(?! of (?!next|last|this|the month))"
)
_THIRD_OF = r"\b(?:the )?(?P<third>beginning|start|middle|end) of "
_PERIOD = (
    r"(?:(?P<which>this|next|last|the) (?P<u>week|month|quarter|year)\b"
    rf"|(?P<m>{_MONTH})\b(?:,? {_YEAR})?)"
)
_OF_THAT_YEAR = rf"(?:(?: of|,)? {_YEAR}| (?:of )?(?P<of>last|this|next|the) year\b)"
_OF_YEAR = rf"(?:{_OF_THAT_YEAR}|\b)"
_ORDINAL_PARTS = "1st 2nd 3rd 0th 1th 2th 3th 4th 5th 6th 7th 8th 9th"
_ORDINAL = "(?P<nth>first|second|third|fourth)"
RULES = (
    _rule(_YEAR_PARTS, rf"(?<![\d./-]){_ISO}(?![\d/-])", english.read_iso, "date"),
    _rule(
        _YEAR_PARTS,
        r"(?<![\d./-])(?<!version\s)(?<!release\s)(?<!v)(?P<y>(?:19|20)\d\d)\.(?P<m>\d{1,2})\."
        r"(?P<d>\d{1,2})(?![\d/-]|\.\d)",
        english.read_iso,
        "date",
    ),
    _rule(
        _YEAR_PARTS,
        r"(?<![\d./-])(?P<a>\d{1,2})(?P<s>[/.])(?P<b>\d{1,2})(?P=s)" + _YEAR + r"(?![/-]|\.\d)",
        english.read_slashed,
        "date",
    ),
    _rule(
        _MONTH_PARTS,
        rf"(?<![\d.,:])\b{_DATE_DAY}{_RANGE}(?: of)? (?P<m>{_MONTH})\b{_DATE_YEAR}",
        english.read_date,
        "date",
    ),
    _rule(
        _MONTH_PARTS,
        rf"\b(?:the )?(?P<d>(?:(?:twenty|thirty)[ -])?(?:{'|'.join(english.DAY_WORDS)})) of "
        rf"(?P<m>{_MONTH})\b{_DATE_YEAR}",
        english.read_date,
        "date",
    ),
    _rule(
        _MONTH_PARTS,
        rf"\b(?P<m>{_MONTH})\.? {_DATE_DAY}\b(?![:.]\d|\s?%|\s?[ap]\.?m\b){_RANGE}{_DATE_YEAR}",
        english.read_date,
        "date",
    ),
    _rule(
        _ORDINAL_PARTS,
        rf"\b(?:on|by|until|till|before|after|since|from|to|through|and|between|of|,) (?:the )?"
        rf"(?P<e>{_NTH}){_NO_NOUN}",
        english.read_day_of_month,
        "day_of_month",
        english.read_day_number,
    ),
    _rule(
        _ORDINAL_PARTS,
        rf"(?<=day) (?P<e>(?:the )?{_NTH}(?! century))",
        english.read_day_of_month,
        "day_of_month",
        english.read_day_number,
    ),
    _rule(
        _ORDINAL_PARTS,
        rf"\A\s{{0,9}}(?P<e>(?:the )?{_NTH})"
        r"\s{0,9}(?:\Z|(?=(?:-|–|to|through) (?:the )?\d\d?[snrt]))",
        english.read_day_of_month,
        "day_of_month",
        english.read_day_number,
    ),
    _rule(_MONTH_PARTS, rf"\b(?:{_THIRD})?(?P<m>{_MONTH})(?: of|,)? {_YEAR}", english.read_month),
    _rule(_MONTH_PARTS, rf"\b{_IN} (?P<e>(?:{_THIRD})?{_ANY_MONTH})\b", english.read_month),
    _rule(_MONTH_PARTS, rf"\b{_FROM} (?P<e>(?P<m>{_MONTH}))(?= {_TO} )", english.read_month),
    _rule(_MONTH_PARTS, rf"\b{_FROM} \w{{3,9}} {_TO} (?P<e>(?P<m>{_MONTH}))\b", english.read_month),
    _rule(_MONTH_PARTS, rf"\b{_WHICH} {_ANY_MONTH}\b", english.read_month),
    _rule(_MONTH_PARTS, rf"\b{_THIRD}{_ANY_MONTH}\b", english.read_month),
    _rule(_MONTH_PARTS, rf"\A\s{{0,9}}(?P<e>{_ANY_MONTH})\s{{0,9}}\Z", english.read_month),
    _rule(
        "beginning of|start of|middle of|end of", _THIRD_OF + _PERIOD, english.read_third_of_period
    ),
    _rule("q", rf"\bQ(?P<q>[1-4]){_OF_YEAR}", english.read_quarter),
    _rule("quarter", rf"\b{_ORDINAL} quarter{_OF_YEAR}(?! of)", english.read_quarter),
    _rule("quarter", rf"\b{_WHICH} quarter\b", english.read_quarter),
    _rule("half", rf"\b(?P<nth>first|second) half{_OF_THAT_YEAR}", english.read_half_year),
    _rule(
        _YEAR_PARTS,
        rf"\b(?:{_IN}|of|from) (?P<e>(?:{_THIRD})?{_YEAR})(?![-/.:,]\d)",
        english.read_year,
    ),
    _rule(_YEAR_PARTS, rf"\A\s{{0,9}}(?P<e>(?:{_THIRD})?{_YEAR})\s{{0,9}}\Z", english.read_year),
    _rule(_YEAR_PARTS, rf"\b{_FROM} (?P<e>{_YEAR})(?= {_TO} )", english.read_year),
    _rule(_YEAR_PARTS, rf"\b{_FROM} \w{{3,9}} {_TO} (?P<e>{_YEAR})", english.read_year),
    _rule(_SEASON_PARTS, rf"\b{_SEASON}(?: of)? {_YEAR}", english.read_season),
    _rule(_SEASON_PARTS, rf"\b{_WHICH} {_SEASON}\b", english.read_season),
    _rule(
        _SEASON_PARTS, rf"\b(?:in|over|during) (?P<e>the {_SEASON})\b(?! of)", english.read_season
    ),
    _rule(_SEASON_PARTS, rf"\A\s{{0,9}}(?P<e>the {_SEASON})\s{{0,9}}\Z", english.read_season),
    _rule(
        _WEEKDAY_PARTS,
        rf"\b(?:the )?(?P<nth>{'|'.join(english.NTHS)}) {_WEEKDAY} (?:of|in) "
        rf"(?:(?P<which>this|next|last|the) month\b|(?P<m>{_MONTH})\b{_DATE_YEAR})",
        english.read_nth_weekday,
        "date",
    ),
    _weekday_rule(rf"{_NO_HABIT}\b(?:{_NEAR} )?{_WEEKDAY}\b"),
    _weekday_rule(rf"\b{_NEAR} {_SHORT_WEEKDAY}\b"),
    _weekday_rule(rf"\bon (?P<e>{_SHORT_WEEKDAY}\b)"),
    _weekday_rule(rf"\b{_SMALL_WEEKDAY}\b(?={_DAY_OR_HOUR})"),
    _weekday_rule(rf"\A\s{{0,9}}(?P<e>{_SHORT_WEEKDAY}\b)\s{{0,9}}\Z"),
    _rule("last this next", rf"\b{_WHICH} (?P<u>week|month|year)\b(?! of\b)", english.read_unit),
    _rule("last this next", rf"\b{_THIRD}{_WHICH} (?P<u>week|month|year)\b", english.read_unit),
    _rule("weekend", rf"\b{_WHICH} weekend\b", english.read_weekend),
    _rule("weekend", r"\bthe (?:coming|upcoming) weekend\b(?P<which>)", english.read_weekend),
    _rule("weekend", r"\b(?:over|at|on) the weekend\b", english.read_past_weekend),
    _rule(
        "last next",
        r"\b(?:the )?(?P<u>week|weekend|month|year|night) (?P<way>before last|after next)\b",
        english.read_second,
    ),
    _rule("ago", rf"\b{_COUNT}{_AND_A_HALF} {_UNIT} ago\b", english.read_ago, "day"),
    _rule("ago", rf"\b{_COUNT} {_UNIT}(?P<half> and a half) ago\b", english.read_ago, "day"),
    _rule(
        "day week fortnight",
        rf"\b(?:the (?P<u1>day)|{_COUNT} {_UNIT}) (?P<way>from|before|after)(?= )",
        english.read_nothing,
        "offset",
        english.read_offset,
    ),
    _rule(
        "on",
        r"\b(?:a|one) (?P<u1>week) (?P<way>on)(?= )",
        english.read_nothing,
        "offset",
        english.read_offset,
    ),
    _rule(
        "first day|last day",
        rf"\b(?:the )?(?P<third>first|last) day of {_PERIOD}",
        english.read_end_of_period,
        "date",
    ),
    _rule(
        f"{_ORDINAL_PARTS} {' '.join(english.DAY_WORDS)}",
        rf"\b(?:the )?(?P<d>\d{{1,2}}(?=st|nd|rd|th)|{'|'.join(english.DAY_WORDS)})(?:st|nd|rd|th)?"
        r"(?P<m>)(?= of (?:last|this|next|the) month\b)",
        english.read_day_of_month,
        "day_of_month",
        english.read_day_number,
    ),
    _rule(
        "in from",
        rf"(?<!once\s)(?<!twice\s)(?<!time\s)(?<!times\s)\bin {_COUNT}{_AND_A_HALF} {_UNIT}\b",
        english.read_ahead,
        "day",
    ),
    _rule("in from", rf"\b{_COUNT} {_UNIT} from (?:now|today)\b", english.read_ahead, "day"),
    _rule("half", r"\bhalf an? (?P<u>hour|year) ago\b", english.read_half),
    _rule("half", r"\b(?P<ahead>in) half an? (?P<u>hour|year)\b", english.read_half),
    _rule(
        "last past next coming",
        rf"\b(?P<which>last|past|next|coming) {_SEVERAL} {_UNIT}\b",
        english.read_rolling,
    ),
    _rule(
        "last past next coming",
        r"\b(?P<which>past) (?P<u>hour|day|week|month|year)\b",
        english.read_rolling,
    ),
    _rule(
        "day",
        r"\b(?:the )?day (?P<way>before|after) (?:yesterday|tomorrow)\b",
        english.read_two_days,
        "day",
    ),
    _rule(
        "today yesterday tomorrow tm 2m",
        r"\b(?P<name>today|yesterday|tomorrow|tmrw|tmr|tmw|2morrow)\b",
        english.read_day,
        "day",
    ),
    _rule("tonight", r"\btonight\b", english.read_tonight, "part"),
    _rule("last", r"\blast (?P<part>night|evening)\b", english.read_last_night, "part"),
    _rule("this", r"\bthis (?P<part>morning|afternoon|evening)\b", english.read_this_part, "part"),
)
