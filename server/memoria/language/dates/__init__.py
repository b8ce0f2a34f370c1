"""Time expressions in Chinese and English, resolved to absolute times.

`times` finds them in a text; `interval` says which period a question asks about, and `find_end` up
to when something holds.

Ambiguous expressions are resolved in one way, which is listed here:

- Weeks begin on Monday. 上周三 is the Wednesday of last week; English `last Wednesday` is the
  nearest one before the day it is said on, `next Wednesday` the nearest after it, and `this
  Wednesday` that of the present week.
- 3/4/2026 is the 4th of March, unless the first number is over 12.
- A recurring date without a year (`on Friday`, `in May`, 四月八日, `in the summer`) is the nearest
  one in the direction of `prefer`. A month, season or date may be the present one; a weekday may
  not, because people say "today" for it.
- A distance is as coarse as its unit: `three days ago` is a day, `two weeks ago` the whole week,
  三年前 the whole year. `the past two weeks` and 最近三天 reach up to the present day.
- `early`, `mid` and `late`, the end of a month, 初, 中 and 底 are thirds. Seasons are the northern,
  winter begins in December. The morning begins at six, the evening at 18. `last night` and 昨晚 end
  at six.
- `7pm` is the hour that begins then, `19:30` a minute. An hour that does not say in which half of
  the day it is (`half past six`, 六点半) is the nearest of the two in the direction of `prefer`,
  and on a day that is named the one at which people are awake.
- What stands side by side is one: `Saturday the 21st` is the nearest 21st that is a Saturday,
  明天下午三点 an hour. From one day to another both belong to it, and Monday to Friday is every
  week.
- Vague words (recently, 最近, a few days ago, 前几天, someday) and habits (every Friday, on
  Fridays at 4pm, 每周三) are no points in time and are ignored.
"""

from memoria.language.dates.find import (
    Interval,
    TimeSpan,
    find_direction,
    find_end,
    find_side,
    full_dates,
    interval,
    span_period,
    times,
)
from memoria.language.dates.windows import Granularity, Prefer

__all__ = [
    "Granularity",
    "Interval",
    "Prefer",
    "TimeSpan",
    "find_direction",
    "find_end",
    "find_side",
    "full_dates",
    "interval",
    "span_period",
    "times",
]
