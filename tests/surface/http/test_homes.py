"""Tenants with a home each: opened when called for, closed when others are, erased by deleting."""

import shutil
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest
from tests.retrieval.toys import ToyEmbedder
from tests.surface.http.conftest import HttpServer, serve_app
from tests.surface.http.test_callers import call

from memoria import Settings
from memoria.app.compose import open_home
from memoria.app.homes import TenantHomes
from memoria.app.open_home import SharedParts
from memoria.app.tokens import TokenService
from memoria.bare.home import home_below
from memoria.bare.spool import append_entry, list_waiting
from memoria.errors import StoreUnavailableError
from memoria.inference import LazyEmbedder
from memoria.ingest.rounds import SharedRounds
from memoria.model import Vector
from memoria.model.access import Access, TokenText
from memoria.model.provenance import COMMAND_LINE
from memoria.surface.http.app import build_app
from memoria.surface.http.callers import CALLERS_CHANNEL

pytestmark = pytest.mark.sqlite("a file for each tenant")

FACT = "The spare key hangs behind the third shelf."
MOST_OPEN = 2


class Homes:
    """A folder of homes, and a server of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.opened: TenantHomes
        self.parts: type[SharedParts] = SharedParts

    def settings(self, tenant: str) -> Settings:
        """Return the settings of a tenant's home."""
        return Settings.from_values(
            homes=self.folder, tenant=tenant, open_homes=MOST_OPEN, embedder="off"
        )

    async def create_token(self, tenant: str) -> str:
        """Create a token in a tenant's home, made if need be, as the user would in a shell."""
        async with open_home(self.settings(tenant)) as home:
            created = await TokenService(home.store, tenant, COMMAND_LINE).create(Access.WRITE)
        return created.text

    @asynccontextmanager
    async def serve(self) -> AsyncIterator[HttpServer]:
        """Serve the homes."""

        @asynccontextmanager
        async def open_homes() -> AsyncIterator[TenantHomes]:
            shared = self.parts(SharedRounds(1, 1), anyio.CapacityLimiter(2))
            settings = self.settings("default")
            async with TenantHomes.open(
                settings, self.settings, shared, CALLERS_CHANNEL
            ) as self.opened:
                yield self.opened

        async with serve_app(build_app(open_homes)) as server:
            yield server

    def list(self) -> list[Path]:
        """List the folders of homes."""
        return sorted(self.folder.iterdir())


@pytest.fixture
def homes(tmp_path: Path) -> Homes:
    folder = tmp_path / "homes"
    folder.mkdir()
    return Homes(folder)


async def remember(server: HttpServer, token: str, content: str) -> None:
    async with server.connect(token) as client:
        text, is_error = await call(client, "remember", content=content)
        assert not is_error, text


async def search(server: HttpServer, token: str) -> str:
    async with server.connect(token) as client:
        return (await call(client, "search_memory", query="spare key"))[0]


@pytest.mark.anyio
async def test_each_tenant_has_a_home_of_its_own_and_finds_only_what_is_in_it(homes: Homes) -> None:
    tokens = {name: await homes.create_token(name) for name in ("ann", "ben", "../../ann")}
    assert len(homes.list()) == len(tokens)
    async with homes.serve() as server:
        for name, token in tokens.items():
            await remember(server, token, f"The spare key of {name!r} hangs behind a shelf.")
        for name, token in tokens.items():
            found = await search(server, token)
            assert [one for one in tokens if f"of {one!r} hangs" in found] == [name]
    assert len(homes.list()) == len(tokens)


@pytest.mark.anyio
async def test_a_token_of_a_tenant_without_a_home_opens_nothing_and_makes_no_file(
    homes: Homes,
) -> None:
    parts = TokenText.parse(await homes.create_token("ann"))
    assert parts is not None
    before = homes.list()
    async with homes.serve() as server:
        for tenant in ("ben", " ann", "ANN", "..", "../..", "a" * 5_000, "ann\0"):
            async with server.client(str(parts._replace(tenant=tenant))) as client:
                assert (await client.post("/mcp", json={})).status_code == 401, tenant
        assert homes.opened.list_open() == []
    assert homes.list() == before


@pytest.mark.anyio
async def test_no_more_homes_stay_open_than_are_allowed_and_a_closed_one_opens_again(
    homes: Homes,
) -> None:
    tokens = [await homes.create_token(f"tenant {i}") for i in range(MOST_OPEN + 1)]
    async with homes.serve() as server:
        for token in tokens:
            await remember(server, token, FACT)
        with anyio.fail_after(10):
            while len(homes.opened.list_open()) > MOST_OPEN:
                await anyio.lowlevel.checkpoint()
        for token in tokens:
            assert "third shelf" in await search(server, token)


@pytest.mark.anyio
async def test_wrong_secrets_close_no_home_that_is_used(homes: Homes) -> None:
    used = [await homes.create_token(f"used {i}") for i in range(MOST_OPEN)]
    others = [TokenText.parse(await homes.create_token(f"other {i}")) for i in range(3)]
    async with homes.serve() as server:
        for token in used:
            await remember(server, token, FACT)
        for other in others:
            assert other is not None
            async with server.client(str(other._replace(secret=other.secret[::-1]))) as client:
                assert (await client.post("/mcp", json={})).status_code == 401
        with anyio.fail_after(10):
            while len(homes.opened.list_open()) > MOST_OPEN:
                await anyio.lowlevel.checkpoint()
        assert homes.opened.list_open() == [f"used {i}" for i in range(MOST_OPEN)]


