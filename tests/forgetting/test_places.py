"""What is forgotten is gone from files, graph, full text and what nights keep."""

import json
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.databases import open_home, read_text, write_text
from tests.forgetting.remains import remaining, remains
from tests.store.insides import any_connection_of

import memoria
import memoria.app.nightly as nights
from memoria.app import Memoria, open_memoria
from memoria.app.upkeep import back_up, restore
from memoria.config import Settings
from memoria.disk.folders import daily_path
from memoria.disk.home_folder import TenantFolder
from memoria.erasure.files import TextFileEraser
from memoria.erasure.plan import list_places, plan_erasure
from memoria.erasure.selection import ErasureRequest, find_named
from memoria.language.reading.statement import Phrases, occurs_in
from memoria.model import COMMAND_LINE, DAY_MS, Edge, EdgeType, Mention, Node, use_clock
from memoria.model.nightly import NightlyRun
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

WORDS = st.lists(
    st.sampled_from([*"the door code is 4711 星期四 C++ - ﬁ".split(), '"so"', "“他”", "\n"]),
    max_size=8,
).map(" ".join)


@given(WORDS, WORDS)
def test_sayings_stand_where_statements_stand(statement: str, text: str) -> None:
    assert Phrases([statement]).occur_in(text) == occurs_in(statement, text)


@given(WORDS, WORDS, WORDS)
def test_a_record_goes_whatever_it_escapes(before: str, statement: str, after: str) -> None:
    if not Phrases([statement]).distinctive.statements:
        return
    sayings = Phrases([statement])
    for text in (f"{before} {statement} {after}", statement):
        for plain in (True, False):
            line = json.dumps({"role": "user", "content": text}, ensure_ascii=plain)
            assert sayings.may_occur_in(line) or "\\u" in line


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ('he said "no" to\nthe offer', {"content": 'So he said "no" to\nthe offer, twice.'}),
        ("会议改到星期四下午三点", {"role": "user", "content": "好的，会议改到星期四\n下午三点。"}),
        (r"the path is C:\new\table", {"tool_result": {"said": [r"the path is C:\new\table"]}}),
        ("yes", {"role": "user", "content": "Yes."}),
        ("a\u2028line and another one", {"content": "a\u2028line and another one"}),
    ],
)
@pytest.mark.parametrize("plain", [True, False])
def test_a_statement_is_found_in_json(
    statement: str, line: dict[str, object], plain: bool, tmp_path: Path
) -> None:
    file = tmp_path / "talk.jsonl"
    kept = json.dumps({"role": "user", "content": "Something else."}) + "\n"
    file.write_text(json.dumps(line, ensure_ascii=plain) + "\n" + kept, "utf-8")
    assert erase(tmp_path, Phrases([statement])) == [file]
    assert file.read_text("utf-8") == kept


def eraser_of(home: Path) -> TextFileEraser:
    return TextFileEraser(home, "default", TenantFolder(home))


def erase(home: Path, phrases: Phrases) -> list[Path]:
    return [Path(one.name) for one in eraser_of(home).erase_phrases(phrases, {})]


def test_a_short_word_takes_no_record_along_that_only_names_it(tmp_path: Path) -> None:
    (tmp_path / "talk.jsonl").write_text('{"role": "user", "content": "Hello."}\n', "utf-8")
    assert erase(tmp_path, Phrases(["user", "content", "hello"])) == [tmp_path / "talk.jsonl"]
    (tmp_path / "talk.jsonl").write_text('{"role": "user", "content": "Hi."}\n', "utf-8")
    assert erase(tmp_path, Phrases(["user", "content"])) == []


def test_a_statement_goes_that_runs_over_lines_and_nothing_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_bytes(b"# Mine\r\n\r\n- my door code\r\n  is 4711 today\r\n- the cat is Momo\r\n")
    assert erase(tmp_path, Phrases(["My door code is 4711"])) == [file]
    assert file.read_bytes() == b"# Mine\r\n\r\n- the cat is Momo\r\n"


def test_a_mark_hides_no_short_line(tmp_path: Path) -> None:
    file = tmp_path / "MEMORY.md"
    file.write_text("- Momo <!-- m:7f3a91c2 -->\n- Momo is a cat <!-- m:7f3a91c3 -->\n", "utf-8")
    assert erase(tmp_path, Phrases(["momo"])) == [file]
    assert file.read_text("utf-8") == "- Momo is a cat <!-- m:7f3a91c3 -->\n"


