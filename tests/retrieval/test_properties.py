"""A memory is found by the property that it tells, though its wording has another word for it."""

from pathlib import Path

import pytest
from tests.retrieval.toys import hits_of, keep

import memoria
from memoria import Memoria, Settings
from memoria.language.reading.statement import fingerprint
from memoria.language.words.analyser import FORM
from memoria.model import MemoryType, Provenance, SourceKind, Trust
from memoria.store.engine import renew_all
from memoria.store.sqlite.driver import sqlite3
from memoria.store.values import NewVersion

KEPT = "ferrywatch keeps its data in Postgres 16"


@pytest.fixture
def settings(home: Path) -> Settings:
    return Settings(home=home, embedder="off")


async def best(m: Memoria, question: str) -> str | None:
    found = hits_of(await m.search_memory(question))
    return max(found, key=lambda hit: hit.score).text if found else None


@pytest.mark.parametrize(
    ("kept", "subject", "predicate", "beside", "question"),
    [
        (
            KEPT,
            "ferrywatch",
            "database",
            "'database is locked' turns up whenever two workers write at once",
            "What database does ferrywatch use?",
        ),
        ("Box Hill on Saturday", "club", "bike_route", "A route to heal", "Which bike route?"),
        ("用户养了一只叫团子的橘猫", "user", "宠物", "商场里开张了一家店", "我有什么宠物？"),
    ],
)
async def test_a_question_for_a_property_finds_what_tells_it(
    settings: Settings, kept: str, subject: str, predicate: str, beside: str, question: str
) -> None:
    async with memoria.open(settings=settings) as m:
        keep(m, kept, "2026-03-01", subject=subject, predicate=predicate)
        keep(m, beside, "2026-03-02")
        assert await best(m, question) == kept


async def test_a_new_wording_is_found_by_the_property_that_it_tells(settings: Settings) -> None:
    async with memoria.open(settings=settings) as m:
        kept = keep(m, KEPT, "2026-03-01", subject="ferrywatch", predicate="database")
        origin = Provenance(source_kind=SourceKind.USER_SAID, trust=Trust.REPORTED, channel="test")
        at = 1_775_000_000_000
        told = "ferrywatch listens on 9120"
        version = NewVersion(
            told, fingerprint(told), at, at, origin, None, type=MemoryType.FACT, predicate="socket"
        )
        with m._store.write(m.tenant) as tx:  # noqa: SLF001  (no channel sets these fields)
            tx.memories.add_version(kept, version)
        assert await best(m, "Which socket?") == told
        assert await best(m, "Which database?") is None


async def test_what_takes_another_in_is_found_by_the_others_property(settings: Settings) -> None:
    async with memoria.open(settings=settings) as m:
        kept = keep(m, KEPT, "2026-03-01", subject="ferrywatch")
        other = keep(m, f"{KEPT}.", "2026-03-02", subject="ferrywatch", predicate="database")
        with m._store.write(m.tenant) as tx:  # noqa: SLF001  (what a night does to two alike)
            tx.pairs.absorb(kept, other, Trust.REPORTED.value, 0.8)
        await m.revise_memory(other, "archive")
        assert await best(m, "Which database?") == KEPT


async def test_a_home_of_an_older_version_is_found_by_properties_once_it_is_renewed(
    settings: Settings,
) -> None:
    async with memoria.open(settings=settings) as m:
        keep(m, KEPT, "2026-03-01", subject="ferrywatch", predicate="database")
    with sqlite3.connect(settings.home_path / "memoria.db") as file:
        file.execute("UPDATE search_index SET context = replace(context, 'databas ', '')")
        file.execute("UPDATE settings SET value = ? WHERE key = 'words'", (f"{FORM - 1}:9",))
    file.close()
    async with memoria.open(settings=settings) as m:
        renew_all(m._store)  # noqa: SLF001  (its thread may not be done yet)
        assert await best(m, "Which database?") == KEPT
