"""Time expressions in Chinese."""

import re
from collections.abc import Callable
from datetime import datetime, timedelta

from memoria.language.dates import windows
from memoria.language.dates.rule import Value, make_chinese, read_nothing
from memoria.language.dates.windows import Prefer, Which, Window

_DIGITS = {char: i for i, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "正": 1}
_DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
YEARS = {"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2}
_WHICHES: dict[str, Which] = {"上": "last", "这": "this", "下": "next"}
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
_UNITS = {
    "分钟": "minute", "小时": "hour", "钟头": "hour", "天": "day", "日": "day",
    "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year",
}  # fmt: skip
_SHORT_PARTS = {"早": "morning", "晨": "morning", "晚": "evening", "夜": "night"}
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_NTHS = {"第一": 0, "第二": 1, "第三": 2, "第四": 3, "第五": 4, "最后一": -1}
_THIRDS = {"初": 0, "上": 0, "中": 1, "底": 2, "末": 2, "下": 2}
_SHORT_YEAR, _CENTURY = 2, 2000
_LONGEST_COUNT_OF_YEARS = 1000  # 2023年前 is "before 2023"

_NUMBER = r"\d{1,4}|[一二两三四五六七八九十百]{1,5}"
_MONTH = r"(?P<m>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九正])月份?"
_DAY_NUMBER = "3[01]|[12]\\d|0?[1-9]|三十一?|二?十[一二三四五六七八九]?|[一二三四五六七八九]"
_DATE_DAY = rf"(?P<d>{_DAY_NUMBER})[日号號]"
_YEAR = (
    r"(?:(?P<y>(?<!\d)(?:19|20)\d\d|(?:一九|二[〇零])[〇零一二三四五六七八九]{2}"
    r"|(?<!\d)\d\d(?=年\s?\d{1,2}月))"
    r"[ ]?年(?![级代纪龄轻])"
    r"|(?P<near>大前年|(?<![以之])前年|去年|今年|明年|(?<![以之今])后年)(?![级代纪龄轻]))"
)
_THIRD = r"(?P<third>初|[上中下]旬|中(?![国午文秋间学])|底|末)"
_WHICH = "(?<![以马线身])(?P<which>上上|上|这|本|下下|下)一?个?"
_WEEK = "(?:周(?![围边年期到全密折转])|星期|礼拜)"
# 下周一定来, 上周三次: the number belongs to what follows.
_WEEKDAY = "(?P<w>一(?![定直般起共些样])|[二三四五六日天])(?![次个位场天])"
_UNIT = "(?P<u>分钟|个?(?:小时|钟头|星期|礼拜)|天|周|个月|年)"


def number(text: str) -> int:
    """Read a count in digits or Chinese numerals up to 999.

    Raises:
        ValueError: the text is no count, such as 二三 for "two or three".
    """
    if text.isdigit():
        return int(text)
    hundreds, _, below = text.rpartition("百")
    tens, ten, ones = below.rpartition("十")
    total = 100 * (_digit(hundreds) if hundreds else int("百" in text))
    return total + 10 * (_digit(tens) if tens else int(bool(ten))) + (_digit(ones) if ones else 0)


def _digit(text: str) -> int:
    if text not in _DIGITS:
        raise ValueError(f"{text} is no single digit")
    return _DIGITS[text]


def _year_number(match: re.Match[str], at: datetime) -> int | None:
    near, written = match["near"], match["y"]
    if near:
        return at.year + YEARS[near]
    if written:
        if len(written) == _SHORT_YEAR:
            return _CENTURY + int(written)
        return (
            int(written)
            if written.isdecimal() and written.isascii()
            else int("".join(str(_DIGITS[c]) for c in written))
        )
    return None


def _third_of(match: re.Match[str], window: Window) -> Window:
    third = match["third"]
    return windows.third(window, _THIRDS[third.removeprefix("年")[0]]) if third else window


def _date(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    year, month, day = _year_number(match, at), number(match["m"]), number(match["d"])
    last = number(match["d2"]) if match["d2"] else day

    return windows.of_year(year, prefer, at, lambda each: windows.dates(each, month, day, last))


def _day_of_month(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    return windows.day_of_month(prefer, at, number(match["d"]))


def _days_of_month(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read 3到5号 as days of one month."""
    first, last = number(match["d"]), number(match["d2"])
    return windows.nearest_month(
        prefer,
        at,
        lambda year, month: windows.span(
            windows.date(year, month, first), windows.date(year, month, last)
        ),
    )


def _read_day_number(match: re.Match[str]) -> Value:
    return number(match["d"])


def _quarter(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    if match["which"]:
        return windows.quarter_near(at, _STEPS[match["which"]])
    return _of_year(match, at, prefer, lambda year: windows.quarter(year, number(match["q"])))


def _half_year(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    half = 1 if match["half"] == "上" else 2
    return _of_year(match, at, prefer, lambda year: windows.half_year(year, half))


def _of_year(
    match: re.Match[str], at: datetime, prefer: Prefer, make: Callable[[int], Window]
) -> Window:
    return windows.of_year(_year_number(match, at), prefer, at, make)


def _near_third(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read 月底 and 年初 without a month or year: the nearest."""
    third = _THIRDS[match["third"]]
    if match["u"] == "年":
        return windows.nearest_occurrence(
            prefer, at, lambda year: windows.third(windows.year(year), third)
        )
    return windows.nearest_month(
        prefer, at, lambda year, month: windows.third(windows.month(year, month), third)
    )


def _month(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    month = 1 if match["m"] == "正" else number(match["m"])
    found = _of_year(match, at, prefer, lambda year: windows.month(year, month))
    return _third_of(match, found)


def _year(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window | None:
    year = _year_number(match, at)
    if year is None:
        return None
    if match["season"]:
        return windows.season(year, _SEASONS[match["season"]])
    return _third_of(match, windows.year(year))


def _near_season(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    name = _SEASONS[match["season"]]
    return windows.nearest_occurrence(
        _WHICHES[match["which"]], at, lambda year: windows.season(year, name)
    )


def _near_month(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    month = windows.shift_window(at, _STEPS[match["which"]], "month")
    if match["d"]:
        return windows.date(month.start.year, month.start.month, number(match["d"]))
    return _third_of(match, month)


def _nth_weekday(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read 下个月第一个周五, 五月的第二个星期天."""
    weekday, nth = _weekday_number(match), _NTHS[match["nth"]]
    return _of_month(match, at, prefer, lambda month: windows.nth_weekday(month, weekday, nth))


def _of_month(
    match: re.Match[str], at: datetime, prefer: Prefer, take: Callable[[Window], Window]
) -> Window:
    """Return what `take` makes of a named month, or of the last, this or next month."""
    if match["which"]:
        return take(windows.shift_window(at, _STEPS[match["which"]], "month"))
    month = number(match["m"])
    return _of_year(match, at, prefer, lambda year: take(windows.month(year, month)))


def _near_week(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    week = windows.shift_window(at, _STEPS[match["which"]], "week")
    if match["w"]:
        return windows.weekday(week.start, _weekday_number(match))
    return windows.weekend(week.start) if match["end"] else week


def _weekday(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    return windows.weekday_near(prefer, at, _weekday_number(match))


def _weekday_number(match: re.Match[str]) -> int:
    return "一二三四五六日天".index(match["w"]) - (match["w"] == "天")


def _day(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    return windows.shift_window(at, _DAYS[match["day"]], "day")


def _day_part(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    """Read 今早, 明晚; 昨晚 is the night that is over."""
    day = windows.shift_window(at, _DAYS[match["day"]], "day")
    name = _SHORT_PARTS[match["part"]]
    return windows.part(day, "night" if name == "evening" and match["day"] == "昨" else name)


def _count(match: re.Match[str]) -> tuple[int, str]:
    unit = _UNITS[match["u"].removeprefix("个")]
    if match["n"] == "半":
        return (0, "day") if unit in ("week", "minute") else windows.HALVES[unit]
    return number(match["n"]), unit


def _distance(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window | None:
    count, unit = _count(match)
    if count == 0 or (unit == "year" and count >= _LONGEST_COUNT_OF_YEARS):
        return None
    way = -1 if match["way"].endswith("前") else 1
    if match["n"] == "半" and unit == "day" and match["u"].endswith("月"):
        return windows.week(at + way * timedelta(days=count))
    return windows.shift_window(at, way * count, unit)


def _distance_and_a_half(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window:
    """Read 一个半小时前, 两年半以前."""
    parts, smaller = windows.HALVES[_UNITS[match["u"] or match["u2"]]]
    way = -1 if match["way"].endswith("前") else 1
    return windows.shift_window(at, way * (2 * number(match["n"]) + 1) * parts, smaller)


def _read_offset(match: re.Match[str]) -> Value:
    return -number(match["n"]) if match["way"] == "前" else number(match["n"])


def _end_of_month(match: re.Match[str], at: datetime, prefer: Prefer) -> Window:
    """Read 二月最后一天."""
    is_last = match["nth"] == "最后一"
    return _of_month(match, at, prefer, lambda month: windows.edge(month, is_last=is_last))


def _rolling(match: re.Match[str], at: datetime, _prefer: Prefer) -> Window | None:
    count, unit = _count(match)
    if count == 0:
        return None
    return windows.rolling(at, count if match["way"] in _AHEAD else -count, unit)


_AHEAD = ("未来", "接下来", "今后")


_NO_NUMBER = r"(?<![\d一二两三四五六七八九十百.])"
_OF_YEAR = rf"(?:{_YEAR}[ 的]?|{_NO_NUMBER}(?<!每年))"
_OF = "[初中底末](?![国午文秋间学级中一])"
_OF_END = "(?![国午文秋间学级中一二三四五六七八九十恋次步期])"

# What has a number and is no day: 3号楼, 3号线.
_NUMBERED = (
    "[楼线门机房馆店桌铺口车院厅库仓窗台站井员选种床位球码文令公路岛柱灯室层栋座洞舱电池卡信航字院仪令厂矿"
    "厅棚病桥井]|单元|元素|以上|以下"
)
_TO_DAY = rf"(?:(?:日|号|號)?\s?[到至~～—–-]\s?(?P<d2>{_DAY_NUMBER})(?=[日号號]))"
_DAYS_OF_MONTH = rf"(?P<d>{_DAY_NUMBER}){_TO_DAY}[日号號]"
# In digits a day may leave its sign out: 我生日9月30，别忘了.
_BARE_DAY = r"(?<=\d)(?!\s?[\d.:：/%％到至~～—–-])(?=\s|[，,。；;！!？?、）)的]|\Z)"
_RANGE_DAY = rf"(?P<d>{_DAY_NUMBER})(?:(?:{_TO_DAY})?[日号號]|(?P<bare>){_BARE_DAY})"
_ALONE = (
    "(?<![\\d第年月A-Za-z#型编元楼路街弄巷栋幢座室院到至~～—–-])"
    "(?<!(?<![周期拜])[零一二两三四五六七八九十百])"
)
_SOME_MONTH = rf"(?:{_WHICH}月|{_OF_YEAR}{_MONTH})"
_NTH_DAY = "(?P<nth>第一|最后一)天"
_NTH_WEEKDAY = rf"(?P<nth>第[一二三四五]|最后一)个?{_WEEK}{_WEEKDAY}"
_BARE_THIRD = "(?<![\\d年月个今去明前后本这上下每当一二三四五六七八九十同大新过])"
_NO_NTH = r"(?<![\d第几.一二两三四五六七八九十百])"
_BACK_OR_ON = "(?P<way>[以之]?[前后])(?![往悔面来台果期])"
RULES = (
    *make_chinese("月", _date, rf"{_OF_YEAR}{_MONTH}{_RANGE_DAY}", kind="date"),
    *make_chinese(
        "号日",
        _day_of_month,
        rf"{_ALONE}{_DATE_DAY}(?!{_NUMBERED})(?<!日)",
        kind="day_of_month",
        value=_read_day_number,
    ),
    *make_chinese("号日", _days_of_month, rf"{_ALONE}{_DAYS_OF_MONTH}(?!{_NUMBERED})"),
    *make_chinese(
        "月", _month, rf"{_OF_YEAR}{_MONTH}(?![薪租供饼亮天\d一二三四五六七八九十])(?:的?{_THIRD})?"
    ),
    *make_chinese("年", _year, rf"{_YEAR}(?:的?(?P<season>[春夏秋冬])[天季])?(?P<third>年?{_OF})?"),
    *make_chinese(
        "季度|",
        _quarter,
        rf"(?:{_YEAR}的?)?第?(?P<q>[一二三四1-4])季度(?P<which>)",
        rf"{_WHICH}季度(?P<q>)",
    ),
    *make_chinese("半年|", _half_year, rf"(?:{_YEAR}的?|(?<![上下这]))(?P<half>[上下])半年"),
    *make_chinese(
        "初中底末", _near_third, rf"{_BARE_THIRD}(?P<u>[月年])(?P<third>[初中底末]){_OF_END}"
    ),
    *make_chinese("春夏秋冬", _near_season, "(?P<which>上|这|下)个?(?P<season>[春夏秋冬])[天季]"),
    *make_chinese(
        "月", _near_month, rf"{_WHICH}月(?![饼亮光经])(?:的?(?:{_DATE_DAY}|{_THIRD}))?", kind="date"
    ),
    *make_chinese("第最", _nth_weekday, rf"{_SOME_MONTH}的?{_NTH_WEEKDAY}", kind="date"),
    *make_chinese("周期拜", _near_week, rf"{_WHICH}{_WEEK}(?P<w>)(?P<end>末)?"),
    *make_chinese("周期拜", _near_week, rf"{_WHICH}{_WEEK}的?{_WEEKDAY}(?P<end>)", kind="day"),
    *make_chinese(
        "周期拜",
        _weekday,
        rf"{_NO_NUMBER}(?<![每逢个上下这本几后前])(?<!天是)(?:周|星期|礼拜){_WEEKDAY}",
        kind="weekday",
        value=_weekday_number,
    ),
    *make_chinese(
        "天日儿",
        _day,
        r"(?<![以之先目提眼当年月])(?P<day>大前|前|昨|今|明|大后|(?<!今)后)天(?![天性])",
        r"(?P<day>昨|今|明)日(?![常头])",
        r"(?<![以今先之])(?P<day>大前|前|昨|今|明|大后|后)儿个?",
        kind="day",
    ),
    *make_chinese(
        "早晚夜晨",
        _day_part,
        "(?<![说证聪发透文光黎表声])(?P<day>昨|今|明)(?P<part>早|晚|夜|晨)(?![间点期])上?",
        kind="part",
    ),
    *make_chinese(
        "前后", _distance, rf"{_NO_NTH}(?P<n>{_NUMBER}|(?<!个)半){_UNIT}{_BACK_OR_ON}", kind="day"
    ),
    *make_chinese(
        "前后",
        _distance_and_a_half,
        rf"{_NO_NTH}(?P<n>{_NUMBER})(?:个(?P<half>半)(?P<u>小时|钟头|月)|(?P<u2>年)(?P<half2>半))"
        rf"{_BACK_OR_ON}",
    ),
    *make_chinese(
        "前后",
        read_nothing,
        rf"的?(?P<way>[前后])(?P<n>{_NUMBER})天",
        kind="offset",
        value=_read_offset,
    ),
    *make_chinese("第一天|最后一天", _end_of_month, rf"{_SOME_MONTH}的?{_NTH_DAY}", kind="date"),
    *make_chinese(
        "去近来后",
        _rolling,
        rf"(?P<way>过去|最近|近|未来|接下来|今后)的?这?(?P<n>{_NUMBER}|半){_UNIT}",
    ),
)
