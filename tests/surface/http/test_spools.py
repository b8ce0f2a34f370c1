"""What hooks have said on the server's machine is taken in for each tenant of its home."""

from pathlib import Path

import anyio
from tests.surface.http.conftest import StartServer

from memoria.app import Memoria
from memoria.bare.home import OWNER_FILE, tenant_folder
from memoria.bare.spool import append_entry, list_waiting
from memoria.model.provenance import COMMAND_LINE
from memoria.surface.http.spools import SpoolFolders

LONGEST_S = 60
TENANTS = ("default", "ann", "名字/..")


def say(home: Path, tenant: str, content: str) -> None:
    """Leave a note in a tenant's spool, as a hook does."""
    turn = {"role": "user", "content": content, "id": content}
    append_entry(
        str(home),
        tenant,
        {"client": "codex", "event": "prompt", "session": "s1", "cwd": "/", "turns": [turn]},
    )


async def test_what_hooks_said_before_and_after_the_start_is_taken_in_for_each_tenant(
    start_server: StartServer, home: Path
) -> None:
    for tenant in TENANTS:
        say(home, tenant, f"{tenant} was here before.")
    async with start_server() as server:
        for tenant in TENANTS:
            say(home, tenant, f"{tenant} is here.")
        with anyio.fail_after(LONGEST_S):
            while any(list_waiting(str(home), tenant) for tenant in TENANTS):
                await anyio.sleep(0.05)
        for tenant in TENANTS:
            memory = Memoria(server.home.for_tenant(tenant), COMMAND_LINE)
            session = await memory.get_session("s1")
            assert [turn.content for turn in session.turns] == [
                f"{tenant} was here before.",
                f"{tenant} is here.",
            ]


def test_only_spools_that_have_changed_are_listed_and_none_under_another_s_name(
    tmp_path: Path,
) -> None:
    folders = SpoolFolders(str(tmp_path))
    assert folders.list_changed() == []
    for tenant in TENANTS:
        say(tmp_path, tenant, "Hello.")
    changed = folders.list_changed()
    assert sorted(tenant for tenant, _, _ in changed) == sorted(TENANTS)
    for _, folder, at in changed:
        folders.note_taken(folder, at)
    assert folders.list_changed() == []
    say(tmp_path, "ann", "Hello again.")
    assert [tenant for tenant, _, _ in folders.list_changed()] == ["ann"]
    Path(tenant_folder(str(tmp_path), "ann"), OWNER_FILE).write_text("ben", "utf-8")
    assert folders.list_changed() == []
