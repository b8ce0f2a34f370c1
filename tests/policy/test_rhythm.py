"""Rhythms are found where something comes back, and not in what merely happened often."""

import random
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoria.model import DAY_MS
from memoria.policy.rhythm import (
    DailyRhythm,
    WeeklyRhythm,
    describe_rhythm,
    find_rhythm,
    recent_instants,
)

HOUR_MS = 3_600_000
WEEK_MS = 7 * DAY_MS
MONDAY = 4 * DAY_MS  # 5 January 1970
WEEKS = st.lists(st.integers(0, 7), min_size=4, max_size=8, unique=True)
TIMES = st.integers(0, DAY_MS - 1)


def utc(_: int) -> int:
    return 0


def every_monday(weeks: list[int], time: int = 9 * HOUR_MS) -> list[int]:
    return [MONDAY + week * WEEK_MS + time for week in weeks]


@given(WEEKS, st.lists(TIMES, min_size=8, max_size=8), st.integers(-720, 840), st.integers(0, 6))
def test_every_monday_is_found_in_any_zone_at_any_hour(
    weeks: list[int], times: list[int], minutes: int, weekday: int
) -> None:
    days = every_monday(weeks, weekday * DAY_MS)
    instants = [day + times[week] - minutes * 60_000 for day, week in zip(days, weeks, strict=True)]
    assert find_rhythm(instants, lambda _: minutes) == WeeklyRhythm(weekday, 1.0)
    assert find_rhythm(instants[::-1] * 2, lambda _: minutes) == WeeklyRhythm(weekday, 1.0)


def test_a_day_off_the_rhythm_lowers_its_share() -> None:
    found = find_rhythm([*every_monday([0, 1, 2, 3, 4]), MONDAY + 2 * DAY_MS], utc)
    assert found == WeeklyRhythm(0, 5 / 6)
    two_off = [MONDAY + 2 * DAY_MS, MONDAY + 10 * DAY_MS]
    assert find_rhythm([*every_monday([0, 1, 2, 3, 4]), *two_off], utc) is None


@pytest.mark.parametrize(
    "instants",
    [
        [],
        every_monday([0, 1, 2]),
        every_monday([0, 0, 0, 1, 2]),
        every_monday([0, 10, 20, 30]),
        [MONDAY + n * DAY_MS for n in range(4)],
        [MONDAY + n * HOUR_MS for n in range(24)],
    ],
    ids=["nothing", "three weeks", "often in a day", "every tenth week", "four days", "one day"],
)
def test_too_little_is_no_rhythm(instants: list[int]) -> None:
    assert find_rhythm(instants, utc) is None


def test_noise_is_seldom_taken_for_a_rhythm() -> None:
    found = 0
    for seed in range(1000):
        chance = random.Random(seed)  # noqa: S311  (noise, not a secret)
        count = chance.randint(4, 40)
        noise = [MONDAY + chance.randrange(26 * WEEK_MS) for _ in range(count)]
        found += find_rhythm(noise, utc) is not None
    assert found <= 2


@example(23, [0] * 13 + [60])
@example(22, [120] + [0] * 13)
@given(st.integers(0, 23), st.lists(st.integers(0, 150), min_size=14, max_size=14))
def test_every_day_at_about_the_same_time_is_found_past_midnight_too(
    hour: int, late: list[int]
) -> None:
    days = [MONDAY + n * DAY_MS + hour * HOUR_MS for n in range(14)]
    found = find_rhythm(
        [day + minute * 60_000 for day, minute in zip(days, late, strict=True)], utc
    )
    assert isinstance(found, DailyRhythm)
    assert found.share == 1.0
    assert (found.until - found.minute) % (24 * 60) <= 180


def test_five_days_of_seven_will_do_and_four_will_not() -> None:
    week = [MONDAY + n * DAY_MS + 8 * HOUR_MS for n in range(7)]
    assert find_rhythm(week[:5], utc) == DailyRhythm(480, 480, 5 / 7)
    assert find_rhythm(week[:4], utc) is None
    assert find_rhythm([week[0], week[1], week[3], week[4], week[6]], utc) is not None


def test_what_comes_every_day_at_any_time_is_no_rhythm() -> None:
    spread = [MONDAY + n * DAY_MS + (n * 5 % 24) * HOUR_MS for n in range(14)]
    assert find_rhythm(spread, utc) is None


def test_a_habit_that_began_lately_is_found_behind_older_talk() -> None:
    old = [MONDAY + n * 11 * DAY_MS for n in range(5)]
    new = [MONDAY + (100 + n) * DAY_MS + 7 * HOUR_MS for n in range(28)]
    assert isinstance(find_rhythm(old + new, utc), DailyRhythm)


def test_local_days_count_when_the_clocks_change() -> None:
    zone = ZoneInfo("Europe/Berlin")
    first = datetime(2026, 3, 9, 0, 30, tzinfo=zone)  # the clocks change on 29 March

    def offset(instant: int) -> int:
        there = datetime.fromtimestamp(instant / 1000, zone).utcoffset()
        assert there is not None
        return round(there.total_seconds() / 60)

    mondays = [first + timedelta(weeks=n) for n in range(6)]
    instants = [round(monday.timestamp() * 1000) for monday in mondays]
    assert find_rhythm(instants, offset) == WeeklyRhythm(0, 1.0)


def test_a_rhythm_is_told_in_the_language_of_what_comes_back() -> None:
    tennis, run = "Anna plays tennis.", "用户去公园跑步。"
    assert describe_rhythm(WeeklyRhythm(0, 1.0), tennis) == "Usually on Mondays: Anna plays tennis."
    assert describe_rhythm(WeeklyRhythm(6, 0.8), run) == "通常每周日：用户去公园跑步。"
    assert (
        describe_rhythm(DailyRhythm(425, 551, 1.0), run)
        == "通常每天7:00到10:00之间：用户去公园跑步。"
    )
    told = describe_rhythm(DailyRhythm(1380, 15, 1.0), tennis)
    assert told == "Usually every day between 23:00 and 1:00: Anna plays tennis."


def test_what_has_stopped_has_no_instants_and_what_was_so_long_ago_does_not_count() -> None:
    mondays = every_monday([0, 1, 2, 3, 14, 15])
    end = max(mondays)
    assert recent_instants(mondays, end + 28 * DAY_MS - 1) == every_monday([14, 15])
    assert recent_instants(mondays, end + 28 * DAY_MS) == []
    assert recent_instants(mondays[:4], mondays[3]) == mondays[:4]
    assert recent_instants([], end) == []
