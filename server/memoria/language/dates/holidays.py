"""Holidays in both languages: by a date, a weekday of a month, Easter or the moon."""

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta

from memoria.language.dates import windows
from memoria.language.dates.chinese import YEARS
from memoria.language.dates.rule import make_chinese, make_english
from memoria.language.dates.windows import Prefer, Which, Window

_DayOf = Callable[[int], date]
"""Gives the day of a holiday in a year.

Raises:
    ValueError: it is not known for that year.
"""
_SUNDAY, _THURSDAY = 6, 3
_FIRST_LUNAR_YEAR = 2015
_SPRING_FESTIVALS = (
    "0219 0208 0128 0216 0205 0125 0212 0201 0122 0210 0129 0217 0206 0126 0213 0203 0123 0211 0131"
    " 0219 0208"
).split()
_DRAGON_BOATS = (
    "0620 0609 0530 0618 0607 0625 0614 0603 0622 0610 0531 0619 0609 0528 0616 0605"
).split()
_MID_AUTUMNS = (
    "0927 0915 1004 0924 0913 1001 0921 0910 0929 0917 1006 0925 0915 1003 0922 0912"
).split()


def _on_date(month: int, day: int) -> _DayOf:
    return lambda year: date(year, month, day)


def _weekday(month: int, weekday: int, nth: int) -> _DayOf:
    return lambda year: windows.nth_weekday(windows.month(year, month), weekday, nth).start.date()


