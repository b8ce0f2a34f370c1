"""What the user tells of every week or day is known as a habit, as long as it is one."""

from collections.abc import Callable, Sequence

import pytest
from tests.lifecycle.dump import dump
from tests.lifecycle.test_merge import conclude, memory, store_of

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.errors import NotFoundError
from memoria.model import COMMAND_LINE, DAY_MS, Memory, Role, Turn, Validity, to_iso, use_clock
from memoria.model.nightly import NightlyRun
from memoria.model.zone import MACHINE_ZONE
from memoria.store.values import NewEvidence

HOUR_MS = 3_600_000
WEEK_MS = 7 * DAY_MS
MONDAY = (1_780_000_000_000 // WEEK_MS) * WEEK_MS + 4 * DAY_MS  # the epoch was a Thursday
SWIMS = "The user goes swimming"
SWIMS_ZH = "用户去游泳"


def on(week: int, day: int = 0, hour: int = 12) -> int:
    """An hour of a day of a week, on this machine's clock."""
    local = MONDAY + week * WEEK_MS + day * DAY_MS + hour * HOUR_MS
    return local - MACHINE_ZONE.offset_minutes(local) * 60_000


MONDAYS = [on(week) for week in range(5)]
Tell = Callable[..., str]


async def record(settings: Settings, times: Sequence[int], role: Role = Role.USER) -> list[int]:
    """Turns said at these times, by number."""
    said = [Turn(role=role, content=f"I swam, {at}", at=to_iso(at)) for at in times]
    session = f"s{min(times)}"
    async with open_memoria(settings=settings) as m:
        await m.record_conversation(said, session_id=session)
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        return [turn.n for turn in tx.conversations.session_turns(session, 0, 1000)]


async def told(
    settings: Settings,
    times: Sequence[int],
    text: str = SWIMS,
    role: Role = Role.USER,
    **more: object,
) -> str:
    """A memory that was told of at these times."""
    turns = await record(settings, times, role)
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        return conclude(tx, text, turns, **more)  # type: ignore[arg-type]


async def again(settings: Settings, memory_id: str, times: Sequence[int]) -> None:
    """It was told of at these times, too."""
    turns = await record(settings, times)
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        for n in turns:
            tx.memories.add_evidence(NewEvidence(memory_id, n, "I swam", 1))


def night(settings: Settings, at: int) -> NightlyRun:
    with use_clock(lambda: at):
        return nights.run_nightly(settings, ["rhythms"])


def habits(settings: Settings) -> list[Memory]:
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        return [memory(settings, memory_id) for _, memory_id in tx.derivations.list_derived(0, 100)]


@pytest.mark.parametrize(
    ("text", "said"),
    [(SWIMS, f"Usually on Mondays: {SWIMS}"), (SWIMS_ZH, f"通常每周一：{SWIMS_ZH}")],
)
async def test_what_is_told_of_every_monday_is_a_habit_that_rests_on_what_was_said(
    settings: Settings, text: str, said: str
) -> None:
    source = await told(settings, MONDAYS, text, confidence=0.9)
    before = dump(settings.home_path)
    run = night(settings, on(5))
    (habit,) = habits(settings)
    assert run.steps[0].outcomes == {"done": 1}
    assert run.steps[0].reduced is None
    assert 0 < run.most_rows <= 500
    assert (habit.content, habit.subject, habit.predicate) == (said, "user", "habit")
    assert (habit.current.inferred_by, habit.verified, habit.confidence) == ("rules", False, 0.9)
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        assert [one.at for one in tx.memories.list_evidence(habit.id)] == MONDAYS
        assert [one.id for one in tx.derivations.sources([habit.id])] == [source]
    after = dump(settings.home_path)
    assert night(settings, on(5, 1)).steps[0].planned == 0
    assert dump(settings.home_path) == after
    nights.undo_nightly(settings, run.id, lambda _: None)
    assert dump(settings.home_path) == before
    with use_clock(lambda: on(5)):
        assert nights.dry_run(settings, ["rhythms"]).steps[0].planned == 1


async def test_what_happens_each_morning_is_a_habit_and_changes_when_the_mornings_do(
    settings: Settings,
) -> None:
    source = await told(settings, [on(0, day, 7) for day in range(7)])
    night(settings, on(1))
    (habit,) = habits(settings)
    assert habit.content == f"Usually every day between 7:00 and 8:00: {SWIMS}"
    await again(settings, source, [on(1, day, 7) for day in range(7)])
    assert night(settings, on(2)).steps[0].reasons == {habit.id: "it goes on"}
    assert night(settings, on(2)).steps[0].planned == 0
    assert memory(settings, habit.id).evidence == 1 + 14
    await again(settings, source, [on(2, day, 9) for day in range(7)])
    night(settings, on(3))
    (anew,) = habits(settings)
    assert (anew.id, anew.current.version) == (habit.id, 2)
    assert anew.content == f"Usually every day between 7:00 and 10:00: {SWIMS}"


async def test_a_habit_ends_when_it_has_stopped_and_begins_again_with_it(
    settings: Settings,
) -> None:
    source = await told(settings, MONDAYS)
    night(settings, on(5))
    (habit,) = habits(settings)
    assert night(settings, on(7)).steps[0].planned == 0
    before = dump(settings.home_path)
    run = night(settings, on(9))
    assert run.steps[0].reasons == {habit.id: "it has stopped"}
    assert memory(settings, habit.id).validity is Validity.SUPERSEDED
    assert night(settings, on(9)).steps[0].planned == 0
    nights.undo_nightly(settings, run.id, lambda _: None)
    assert dump(settings.home_path) == before
    night(settings, on(9))
    await again(settings, source, [on(week, 3) for week in range(20, 25)])
    night(settings, on(25))
    (anew,) = habits(settings)
    assert (anew.id, anew.validity) == (habit.id, Validity.ACTIVE)
    assert anew.content == f"Usually on Thursdays: {SWIMS}"


async def test_the_same_words_told_of_five_mondays_make_a_habit_together(
    settings: Settings,
) -> None:
    for at in MONDAYS:
        await told(settings, [at])
    night(settings, on(5))
    assert [one.content for one in habits(settings)] == [f"Usually on Mondays: {SWIMS}"]


@pytest.mark.parametrize(
    "told_of",
    [
        {"times": MONDAYS[:3]},
        {"times": [on(week, week) for week in range(5)]},
        {"role": Role.ASSISTANT},
        {"text": "Lin goes swimming", "subject": "lin"},
        {"kind": "preference"},
        {"predicate": "job", "subject": "user"},
    ],
)
async def test_what_is_no_habit_of_the_users_is_not_taken_for_one(
    settings: Settings, told_of: dict[str, object]
) -> None:
    source = await told(
        settings,
        told_of.get("times", MONDAYS),  # type: ignore[arg-type]
        str(told_of.get("text", SWIMS)),
        told_of.get("role", Role.USER),  # type: ignore[arg-type]
    )
    fields = {"subject": None, "predicate": None, "type": told_of.get("kind", "fact")}
    values = tuple({**fields, **told_of}[name] for name in fields)
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        tx.memories._rows.connection.execute(  # noqa: SLF001  (no face says of whom)
            "UPDATE memories SET subject = ?, predicate = ?, type = ? WHERE id = ?",
            (*values, source),
        )
    assert night(settings, on(5)).steps[0].planned == 0


async def test_a_habit_that_has_made_room_for_something_that_was_said_does_not_come_back(
    settings: Settings,
) -> None:
    await told(settings, MONDAYS)
    night(settings, on(5))
    (habit,) = habits(settings)
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        tx.memories.set_validity(habit.id, Validity.SUPERSEDED, on(5, 1))
    assert night(settings, on(5, 2)).steps[0].planned == 0


@pytest.mark.parametrize("action", ["archive", "confirm"])
async def test_what_the_user_has_decided_about_a_habit_stays_so(
    settings: Settings, action: str
) -> None:
    await told(settings, MONDAYS)
    night(settings, on(5))
    (habit,) = habits(settings)
    async with open_memoria(settings=settings, channel=COMMAND_LINE) as m:
        await m.revise_memory(habit.id, action)  # type: ignore[arg-type]
    decided = memory(settings, habit.id)
    assert night(settings, on(6)).steps[0].planned == 0
    assert night(settings, on(20)).steps[0].planned == 0
    assert habits(settings) == [decided]


async def test_a_habit_that_was_forgotten_is_not_noticed_again(
    settings: Settings,
) -> None:
    source = await told(settings, MONDAYS)
    night(settings, on(5))
    (habit,) = habits(settings)
    async with open_memoria(settings=settings) as m:
        assert (await m.forget_memory([habit.id])).related_memories == (source,)
        assert night(settings, on(5)).steps[0].outcomes == {"unchanged": 1}
        assert habits(settings) == []


async def test_a_habit_whose_memory_was_forgotten_is_forgotten(settings: Settings) -> None:
    source = await told(settings, MONDAYS)
    night(settings, on(5))
    (habit,) = habits(settings)
    async with open_memoria(settings=settings) as m:
        await m.forget_memory([source])
        with pytest.raises(NotFoundError):
            await m.get_memory(habit.id)
    assert "swimming" not in str(dump(settings.home_path))
