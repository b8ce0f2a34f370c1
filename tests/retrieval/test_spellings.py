"""What is written otherwise than it is asked for is found at both levels, and comes first."""

from pathlib import Path

import pytest

import memoria
from memoria.config import Settings

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
