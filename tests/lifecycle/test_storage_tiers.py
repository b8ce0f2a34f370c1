"""Conversations at rest take less room, and whoever asks for them reads what was said."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event, Thread

import pytest
from tests.forgetting.remains import remains
from tests.lifecycle.dump import Interrupted, copied, dump

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.errors import StoreError
from memoria.model import DAY_MS, system_millis, use_clock
from memoria.model.nightly import NightlyRun
from memoria.store.engine import Store
from memoria.store.rows import storage_tiers
from memoria.store.rows.chunks import pack_tight, unpack
from memoria.store.sqlite import SqliteStore
from memoria.store.sqlite.driver import connect, sqlite3

WORD = "zanzibar4711"
LOG = "\n".join(f"line {i}: 测试 test_{i * 7919 % 1000} passed" for i in range(60))
SAID: list[dict[str, object]] = [
    {"role": "user", "content": f"my locker opens with {WORD}, 储物柜 {'and so on ' * 60}"},
    {"role": "assistant", "content": f"noted, it opens your locker, 储物柜 {'of course ' * 9}"},
    {"role": "tool", "tool_name": "pytest", "tool_args": {"q": 1}, "tool_result": LOG},
    {"role": "tool", "content": LOG * 40, "tool_result": LOG * 40},
    {"role": "assistant", "content": "all 60 tests passed, 全部通过 " * 3},
]
Texts = list[tuple[str, object, object]]


async def talk(settings: Settings, *sessions: str) -> None:
    """The same in each, but for its last turns."""
    async with open_memoria(settings=settings) as m:
        for session in sessions:
            own = [
                {"role": role, "content": f"{role} of {session}: {'what was said there ' * 40}"}
                for role in ("user", "assistant")
            ]
            await m.record_conversation([*SAID, *own], "session_end", session_id=session)


def night(settings: Settings, days: int) -> NightlyRun:
    with use_clock(lambda: system_millis() + days * DAY_MS):
        return nights.run_nightly(settings, ["storage_tiers"])


def texts(settings: Settings, *sessions: str) -> Texts:
    path = settings.home_path / "memoria.db"
    with closing(SqliteStore(path, busy_timeout_ms=5000, readers=1)) as store:
        return read(store, settings.tenant, *sessions)


def read(store: Store, tenant: str, *sessions: str) -> Texts:
    with store.read(tenant) as tx:
        turns = [turn for s in sessions for turn in tx.conversations.session_turns(s, 0, 1000)]
    return [(turn.content, turn.tool_args, turn.tool_result) for turn in turns]


def number(settings: Settings, sql: str) -> int:
    with closing(connect(settings.home_path / "memoria.db", 5000)) as connection:
        return int(connection.execute(sql).fetchone()[0])


def packed(settings: Settings) -> int:
    return number(settings, "SELECT count(*) FROM packed_texts")


def stored(settings: Settings) -> int:
    loose = number(settings, "SELECT coalesce(sum(length(data)), 0) FROM raw_chunks")
    return loose + number(settings, "SELECT coalesce(sum(length(data)), 0) FROM text_blocks")


async def test_texts_take_less_room_after_a_month_and_say_the_same(settings: Settings) -> None:
    await talk(settings, "home", "shop")
    said, before, hot = texts(settings, "home", "shop"), dump(settings.home_path), stored(settings)
    assert night(settings, 29).steps[0].outcomes == {}
    assert (packed(settings), stored(settings)) == (0, hot)
    run = night(settings, 31)
    assert run.steps[0].outcomes == {"done": 2}
    assert run.most_rows <= 500
    assert stored(settings) < hot
    assert packed(settings) >= 6
    assert nights.dry_run(settings, ["storage_tiers"]).steps[0].planned == 0
    assert night(settings, 40).steps[0].outcomes == {}
    assert nights.undo_nightly(settings, run.id, lambda _: None).restored == 0
    assert texts(settings, "home", "shop") == said
    assert dump(settings.home_path) == before


async def test_a_text_of_a_tool_that_is_kept_twice_takes_the_room_of_one(
    settings: Settings,
) -> None:
    noise = "".join(f"{i * 2654435761 % 2**32:08x}" for i in range(20_000))
    turn = {"role": "tool", "content": noise, "tool_result": noise}
    async with open_memoria(settings=settings) as m:
        await m.record_conversation([turn], "session_end", session_id="long")
    hot = stored(settings)
    night(settings, 31)
    assert packed(settings) == 2
    assert stored(settings) < hot * 0.6


async def test_a_conversation_that_was_packed_each_text_by_itself_is_packed_together(
    settings: Settings,
) -> None:
    await talk(settings, "home")
    said = texts(settings, "home")
    with closing(connect(settings.home_path / "memoria.db", 5000)) as connection:
        connection.execute("UPDATE sessions SET tier = 1")  # as versions before did after a week
        for key, codec, data in connection.execute(
            "SELECT hash, codec, data FROM raw_chunks WHERE size >= 512"
        ).fetchall():
            tight = pack_tight(unpack(codec, data))
            connection.execute(
                "UPDATE raw_chunks SET codec = 'zstd', data = ? WHERE hash = ?", (tight, key)
            )
    assert texts(settings, "home") == said
    assert night(settings, 31).steps[0].outcomes == {"done": 1}
    assert packed(settings) > 0
    assert texts(settings, "home") == said


async def test_what_is_said_again_is_kept_once_and_packed_when_it_has_come_to_rest_again(
    settings: Settings,
) -> None:
    await talk(settings, "home")
    night(settings, 31)
    loose = number(settings, "SELECT count(*) FROM raw_chunks")
    await talk(settings, "shop")
    assert number(settings, "SELECT count(*) FROM raw_chunks") == loose + 2
    async with open_memoria(settings=settings) as m:
        before = await m.statistics()
    assert before.raw_chunks == packed(settings) + loose + 2
    assert night(settings, 31).steps[0].outcomes == {"done": 1}
    async with open_memoria(settings=settings) as m:
        after = await m.statistics()
    assert (after.raw_chunks, after.raw_bytes) == (before.raw_chunks, before.raw_bytes)


async def test_one_turn_of_a_block_is_forgotten_without_a_trace_and_the_others_stay(
    settings: Settings,
) -> None:
    await talk(settings, "home")
    night(settings, 31)
    others = texts(settings, "home")[1:]
    async with open_memoria(settings=settings) as m:
        turn = (await m.get_session("home")).turns[0]
        assert WORD in turn.content
        forgotten = await m.forget_memory([turn.id], include_source=True)
        assert forgotten.scrubbed
    assert remains(settings.home_path, WORD) == set()
    with closing(connect(settings.home_path / "memoria.db", 5000)) as connection:
        for (block,) in connection.execute("SELECT data FROM text_blocks"):
            assert WORD.encode() not in unpack("zstd", block)
    assert texts(settings, "home") == others
    async with open_memoria(settings=settings) as m:
        rest = [turn.id for turn in (await m.get_session("home")).turns]
        await m.forget_memory(rest, include_source=True)
    assert stored(settings) == packed(settings) == 0


async def test_a_text_that_is_forgotten_while_it_is_packed_stays_forgotten(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk(settings, "home", "shop")
    said = texts(settings, "home", "shop")
    path = settings.home_path / "memoria.db"

    def forgetting(data: bytes) -> bytes:
        monkeypatch.undo()
        with closing(SqliteStore(path, busy_timeout_ms=5000, readers=1)) as store:
            for session in ("home", "shop"):
                erase_first(store, settings.tenant, session)
        return pack_tight(data)

    monkeypatch.setattr(storage_tiers, "pack_tight", forgetting)
    assert night(settings, 31).steps[0].outcomes == {"done": 2}
    assert texts(settings, "home", "shop") == [one for one in said if WORD not in one[0]]
    with closing(connect(path, 5000)) as connection:
        for (block,) in connection.execute("SELECT data FROM text_blocks"):
            assert WORD.encode() not in unpack("zstd", block)


def erase_first(store: Store, tenant: str, session: str) -> None:
    with store.write(tenant) as tx:
        tx.conversations.erase_turn(tx.conversations.session_turns(session, 0, 1)[0])


async def test_a_night_that_is_killed_between_or_within_pages_ends_as_one_that_was_not(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await talk(settings, "home", "shop", "mill")
    said = texts(settings, "home", "shop", "mill")
    twin = settings.model_copy(update={"home": tmp_path / "twin"})
    copied(settings, twin)
    night(twin, 31)
    for _ in range(2):
        with monkeypatch.context() as patched:
            patched.setattr(
                storage_tiers.StorageTiers,
                "mark_packed",
                once(storage_tiers.StorageTiers.mark_packed),
            )
            with pytest.raises(Interrupted):
                night(settings, 31)
        assert texts(settings, "home", "shop", "mill") == said
    assert 0 < packed(settings) < packed(twin)
    assert night(settings, 31).steps[0].outcomes == {"done": 1}
    assert (packed(settings), stored(settings)) == (packed(twin), stored(twin))
    assert texts(settings, "home", "shop", "mill") == said


def once(settle: Callable[..., None]) -> Callable[..., None]:
    """Settles one conversation; at the next the process ends, as far as the run can tell."""
    left = iter(range(1))

    def settling(*of_what: object) -> None:
        if next(left, None) is None:
            raise Interrupted
        settle(*of_what)

    return settling


async def test_others_read_every_text_while_a_night_packs_them(settings: Settings) -> None:
    sessions = [f"{i:02}" for i in range(4)]
    await talk(settings, *sessions)
    said, done, wrong = texts(settings, *sessions), Event(), list[Texts]()
    path = settings.home_path / "memoria.db"

    def watch() -> None:
        with closing(SqliteStore(path, busy_timeout_ms=5000, readers=1)) as store:
            while not done.is_set():
                found = read(store, settings.tenant, *sessions)
                if found != said:
                    wrong.append(found)

    watcher = Thread(target=watch)
    watcher.start()
    try:
        night(settings, 31)
    finally:
        done.set()
        watcher.join()
    assert wrong == []
    assert packed(settings) > 0


async def test_a_restored_backup_has_the_packed_texts_and_a_lost_block_is_named(
    settings: Settings, tmp_path: Path
) -> None:
    bob = settings.model_copy(update={"tenant": "bob"})
    await talk(settings, "home")
    await talk(bob, "home")
    night(settings, 31)
    assert number(settings, "SELECT count(DISTINCT tenant_id) FROM packed_texts") == 1
    said = texts(settings, "home")
    assert texts(bob, "home") == said
    twin = settings.model_copy(update={"home": tmp_path / "twin"})
    copied(settings, twin)
    assert texts(twin, "home") == said
    assert raw_text(twin) == "ok"
    with closing(sqlite3.connect(twin.home_path / "memoria.db")) as behind:
        behind.execute("UPDATE text_blocks SET data = x'00112233'")
        behind.commit()
        assert raw_text(twin) == "error"
        behind.execute("DELETE FROM text_blocks")
        behind.commit()
    assert raw_text(twin) == "error"
    with pytest.raises(StoreError, match="is missing"):
        texts(twin, "home")


def raw_text(settings: Settings) -> str:
    path = settings.home_path / "memoria.db"
    with closing(SqliteStore(path, busy_timeout_ms=5000, readers=1)) as store:
        return next(one.state for one in store.examine(deep=True) if one.check == "raw text")