@pytest.mark.anyio
async def test_a_home_is_not_closed_while_somebody_calls(homes: Homes) -> None:
    names = [f"tenant {i}" for i in range(MOST_OPEN + 2)]
    tokens = [await homes.create_token(name) for name in names]
    async with homes.serve() as server, homes.opened.hold(names[0]) as held:
        assert held is not None
        for token in tokens[1:]:
            await remember(server, token, FACT)
        with anyio.fail_after(10):
            while len(homes.opened.list_open()) > MOST_OPEN:
                await anyio.lowlevel.checkpoint()
        assert homes.opened.find(names[0]) is held.memory
        await held.memory.remember(FACT)


class HeldEmbedder(ToyEmbedder):
    """Embeds nothing until it is let go."""

    def __init__(self) -> None:
        self.is_let_go = threading.Event()

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Wait, and return the vectors of documents."""
        self.is_let_go.wait(10)
        return super().embed_documents(texts)


@pytest.mark.anyio
async def test_a_home_is_not_closed_before_what_waits_in_it_is_embedded(homes: Homes) -> None:
    embedder = HeldEmbedder()

    class PartsWithEmbedder(SharedParts):
        def choose_embedder(self, settings: Settings) -> LazyEmbedder:  # noqa: ARG002  (as all homes)
            return LazyEmbedder("toy/1", lambda: embedder)

    homes.parts = PartsWithEmbedder
    names = [f"tenant {i}" for i in range(MOST_OPEN + 2)]
    tokens = [await homes.create_token(name) for name in names]
    try:
        async with homes.serve() as server:
            async with server.connect(tokens[0]) as client:
                turn = {"role": "user", "content": FACT}
                await call(client, "record_conversation", turns=[turn])
            async with homes.opened.hold(names[0]) as first:
                assert first is not None
            for token in tokens[1:]:
                await search(server, token)
            assert homes.opened.find(names[0]) is first.memory
            embedder.is_let_go.set()
            with anyio.fail_after(10):
                while not is_closed(homes, names[0]):
                    await search(server, tokens[-1])
    finally:
        embedder.is_let_go.set()
    async with open_home(homes.settings(names[0])) as home:
        with home.store.backlog(write=False) as backlog:
            assert backlog.status(5).pending == 0


def is_closed(homes: Homes, tenant: str) -> bool:
    try:
        homes.opened.find(tenant)
    except StoreUnavailableError:
        return True
    return False


@pytest.mark.anyio
async def test_a_deleted_home_is_gone_for_its_callers_and_not_made_again(homes: Homes) -> None:
    ann, ben = [await homes.create_token(name) for name in ("ann", "ben")]
    async with homes.serve() as server:
        for token in (ann, ben):
            await remember(server, token, FACT)
        shutil.rmtree(home_below(str(homes.folder), "ann"))
        async with server.client(ann) as client:
            answer = await client.post("/mcp", json={})
            assert answer.status_code == 401, answer.text
        assert "third shelf" in await search(server, ben)
        assert len(homes.list()) == 1
        again = await homes.create_token("ann")
        assert "third shelf" not in await search(server, again)


@pytest.mark.anyio
async def test_a_home_that_cannot_be_opened_is_answered_and_stops_no_other(homes: Homes) -> None:
    ann, ben = [await homes.create_token(name) for name in ("ann", "ben")]
    database = Path(home_below(str(homes.folder), "ann")) / "memoria.db"
    database.write_bytes(b"no database at all, whatever its name says" * 100)
    async with homes.serve() as server:
        async with server.client(ann) as client:
            answer = await client.post("/mcp", json={})
            assert (answer.status_code, "log" in answer.text) == (503, True)
        await remember(server, ben, FACT)


def test_a_home_that_is_named_comes_before_the_tenants_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MEMORIA_HOMES", str(tmp_path))
    monkeypatch.setenv("MEMORIA_HOME", str(tmp_path / "other"))
    own = Settings.load(tenant="ann").home_path
    assert own == Path(home_below(str(tmp_path), "ann"))
    assert Settings.load().home_path == Path(home_below(str(tmp_path), "default"))
    named = tmp_path / "named"
    assert Settings.load(home=named, tenant="ann").home_path == named
    (own / "settings.toml").parent.mkdir()
    (own / "settings.toml").write_text('ignored_folders = "/secret"\n')
    assert Settings.load(tenant="ann").ignored_folders == ("/secret",)
    assert Settings.load(tenant="ben").ignored_folders is None


async def test_what_hooks_say_is_taken_in_while_the_tenant_s_home_is_open(homes: Homes) -> None:
    tokens = {tenant: await homes.create_token(tenant) for tenant in ("ann", "ben")}
    async with homes.serve() as server:
        async with server.connect(tokens["ann"]) as client:
            await call(client, "search_memory", query="spare key")
        for tenant in tokens:
            turn = {"role": "user", "content": FACT, "id": "1"}
            entry: dict[str, object] = {"client": "codex", "event": "prompt", "session": "s"}
            home = str(homes.settings(tenant).home_path)
            append_entry(home, tenant, {**entry, "cwd": "/", "turns": [turn]})
        hers, his = [str(homes.settings(tenant).home_path) for tenant in tokens]
        with anyio.fail_after(60):
            while list_waiting(hers, "ann"):
                await anyio.sleep(0.05)
        assert list_waiting(his, "ben")
        for tenant, token in tokens.items():
            async with server.connect(token) as client:
                found, _ = await call(client, "search_conversation_traces", query="spare key")
                assert "third shelf" in found, tenant
