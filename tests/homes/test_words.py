"""A home that was indexed by an older version is found by present words, and nothing is lost."""

import threading
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.homes.words import ASKED, REPEATED, SAID, SPEAKER

import memoria
from memoria import Memoria
from memoria.app.engine import open_store
from memoria.config import Settings
from memoria.errors import ForgottenError
from memoria.language.words.analyser import FORM, index_text
from memoria.store.engine import Store, renew_all
from memoria.store.sqlite.driver import sqlite3

pytestmark = pytest.mark.sqlite("a home of an earlier version")

HERE = Path(__file__).parent
PROPERTY = "budget"
"""What one of the home's memories tells; in place of the others' there are sentences."""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    with zipfile.ZipFile(HERE / "words-1.zip") as packed:
        packed.extractall(tmp_path / "home")
    return Settings(home=tmp_path / "home", embedder="off")


def stored_words(settings: Settings) -> dict[int, tuple[str, str]]:
    with closing(sqlite3.connect(settings.home_path / "memoria.db")) as file:
        rows = file.execute("SELECT id, c1, c2 FROM search_index_content")
        return {n: (words, context) for n, words, context in rows}


async def found(m: Memoria, asked: str) -> tuple[list[str], list[str]]:
    memories = await m.search_memory(asked)
    record = await m.search_conversation_traces(asked)
    return [hit.text for hit in memories.hits], [hit.text for hit in record.hits]


def test_the_home_was_made_by_an_older_version(settings: Settings) -> None:
    old = [words for words, _ in stored_words(settings).values()]
    assert not {index_text(said) for said in SAID[:-1]} & {*old}
    assert index_text(SAID[-1]) in old


async def test_new_kinds_of_words_are_found_in_old_turns_and_memories(settings: Settings) -> None:
    async with memoria.open(settings=settings) as m:
        renew_all(m._store)  # noqa: SLF001  (its thread may not be done yet)
        for asked, said in zip(ASKED, SAID, strict=True):
            memories, record = await found(m, asked)
            assert memories[:1] == [said], asked
            assert said in record, asked


def test_a_speaker_is_read_anew_a_property_is_added_and_the_day_stays_as_it_was(
    settings: Settings,
) -> None:
    before = stored_words(settings)
    with closing(open_store(settings)) as store:
        renew_all(store)
    for n, (_, context) in stored_words(settings).items():
        *who, weekday, day, month, year = context.split()
        assert [weekday, day, month, year] == before[n][1].split()[-4:]
        assert " ".join(who) in ("", index_text(SPEAKER), PROPERTY)


@pytest.mark.parametrize("done", range(5))
def test_it_goes_on_where_it_stopped(settings: Settings, done: int) -> None:
    with closing(open_store(settings)) as store:
        for _ in range(done):
            assert store.renew_words(3)
    with closing(open_store(settings)) as store:
        pages = 0
        while store.renew_words(3):
            pages += 1
    assert pages == -(-len(stored_words(settings)) // 3) - done
    assert any("🚀" in words for words, _ in stored_words(settings).values())


def test_two_processes_may_do_it_at_once(settings: Settings) -> None:
    def both(work: Callable[[Store], None]) -> None:
        with closing(open_store(settings)) as one, closing(open_store(settings)) as other:
            threads = [threading.Thread(target=work, args=[each]) for each in (one, other)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    def renew(store: Store) -> None:
        while store.renew_words(2):
            pass

    both(renew)
    after = stored_words(settings)
    with closing(open_store(settings)) as store:
        store.rebuild(lambda *_: None)
        assert not store.renew_words(100)
    assert after == stored_words(settings)


def test_what_an_older_version_adds_meanwhile_is_reached_as_well(settings: Settings) -> None:
    with closing(open_store(settings)) as store:
        renew_all(store)
    renewed = stored_words(settings)
    last = max(renewed)
    with closing(sqlite3.connect(settings.home_path / "memoria.db")) as file:
        file.execute("UPDATE search_index SET words = 'of old' WHERE rowid = ?", (last,))
        file.execute("UPDATE settings SET value = ? WHERE key = 'words'", (f"{FORM}:{last - 1}",))
        file.commit()  # as if it had added the last one, for it knows of no mark
    with closing(open_store(settings)) as store:
        assert store.renew_words(100)
        assert not store.renew_words(100)
    assert stored_words(settings) == renewed


def test_a_newer_version_s_words_are_left_alone(settings: Settings) -> None:
    before = stored_words(settings)
    with closing(sqlite3.connect(settings.home_path / "memoria.db")) as file:
        file.execute("INSERT INTO settings (key, value) VALUES ('words', '99:0')")
        file.commit()
    with closing(open_store(settings)) as store:
        assert not store.renew_words(100)
    assert stored_words(settings) == before


async def test_forgetting_finds_what_an_older_version_indexed(settings: Settings) -> None:
    async with memoria.open(settings=settings) as m:
        (memory,) = [
            hit for hit in (await m.search_memory("spare key")).hits if hit.text == REPEATED
        ]
        await m.forget_memory(ids=(memory.id,), include_source=True)
        for asked in ("Cinar's spare key", "Çınar spare key"):
            memories, record = await found(m, asked)
            assert not any(REPEATED in text for text in (*memories, *record))
        with pytest.raises(ForgottenError):
            await m.remember("the spare key hangs at ÇINAR'S")
    left = " ".join(" ".join(each) for each in stored_words(settings).values())
    assert "spare" not in left.split()


async def test_a_session_that_is_open_finds_the_new_words_of_another_process(
    settings: Settings,
) -> None:
    async with memoria.open(settings=settings) as m:
        await found(m, "🚀")  # what it keeps of the index follows the file
        with closing(open_store(settings)) as other:
            renew_all(other)
        memories, record = await found(m, "🚀")
        assert memories[:1] == [SAID[0]]
        assert SAID[0] in record


async def test_what_this_version_writes_is_not_gone_through_again(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "new", embedder="off")
    async with memoria.open(settings=settings) as m:
        for said in SAID:
            await m.remember(said)
        turns = [{"role": "user", "content": said} for said in SAID]
        await m.record_conversation(turns, session_id="new")
        assert not m._store.renew_words(1)  # noqa: SLF001  (nothing else tells)
