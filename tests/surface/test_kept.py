"""What is laid ready for the next session: never staler than the database, gone when forgotten."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import anyio.to_thread
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from tests.databases import Databases
from tests.forgetting.remains import remains
from tests.surface.shell import Shell

import memoria
from memoria import Memoria
from memoria.app.briefing import MOST_TOKENS, CoreReader
from memoria.app.engine import open_store
from memoria.app.kept import AnswerKeeper
from memoria.app.nightly import run_nightly, undo_nightly
from memoria.app.upkeep import back_up, restore
from memoria.bare.kept import (
    BRIEFING,
    INSTRUCTIONS,
    SETTINGS,
    answer_folder,
    read_general,
    read_kept,
)
from memoria.bare.kept_before import read_of_before
from memoria.bare.shown import SHOWN
from memoria.config import Settings
from memoria.language.budget import estimate_tokens
from memoria.language.reading.fences import strip
from memoria.model import DAY_MS, use_clock
from memoria.model.core import ToldText
from memoria.surface.front.serve import read_instructions
from memoria.surface.hook.main import _find_briefings, _Options
from memoria.surface.hook.payloads import Payload
from memoria.surface.mcp.instructions import composers_for, keep_once_closed

on_files = pytest.mark.sqlite("an answer is kept as long as the files stay as they are")

NAMES = (INSTRUCTIONS, BRIEFING)
HERE, THERE = "/work/here", "/work/there"
PLACES = (HERE, THERE, None)
EXAMPLES = int(os.environ.get("KEPT_EXAMPLES", "1"))
SAID = ("zeta", "eta", "theta", "iota")
WORDS = "用户喜欢先看结论"
READ = """
import sys
sys.path.insert(0, sys.argv[1])
from memoria.bare.kept import read_kept
print(read_kept(*sys.argv[2:]), end="")
"""


def settings_of(home: Path, workspace: str | None = HERE) -> Settings:
    return Settings.load(home=str(home), workspace=workspace or "none")


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORIA_EMBEDDER", "off")


def keep(memory: Memoria, workspace: str | None = HERE) -> None:
    """Keep what a server in a project would, and for all the other projects it knows of."""
    chosen = memory.settings.model_copy(update={"workspace": workspace})
    keeper = AnswerKeeper(chosen, memory._store, composers_for(chosen))  # noqa: SLF001
    wait_until(keeper.keep)
    wait_until(keeper.keep_for_others)


def wait_until(is_done: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not is_done():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def read(home: Path, workspace: str | None, name: str) -> str | None:
    return read_kept(str(home), "default", workspace, name)


def compose(chosen: Settings, place: str | None, name: str, at: int | None = None) -> str:
    """What a server that is started at a moment would say in a project."""
    here = chosen.model_copy(update={"workspace": place})
    store = open_store(chosen)
    with use_clock(lambda: at or time.time_ns() // 1_000_000), store.read("default") as tx:
        reader = CoreReader(here, store.files.of("default"), None)
        text = composers_for(here)[name](tx, reader, place).text
    store.close()
    return text


def count_kept(chosen: Settings, at: int | None = None) -> int:
    """How many answers are given; each is what a server would say now."""
    given_now = {
        (place, name): text
        for place in PLACES
        for name in NAMES
        if (text := read(chosen.home_path, place, name)) is not None
    }
    assert given_now == {
        (place, name): compose(chosen, place, name, at) for place, name in given_now
    }
    for place in PLACES:
        for line in (read_of_before(str(chosen.home_path), "default", place) or "").splitlines():
            if line.startswith("- ") and any(word in line for word in SAID):
                assert line in compose(chosen, place, BRIEFING, at), "it was taken back"
    return len(given_now)


@dataclass
class Life:
    """A home to which all kinds of things happen."""

    memory: Memoria
    folder: Path
    said: int = 0
    ids: list[str] = field(default_factory=list)

    async def remember(self) -> None:
        self.said += 1
        kind = ("rule", "preference", "fact")[self.said % 3]
        text = f"Always say zeta{self.said} before lunch"
        kept = await self.memory.remember(text, type=kind, workspace=PLACES[self.said % 2])
        self.ids.append(kept.id)

    async def _revise(self, action: str, content: str | None = None) -> None:
        if not self.ids:
            await self.remember()
        await self.memory.revise_memory(self.ids[-1], action, content)  # type: ignore[arg-type]

    async def correct(self) -> None:
        self.said += 1
        await self._revise("correct", f"Never say eta{self.said} after dinner")

    async def pin(self) -> None:
        await self._revise("pin")

    async def confirm(self) -> None:
        await self._revise("confirm")

    async def archive(self) -> None:
        await self._revise("archive")

    async def restore_memory(self) -> None:
        await self._revise("restore")

    async def forget(self) -> None:
        if not self.ids:
            await self.remember()
        await self.memory.forget_memory([self.ids.pop()])

    async def say(self) -> None:
        self.said += 1
        await self.memory.record_conversation(
            [
                {
                    "role": "user",
                    "content": f"Remember that I prefer theta{self.said} to tea. 我住在柏林。",
                }
            ]
        )

    async def note_task(self) -> None:
        self.said += 1
        await self.memory.update_scratchpad(current_focus=f"task {self.said}")

    async def edit_by_hand(self) -> None:
        file = self.memory.settings.home_path / "USER.md"
        self.said += 1
        before = file.read_text("utf-8") if file.exists() else "# USER.md\n"
        file.write_text(f"{before}\n- iota{self.said}\n", "utf-8")

    async def be_private(self) -> None:
        await self.memory.private.turn_on()
        await self.memory.private.turn_off()

    async def night(self) -> None:
        await anyio.to_thread.run_sync(run_nightly, self.memory.settings)

    async def undo_night(self) -> None:
        run = await anyio.to_thread.run_sync(run_nightly, self.memory.settings)
        await anyio.to_thread.run_sync(undo_nightly, self.memory.settings, run.id, lambda _: None)


DEEDS: Mapping[str, Callable[[Life], Awaitable[None]]] = {
    name: deed for name, deed in vars(Life).items() if name[0] != "_" and callable(deed)
}


@on_files
@settings(deadline=None, max_examples=EXAMPLES, phases=(Phase.explicit, Phase.generate))
@given(st.permutations(sorted(DEEDS)), st.lists(st.booleans(), min_size=13, max_size=13))
def test_whatever_happens_a_kept_answer_is_what_a_server_would_say_now(
    tmp_path_factory: pytest.TempPathFactory, deeds: list[str], kept: list[bool]
) -> None:
    anyio.run(live, tmp_path_factory.mktemp("lived"), deeds, kept)


async def live(folder: Path, deeds: list[str], kept: list[bool]) -> None:
    chosen = settings_of(folder / "home")
    async with memoria.open(settings=chosen) as memory:
        life = Life(memory, folder)
        await life.remember()
        for deed, is_kept in zip(deeds, kept, strict=False):
            if is_kept:
                await anyio.to_thread.run_sync(keep, memory)
                assert count_kept(chosen) >= len(NAMES)
            await DEEDS[deed](life)
            count_kept(chosen)
        await anyio.to_thread.run_sync(keep, memory, None)
    assert count_kept(chosen) <= len(NAMES) * len(PLACES)  # the log may have gone into the file
    await anyio.to_thread.run_sync(keep_once_closed, chosen)
    assert count_kept(chosen) >= len(NAMES)
    async with memoria.open(settings=chosen) as memory:
        assert count_kept(chosen) >= len(NAMES)


@on_files
async def test_a_home_that_was_restored_has_nothing_kept(home: Path, tmp_path: Path) -> None:
    chosen, backup = settings_of(home), tmp_path / "before.zip"
    async with memoria.open(settings=chosen) as memory:
        await memory.remember("Always say zeta", type="rule")
        back_up(chosen, backup, lambda *_: None)
        await memory.remember(WORDS, type="preference")
        await anyio.to_thread.run_sync(keep, memory)
    assert list(files(home))
    restore(chosen, backup, lambda *_: None)
    assert not list(files(home))
    assert count_kept(chosen) == 0
    assert WORDS.encode() not in backup.read_bytes()


@on_files
async def test_what_was_kept_before_a_memory_moved_to_a_database_is_told_no_more(
    home: Path, databases: Databases, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with memoria.open(settings=settings_of(home)) as memory:
        await memory.remember(WORDS, type="preference")
        await anyio.to_thread.run_sync(keep, memory)
    await anyio.to_thread.run_sync(keep_once_closed, settings_of(home))
    assert WORDS in (read(home, HERE, BRIEFING) or "")
    with databases.dropping():
        for name, value in databases.settings_of(home).items():
            monkeypatch.setenv(f"MEMORIA_{name.upper()}", value)
        assert {read(home, place, name) for place in PLACES for name in NAMES} == {None}
        assert read_of_before(str(home), "default", HERE) is None
        await anyio.to_thread.run_sync(keep_once_closed, settings_of(home))
    assert not list(files(home))


@on_files
async def test_a_session_in_a_project_never_seen_begins_with_the_users_own_rules(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where every core is busy, so that no server answers in time."""
    monkeypatch.setattr("memoria.surface.hook.main._BRIEFING_MS", 0)
    chosen = settings_of(home)
    async with memoria.open(settings=chosen) as memory:
        await memory.remember("Always answer in short sentences.", type="rule")
        for words, place in (("Deploy with make ship.", HERE), ("Test with make check.", THERE)):
            await memory.remember(words, type="rule", scope="project", workspace=place)
        await anyio.to_thread.run_sync(keep, memory)
    await anyio.to_thread.run_sync(keep_once_closed, chosen)
    options = _Options(["claude-code", "--home", str(home), "--workspace", "/work/never-seen"])
    *_, told = _find_briefings(options, Payload({}))
    assert "Always answer in short sentences." in told
    assert "make " not in told
    assert read_instructions(str(home), None, "/work/never-seen") == read(home, None, INSTRUCTIONS)


