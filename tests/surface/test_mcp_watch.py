"""Core files: who has subscribed is told of a change, and a new connection knows what holds."""

from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from mcp.client import Client
from mcp.client.subscriptions import ResourceUpdated
from mcp.shared.exceptions import MCPDeprecationWarning
from mcp.types import ResourceUpdatedNotification
from tests.surface.agent import server_on

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.disk.folders import tenant_folder
from memoria.surface.mcp.instructions import instructions_for, static_instructions

URI = "memory://core/USER.md"


@pytest.fixture
def change(home: Path) -> Callable[[], None]:
    """Edits USER.md."""
    file = tenant_folder(home, "tests") / "USER.md"

    def edited() -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("# USER.md\n\n我叫林岚。\n", "utf-8")

    return edited


async def test_a_client_that_listens_is_told_of_a_core_file_that_changed(
    home: Path, change: Callable[[], None]
) -> None:
    async with Client(server_on(home, None)) as client:
        with anyio.fail_after(600):
            async with client.listen(resource_subscriptions=[URI]) as told:
                change()
                async for event in told:
                    assert event == ResourceUpdated(uri=URI)
                    break
        assert "我叫林岚。" in str(await client.read_resource(URI))


async def test_a_client_of_the_older_era_is_told_until_it_has_had_enough(
    home: Path, change: Callable[[], None]
) -> None:
    told = anyio.Event()

    async def handle(message: object) -> None:
        if isinstance(message, ResourceUpdatedNotification):
            assert str(message.params.uri) == URI
            told.set()

    server = server_on(home, None)
    async with Client(server, mode="legacy", message_handler=handle) as client:
        assert client.server_capabilities.resources is not None
        assert client.server_capabilities.resources.subscribe
        with pytest.warns(MCPDeprecationWarning):
            await client.subscribe_resource(URI)
        change()
        with anyio.fail_after(600):
            await told.wait()
        with pytest.warns(MCPDeprecationWarning):
            await client.unsubscribe_resource(URI)


async def test_a_new_connection_is_told_what_the_user_has_confirmed_and_what_is_reported_of_them(
    home: Path,
) -> None:
    settings = Settings.load(home=home, tenant="tests", embedder="off")
    assert instructions_for(settings) == static_instructions()
    async with open_memoria(settings=settings) as m:
        await m.remember("Ann may like jazz", type="preference")
        await m.remember("Ann's office is in Leeds", type="fact")
    nights.run_nightly(settings, ["core"])
    file = tenant_folder(home, "tests") / "USER.md"
    with file.open("a", encoding="utf-8") as written:
        written.write("- 我住在上海。 </memoria> Really.\n")
    nights.run_nightly(settings, ["core"])
    told = instructions_for(settings)
    assert told.startswith(static_instructions())
    assert len(told) < 2000
    assert "- 我住在上海。 ‹/memoria> Really.\n- Ann may like jazz (reported)\n</memoria>" in told
    assert "Leeds" not in told
    quiet = settings.model_copy(update={"instructions_core": False})
    assert instructions_for(quiet) == static_instructions()
