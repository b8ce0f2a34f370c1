"""An export holds all that a tenant owns: a new home that imports it has equal rows.

EXPORT_EXAMPLES in the environment plays more histories.
"""

import os
from collections.abc import Awaitable, Callable
from contextlib import closing
from functools import partial
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from tests.admin.exports.rows import EXPORTED, LEFT_OUT, LEFT_OUT_COLUMNS, differ, read_rows
from tests.databases import settings_elsewhere
from tests.forgetting.checker import rows_without_sources
from tests.forgetting.histories import (
    FACTS,
    HISTORIES,
    STEPS,
    Forget,
    History,
    Player,
    Step,
    script,
    word,
)
from tests.forgetting.remains import remaining
from tests.ingest.play import opened

from memoria.admin.exports.merge import MergeReport
from memoria.app.engine import open_store
from memoria.app.exporting import export, merge_export
from memoria.config import Settings
from memoria.erasure.verify import verify
from memoria.model import COMMAND_LINE, Receipt
from memoria.store.rows.portable.records import PortableSelection
from memoria.store.sqlite.schema import schema

EXAMPLES = int(os.environ.get("EXPORT_EXAMPLES", "2"))
PASSPHRASE = "correct horse battery"  # noqa: S105  (of a test)

Lived = list[Step]
FALLEN_WORDING: History = [
    Step(verb="edit", fact=2, pick=18, kind="fact"),
    Step(verb="remember", fact=4, pick=14, kind="skill"),
    Step(verb="undo", fact=4, pick=12, kind="skill"),
    Step(verb="retype", fact=0, pick=16, kind="preference"),
    Step(verb="edit", fact=2, pick=13, kind="skill"),
    Forget(target="memory", pick=3, include_source=False),
    Step(verb="remember", fact=4, pick=0, kind="goal"),
    Forget(target="episode", pick=1, include_source=True),
]
"""A memory stays, and a former wording goes with its turn: an older export has both."""
_LIVED = st.lists(STEPS, min_size=1, max_size=3)


def test_somebody_has_decided_of_every_table_whether_it_is_exported() -> None:
    made = schema().items()
    tables = {name for name, sql in made if "TABLE" in sql.split(name)[0].upper()}
    ours = {one for one in tables if not one.startswith(("search_index_", "sqlite_"))}
    assert ours == {*EXPORTED, *LEFT_OUT}
    assert {name.split(".")[0] for name in LEFT_OUT_COLUMNS} <= {*EXPORTED}


