"""Homes with memories, some of which have had their time."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.databases import open_home
from tests.empty_home import lay_empty_home
from tests.lifecycle.desk import Desk
from tests.lifecycle.dump import memory, store_of
from tests.lifecycle.pages import Days

from memoria.app import open_memoria
from memoria.config import Settings
from memoria.language.reading.statement import fingerprint
from memoria.model import DAY_MS, LIBRARY, MemoryType, Provenance, Validity, new_id, now_millis
from memoria.store.values import NewMemory, NewVersion

SAID = ("the port is 8080", "会议改到星期四", "the build needs Node 22", "the demo is on Friday")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Of an empty home without a model."""
    home = lay_empty_home(tmp_path / "home")
    return Settings.from_values(home=home, tenant="ann", embedder="off")


@pytest.fixture
def days(settings: Settings) -> Days:
    """The tenant's days."""
    return Days(settings)


@pytest.fixture
def keep_all(settings: Settings) -> Callable[..., list[str]]:
    """Writes memories as something else might have: (texts, expires_at) -> ids."""

    def kept(
        texts: Iterable[str],
        expires_at: int | None = None,
        kind: str = "fact",
        importance: float = 0.5,
        trust: str = "reported",
        workspace: str | None = None,
    ) -> list[str]:
        provenance = Provenance(source_kind="user_said", trust=trust, channel=LIBRARY.name)
        now = now_millis()
        memories = {
            NewMemory(new_id(), MemoryType(kind), importance, 0.5, workspace): NewVersion(
                text, fingerprint(text), now, now, provenance, None, expires_at=expires_at
            )
            for text in texts
        }
        with store_of(settings) as store:
            for new, version in memories.items():
                with store.write(settings.tenant) as tx:
                    tx.memories.add(new, version)
        return [new.id for new in memories]

    return kept


@pytest.fixture
def keep(keep_all: Callable[..., list[str]]) -> Callable[..., str]:
    """Writes one memory so: (text, expires_at) -> id."""
    return lambda text, *given, **named: keep_all([text], *given, **named)[0]


@pytest.fixture
async def outdated(settings: Settings, keep_all: Callable[..., list[str]]) -> list[str]:
    """Memories that stay and thirty that have had their time; gives the ids of these."""
    async with open_memoria(settings=settings) as m:
        for text in SAID:
            await m.remember(text)
    past = now_millis() - DAY_MS
    return keep_all((f"door {i} is shut until noon" for i in range(30)), past)


@pytest.fixture
def validity(settings: Settings) -> Callable[[str], Validity]:
    """How a memory stands."""
    return lambda memory_id: memory(settings, memory_id).validity


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A tenant at work in an empty home."""
    with closing(open_home(lay_empty_home(tmp_path))) as store:
        yield Desk(store, tmp_path)
