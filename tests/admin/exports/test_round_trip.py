"""An export holds all that a tenant owns: a new home that imports it has equal rows.

EXPORT_EXAMPLES in the environment plays more histories.
"""

import os
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from tests.admin.exports.rows import EXPORTED, LEFT_OUT, LEFT_OUT_COLUMNS, differ, read_rows
from tests.forgetting.histories import HISTORIES, Forget, History, Player, script
from tests.ingest.play import opened

from memoria.app.exporting import export, merge_export
from memoria.config import Settings
from memoria.model import COMMAND_LINE
from memoria.store.base.portable import PortableSelection
from memoria.store.sqlite.migrate import schema

EXAMPLES = int(os.environ.get("EXPORT_EXAMPLES", "2"))
PASSPHRASE = "correct horse battery"  # noqa: S105  (of a test)


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
def test_after_any_history_an_export_makes_an_equal_home(
    tmp_path_factory: pytest.TempPathFactory, history: History
) -> None:
    anyio.run(_play, tmp_path_factory.mktemp("lived"), history)


async def _play(folder: Path, history: History) -> None:
    with script() as model:
        async with opened(folder / "home", model, llm_attempts=1, workspace="burrow") as m:
            player = Player(m, folder)
            await player.begin()
            for step in history:
                if not isinstance(step, Forget):
                    await player.take(step)
                elif chosen := await player.choose(step):
                    await m.forget_memory([chosen], include_source=step.include_source)
                    await m.wait_until_idle(60)
            for note in (
                {"completed": "Paint the lockers"},
                {"current_focus": "Count the lockers"},
            ):
                await m.update_scratchpad(**note, session_id="base 1")
            await m.with_channel(COMMAND_LINE).private.turn_on()
    await anyio.to_thread.run_sync(_check_round_trip, m.settings, folder)


def _check_round_trip(lived: Settings, folder: Path) -> None:
    file = folder / "out.jsonl"
    export(lived, file, PortableSelection(), PASSPHRASE, lambda *_: None)
    twin = lived.model_copy(update={"home": folder / "twin"})
    for is_first in (True, False):
        report = merge_export(twin, file, PASSPHRASE, lambda *_: None)
        assert (report.bad_lines, report.forgotten, report.forgotten_here) == ([], 0, 0)
        assert differ(read_rows(lived.home_path), read_rows(twin.home_path)) == []
        assert is_first or not (report.added or report.changed)
