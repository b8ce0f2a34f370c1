"""The patterns of time expressions in English."""

from memoria.language.dates import english
from memoria.language.dates.rule import make_english, read_nothing

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
_HALF_A = "(?P<n>half an?) (?P<u>hour|year)"
_SEASON = "(?P<season>spring|summer|autumn|fall|winter)"
_THIRD = r"(?P<third>early|mid|late)[\s-]"
_WHICH = "(?P<which>last|this|next)"
_NEAR = "(?P<which>last|this past|this coming|this|next)"
_IN = "(?:in|since|during|until|till|by|before|after)"
_FROM = "(?:between|from)"
_TO = "(?:and|to|until|till|through)"
_NO_HABIT = r"(?<!every\s)(?<!every\sother\s)(?<!each\s)(?<!black\s)(?<!good\s)(?<!today\sis\s)"

_PARTS_OF_DAYS = r"(?:mornings|afternoons|evenings|nights)\b"
"""Matches parts of the days of every week: "Tuesday mornings"."""

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
    *make_english(
        _YEAR_PARTS,
        english.read_iso,
        rf"(?<![\d./-]){_ISO}(?![\d/-])",
        r"(?<![\d./-])(?<!version\s)(?<!release\s)(?<!v)(?P<y>(?:19|20)\d\d)\.(?P<m>\d{1,2})\."
        r"(?P<d>\d{1,2})(?![\d/-]|\.\d)",
        kind="date",
    ),
    *make_english(
        _YEAR_PARTS,
        english.read_slashed,
        r"(?<![\d./-])(?P<a>\d{1,2})(?P<s>[/.])(?P<b>\d{1,2})(?P=s)" + _YEAR + r"(?![/-]|\.\d)",
        kind="date",
    ),
    *make_english(
        _MONTH_PARTS,
        english.read_date,
        rf"(?<![\d.,:])\b{_DATE_DAY}{_RANGE}(?: of)? (?P<m>{_MONTH})\b{_DATE_YEAR}",
        rf"\b(?:the )?(?P<d>(?:(?:twenty|thirty)[ -])?(?:{'|'.join(english.DAY_WORDS)})) of "
        rf"(?P<m>{_MONTH})\b{_DATE_YEAR}",
        rf"\b(?P<m>{_MONTH})\.? {_DATE_DAY}\b(?![:.]\d|\s?%|\s?[ap]\.?m\b){_RANGE}{_DATE_YEAR}",
        kind="date",
    ),
    *make_english(
        _ORDINAL_PARTS,
        english.read_day_of_month,
        rf"\b(?:on|by|until|till|before|after|since|from|to|through|and|between|of|,) (?:the )?"
        rf"(?P<e>{_NTH}){_NO_NOUN}",
        rf"(?<=day) (?P<e>(?:the )?{_NTH}(?! century))",
        rf"\A\s{{0,9}}(?P<e>(?:the )?{_NTH})"
        r"\s{0,9}(?:\Z|(?=(?:-|–|to|through) (?:the )?\d\d?[snrt]))",
        kind="day_of_month",
        value=english.read_day_number,
    ),
    *make_english(
        _MONTH_PARTS,
        english.read_month,
        rf"\b(?:{_THIRD})?(?P<m>{_MONTH})(?: of|,)? {_YEAR}",
        rf"\b{_IN} (?P<e>(?:{_THIRD})?{_ANY_MONTH})\b",
        rf"\b{_FROM} (?P<e>(?P<m>{_MONTH}))(?= {_TO} )",
        rf"\b{_FROM} \w{{3,9}} {_TO} (?P<e>(?P<m>{_MONTH}))\b",
        rf"\b{_WHICH} {_ANY_MONTH}\b",
        rf"\b{_THIRD}{_ANY_MONTH}\b",
        rf"\A\s{{0,9}}(?P<e>{_ANY_MONTH})\s{{0,9}}\Z",
    ),
    *make_english(
        "beginning of|start of|middle of|end of", english.read_third_of_period, _THIRD_OF + _PERIOD
    ),
    *make_english("q", english.read_quarter, rf"\bQ(?P<q>[1-4]){_OF_YEAR}"),
    *make_english(
        "quarter",
        english.read_quarter,
        rf"\b{_ORDINAL} quarter{_OF_YEAR}(?! of)",
        rf"\b{_WHICH} quarter\b",
    ),
    *make_english("half", english.read_half_year, rf"\b(?P<nth>first|second) half{_OF_THAT_YEAR}"),
    *make_english(
        _YEAR_PARTS,
        english.read_year,
        rf"\b(?:{_IN}|of|from) (?P<e>(?:{_THIRD})?{_YEAR})(?![-/.:,]\d)",
        rf"\A\s{{0,9}}(?P<e>(?:{_THIRD})?{_YEAR})\s{{0,9}}\Z",
        rf"\b{_FROM} (?P<e>{_YEAR})(?= {_TO} )",
        rf"\b{_FROM} \w{{3,9}} {_TO} (?P<e>{_YEAR})",
    ),
    *make_english(
        _SEASON_PARTS,
        english.read_season,
        rf"\b{_SEASON}(?: of)? {_YEAR}",
        rf"\b{_WHICH} {_SEASON}\b",
        rf"\b(?:in|over|during) (?P<e>the {_SEASON})\b(?! of)",
        rf"\A\s{{0,9}}(?P<e>the {_SEASON})\s{{0,9}}\Z",
    ),
    *make_english(
        _WEEKDAY_PARTS,
        english.read_nth_weekday,
        rf"\b(?:the )?(?P<nth>{'|'.join(english.NTHS)}) {_WEEKDAY} (?:of|in) "
        rf"(?:(?P<which>this|next|last|the) month\b|(?P<m>{_MONTH})\b{_DATE_YEAR})",
        kind="date",
    ),
    *make_english(
        _WEEKDAY_PARTS,
        english.read_weekday,
        rf"{_NO_HABIT}\b(?:{_NEAR} )?{_WEEKDAY}\b(?!\s{_PARTS_OF_DAYS})",
        rf"\b{_NEAR} {_SHORT_WEEKDAY}\b",
        rf"\bon (?P<e>{_SHORT_WEEKDAY}\b)",
        rf"\b{_SMALL_WEEKDAY}\b(?={_DAY_OR_HOUR})",
        rf"\A\s{{0,9}}(?P<e>{_SHORT_WEEKDAY}\b)\s{{0,9}}\Z",
        kind="weekday",
        value=english.read_weekday_number,
    ),
    *make_english(
        "last this next",
        english.read_unit,
        rf"\b{_WHICH} (?P<u>week|month|year)\b(?! of\b)",
        rf"\b{_THIRD}{_WHICH} (?P<u>week|month|year)\b",
    ),
    *make_english(
        "weekend",
        english.read_weekend,
        rf"\b{_WHICH} weekend\b",
        r"\bthe (?:coming|upcoming) weekend\b(?P<which>)",
    ),
    *make_english("weekend", english.read_past_weekend, r"\b(?:over|at|on) the weekend\b"),
    *make_english(
        "last next",
        english.read_second,
        r"\b(?:the )?(?P<u>week|weekend|month|year|night) (?P<way>before last|after next)\b",
    ),
    *make_english(
        "ago",
        english.read_ago,
        rf"\b{_COUNT}{_AND_A_HALF} {_UNIT} ago\b",
        rf"\b{_COUNT} {_UNIT}(?P<half> and a half) ago\b",
        kind="day",
    ),
    *make_english(
        "day week fortnight",
        read_nothing,
        rf"\b(?:the (?P<u1>day)|{_COUNT} {_UNIT}) (?P<way>from|before|after)(?= )",
        kind="offset",
        value=english.read_offset,
    ),
    *make_english(
        "on",
        read_nothing,
        r"\b(?:a|one) (?P<u1>week) (?P<way>on)(?= )",
        kind="offset",
        value=english.read_offset,
    ),
    *make_english(
        "first day|last day",
        english.read_end_of_period,
        rf"\b(?:the )?(?P<third>first|last) day of {_PERIOD}",
        kind="date",
    ),
    *make_english(
        f"{_ORDINAL_PARTS} {' '.join(english.DAY_WORDS)}",
        english.read_day_of_month,
        rf"\b(?:the )?(?P<d>\d{{1,2}}(?=st|nd|rd|th)|{'|'.join(english.DAY_WORDS)})(?:st|nd|rd|th)?"
        r"(?P<m>)(?= of (?:last|this|next|the) month\b)",
        kind="day_of_month",
        value=english.read_day_number,
    ),
    *make_english(
        "in from",
        english.read_ahead,
        rf"(?<!once\s)(?<!twice\s)(?<!time\s)(?<!times\s)\bin {_COUNT}{_AND_A_HALF} {_UNIT}\b",
        rf"\b{_COUNT} {_UNIT} from (?:now|today)\b",
        kind="day",
    ),
    *make_english("half", english.read_ago, rf"\b{_HALF_A} ago\b"),
    *make_english("half", english.read_ahead, rf"\bin {_HALF_A}\b"),
    *make_english(
        "last past next coming",
        english.read_rolling,
        rf"\b(?P<which>last|past|next|coming) {_SEVERAL} {_UNIT}\b",
        r"\b(?P<which>past) (?P<u>hour|day|week|month|year)\b",
    ),
    *make_english(
        "day tomorrow tm 2m",
        english.read_day,
        r"\b(?:the )?(?P<name>day before yesterday|day after tomorrow)\b",
        r"\b(?P<name>today|yesterday|tomorrow|tmrw|tmr|tmw|2morrow)\b",
        kind="day",
    ),
    *make_english(
        "tonight last this",
        english.read_part,
        r"\btonight\b(?P<which>)(?P<part>)",
        r"\b(?P<which>last) (?P<part>night|evening)\b",
        r"\b(?P<which>this) (?P<part>morning|afternoon|evening)\b",
        kind="part",
    ),
)
