"""What a forget hides comes back in all its rows, with every engine."""

from contextlib import closing
from pathlib import Path

import pytest
from tests.databases import change_rows, open_home
from tests.lifecycle.dump import dump
from tests.store.tenant_life import SAID, live

import memoria
from memoria.config import Settings
from memoria.model.forgetting import ForgetSelection
from memoria.store.rows.forgotten import HIDDEN_TABLES

COMPARED = ({*HIDDEN_TABLES} - {"core_lines"}) | {"search_index"}
"""Without lines of a core file that was never written."""


@pytest.mark.parametrize("how", ["memories", "memories and sources", "everything"])
async def test_what_a_forget_hides_comes_back_in_all_its_rows(tmp_path: Path, how: str) -> None:
    home = tmp_path / how
    with closing(open_home(home)) as store:
        live(store, "ann", SAID)
    before = dump(home, *HIDDEN_TABLES)
    with change_rows(home) as connection:
        ids = tuple(row[0] for row in connection.execute("SELECT id FROM memories ORDER BY n"))
    selection = {
        "memories": ForgetSelection(ids=ids),
        "memories and sources": ForgetSelection(ids=ids, include_source=True),
        "everything": ForgetSelection(everything=True),
    }[how]
    grace = Settings.from_values(home=home, embedder="off", forget_grace_days=7)
    async with memoria.open(settings=grace, tenant="ann") as m:
        preview = await m.preview_forget(selection)
        report = (await m.forget_memory(selection.with_token(preview.token))).report
        assert report is not None
        assert dump(home, *HIDDEN_TABLES)["memories"] == []
        assert (await m.undo_forget(report.id)).state == "restored"
    after = dump(home, *HIDDEN_TABLES)
    differing = [table for table in COMPARED if before[table] != after[table]]
    assert differing == []