def test_backups_and_other_tenants_are_left_alone_and_what_was_put_aside_is_not(
    tmp_path: Path,
) -> None:
    places = ("backups/a.md", "tenants/bob/a.md", "before-restore-1/a.md", "deep/er/a.txt")
    for place in places:
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("my door code is 4711\n", "utf-8")
    erased = erase(tmp_path, Phrases(["my door code is 4711"]))
    assert erased == [tmp_path / "before-restore-1/a.md", tmp_path / "deep/er/a.txt"]


def test_a_second_look_is_for_what_has_changed_alone(tmp_path: Path) -> None:
    papers, sayings = eraser_of(tmp_path), Phrases(["my door code is 4711"])
    old, new = tmp_path / "old.md", tmp_path / "new.md"
    old.write_text("nothing\n", "utf-8")
    assert papers.erase_phrases(sayings, {}) == []
    new.write_text("my door code is 4711\n", "utf-8")
    assert [one.name for one in papers.erase_phrases(sayings, {})] == [str(new)]


def test_what_was_half_written_goes(tmp_path: Path) -> None:
    draft = tmp_path / ".talk.jsonl.0123456789abcdef"
    draft.write_text('{"content": "my door code is 4711"}\n{"cont', "utf-8")
    assert erase(tmp_path, Phrases(["my door code is 4711"])) == [draft]
    assert not draft.exists()


NAME, ALIAS, HERE, WHEN = "Zanzibarov", "quaggason", "okapiville", "jerboaday"
EVERYWHERE = Filters(everywhere=True, include_history=True)
PLACES = {"entity_names.name", "entity_names.key"}


def write(memory: Memoria, change: Callable[[Transaction], None]) -> None:
    store = open_home(memory.settings.home_path)
    with store.write(memory.tenant) as tx:
        change(tx)
    store.close()


def link(tx: Transaction, memory_id: str, turn_id: str | None, *names: str) -> None:
    """A memory that mentions a person by these names, at a time, as a turn has it."""
    src = Node("memory", memory_id)
    person = tx.graph.upsert_entity(
        memory_id, Mention(name=names[0], kind="person", aliases=names[1:])
    )
    common = {"src": src, "weight": 0.5, "confidence": 0.5, "made_at": 1}
    role = {"type": EdgeType.ROLE, "dst": person, "role": "agent", "event_expression": WHEN}
    tx.graph.upsert_edges([Edge.model_validate({**common, **role, "turn_id": turn_id})])
    if turn_id is not None:
        drawn = {"type": EdgeType.DERIVED_FROM, "dst": Node("turn", turn_id)}
        tx.graph.upsert_edges([Edge.model_validate({**common, **drawn})])


async def recorded(memory: Memoria, content: str) -> str:
    turn = {"role": "user", "content": content, "session_id": "s", "message_id": content}
    turn_id = (await memory.record_conversation([turn])).turns[0].id
    assert turn_id is not None
    return turn_id


async def test_a_name_goes_with_the_last_memory_that_uses_it(memory: Memoria, home: Path) -> None:
    first = (await memory.remember(f"{NAME} plays the flute")).id
    second = (await memory.remember(f"{NAME} lives here")).id
    write(memory, lambda tx: link(tx, first, None, NAME, ALIAS))
    write(memory, lambda tx: link(tx, second, None, NAME))
    assert remains(home, NAME) >= PLACES
    assert remains(home, ALIAS) >= PLACES
    assert remains(home, WHEN) >= {"edges.event_expression"}
    await memory.forget_memory([first])
    assert remains(home, ALIAS) == set()
    assert remains(home, NAME) >= PLACES
    await memory.forget_memory([second])
    assert remains(home, NAME) == set()
    assert remains(home, WHEN) == set()


