"""Durations: how long a conclusion is likely to hold, in days or hours."""

import math
import re
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

_LONGEST_DAYS = 36_500
_HOURS, _MOST_DIGITS = 24, 9
_DAYS = {"h": 1 / _HOURS, "d": 1, "w": 7, "m": 30, "q": 90, "y": 365}
_CHINESE_UNITS = {"时": "h", "天": "d", "日": "d", "周": "w", "星": "w", "月": "m", "年": "y"}
_ISO = re.compile(r"p(\d{1,5})([dwmy])")
_SPAN = re.compile(
    r"(?<![\d.])(\d{1,5}(?:\.\d{1,3})?)\s*-?(?:个|个?小(?=时))?\s*"
    r"([hdwmqy](?![a-z])|(?:h(?:ou)?r|day|week|wk|month|mo|quarter|year|yr)s?(?![a-z])|[时天日周星月年])"
)
_COUNTS = {word: at for at, word in enumerate("one two three four five six seven eight".split(), 1)}
_COUNTS |= {word: at for at, word in enumerate("一二三四五六七八九十", 1)}
_COUNTS |= {"a": 1, "an": 1, "nine": 9, "ten": 10, "twelve": 12, "两": 2}
_COUNTED = re.compile(
    r"\b(?:an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
    r"(?=[\s-](?:hour|day|week|month|quarter|year))"
    r"|(?<![一二三四五六七八九十百])[一二两三四五六七八九十](?=个|小时|天|日|周|星|月|年)"
)
_NAMED = re.compile(r"\b(permanent|session)\b")


def _read_duration(given: Any) -> Any:  # noqa: ANN401  (whatever a model wrote)
    """Write a duration in its own form where it was given in another: `2 weeks`, `P14D`, 14."""
    if isinstance(given, int | float) and not isinstance(given, bool):
        return _in_days(given)
    if not isinstance(given, str):
        return given
    plain = _COUNTED.sub(lambda found: str(_COUNTS[found[0]]), given.strip().lower())
    if plain.isdecimal():
        return _in_days(float(plain[:_MOST_DIGITS]))
    if named := _NAMED.search(plain):
        return named[1]
    found = _ISO.fullmatch(plain) or _SPAN.search(plain)
    if found is None:
        return plain
    unit = _CHINESE_UNITS.get(found[2], found[2][0])
    return _in_days(float(found[1]) * _DAYS[unit]) if unit in _DAYS else plain


def _in_days(days: float) -> str:
    if not 0 < days <= _LONGEST_DAYS:
        return "permanent"
    return f"{math.ceil(days)}d" if days > 1 else f"{math.ceil(days * _HOURS)}h"


Duration = Annotated[
    str,
    BeforeValidator(_read_duration),
    Field(pattern=r"^(permanent|session|\d{1,5}[dh])$"),
    WithJsonSchema({"type": "string"}),
]
"""Likely time that a conclusion holds: `permanent`, `session`, or a number with `d` or `h`."""
