"""Homes with memories, some of which have had their time."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.empty_home import lay_empty_home

from memoria.app import open_memoria
from memoria.config import Settings
from memoria.language.reading.statement import fingerprint
from memoria.model import DAY_MS, LIBRARY, MemoryType, Provenance, Validity, new_id, now_millis
from memoria.store.sqlite import SqliteStore
from memoria.store.values import NewMemory, NewVersion

SAID = ("the port is 8080", "会议改到星期四", "the build needs Node 22", "the demo is on Friday")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Of an empty home without a model."""
    home = lay_empty_home(tmp_path / "home")
    return Settings.from_values(home=home, tenant="ann", embedder="off")


@pytest.fixture
def keep(settings: Settings) -> Callable[..., str]:
    """Writes a memory as something else might have: (text, expires_at) -> id."""

    def kept(
        text: str,
        expires_at: int | None = None,
        kind: str = "fact",
        importance: float = 0.5,
        trust: str = "reported",
        workspace: str | None = None,
    ) -> str:
        store = SqliteStore(settings.home_path / "memoria.db", busy_timeout_ms=5000, readers=1)
        provenance = Provenance(source_kind="user_said", trust=trust, channel=LIBRARY.name)
        now = now_millis()
        version = NewVersion(
            text, fingerprint(text), now, now, provenance, None, expires_at=expires_at
        )
        memory = NewMemory(new_id(), MemoryType(kind), importance, 0.5, workspace)
        with store.write(settings.tenant) as tx:
            tx.memories.add(memory, version)
        store.close()
        return memory.id

    return kept


@pytest.fixture
async def outdated(settings: Settings, keep: Callable[..., str]) -> list[str]:
    """Memories that stay and thirty that have had their time; gives the ids of these."""
    async with open_memoria(settings=settings) as m:
        for text in SAID:
            await m.remember(text)
    past = now_millis() - DAY_MS
    return [keep(f"door {i} is shut until noon", past) for i in range(30)]


@pytest.fixture
def validity(settings: Settings) -> Callable[[str], Validity]:
    """How a memory stands."""

    def of(memory_id: str) -> Validity:
        store = SqliteStore(settings.home_path / "memoria.db", busy_timeout_ms=5000, readers=1)
        with store.read(settings.tenant) as tx:
            found = tx.memories.get(memory_id)
        store.close()
        assert found is not None
        return found.validity

    return of
