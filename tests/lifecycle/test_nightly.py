"""A night does what is due once, whatever happens to it, and can be undone."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.lifecycle.conftest import SAID
from tests.lifecycle.dump import Interrupted, copied, dump, interrupting, store_of
from tests.surface.shell import Shell
from typer.testing import CliRunner

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.errors import InvalidInputError, LeaseLostError, NotFoundError
from memoria.lifecycle.interface import ItemResult, PiecewiseStep, StepContext
from memoria.lifecycle.runner import LEASE, hold_lease
from memoria.lifecycle.steps import BY_NAME
from memoria.lifecycle.steps.retention import ArchiveExpiredStep, ExpiredItem
from memoria.model import DAY_MS, Validity, now_millis, system_millis, use_clock
from memoria.model.nightly import NightlyRun, RunOptions, StepOutcome, StepReport
from memoria.store.rows.transaction import Transaction
from memoria.store.sqlite import SqliteJournalingStore
from memoria.surface.cli.main import app
from memoria.surface.cli.main import run as command_line
from memoria.surface.cli.nightly_text import render_plan, render_run, render_run_whole

Keep = Callable[..., str]
State = Callable[[str], Validity]


async def test_what_has_had_its_time_is_archived_and_nothing_else_is_touched(
    settings: Settings, outdated: list[str], validity: State
) -> None:
    run = nights.run_nightly(settings, ["archive_expired"])
    assert run.state == "finished"
    assert [step.outcomes for step in run.steps] == [{"done": 30}]
    assert {validity(memory_id) for memory_id in outdated} == {Validity.ARCHIVED}
    async with open_memoria(settings=settings) as m:
        assert (await m.statistics()).memories == {"active": len(SAID), "archived": len(outdated)}


async def test_a_second_night_finds_nothing_left_to_do(
    settings: Settings, outdated: list[str]
) -> None:
    assert outdated
    nights.run_nightly(settings, ["archive_expired"])
    before = dump(settings.home_path)
    assert [step.planned for step in nights.run_nightly(settings, ["archive_expired"]).steps] == [0]
    assert dump(settings.home_path) == before


async def test_a_dry_run_says_how_much_and_changes_nothing(
    settings: Settings, outdated: list[str]
) -> None:
    before = dump(settings.home_path)
    assert [step.planned for step in nights.dry_run(settings, ["archive_expired"]).steps] == [
        len(outdated)
    ]
    assert dump(settings.home_path) == before
    assert nights.list_runs(settings, 10) == []


@pytest.mark.sqlite("the file tells whether a home is there")
def test_a_dry_run_of_a_home_that_is_not_there_does_not_make_it(tmp_path: Path) -> None:
    settings = Settings.from_values(home=tmp_path / "nowhere", tenant="ann", embedder="off")
    assert not any(step.planned for step in nights.dry_run(settings).steps)
    assert not settings.home_path.exists()


@pytest.mark.parametrize("after", range(3))
async def test_a_run_that_was_broken_off_ends_as_one_that_was_not(
    settings: Settings, outdated: list[str], after: int, tmp_path: Path
) -> None:
    assert outdated
    at = now_millis()
    twin = copied(settings, tmp_path / "twin")
    with use_clock(lambda: at):
        nights.run_nightly(twin, ["archive_expired"])
        with pytest.raises(Interrupted):
            nights.run_nightly(settings, ["archive_expired"], progress=interrupting(after))
    resumed = nights.run_nightly(settings, ["archive_expired"])
    assert resumed.state == "finished"
    assert resumed.steps == nights.list_runs(twin, 1)[0].steps
    assert dump(settings.home_path) == dump(twin.home_path)


async def test_undoing_a_night_brings_everything_back(
    settings: Settings, outdated: list[str]
) -> None:
    before = dump(settings.home_path)
    run = nights.run_nightly(settings, ["archive_expired"])
    assert dump(settings.home_path) != before
    undone = nights.undo_nightly(settings, run.id[-8:], lambda _: None)
    assert undone.restored >= 2 * len(outdated)
    assert (undone.kept, undone.forgotten) == (0, 0)
    assert dump(settings.home_path) == before
    assert nights.list_runs(settings, 1)[0].state == "undone"


async def test_an_undoing_that_was_broken_off_goes_on_where_it_was(
    settings: Settings, outdated: list[str]
) -> None:
    assert outdated
    before = dump(settings.home_path)
    run = nights.run_nightly(settings, ["archive_expired"])

    def stop(_done: int) -> None:
        raise Interrupted

    with pytest.raises(Interrupted):
        nights.undo_nightly(settings, run.id, stop)
    with pytest.raises(InvalidInputError, match="undo of run"):
        nights.run_nightly(settings, ["archive_expired"])
    nights.undo_nightly(settings, run.id, lambda _: None)
    assert dump(settings.home_path) == before


async def test_later_nights_are_undone_first(
    settings: Settings, outdated: list[str], keep: Keep, validity: State
) -> None:
    first = nights.run_nightly(settings, ["archive_expired"])
    late = keep("the shop is open until noon", now_millis() - 1)
    second = nights.run_nightly(settings, ["archive_expired"])
    undone = nights.undo_nightly(settings, first.id, lambda _: None)
    assert undone.run_ids == (second.id, first.id)
    assert validity(late) is validity(outdated[0]) is Validity.ACTIVE


async def test_what_the_user_has_changed_since_is_left_as_it_is(
    settings: Settings, outdated: list[str], validity: State
) -> None:
    run = nights.run_nightly(settings, ["archive_expired"])
    async with open_memoria(settings=settings) as m:
        await m.revise_memory(outdated[0], "restore")
        await m.revise_memory(outdated[0], "pin")
        await m.forget_memory([outdated[1]])
    undone = nights.undo_nightly(settings, run.id, lambda _: None)
    assert undone.kept >= 1
    assert undone.forgotten >= 1
    assert validity(outdated[2]) is Validity.ACTIVE
    async with open_memoria(settings=settings) as m:
        assert (await m.get_memory(outdated[0])).pinned
        with pytest.raises(NotFoundError):
            await m.get_memory(outdated[1])


async def test_what_was_pinned_after_it_was_planned_is_left_alone(
    settings: Settings, outdated: list[str], validity: State
) -> None:
    with pytest.raises(Interrupted):
        nights.run_nightly(settings, ["archive_expired"], progress=interrupting(0))
    waiting = [memory_id for memory_id in outdated if validity(memory_id) is Validity.ACTIVE]
    async with open_memoria(settings=settings) as m:
        await m.revise_memory(waiting[0], "pin")
    run = nights.run_nightly(settings, ["archive_expired"])
    assert run.steps[0].outcomes == {"changed since": 1, "done": 29}
    assert validity(waiting[0]) is Validity.ACTIVE


async def test_no_transaction_touches_more_rows_than_it_may(
    settings: Settings, outdated: list[str], keep_all: Callable[..., list[str]]
) -> None:
    lamps = (
        f"lamp {i} is lit until noon, and so are the lamps {i + 1} and {i + 2}" for i in range(200)
    )
    keep_all(lamps, 1)
    run = nights.run_nightly(settings, ["archive_expired"])
    assert run.steps[0].outcomes == {"done": 200 + len(outdated)}
    assert 0 < run.most_rows <= 500


def test_two_nights_never_run_at_once(settings: Settings) -> None:
    with store_of(settings) as store:
        with (
            hold_lease(store, "ann", "one", 1000),
            pytest.raises(LeaseLostError, match="running for ann"),
            hold_lease(store, "ann", "two", 1000),
        ):
            pass
        with hold_lease(store, "ann", "two", 1000):
            pass


def test_a_dead_nights_lease_is_taken_over(settings: Settings) -> None:
    with store_of(settings) as store:
        with store.write("ann") as tx:
            assert tx.leases.take(LEASE, "dead", system_millis(), 500)
        with hold_lease(store, "ann", "heir", 1000), store.read("ann") as tx:
            assert tx.leases.owner(LEASE, system_millis()) == "heir"


@pytest.mark.sqlite("looks into the file")
def test_whoever_lost_the_lease_writes_nothing_more(settings: Settings) -> None:
    path = settings.home_path / "memoria.db"
    own = SqliteJournalingStore(
        path, busy_timeout_ms=5000, attempts=5, tenant="ann", lease=LEASE, owner="slept"
    )
    with pytest.raises(LeaseLostError, match="taken over"), own.write("ann"):
        raise AssertionError
    own.close()


async def test_a_night_out_of_time_leaves_the_rest_for_the_next(
    settings: Settings, outdated: list[str]
) -> None:
    hurried = settings.model_copy(update={"nightly_minutes": 1e-9})
    run = nights.run_nightly(hurried, ["archive_expired"])
    assert (run.state, run.steps[0].state) == ("stopped", "waiting")
    assert nights.run_nightly(settings, ["archive_expired"]).steps[0].outcomes == {
        "done": len(outdated)
    }


def test_an_unknown_step_or_night_says_what_there_is(settings: Settings) -> None:
    with pytest.raises(
        InvalidInputError, match="Steps are: mark_turns, quotes, refresh_episodes, process_queue"
    ):
        nights.run_nightly(settings, ["dream"])
    with pytest.raises(NotFoundError, match="memoria nightly runs"):
        nights.undo_nightly(settings, "nowhere", lambda _: None)


@pytest.mark.parametrize("end", ["", "%", "_", "%%%%"])
def test_a_night_is_named_by_the_end_of_its_id_and_by_nothing_else(
    settings: Settings, end: str
) -> None:
    run = nights.run_nightly(settings)
    assert nights.list_changes(settings, run.id[-6:], 1)[0].id == run.id
    with pytest.raises(NotFoundError):
        nights.undo_nightly(settings, end, lambda _: None)


def test_an_option_of_the_night_before_a_command_is_refused_and_not_ignored(
    settings: Settings,
) -> None:
    run = nights.run_nightly(settings)
    line = ["--home", str(settings.home_path), "--tenant", settings.tenant, "nightly"]
    result = CliRunner().invoke(app, [*line, "--dry-run", "undo", run.id])
    assert result.exit_code == 2
    assert nights.list_runs(settings, 1)[0].state == "finished"


async def test_what_expires_tomorrow_is_archived_tomorrow(
    settings: Settings, keep: Keep, validity: State
) -> None:
    tomorrow = keep("the gate is open until tomorrow", now_millis() + DAY_MS)
    nights.run_nightly(settings, ["archive_expired"])
    assert validity(tomorrow) is Validity.ACTIVE
    with use_clock(lambda: system_millis() + 2 * DAY_MS):
        nights.run_nightly(settings, ["archive_expired"])
    assert validity(tomorrow) is Validity.ARCHIVED


async def test_a_night_that_was_broken_off_a_day_ago_is_left_and_a_new_one_begins(
    settings: Settings, outdated: list[str]
) -> None:
    with pytest.raises(Interrupted):
        nights.run_nightly(settings, ["archive_expired"], progress=interrupting(0))
    with use_clock(lambda: system_millis() + 2 * DAY_MS):
        nights.run_nightly(settings, ["archive_expired"])
    new, old = nights.list_runs(settings, 10)
    assert (new.state, old.state) == ("finished", "stopped")
    done = [run.steps[0].outcomes.get("done", 0) for run in (new, old)]
    assert sum(done) == len(outdated)
    assert min(done) > 0


def test_a_dry_run_tells_what_each_step_is_for(settings: Settings) -> None:
    _, *lines = render_plan(nights.dry_run(settings), 1_000).splitlines()
    plan = lines[: lines.index("")]
    told = dict(line.split(maxsplit=1) for line in plan)
    assert set(told) == set(BY_NAME)
    assert all(len(what) > len("(nothing to do) ") for what in told.values())
    assert "asked alone" in lines[-2]


async def test_a_dry_run_misses_no_model_that_a_run_would_have(
    settings: Settings, outdated: list[str]
) -> None:
    assert outdated
    configured = settings.model_copy(update={"llm_command": "true"})
    assert "Without a chat model" in render_plan(nights.dry_run(settings), 80)
    assert "Without a chat model" not in render_plan(nights.dry_run(configured), 80)


def test_what_can_t_be_undone_any_more_is_not_offered() -> None:
    run = NightlyRun(
        n=1, id="x", at=1, options=RunOptions(steps=("archive_expired",)), state="finished"
    )
    steps = (StepReport(name="archive_expired", state="applied", outcomes={"done": 1}),)
    kept = run.model_copy(update={"steps": steps})
    assert "memoria undo x" in render_run_whole(kept, 3, 80, {})
    unkept = kept.model_copy(update={"undoable": False})
    gone = render_run_whole(unkept, 0, 80, {})
    assert "can't be undone any more." in gone
    assert "rows" not in gone
    assert "memoria undo" not in render_run(unkept, 80, {})


class Stubborn(ArchiveExpiredStep):
    """Can't do what it was told of one memory."""

    def __init__(self, memory_id: str) -> None:
        self._memory_id = memory_id

    def apply(self, tx: Transaction, item: ExpiredItem, context: StepContext) -> ItemResult:
        if item.key == self._memory_id:
            tx.memories.set_validity(item.key, Validity.PENDING_CONFIRMATION, context.at)
            raise LookupError(item.key)
        return super().apply(tx, item, context)