async def test_merged_entities_leave_with_their_own_names_only(memory: Memoria, home: Path) -> None:
    first = (await memory.remember(f"{NAME} plays the flute")).id
    second = (await memory.remember(f"{ALIAS} lives here")).id
    write(memory, lambda tx: link(tx, first, None, NAME))
    write(memory, lambda tx: link(tx, second, None, ALIAS))

    def merge(tx: Transaction) -> None:
        (one,) = tx.graph.find_entities([NAME], EVERYWHERE)
        (other,) = tx.graph.find_entities([ALIAS], EVERYWHERE)
        tx.graph.merge_entities(other.id, one.id)

    def look(tx: Transaction) -> None:
        (left,) = tx.graph.find_entities([ALIAS], EVERYWHERE)
        assert (left.name, left.aliases, left.mentions) == (ALIAS, (), 1)
        assert tx.graph.find_entities([NAME], EVERYWHERE) == []

    write(memory, merge)
    await memory.forget_memory([first])
    assert remains(home, NAME) == set()
    write(memory, look)
    await memory.forget_memory([second])
    assert remains(home, ALIAS) == set()
    assert await rows(memory) == {"nodes": 0, "entities": 0, "edges": 0, "name_uses": 0}


async def test_a_memory_that_outlives_its_turn_keeps_only_names_it_says_itself(
    memory: Memoria, home: Path
) -> None:
    said = f"{NAME}, called {ALIAS}, plays the flute {WHEN}; {HERE} is far away"
    turn_id = await recorded(memory, said)
    kept = (await memory.remember(f"{NAME} plays the flute", turn_id=turn_id)).id
    other = (await memory.remember(f"{HERE} is far away", turn_id=turn_id)).id
    write(memory, lambda tx: link(tx, kept, turn_id, NAME, ALIAS))
    write(memory, lambda tx: link(tx, other, turn_id, HERE))
    await memory.forget_memory([other], include_source=True)
    for word in (ALIAS, WHEN, HERE):
        assert remains(home, word) == set()
    assert remains(home, NAME) >= PLACES
    assert await rows(memory) == {"nodes": 2, "entities": 1, "edges": 1, "name_uses": 1}


async def test_a_wording_that_was_corrected_leaves_no_name_behind(
    memory: Memoria, home: Path
) -> None:
    kept = (await memory.remember(f"{NAME} plays the flute")).id
    write(memory, lambda tx: link(tx, kept, None, NAME))
    await memory.revise_memory(kept, "correct", "Somebody plays the flute")
    assert remains(home, NAME).isdisjoint(PLACES)
    await memory.forget_memory([kept])
    assert remains(home, NAME) == set()


async def test_a_turn_forgotten_by_itself_takes_its_node_along(memory: Memoria, home: Path) -> None:
    turn_id = await recorded(memory, f"{NAME} came {WHEN}")
    kept = (await memory.remember(f"{NAME} came", turn_id=turn_id)).id
    write(memory, lambda tx: link(tx, kept, turn_id, NAME, ALIAS))
    await memory.forget_memory([turn_id], include_source=True)
    for word in (NAME, ALIAS, WHEN):
        assert remains(home, word) == set()
    assert await rows(memory) == {"nodes": 0, "entities": 0, "edges": 0, "name_uses": 0}


async def rows(memory: Memoria) -> dict[str, int]:
    """How many rows each table of the graph has, once the home is opened anew."""
    settings = Settings(home=memory.settings.home_path, embedder="off")
    async with memoria.open(settings=settings) as again:
        assert (await again.health()).is_sound
    counted: dict[str, int] = {}

    def count(tx: Transaction) -> None:
        connection = any_connection_of(tx)
        for table in ("nodes", "entities", "edges", "name_uses"):
            sql = f"SELECT count(*) FROM {table}"  # noqa: S608  (one of four)
            counted[table] = connection.execute(sql).fetchone()[0]

    write(memory, count)
    return counted


BEFORE, AFTER = "The user enjoys books by Xylophonix", "The user enjoys books by Zebranomics"
"""Both may be true, so that saying the first again is a memory of its own."""


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.from_values(home=tmp_path / "home", tenant="default", embedder="off")


def opened(settings: Settings) -> AbstractAsyncContextManager[Memoria]:
    return open_memoria(settings=settings, channel=COMMAND_LINE)


@pytest.fixture
async def corrected(settings: Settings) -> tuple[str, NightlyRun]:
    """A memory, and the night that took its correction over from a core file."""
    async with opened(settings) as m:
        memory_id = (await m.remember(BEFORE, type="preference")).id
    nights.run_nightly(settings, ["core"])
    write_text(settings, "USER.md", read_text(settings, "USER.md").replace(BEFORE, AFTER))
    return memory_id, nights.run_nightly(settings, ["core"])


