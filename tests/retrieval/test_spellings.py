"""What is written otherwise than it is asked for, or told by a property, is found."""

from pathlib import Path

import pytest
from tests.retrieval.toys import hits_of, keep

import memoria
from memoria import Memoria
from memoria.config import Settings
from memoria.language.reading.statement import fingerprint
from memoria.language.words.analyser import FORM
from memoria.model import MemoryType, Provenance, SourceKind, Trust
from memoria.store.engine import renew_all
from memoria.store.sqlite.driver import sqlite3
from memoria.store.values import NewVersion

SAID = {
    "Deploys are marked with 🚀 in the changelog": ("🚀", "what does 🚀 mark?"),
    "Risky migrations get a ⚠️ in the title": ("⚠", "⚠️"),
    "The flag 🇳🇱 stands for the Utrecht office": ("🇳🇱",),
    "Pair programming days carry 👩🏽‍💻 in the calendar": ("👩‍💻", "👩🏿‍💻"),
    "The caretaker signs with 👍🏿": ("👍", "👍🏻"),
    "Step 3️⃣ is the slow one": ("3️⃣",),
    "Favourites have a ★ beside them": ("★",),
    "今天心情 😡 因为构建挂了": ("😡",),
    "The rent is paid in €": ("€",),
    "Klucz od piwnicy ma Łukasz": ("Lukasz", "łukasz"),
    "Depo anahtarı Işık Beyde": ("Isik", "ışık"),
    "Lageret passes av Bjørn": ("Bjorn", "BJØRN"),
    "サーバーの再起動は金曜日": ("さーばー", "ｻｰﾊﾞｰ"),
    "کلید پیش یحیی است": ("يحيى",),
    "جلسه ساعت ۱۴۳۰ است": ("1430",),
    "ADR-0167 settled the queue question": ("adr0167", "ADR 0167", "adr-0167"),
    "rfc2119 is read aloud before reviews": ("RFC 2119", "rfc-2119"),
    "Room 512 of block QX 4417 is the archive": ("qx4417", "QX-4417"),
    "The budget is 1,250,000 kroner": ("1250000", "1 250 000", "1'250'000"),
    "The grant was 3400000 francs": ("3,400,000", "3.400.000"),
    "The good commit is 4096112ce77b04d19aa02c1d5e8f90b1c2d3e4f5": ("4096112",),
    "The bad commit is a3f9c21e77b04d19aa02c1d5e8f90b1c2d3e4f50": ("a3f9c21", "a3f9c2"),
}
ASKED = [(question, said) for said, questions in SAID.items() for question in questions]


@pytest.fixture
def settings(home: Path) -> Settings:
    return Settings(home=home, embedder="off")


async def test_it_is_found_however_it_is_written(settings: Settings) -> None:
    async with memoria.open(settings=settings) as m:
        turns = [{"role": "user", "content": said} for said in SAID]
        await m.record_conversation(turns, session_id="talk")
        for said in SAID:
            await m.remember(said)
        for question, said in ASKED:
            memories = (await m.search_memory(question)).hits
            record = (await m.search_conversation_traces(question)).hits
            assert [hit.text for hit in memories[:1]] == [said], question
            assert [hit.text for hit in record[:1]] == [said], question


@pytest.mark.parametrize("question", ["—", "…", "?!", "│", "+"])
async def test_a_lone_punctuation_mark_is_no_word(settings: Settings, question: str) -> None:
    async with memoria.open(settings=settings) as m:
        await m.remember("Either — or … that is the question?! │ 1 + 1")
        assert not (await m.search_conversation_traces(question)).answered


async def test_the_beginning_of_a_hash_finds_all_that_begin_so(settings: Settings) -> None:
    whole = [f"a3f9c21{i}{'0b' * 16}" for i in range(3)]
    async with memoria.open(settings=settings) as m:
        turns = [{"role": "user", "content": f"Commit {one} broke it"} for one in whole]
        turns.append({"role": "user", "content": "a3f9c21 was reverted"})
        turns.append({"role": "user", "content": "b3f9c21000 is another"})
        await m.record_conversation(turns, session_id="talk")
        found = (await m.search_conversation_traces("a3f9c21")).hits
    assert {hit.text for hit in found[:4]} == {turn["content"] for turn in turns[:4]}


KEPT = "ferrywatch keeps its data in Postgres 16"


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


@pytest.mark.sqlite("looks into the file")
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