async def test_an_item_that_fails_is_named_and_the_night_goes_on_without_it(
    settings: Settings, outdated: list[str], validity: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BY_NAME, "archive_expired", Stubborn(outdated[7]))
    run = nights.run_nightly(settings, ["archive_expired", "core"])
    assert run.state == "finished"
    assert run.steps[0].outcomes == {"done": 29, "failed": 1}
    assert validity(outdated[7]) is Validity.ACTIVE
    assert validity(outdated[8]) is Validity.ARCHIVED


class Stopped(ArchiveExpiredStep):
    """Somebody presses Ctrl-C as it begins."""

    def plan(self, night: StepContext) -> Iterator[ExpiredItem]:
        yield from super().plan(night)
        raise KeyboardInterrupt


def test_ctrl_c_says_that_nothing_is_half_done_and_the_next_night_finishes(
    settings: Settings, keep: Keep, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    keep("the lift is out of order", now_millis() - DAY_MS)
    home = ["--home", str(settings.home_path), "--tenant", settings.tenant]
    monkeypatch.setattr(sys, "argv", ["memoria", *home, "nightly", "--step", "archive_expired"])
    with monkeypatch.context() as then:
        then.setitem(BY_NAME, "archive_expired", Stopped())
        with pytest.raises(SystemExit) as ended:
            command_line()
    assert ended.value.code == 130
    assert "nothing is half done" in capsys.readouterr().err
    assert [run.state for run in nights.list_runs(settings, 5)] == ["running"]
    assert nights.run_nightly(settings).steps[0].outcomes == {"done": 1}


class Endless(PiecewiseStep):
    """Never comes to an end."""

    name = "process_queue"
    summary = "Never comes to an end."

    def count_work(self, _context: StepContext) -> int:
        return 1_000_000

    def do_piece(self, _context: StepContext) -> list[ItemResult]:
        return [ItemResult(StepOutcome.DONE)]


async def test_reading_without_an_end_leaves_half_of_the_time_to_what_keeps_memory_small(
    settings: Settings, outdated: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(BY_NAME, "process_queue", Endless())
    hurried = settings.model_copy(update={"nightly_minutes": 0.04})
    run = nights.run_nightly(hurried, ["process_queue", "archive_expired"])
    assert (run.state, run.steps[0].state) == ("stopped", "planned")
    assert run.steps[1].planned == len(outdated)


def test_what_a_night_did_is_shown_with_the_beginning_of_what_each_memory_says(
    settings: Settings, keep: Keep
) -> None:
    keep("会议室的门锁坏了，" * 10, now_millis() - DAY_MS)
    run = nights.run_nightly(settings, ["archive_expired"])
    shell = Shell(settings.home_path)
    shown = shell("--tenant", settings.tenant, "show", run.id).out
    assert "  会议室的门锁坏了，会议室" in shown
    assert "\n    its time was over · " in shown
    assert "…" in shown
    assert "会议室" not in run.model_dump_json()
