"""A day's page says what its conversations were about, without a model, and no more than it may."""

from pathlib import Path

import pytest
from tests.admin.exports.homes import carry, settings_of
from tests.forgetting.remains import remains
from tests.lifecycle.pages import Days, write

from memoria.app import open_memoria
from memoria.app.upkeep import back_up, restore
from memoria.config import Settings
from memoria.model import DAY_MS, Role, Turn, now_millis, use_clock

YESTERDAY = now_millis() - 3 * DAY_MS
TRIP = "We are flying to Lisbon in May. Which seats are the quietest?"


async def hold(settings: Settings, *said: str, day: int = 0) -> None:
    """A conversation of a past day, which the user opens with a text."""
    at = YESTERDAY + day * DAY_MS
    with use_clock(lambda: at):
        async with open_memoria(settings=settings) as m:
            turns = [
                Turn(role=Role.USER, content=text, at=at + i, message_id=f"{day}.{i}")
                for i, text in enumerate(said)
            ]
            await m.record_conversation(turns, "session_end", session_id="trip")


async def forget_opening(settings: Settings, *, erases: bool = True) -> None:
    async with open_memoria(settings=settings) as m:
        first, *_ = (await m.get_session("trip")).turns
        await m.forget_memory([first.id], include_source=erases)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (TRIP, "We are flying to Lisbon in May."),
        ("我们五月飞里斯本，住三个晚上。哪个座位最安静？", "我们五月飞里斯本，住三个晚上。"),
        ("Why does it fail?\n```\nTypeError: x is undefined\n```", "Why does it fail?"),
        ("```\nTypeError: x is undefined\n```\nWhy does it fail?", "Why does it fail?"),
        ("on and " * 40, f"{('on and ' * 40)[:120].rstrip()}…"),
    ],
)
async def test_a_page_has_the_first_own_sentence_of_each_conversation(
    settings: Settings, days: Days, said: str, told: str
) -> None:
    await hold(settings, said, "And the hotel?")
    write(settings)
    (page,) = days.texts
    assert f": 2 messages\n  “{told}” <!-- q:" in page
    assert "TypeError" not in page
    assert write(settings).steps[0].planned == 0


@pytest.mark.parametrize(
    "said",
    [
        ("Between you and me: Quux is leaving.",),
        ("悄悄告诉你：Quux 要走了。",),
        ("Off the record: I hate Quux.",),
        ("Quux is leaving.", "What I just told you stays between us."),
    ],
)
async def test_what_was_told_in_confidence_or_is_withheld_opens_no_page(
    settings: Settings, days: Days, said: tuple[str, ...]
) -> None:
    await hold(settings, *said)
    write(settings)
    (page,) = days.texts
    assert "trip: " in page
    assert "Quux" not in page


async def test_a_sentence_leaves_its_page_when_it_is_told_in_confidence_later(
    settings: Settings, days: Days
) -> None:
    await hold(settings, "Quux is leaving.")
    write(settings)
    assert "Quux" in str(days.texts)
    await hold(settings, "What I just told you stays between us.", day=1)
    write(settings)
    assert "Quux" not in str(days.texts)


async def test_a_conversation_of_two_days_is_quoted_on_each_by_what_was_said_on_it(
    settings: Settings, days: Days
) -> None:
    await hold(settings, TRIP)
    await hold(settings, "The hotel is booked.", day=1)
    write(settings)
    first, second = (days.all[one] for one in sorted(days.all))
    assert "Lisbon" in first
    assert "hotel" not in first
    assert "“The hotel is booked.”" in second
    assert "Lisbon" not in second


@pytest.mark.parametrize("erases", [True, False], ids=["erased", "suppressed"])
async def test_a_page_goes_with_a_forgotten_sentence_and_is_written_anew_without_it(
    settings: Settings, days: Days, *, erases: bool
) -> None:
    await hold(settings, TRIP, "And the hotel?")
    write(settings)
    await forget_opening(settings, erases=erases)
    assert days.all == {}
    write(settings)
    (anew,) = days.texts
    assert "Lisbon" not in anew
    assert "“And the hotel?”" in anew


@pytest.mark.parametrize("erases", [True, False], ids=["erased", "suppressed"])
async def test_a_page_that_the_user_edited_loses_the_forgotten_sentence_alone(
    settings: Settings, days: Days, *, erases: bool
) -> None:
    await hold(settings, TRIP, "And the hotel?")
    write(settings)
    (page,) = days.texts
    days.edit(f"{page}\nmine\n")
    await forget_opening(settings, erases=erases)
    (edited,) = days.texts
    (quote,) = (line for line in page.splitlines(keepends=True) if "Lisbon" in line)
    assert edited == f"{page}\nmine\n".replace(quote, "")


async def test_a_sentence_forgotten_in_another_home_leaves_the_page_here_which_is_written_anew(
    tmp_path: Path,
) -> None:
    here, there = settings_of(tmp_path / "here"), settings_of(tmp_path / "there")
    await hold(here, TRIP, "And the hotel?")
    carry(tmp_path / "here", tmp_path / "there", tmp_path / "a.jsonl")
    write(here)
    assert "Lisbon" in str(Days(here).texts)
    await forget_opening(there)
    carry(tmp_path / "there", tmp_path / "here", tmp_path / "a.jsonl")
    assert Days(here).all == {}
    write(here)
    (page,) = Days(here).texts
    assert "Lisbon" not in page
    assert "“And the hotel?”" in page


@pytest.mark.sqlite("a backup is a copy of the file")
async def test_no_page_beside_a_restored_home_says_what_was_forgotten_since_the_backup(
    settings: Settings, days: Days
) -> None:
    await hold(settings, TRIP)
    write(settings)
    ((day, page),) = days.all.items()
    backup = back_up(settings, None, lambda *_: None).path
    await forget_opening(settings)
    days.put(day, page)  # as somebody has kept it elsewhere
    restore(settings, backup, lambda *_: None)
    backup.unlink()
    assert not remains(settings.home_path, "Lisbon")
