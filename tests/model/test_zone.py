"""Days begin where somebody is: one place says whose day a moment belongs to."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.model import Role, Turn, parse_instant
from memoria.model.moments import MACHINE_ZONE, UTC_ZONE, Zone, input_zone, use_zone

EARLY = parse_instant("2026-11-05T07:30:00+08:00")  # the fourth in Greenwich
SHANGHAI, BERLIN = Zone.from_name("Asia/Shanghai"), Zone.from_name("Europe/Berlin")


def test_a_moment_is_of_another_day_elsewhere() -> None:
    assert UTC_ZONE.date_of(EARLY) == date(2026, 11, 4)
    assert SHANGHAI.date_of(EARLY) == date(2026, 11, 5)
    day = SHANGHAI.day_of(EARLY)
    assert day is not None
    assert day.begin == parse_instant("2026-11-05T00:00:00+08:00")
    assert day.end == parse_instant("2026-11-06T00:00:00+08:00")


def test_a_day_on_which_clocks_are_set_has_23_or_25_hours() -> None:
    hours = [
        (day.end - day.begin) / 3_600_000
        for day in (BERLIN.day(date(2026, 3, 29)), BERLIN.day(date(2026, 10, 25)))
    ]
    assert hours == [23, 25]


def test_an_offset_of_its_own_comes_before_the_zone_and_the_same_offset_is_the_zone() -> None:
    assert SHANGHAI.at_offset(EARLY, None) is SHANGHAI
    assert SHANGHAI.at_offset(EARLY, 480) is SHANGHAI
    assert SHANGHAI.at_offset(EARLY, -300).date_of(EARLY) == date(2026, 11, 4)


@pytest.mark.parametrize(
    ("at", "offset"),
    [
        ("2026-11-05T07:30:00+08:00", 480),
        ("2026-11-05T07:30-03:30", -210),
        ("2026-11-05T07:30:00+00:00", 0),
        ("2026-11-05T07:30:00Z", None),
        ("2026-11-05T07:30:00-00:00", None),
        ("2026-11-05T07:30:00", None),
        ("2026-11-05", None),
        (datetime(2026, 11, 5, 7, 30, tzinfo=timezone(timedelta(hours=8))), 480),
        (datetime(2026, 11, 5, 7, 30, tzinfo=UTC), None),
        (1_793_836_200_000, None),
    ],
)
def test_a_turn_keeps_the_offset_it_was_given_with(
    at: str | datetime | int, offset: int | None
) -> None:
    turn = Turn.model_validate({"role": Role.USER, "content": "x", "at": at})
    assert turn.utc_offset == offset
    assert Turn.model_validate(dict(turn)) == turn


def test_a_time_without_an_offset_is_of_the_zone_that_input_is_read_in() -> None:
    assert input_zone() is MACHINE_ZONE
    with use_zone(SHANGHAI):
        turn = Turn.model_validate({"role": "user", "content": "x", "at": "2026-11-05T07:30"})
        assert turn.at == EARLY
        assert parse_instant("2026-11-05T07:30") == EARLY
    assert parse_instant("2026-11-05T07:30", SHANGHAI) == EARLY


@pytest.mark.parametrize("name", ["Mars/Olympus", "Europe", "../etc/passwd", "+08:00", "a\0b"])
def test_a_zone_that_does_not_exist_is_refused_by_the_name_of_its_setting(name: str) -> None:
    with pytest.raises(InvalidInputError, match="MEMORIA_TIME_ZONE: there is no such time zone"):
        Settings.from_values(time_zone=name)


def test_the_settings_zone_is_the_named_one_or_the_machines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert Settings.from_values().zone == MACHINE_ZONE
    monkeypatch.setenv("MEMORIA_TIME_ZONE", "Asia/Shanghai")
    assert Settings.load().zone == SHANGHAI
