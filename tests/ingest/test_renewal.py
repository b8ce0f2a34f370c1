"""What older versions have not looked at is looked at in the background."""

from pathlib import Path

import pytest
from tests.databases import change_rows

import memoria
from memoria.store.engine import read_pending_calls

pytestmark = pytest.mark.anyio
TURNS = [
    {"role": "tool", "tool_name": "Bash", "tool_args": {"command": f"make part{i}"},
     "tool_result": {"is_error": True, "content": "Exit code 2\nfatal: no rule"}}
    for i in range(3)
]  # fmt: skip


@pytest.mark.sqlite("makes the rows of an older version by hand")
async def test_calls_of_an_older_version_are_looked_up_once_the_home_was_open(
    tmp_path: Path,
) -> None:
    async with memoria.open(tmp_path) as opened:
        await opened.record_conversation(TURNS, session_id="s")
    with change_rows(tmp_path) as connection:
        connection.execute("DELETE FROM tool_calls")
        connection.execute(
            "INSERT INTO tool_calls SELECT tenant_id, 'pending', '', n, '', 'unknown', 0 FROM turns"
        )
    async with memoria.open(tmp_path) as opened:
        await opened.wait_until_idle()
        store = opened._home.store  # noqa: SLF001  (what the background does, done to its end)
        while read_pending_calls(store, 2):
            pass
        with store.read(opened.settings.tenant) as tx:
            assert tx.tool_calls.list_pending(9) == []
        found = await opened.search_memory(error="fatal: no rule")
        assert len(found.calls) == len(TURNS)