@on_files
async def test_what_a_kept_briefing_shows_is_noted_for_the_session_that_a_hook_begins(
    home: Path,
) -> None:
    chosen = settings_of(home)
    async with memoria.open(settings=chosen) as memory:
        rule = (await memory.remember("Always answer in short sentences.", type="rule")).id
        await anyio.to_thread.run_sync(keep, memory)
        options = _Options(["claude-code", "--home", str(home), "--workspace", HERE])
        for session in ("s1", ""):
            *_, told = _find_briefings(options, Payload({}), session)
            assert "Always answer in short sentences." in told
        (shown,) = (await memory.told.list_shown("s1")).showings
    assert (shown.way, [one.id for one in shown.records]) == ("briefing", [rule])
    assert (home / SHOWN).read_text().count("\n") == 1


@on_files
async def test_a_session_begun_right_after_another_is_told_the_rules_as_they_were_kept(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No server is up in time, and the last conversation was recorded a moment ago."""
    monkeypatch.setattr("memoria.surface.hook.main._BRIEFING_MS", 0)
    chosen = settings_of(home)
    async with memoria.open(settings=chosen) as memory:
        await memory.remember("Always answer in short sentences.", type="rule")
        await anyio.to_thread.run_sync(keep, memory)
        await memory.record_conversation([{"role": "user", "content": "Is the kiln warm?"}])
        await memory.remember("The harbour master is Pia.")
        for place in (HERE, "/work/never-seen"):
            assert read(home, place, BRIEFING) is None
            options = _Options(["claude-code", "--home", str(home), "--workspace", place])
            *_, told = _find_briefings(options, Payload({}))
            assert "Always answer in short sentences." in told
            assert "(As of 20" in told
            assert strip(told).text.strip() == ""  # it is ours, and is not recorded


@on_files
@pytest.mark.parametrize("deed", ["forget", "correct", "archive", "be_private", "edit_by_hand"])
async def test_nothing_is_told_of_before_once_something_was_taken_back(
    home: Path, deed: str
) -> None:
    chosen = settings_of(home)
    async with memoria.open(settings=chosen) as memory:
        life = Life(memory, home)
        for _ in PLACES:
            await life.remember()
        await anyio.to_thread.run_sync(keep, memory)
        await life.say()
        assert read_of_before(str(home), "default", HERE) is not None
        await DEEDS[deed](life)
        await life.say()
        assert {read_of_before(str(home), "default", place) for place in PLACES} == {None}
        await anyio.to_thread.run_sync(keep, memory)
        await life.say()
        assert read_of_before(str(home), "default", HERE) is not None


@on_files
async def test_what_is_kept_of_before_ends_ahead_of_the_change_and_whatever_comes_of_it(
    home: Path,
) -> None:
    chosen = settings_of(home)
    async with memoria.open(settings=chosen) as memory:
        await Life(memory, home).remember()
        await anyio.to_thread.run_sync(keep, memory)
        assert read_of_before(str(home), "default", HERE) is not None
    store = open_store(chosen)

    def break_off() -> None:
        with store.write("default"):
            assert read_of_before(str(home), "default", HERE) is None
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        break_off()
    store.close()
    assert read_of_before(str(home), "default", HERE) is None


@on_files
def test_no_command_takes_from_the_next_session_what_the_user_wants(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    shell = Shell(home)
    assert shell("remember", "Always answer in short sentences.", "--type", "rule").code == 0
    assert read_general(str(home), "default", BRIEFING) is None
    assert shell("connect", "claude-code", "--yes").code == 0
    for words in (
        ["list"],
        ["search", "sentences"],
        ["remember", "The harbour master is Pia."],
        ["private", "on"],
        ["private", "off"],
        ["stats"],
        ["forget", "--query", "harbour", "--yes"],
    ):
        done = shell(*words)
        assert done.code == 0, (words, done)
        told = read_general(str(home), "default", BRIEFING)
        assert told is not None, words
        assert "Always answer in short sentences." in told


@on_files
async def test_what_ends_with_time_is_not_said_beyond_its_end(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = settings_of(home)
    async with memoria.open(settings=chosen) as memory:
        await memory.remember("Always say zeta", type="rule")
        await memory.remember("The user prefers to be called Bo", type="preference", until="24h")
        await memory.remember("Deploy by tomorrow", type="rule")
        await anyio.to_thread.run_sync(keep, memory)
        another = memory.open_keeper(composers_for(chosen))
        assert another.keep()
        assert not another.has_changed()
        with use_clock(lambda: time.time_ns() // 1_000_000 + 72 * 3_600_000):
            assert another.has_changed()  # though it did not compose them
        now = time.time_ns() // 1_000_000
        ends = []
        for hours in range(0, 72, 3):
            at = now + hours * 3_600_000
            with monkeypatch.context() as patch:
                patch.setattr("memoria.bare.kept.time.time_ns", lambda at=at: at * 1_000_000)
                ends.append(count_kept(chosen, at))
        assert ends[0] == len(NAMES) * 2  # for the project at hand, and for none
        assert ends[-1] == 0


@on_files
async def test_a_task_is_not_told_of_from_what_was_kept_days_ago(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen = settings_of(home)
    async with memoria.open(settings=chosen) as memory:
        await memory.update_scratchpad(current_focus="repair the tide gauge")
        await anyio.to_thread.run_sync(keep, memory)
        now = time.time_ns() // 1_000_000
        for days, is_told in ((0, True), (1, True), (3, True), (5, False)):
            at = now + days * DAY_MS
            with monkeypatch.context() as patch:
                patch.setattr("memoria.bare.kept.time.time_ns", lambda at=at: at * 1_000_000)
                kept = read(home, HERE, BRIEFING)
            assert ("tide gauge" in (kept or "")) == is_told


@on_files
async def test_forgetting_leaves_no_word_in_what_was_kept(home: Path) -> None:
    chosen = settings_of(home)
    async with memoria.open(settings=chosen) as memory:
        kept = await memory.remember(WORDS, type="preference")
        for place in PLACES:
            await anyio.to_thread.run_sync(keep, memory, place)
        assert WORDS in (read(home, HERE, INSTRUCTIONS) or "")
        folder = Path(answer_folder(str(home), "default"))
        (folder / ".briefing.kept.0123456789abcdef").write_text(WORDS, "utf-8")  # half written
        found = {place for place in remains(home, WORDS) if place.startswith("file kept/")}
        assert len(found) == len(NAMES) * len(PLACES) + 1
        await memory.forget_memory([kept.id], include_source=True)
        assert remains(home, WORDS) == set()
        assert not list(files(home))
        await memory.remember(WORDS, type="preference", again=True)
        await anyio.to_thread.run_sync(keep, memory)
        preview = await memory.preview_forget(everything=True)
        await memory.forget_memory(everything=True, token=preview.token)
        assert not list(files(home))


def files(home: Path) -> Iterator[Path]:
    """All that is kept, half written or not."""
    return (file for file in Path(answer_folder(str(home), "default")).glob("*") if file.is_file())


@on_files
async def test_nothing_is_kept_of_what_has_changed_while_it_was_composed(home: Path) -> None:
    chosen = settings_of(home)
    async with memoria.open(settings=chosen) as memory:
        kept = await memory.remember("Always say zeta", type="rule")
        composers = dict(composers_for(chosen))
        other, composed = open_store(chosen), list[ToldText]()

        def write_late(*given: object) -> ToldText:
            composed.append(composers[BRIEFING](*given))  # type: ignore[arg-type]
            with other.write("default") as tx:
                tx.memories.set_flags(kept.id, 1, upvotes=1)
            return composed[-1]

        keeper = AnswerKeeper(
            chosen,
            memory._store,  # noqa: SLF001
            {**composers, BRIEFING: write_late},
        )
        while len(composed) < 2:  # until then the files have not settled
            assert not keeper.keep()
        assert not list(files(home))
        other.close()


@on_files
async def test_a_bare_python_reads_what_a_server_kept(home: Path) -> None:
    chosen = settings_of(home)
    async with memoria.open(settings=chosen) as memory:
        await memory.remember(WORDS, type="preference")
        await anyio.to_thread.run_sync(keep, memory)
        place = (str(Path(memoria.__file__).parent.parent), str(home), "default", HERE, BRIEFING)
        done = await anyio.run_process(
            [sys.executable, "-I", "-S", "-c", READ, *place], stderr=subprocess.DEVNULL
        )
        assert done.stdout.decode() == compose(chosen, HERE, BRIEFING)
        assert WORDS in done.stdout.decode()


@on_files
async def test_settings_that_no_environment_has_keep_nothing(home: Path) -> None:
    chosen = settings_of(home).model_copy(update={"core_file_tokens": 60})
    async with memoria.open(settings=chosen) as memory:
        await memory.remember("Always say zeta", type="rule")
        await anyio.to_thread.run_sync(keep, memory)
    assert not list(files(home))


@on_files
async def test_a_server_that_began_before_the_settings_file_changed_keeps_nothing_more(
    home: Path,
) -> None:
    async with memoria.open(settings=settings_of(home)) as memory:
        await memory.remember("Always say zeta", type="rule")
        await anyio.to_thread.run_sync(keep, memory)
        assert read(home, HERE, BRIEFING) is not None
        (home / "settings.toml").write_text("core_file_tokens = 60\n", "utf-8")
        assert read(home, HERE, BRIEFING) is None
        await anyio.to_thread.run_sync(keep, memory)
        assert read(home, HERE, BRIEFING) is None


NO_SAY = frozenset(
    """
    home homes open_homes database_connections database_wipe_hours tenant workspace
    connectors embedder embedding_base_url embedding_model embedding_api_key
    rerank_base_url rerank_model rerank_api_key rerank_timeout_s llm_base_url
    llm_model llm_api_key llm_command llm_timeout_s llm_attempts llm_concurrency llm_daily_tokens
    llm_input_price llm_output_price llm_daily_cost
    llm_output_tokens extraction_wait_minutes extraction_turns
    tombstone_key forget_similarity forget_at_once forget_grace_days personal_data retention
    nightly_minutes nightly_tokens archive_days nightly_idle_minutes history_files
    backup_keep_days attachment_mb attachment_days
    name_other_projects ignored_folders resource_links silent_share
    jwt_issuer jwt_audience jwt_resource jwt_keys_url jwt_tenant_claim jwt_tenants jwt_access_claim
    http_calls_per_second private_networks
    """.split()
)
"""Settings that have no say in what is kept, or are asked for by themselves."""


def test_every_setting_either_has_a_say_in_what_is_kept_or_has_none() -> None:
    with_say = {name.removeprefix("MEMORIA_").lower() for name in SETTINGS}
    assert with_say | NO_SAY == set(Settings.model_fields)
    assert not with_say & NO_SAY


async def test_a_briefing_is_short_enough_and_leaves_no_rule_out(home: Path) -> None:
    chosen = settings_of(home)
    async with memoria.open(settings=chosen) as memory:
        for n in range(60):
            text = f"第{n}条事实：用户在城市{n}有一个放了很多书的房间，里面住着猫"
            await memory.remember(text, type="preference", workspace=PLACES[n % 2])
        await memory.remember("回答一律使用公制单位", type="rule")
        for n in range(6):
            await memory.update_scratchpad(
                current_focus=f"迁移第{n}个账本" * 30, session_id=f"s{n}"
            )
        text = compose(chosen, HERE, BRIEFING)
    assert len(text.encode("utf-16-le")) // 2 < 10_000
    assert estimate_tokens(text) <= MOST_TOKENS
    assert "公制" in text
    assert "record_conversation" in text
    assert strip(text).text == ""


@on_files
async def test_who_forgets_while_answers_are_being_kept_leaves_no_word_of_it(home: Path) -> None:
    chosen, done = settings_of(home), threading.Event()

    def keep_on() -> None:
        store = open_store(chosen)
        keeper = AnswerKeeper(chosen, store, composers_for(chosen))
        while not done.is_set():
            keeper.keep()
        store.close()

    async with memoria.open(settings=chosen) as memory, anyio.create_task_group() as tasks:
        await memory.remember("Always say zeta", type="rule")
        tasks.start_soon(anyio.to_thread.run_sync, keep_on)
        try:
            for n in range(5):
                kept = await memory.remember(f"{WORDS}{n}", type="preference")
                while f"{WORDS}{n}" not in (read(home, HERE, BRIEFING) or ""):
                    await anyio.sleep(0.002)
                await memory.forget_memory([kept.id], include_source=True)
                assert not [file for file in files(home) if WORDS.encode() in file.read_bytes()]
        finally:
            done.set()
    assert not [file for file in files(home) if WORDS.encode() in file.read_bytes()]