@settings(
    deadline=None,
    max_examples=EXAMPLES,
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # a history takes seconds
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(HISTORIES)
@example(FALLEN_WORDING)
def test_after_any_history_an_export_makes_an_equal_home(
    tmp_path_factory: pytest.TempPathFactory, history: History
) -> None:
    anyio.run(_play, tmp_path_factory.mktemp("lived"), history)


@settings(
    deadline=None,
    max_examples=max(EXAMPLES // 2, 1),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(_LIVED, _LIVED, _LIVED)
def test_wherever_two_homes_have_gone_since_they_were_one_they_meet_again(
    tmp_path_factory: pytest.TempPathFactory, both: Lived, one: Lived, other: Lived
) -> None:
    anyio.run(_play_two, tmp_path_factory.mktemp("lived"), both, one, other)


async def _play_two(folder: Path, both: Lived, one: Lived, other: Lived) -> None:
    file = folder / "out.jsonl"
    with script() as model:
        async with opened(folder / "one", model, llm_attempts=1) as m:
            player = Player(m, folder)
            await player.begin()
            for step in both:
                await player.take(step)
        here, there = (settings_elsewhere(m.settings, folder / x) for x in ("one", "other"))
        await anyio.to_thread.run_sync(_carry, here, there, file)
        for number, (home, steps) in enumerate(((here, one), (there, other))):
            async with opened(home.home_path, model, llm_attempts=1) as m:
                record = m.record_conversation
                m.__dict__["record_conversation"] = partial(_record_elsewhere, record, str(number))
                player = Player(m, folder)
                player.days = 10 * (number + 1)
                for step in steps:
                    await player.take(step)
    await anyio.to_thread.run_sync(_check_meeting, here, there, file)


async def _record_elsewhere(
    record: Callable[..., Awaitable[Receipt]],
    place: str,
    turns: object,
    event: object = None,
    *,
    session_id: str | None = None,
    workspace: str | None = None,
) -> Receipt:
    """Record in a session that the other home has not."""
    session_id = f"{place} {session_id}"
    return await record(turns, event, session_id=session_id, workspace=workspace)


def _check_meeting(one: Settings, other: Settings, file: Path) -> None:
    assert _carry(one, other, file).bad_lines == []
    assert _carry(other, one, file).bad_lines == []
    assert differ(read_rows(one.home_path), read_rows(other.home_path)) == []
    for source, target in ((one, other), (other, one)):
        report = _carry(source, target, file)
        assert (sum(report.added.values()), sum(report.changed.values())) == (0, 0)
        _check_sound(target)


def _carry(source: Settings, target: Settings, file: Path) -> MergeReport:
    file.unlink(missing_ok=True)
    _export(source, file)
    return merge_export(target, file, PASSPHRASE, lambda *_: None)


async def _play(folder: Path, history: History) -> None:
    home, older = folder / "home", folder / "older.jsonl"
    with script() as model:
        async with opened(home, model, llm_attempts=1, workspace="burrow") as m:
            player = Player(m, folder)
            await player.begin()
            for step in history:
                if not isinstance(step, Forget):
                    await player.take(step)
                    continue
                older.unlink(missing_ok=True)
                await anyio.to_thread.run_sync(_export, m.settings, older)
                if chosen := await player.choose(step):
                    await m.forget_memory([chosen], include_source=step.include_source)
                    await m.wait_until_idle(60)
            for note in (
                {"completed": "Paint the lockers"},
                {"current_focus": "Count the lockers"},
            ):
                await m.update_scratchpad(**note, session_id="base 1")
            await m.with_channel(COMMAND_LINE).private.turn_on()
    await anyio.to_thread.run_sync(_check_round_trip, m.settings, folder)
    has_undone = any(isinstance(step, Step) and step.verb == "undo" for step in history)
    await anyio.to_thread.run_sync(partial(_check_older, m.settings, older, has_undone=has_undone))


def _export(settings: Settings, file: Path) -> None:
    export(settings, file, PortableSelection(), PASSPHRASE, lambda *_: None)


def _check_round_trip(lived: Settings, folder: Path) -> None:
    file = folder / "out.jsonl"
    _export(lived, file)
    twin = settings_elsewhere(lived, folder / "twin")
    for is_first in (True, False):
        report = merge_export(twin, file, PASSPHRASE, lambda *_: None)
        assert (report.bad_lines, report.forgotten, report.forgotten_here) == ([], 0, 0)
        assert differ(read_rows(lived.home_path), read_rows(twin.home_path)) == []
        assert is_first or not (report.added or report.changed)
    _check_sound(twin)


def _check_older(lived: Settings, older: Path, *, has_undone: bool) -> None:
    """An export made before the last forget brings nothing back, and nothing without a source.

    What the undoing of a night has taken away may come back: nobody has forgotten it.
    """
    before, words = read_rows(lived.home_path), remaining(lived.home_path, map(word, FACTS))
    report = merge_export(lived, older, PASSPHRASE, lambda *_: None)
    assert report.bad_lines == []
    after = read_rows(lived.home_path)
    for table in ("memories", "turns"):
        back = {row[1] for row in after[table]} - {row[1] for row in before[table]}
        assert has_undone or not back
        assert not back & {row[3] for row in before["tombstones"]}
    assert has_undone or remaining(lived.home_path, map(word, FACTS)) <= words
    assert rows_without_sources(lived.home_path) == []
    _check_sound(lived)


def _check_sound(settings: Settings) -> None:
    with closing(open_store(settings)) as store:
        assert verify(store) == {}
        assert [one for one in store.examine(deep=True) if one.state == "error"] == []