def _easter(year: int) -> date:
    """Return Easter Sunday, by Gauss's rule as Butcher has it."""
    century, of_century = divmod(year, 100)
    golden = year % 19
    leaps, rest = divmod(century, 4)
    shift = (century - (century + 8) // 25 + 1) // 3
    moon = (19 * golden + century - leaps - shift + 15) % 30
    sunday = (32 + 2 * rest + 2 * (of_century // 4) - moon - of_century % 4) % 7
    late = (golden + 11 * moon + 22 * sunday) // 451
    month, day = divmod(moon + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def _lunar(days: list[str], shift: int = 0) -> _DayOf:
    """Return a holiday of the moon, from a table of its days."""

    def find(year: int) -> date:
        index = year - _FIRST_LUNAR_YEAR
        if not 0 <= index < len(days):
            raise ValueError("no table has that year")
        return date(year, int(days[index][:2]), int(days[index][2:])) + timedelta(days=shift)

    return find


def _shift(holiday: _DayOf, days: int) -> _DayOf:
    return lambda year: holiday(year) + timedelta(days=days)


def _clear_brightness(year: int) -> date:
    """Return 清明: the 4th or the 5th of April, by the sun."""
    since_2000 = year % 100
    return date(year, 4, int(since_2000 * 0.2422 + 4.81) - since_2000 // 4)


def _list_fixed(table: str) -> dict[str, _DayOf]:
    """Map the names of holidays to their fixed dates: `1225 christmas, christmas day`."""
    rows = (row.split(maxsplit=1) for row in table.strip().splitlines())
    return {
        name: _on_date(int(day[:2]), int(day[2:]))
        for day, names in rows
        for name in names.split(", ")
    }


_ENGLISH: Mapping[str, _DayOf] = {
    **_list_fixed("""
        0101 new year's day, new year's, new year
        0214 valentine's day
        0401 april fools' day
        0704 independence day
        1031 halloween
        1224 christmas eve
        1225 christmas day, christmas
        1226 boxing day
        1231 new year's eve"""),
    "thanksgiving": _weekday(11, _THURSDAY, 3),
    "mother's day": _weekday(5, _SUNDAY, 1),
    "father's day": _weekday(6, _SUNDAY, 2),
    "good friday": _shift(_easter, -2),
    "easter sunday": _easter,
    "easter monday": _shift(_easter, 1),
    "easter": _easter,
    "chinese new year": _lunar(_SPRING_FESTIVALS),
}
_CHINESE: Mapping[str, _DayOf] = {
    **_list_fixed("""
        0101 元旦
        0214 情人节
        0308 妇女节
        0401 愚人节
        0501 劳动节, 五一
        0504 青年节
        0601 儿童节, 六一
        0801 建军节
        0910 教师节
        1001 国庆节, 国庆, 十一
        1031 万圣节
        1111 双十一
        1224 平安夜
        1225 圣诞节, 圣诞
        1231 跨年夜"""),
    **dict.fromkeys(("清明节", "清明"), _clear_brightness),
    "感恩节": _weekday(11, _THURSDAY, 3),
    "母亲节": _weekday(5, _SUNDAY, 1),
    "父亲节": _weekday(6, _SUNDAY, 2),
    **dict.fromkeys(("除夕", "大年三十"), _lunar(_SPRING_FESTIVALS, -1)),
    **dict.fromkeys(("春节", "大年初一"), _lunar(_SPRING_FESTIVALS)),
    "元宵节": _lunar(_SPRING_FESTIVALS, 14),
    **dict.fromkeys(("端午节", "端午"), _lunar(_DRAGON_BOATS)),
    **dict.fromkeys(("中秋节", "中秋"), _lunar(_MID_AUTUMNS)),
}
_WHICHES: dict[str, Which] = {"last": "last", "this": "this", "next": "next"}


def _in_year(holiday: _DayOf, year: int) -> Window:
    day = holiday(year)
    return windows.date(day.year, day.month, day.day)


def _read_english(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    holiday = _ENGLISH[" ".join(match["name"].lower().replace("’", "'").split())]
    year = int(match["y"]) if match["y"] else None
    which: Which = _WHICHES[match["which"].lower()] if match["which"] else prefer
    year = at.year if which == "this" else year
    return windows.of_year(year, which, at, lambda each: _in_year(holiday, each))


def _read_chinese(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    holiday = _CHINESE[match["name"]]
    year = int(match["y"]) if match["y"] else None
    year = at.year + YEARS[match["near"]] if match["near"] else year
    return windows.of_year(year, prefer, at, lambda each: _in_year(holiday, each))


# A holiday is a date where something says when, not where it is the subject of talk.
_BEFORE = "(?:on|at|by|until|till|before|after|since|from|to|through|over)"
_NAMES = "|".join(sorted(_ENGLISH, key=len, reverse=True)).replace(".", r"\.").replace("'", "['’]")
_NAMES_ZH = "|".join(sorted(_CHINESE, key=len, reverse=True))
_YEAR = r"(?:(?: of|,)? (?P<y>(?:19|20)\d\d)\b)?"
_YEAR_ZH = r"(?:(?P<y>(?:19|20)\d\d)年|(?P<near>大前年|前年|去年|今年|明年|后年))的?"
_SOME_DAY_ZH = (
    "(?=那天|当天|当晚|那晚|这天|[之以]?[前后](?!夕)|之?时|期间|放假|早上|上午|中午|下午|晚上|我们?[^的]|要去"
    "|[到至])"
)
_NO_NOUN = r"(?!['’]s| (?:part|present|gift|tree|card|music|song|movie|dinner|cookie|sweater))"
_NO_NOUN_ZH = "(?![个月年点号日位岁路])"


_PARTS = "|".join({name.split("'")[0].split()[0] for name in _ENGLISH})
ENGLISH_RULES = make_english(
    _PARTS,
    _read_english,
    rf"\b{_BEFORE} (?P<e>(?P<which>)(?P<name>{_NAMES})\b{_YEAR}){_NO_NOUN}",
    rf"\b(?P<which>last|this|next) (?P<name>{_NAMES})\b(?P<y>){_NO_NOUN}",
    rf"\A\s{{0,9}}(?P<e>(?P<which>)(?P<name>{_NAMES}){_YEAR})\s{{0,9}}\Z",
    kind="date",
)
CHINESE_RULES = make_chinese(
    "|".join(_CHINESE),
    _read_chinese,
    rf"{_YEAR_ZH}(?P<name>{_NAMES_ZH}){_NO_NOUN_ZH}",
    rf"(?<![年月第二三四五六七八九\d周期拜双])(?P<y>)(?P<near>)(?P<name>{_NAMES_ZH}){_SOME_DAY_ZH}",
    rf"(?<=[到至从])(?P<y>)(?P<near>)(?P<name>{_NAMES_ZH}){_NO_NOUN_ZH}",
    rf"\A(?P<y>)(?P<near>)(?P<name>{_NAMES_ZH})(?=\Z|的?[前后][一二两三四五六七八九十\d])",
    kind="date",
)