async def test_a_name_that_a_night_let_go_of_goes_with_its_memory(
    settings: Settings, corrected: tuple[str, NightlyRun]
) -> None:
    memory_id, _ = corrected
    async with opened(settings) as m:
        await m.forget_memory([memory_id])
    assert not remains(settings.home_path, "Xylophonix")


async def test_a_wording_forgotten_since_does_not_come_back_and_the_memory_keeps_its_other(
    settings: Settings, corrected: tuple[str, NightlyRun]
) -> None:
    memory_id, run = corrected
    async with opened(settings.model_copy(update={"workspace": "a project"})) as m:
        again = await m.remember(BEFORE, scope="project")  # beside what holds everywhere
        assert again.id != memory_id
    async with opened(settings) as m:
        await m.forget_memory([again.id])
        assert not remains(settings.home_path, "Xylophonix")
        nights.undo_nightly(settings, run.id, lambda _: None)
        assert not remains(settings.home_path, "Xylophonix")
        assert (await m.get_memory(memory_id)).content == AFTER
        found = await m.search_memory("Zebranomics")
        assert [hit.id for hit in found.hits] == [memory_id]


@pytest.mark.sqlite("a backup is a copy of the file")
async def test_a_core_file_out_of_a_backup_no_longer_says_what_was_forgotten_since(
    settings: Settings, corrected: tuple[str, NightlyRun]
) -> None:
    memory_id, _ = corrected
    user = settings.home_path / "USER.md"
    user.write_text(user.read_text("utf-8") + "\nA line of my own.\n", "utf-8")
    backup = back_up(settings, None, lambda *_: None).path
    async with opened(settings) as m:
        await m.forget_memory([memory_id])
    restore(settings, backup, lambda *_: None)
    backup.unlink()
    assert not remains(settings.home_path, "Zebranomics")
    assert "A line of my own." in user.read_text("utf-8")


async def test_the_page_of_a_day_is_looked_for_whichever_zone_was_set_when_it_was_written(
    settings: Settings,
) -> None:
    noon = 1_795_176_000_000  # 2026-11-20T12:00Z: the 21st in Kiritimati, the 20th in Pago Pago
    there, here = (
        settings.model_copy(update={"time_zone": f"Pacific/{name}"})
        for name in ("Kiritimati", "Pago_Pago")
    )
    with use_clock(lambda: noon):
        async with opened(there) as m:
            memory_id = (await m.remember(BEFORE, type="fact")).id
    with use_clock(lambda: noon + 3 * DAY_MS):
        nights.run_nightly(there, ["daily"])
    page = daily_path(date(2026, 11, 21))
    assert BEFORE in read_text(settings, page)
    async with opened(here) as m:
        with m._store.read(m.tenant) as tx:  # noqa: SLF001
            plan = plan_erasure(tx, find_named(tx, ErasureRequest.for_ids([memory_id])))
            assert page in list_places(tx, plan)


SAID = "Password hint: mymaiden is Zylberstein, born Krotoszynia 19470312"
PAGE_WORDS = ("mymaiden", "Zylberstein", "Krotoszynia", "19470312")


async def record(m: Memoria, many: int) -> list[str]:
    """So many turns, the first of them the one with the words."""
    others = (f"Anna keeps the zzword{n:04d}q in cellar {n}, box {n * 7}." for n in range(1, many))
    turns = []
    for text in (SAID, *others):
        receipt = await m.record_conversation(
            [{"role": "user", "content": text, "session_id": "cellars"}]
        )
        turns += [turn.id for turn in receipt.turns if turn.id]
    return turns


@pytest.mark.parametrize("many", [40, 60, 200])
async def test_no_word_is_left_of_what_is_forgotten_in_a_home_that_has_shrunk(
    memory: Memoria, home: Path, engine: str, many: int
) -> None:
    said, first, *others = await record(memory, many)
    for ids in ([first], others[8:], [others[3]], [said]):
        forgotten = await memory.forget_memory(ids, include_source=True)
        assert forgotten.scrubbed is (engine == "sqlite")  # a server's files are for a night
    assert remaining(home, PAGE_WORDS) == set()
    left = await memory.search_conversation_traces("Anna keeps the zzword0003q in which cellar?")
    assert "zzword0003q" in left.hits[0].text
