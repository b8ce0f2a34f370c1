"""What a person writes into a core file stays there, and is remembered or the file says why not."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from tests.empty_home import lay_empty_home
from tests.lifecycle.desk import TOKENS, Desk

import memoria
from memoria import Settings
from memoria.app.engine import open_store
from memoria.app.nightly import run_nightly
from memoria.disk.folders import project_file
from memoria.disk.home_files import core_files, is_core_path
from memoria.disk.tenant_files import TenantFiles
from memoria.erasure.forget import Eraser
from memoria.erasure.selection import ErasureRequest
from memoria.lifecycle.core.current import compose_core
from memoria.memories.links import link_contradictions
from memoria.model import COMMAND_LINE, Memory, MemoryType, Validity, now_millis
from memoria.model.core import CONTRADICTED, CORE_FILES, CoreFile

FACT, RULE, GOAL = MemoryType.FACT, MemoryType.RULE, MemoryType.GOAL
PREFERENCE, RELATIONSHIP, SKILL = (MemoryType.PREFERENCE, MemoryType.RELATIONSHIP, MemoryType.SKILL)


def where(desk: Desk, words: str) -> list[CoreFile]:
    """The core files in which some words stand."""
    return [f for f in CORE_FILES if desk.files.exists(f) and words in desk.read(f)]


def saying(desk: Desk, words: str) -> Memory:
    (memory,) = [
        one for one in desk.all() if one.content == words and one.validity is Validity.ACTIVE
    ]
    return memory


LINES = [
    ("USER.md", FACT, "The user lives in Leeds", "I live in York"),
    ("USER.md", FACT, "用户住在上海", "我现在住在杭州"),
    ("USER.md", FACT, "My name is Lin", "Lina"),
    ("USER.md", PREFERENCE, "The user prefers tea", "coffee, never tea"),
    ("USER.md", PREFERENCE, "用户喜欢猫", "狗比猫好"),
    ("USER.md", GOAL, "The user wants to run a marathon", "Marathon in under four hours"),
    ("USER.md", GOAL, "用户想学法语", "学会法语和德语"),
    ("MEMORY.md", RULE, "Sign every commit", "以后都要签名提交"),
    ("MEMORY.md", GOAL, "Ship version 2 in spring", "我想在夏天发布"),
    ("MEMORY.md", RELATIONSHIP, "Anna leads ops", "用户的同事安娜负责运维"),
    ("MEMORY.md", SKILL, "Run make clean before a release", "I always run make clean first"),
    ("MEMORY.md", FACT, "The API listens on port 8080", "The user moved the API to port 9090"),
]


@pytest.mark.parametrize(("file", "kind", "before", "after"), LINES)
def test_a_line_corrected_by_hand_stays_in_its_file_also_when_it_is_corrected_again(
    desk: Desk, file: CoreFile, kind: MemoryType, before: str, after: str
) -> None:
    memory_id = desk.say(before, kind)
    desk.night()
    assert where(desk, before) == [file]
    for wording in (after, f"{after} (sure)"):
        desk.edit(f"- {desk.get(memory_id).content} <", f"- {wording} <", file)
        assert desk.night().effects == {"corrected": 1}
        assert where(desk, f"- {wording} <!-- m:") == [file]
        assert desk.get(memory_id).content == wording
        again = desk.night()
        assert (again.edits, again.written) == ([], [])


@pytest.mark.parametrize("file", ["USER.md", "MEMORY.md"])
def test_reordered_lines_stay_in_their_file(desk: Desk, file: CoreFile) -> None:
    texts = [
        (kind, before)
        for name, kind, before, _ in LINES
        if name == file and before != "用户住在上海"  # which would take the place of Leeds
    ]
    for kind, text in texts:
        desk.say(text, kind)
    desk.night()
    lines = desk.read(file).splitlines(keepends=True)
    ours = [line for line in lines if "<!-- m:" in line]
    rest = [line for line in lines if "<!-- m:" not in line]
    desk.put(file, "".join([*rest, *reversed(ours)]))
    assert desk.night().edits == []
    for _, text in texts:
        assert where(desk, text) == [file]


BULLETS = [
    ("MEMORY.md", "## Work", "The staging server is called otter", FACT, None),
    ("MEMORY.md", "## 工作", "测试服务器叫水獭", FACT, None),
    ("MEMORY.md", "### How we work", "Never deploy on Friday", RULE, None),
    ("MEMORY.md", "## Our conventions", "two spaces in YAML", RULE, None),
    ("MEMORY.md", "## 约定", "周五不发布", RULE, None),
    ("MEMORY.md", "Team\n----", "Anna leads ops", RELATIONSHIP, None),
    ("MEMORY.md", "## Work", "I prefer tea", PREFERENCE, "user"),
    ("USER.md", "## Work", "translator in Leeds", FACT, "user"),
    ("USER.md", "## 工作", "在杭州做翻译", FACT, "user"),
    ("USER.md", "## Taste", "I love jazz", PREFERENCE, "user"),
    ("USER.md", "## Family", "My mother lives in Porto", RELATIONSHIP, "user"),
    ("USER.md", "# USER.md", "two children", FACT, "user"),
    ("PERSONA.md", "## Tone", "dry, a little ironic", RULE, "assistant"),
]


@pytest.mark.parametrize(("file", "heading", "text", "kind", "subject"), BULLETS)
def test_a_bullet_below_a_heading_of_ones_own_is_remembered_where_it_stands(
    desk: Desk, file: CoreFile, heading: str, text: str, kind: MemoryType, subject: str | None
) -> None:
    desk.say("Sign every commit", RULE)
    desk.night()
    own = f"\n{heading}\nsome words of my own\n- {text}\n  and more\n- [ ] a box to tick\n"
    before = desk.read(file) if desk.files.exists(file) else f"# {file}\n"
    desk.put(file, before + own)
    assert desk.night().effects == {"remembered": 1}
    memory = saying(desk, text)
    assert (memory.type, memory.subject) == (kind, subject)
    mark = f"- {text} <!-- m:{memory.id.replace('-', '')[-8:]} -->"
    assert desk.read(file).endswith(own.replace(f"- {text}", mark))
    assert where(desk, text) == [file]
    again = desk.night()
    assert (again.edits, again.written) == ([], [])
    desk.shell.revise(memory.id, "correct", f"{text}, of late")
    desk.night()
    assert f"some words of my own\n- {text}, of late <!-- m:" in desk.read(file)


def test_prose_below_a_heading_of_ones_own_is_nobodys_memory(desk: Desk) -> None:
    text = "# MEMORY.md\n\n## Work\nI keep my notes here.\n> - quoted\n```\n- code\n```\n"
    desk.put("MEMORY.md", text)
    assert desk.night().edits == []
    assert desk.all() == []
    assert text.removeprefix("# MEMORY.md") in desk.read()


@pytest.mark.parametrize("heading", ["## Rules", "## Work"])
def test_a_line_that_is_not_remembered_says_why_until_it_goes(desk: Desk, heading: str) -> None:
    safe, long = "the safe's number is 4711", "long " * 1000
    forget = Eraser(desk.store, "default", COMMAND_LINE, desk.marks, desk.home)
    forget.run(ErasureRequest.for_ids([desk.say(safe)]))
    desk.say("Sign every commit", RULE)
    desk.night()
    text = desk.read() if heading in desk.read() else f"{desk.read()}\n{heading}\n"
    text = text.replace(heading, f"{heading}\n- {safe}\n- {long}")
    desk.put("MEMORY.md", text)
    assert desk.night().effects == {"refused": 2}
    lines = desk.read().splitlines()
    reason = lines[lines.index(f"- {safe}") + 1]
    assert reason == "Not remembered: it was forgotten before, on purpose. <!-- memoria -->"
    assert "at most 4,000 characters" in lines[lines.index(f"- {long}") + 1]
    assert desk.night().written == []
    desk.lose(safe)
    desk.lose("long long")
    desk.night()
    assert "Not remembered" not in desk.read()


@pytest.mark.parametrize("heading", ["## Rules", "## Work"])
def test_a_line_with_a_secret_is_remembered_without_it_and_the_file_says_so(
    desk: Desk, heading: str
) -> None:
    key = "sk-ant-api03-" + "Ab1" * 30
    desk.put("MEMORY.md", f"# MEMORY.md\n\n{heading}\n- log in with {key}\n")
    assert desk.night().effects == {"remembered": 1}
    (memory,) = desk.all()
    assert memory.content.startswith("log in with [redacted:")
    for _ in range(2):
        assert key not in desk.read()
        assert "[redacted" not in desk.read()
        assert "> A line here held a secret." in desk.read()
        desk.night()


def test_a_line_moved_into_another_file_is_the_same_memory_there(desk: Desk) -> None:
    memory_id = desk.say("The user lives in Leeds")
    desk.say("用户喜欢猫", PREFERENCE)
    desk.say("Sign every commit", RULE)
    desk.night()
    (line,) = [one for one in desk.read("USER.md").splitlines() if "Leeds" in one]
    desk.lose("Leeds", "USER.md")
    desk.edit("## Rules\n", f"## Work\n{line}\n\n## Rules\n")
    assert desk.night().effects == {"moved": 1}
    assert where(desk, "Leeds") == ["MEMORY.md"]
    assert desk.get(memory_id).validity is Validity.ACTIVE
    assert desk.night().edits == []


PROJECT = "/work/api"


def test_a_project_has_a_file_of_its_own_that_is_edited_like_the_others(desk: Desk) -> None:
    port = desk.say("The API listens on port 8080", workspace=PROJECT)
    other = desk.say("The API listens on port 7070", workspace="/other/api")
    desk.say("Sign every commit", RULE, workspace=PROJECT)
    desk.night()
    file = project_file(PROJECT)
    assert "8080" in desk.read(file)
    assert "7070" in desk.read(project_file("/other/api"))
    assert where(desk, "listens") == []
    desk.edit("8080", "9090", file)
    desk.put(file, f"{desk.read(file)}\n## Deploy\n- 周五不发布\n")
    assert desk.night().effects == {"corrected": 1, "remembered": 1}
    assert desk.get(port).content == "The API listens on port 9090"
    assert desk.get(port).project == PROJECT
    new = saying(desk, "周五不发布")
    assert (new.project, new.type) == (PROJECT, FACT)
    assert "周五不发布 <!-- m:" in desk.read(file)
    assert desk.get(other).content == "The API listens on port 7070"
    assert desk.night().edits == []


def test_a_line_moved_into_a_projects_file_holds_there_alone(desk: Desk) -> None:
    port = desk.say("The API listens on port 8080")
    desk.say("Sign every commit", RULE)
    desk.say("tests need docker", workspace=PROJECT)
    desk.night()
    file = project_file(PROJECT)
    (line,) = [one for one in desk.read().splitlines() if "8080" in one]
    desk.lose("8080")
    desk.edit("## Facts and concepts\n", f"## Facts and concepts\n{line}\n", file)
    assert desk.night().effects == {"moved": 1}
    assert desk.get(port).project == PROJECT
    assert where(desk, "8080") == []
    assert "8080" in desk.read(file)
    assert desk.night().edits == []


def test_forgetting_reaches_the_file_of_a_project(desk: Desk) -> None:
    port = desk.say("The API listens on port 8080", workspace=PROJECT)
    desk.say("tests need docker", workspace=PROJECT)
    desk.night()
    Eraser(desk.store, "default", COMMAND_LINE, desk.marks, desk.home).run(
        ErasureRequest.for_ids([port])
    )
    assert "8080" not in desk.read(project_file(PROJECT))
    assert "docker" in desk.read(project_file(PROJECT))


@pytest.mark.parametrize(
    "name",
    ["/a/api", "/b/api", "../..", "/", "..\\x", "项目", "a\nb", "<!-- m:0123abcd -->", "." * 300],
)
def test_a_projects_file_never_lies_outside_of_its_folder(name: str) -> None:
    folder, place, file = project_file(name).split("/")
    assert (folder, file) == ("projects", "MEMORY.md")
    assert place.strip("-.") == place
    assert place.isascii()
    assert len(place) < 60
    others = {project_file(other) for other in ("/a/api", "/b/api", "..", "x") if other != name}
    assert project_file(name) not in others


@pytest.mark.parametrize("tenant", ["default", "ann"])
@pytest.mark.sqlite("a backup of files")
def test_a_backup_takes_the_files_of_projects_along_and_nothing_beside_them(
    tmp_path: Path, desk: Desk, tenant: str
) -> None:
    one = Desk(desk.store, desk.home, tenant)
    one.say("The API listens on port 8080", workspace=PROJECT)
    one.night()
    place = Path(one.files.name(project_file(PROJECT))).relative_to(tmp_path).as_posix()
    assert place in core_files(tmp_path)
    assert is_core_path(place)
    for other in ("../MEMORY.md", "notes.md", "USER.md", "a/b/MEMORY.md", ""):
        assert not is_core_path(f"{place.rsplit('/', 1)[0]}/{other}")


WISH = "From now on, always answer me in English."
HEADING = "## Said, not decided"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.from_values(home=lay_empty_home(tmp_path / "home"), embedder="off")


async def say(settings: Settings, *words: str, workspace: str | None = None) -> None:
    turns = [{"role": "user", "content": one, "at": "2026-11-20"} for one in words]
    async with memoria.open(settings=settings) as m:
        await m.record_conversation(turns, session_id="s", workspace=workspace)


async def list_contents(settings: Settings) -> list[str]:
    async with memoria.open(settings=settings) as m:
        return [one.content for one in (await m.list_memories()).memories]


async def list_wishes(settings: Settings) -> list[str]:
    async with memoria.open(settings=settings) as m:
        return await m.wishes()


@contextmanager
def opened_files(settings: Settings) -> Iterator[TenantFiles]:
    with closing(open_store(settings)) as store:
        yield store.files.of(settings.tenant)


def core(settings: Settings, place: str = "MEMORY.md") -> str:
    with opened_files(settings) as files:
        return (files.read(place) or b"").decode()


def put_core(settings: Settings, text: str) -> None:
    with opened_files(settings) as files:
        files.write("MEMORY.md", text.encode())


async def test_a_night_writes_quotes_in_a_section_of_their_own_and_a_second_one_nothing(
    settings: Settings,
) -> None:
    await say(settings, WISH)
    run_nightly(settings, ["core"])
    text = core(settings)
    assert f"\n- 2026-11-20: “{WISH}” <!-- q:" in text.partition(HEADING)[2]
    assert run_nightly(settings, ["core"]).steps[-1].planned == 0
    assert await list_contents(settings) == []


async def test_words_put_in_a_quote_are_a_memory_in_its_place(settings: Settings) -> None:
    await say(settings, WISH)
    run_nightly(settings, ["core"])
    mine = "Always answer in English, but for poems"
    put_core(settings, core(settings).replace(WISH, mine))
    run_nightly(settings, ["core"])
    assert await list_contents(settings) == [mine]
    assert await list_wishes(settings) == []
    assert HEADING not in core(settings)


async def test_a_line_below_the_quotes_is_a_memory_and_the_quotes_are_none(
    settings: Settings,
) -> None:
    await say(settings, WISH)
    run_nightly(settings, ["core"])
    put_core(settings, f"{core(settings)}- Never deploy on Fridays\n")
    run_nightly(settings, ["core"])
    assert await list_contents(settings) == ["Never deploy on Fridays"]
    assert WISH in core(settings).partition(HEADING)[2]


async def test_a_quote_that_is_kept_or_set_aside_stands_there_no_more(settings: Settings) -> None:
    await say(settings, WISH, "Never call me sir, from now on say Ada.")
    run_nightly(settings, ["core"])
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        for line in await m.wishes():
            await m.set_quote_aside(line.partition("[turn ")[2][:8])
    run_nightly(settings, ["core"])
    assert HEADING not in core(settings)


async def test_what_holds_in_a_project_alone_is_quoted_in_its_file(settings: Settings) -> None:
    words = "From now on, always run the linter of this project before you commit."
    await say(settings, WISH, workspace="api")
    await say(settings, words, workspace="api")
    async with memoria.open(settings=settings) as m:
        await m.remember("The API listens on port 80", workspace="api", scope="project")
    run_nightly(settings, ["core"])
    with opened_files(settings) as files:
        (project,) = files.list_places("projects")
    assert words in core(settings, project)
    assert words not in core(settings)
    home = core(settings)
    assert f"\n- 2026-11-20, said in api: “{WISH}” <!-- q:" in home
    run_nightly(settings, ["core"])
    assert core(settings) == home
    mine = "Answer in English unless I write German"
    put_core(settings, home.replace(WISH, mine))
    run_nightly(settings, ["core"])
    assert mine in await list_contents(settings)


async def test_few_quotes_stand_there_and_leave_room_for_memories(settings: Settings) -> None:
    things = (
        "tabs",
        "tests",
        "commits",
        "names",
        "logs",
        "docs",
        "dates",
        "colours",
        "fonts",
        "keys",
    )
    await say(settings, *(f"From now on, always ask me about the {one} first." for one in things))
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        for i in range(30):
            await m.remember(f"Rule {i}: never deploy service number {i} on a Friday", type="rule")
    run_nightly(settings, ["core"])
    text = core(settings)
    assert 1 <= text.count("<!-- q:") <= 8
    assert text.count("<!-- m:") >= 15


PAIRS = [
    ("MEMORY.md", MemoryType.FACT, "Rex is the dog's name", "the rabbit eats Momo's hay"),
    ("USER.md", MemoryType.PREFERENCE, "用户喜欢猫", "下雨天适合睡觉"),
]


def contradict(desk: Desk, one: str, other: str) -> None:
    with desk.store.write(desk.tenant) as tx:
        link_contradictions(tx, desk.get(one), [other], now=now_millis())


def shown(desk: Desk) -> str:
    with desk.store.read(desk.tenant) as tx:
        found = compose_core(tx, desk.files, now_millis(), TOKENS, None)
    return "\n".join(core.text for core in found.values())


@pytest.mark.parametrize(("file", "kind", "one", "other"), PAIRS)
def test_a_line_says_so_as_long_as_it_is_true(
    desk: Desk, file: str, kind: MemoryType, one: str, other: str
) -> None:
    first, second = desk.say(one, kind), desk.say(other, kind)
    desk.night()
    contradict(desk, first, second)
    for text in (one, other):
        assert f"- {text}{CONTRADICTED}\n" in shown(desk)
    assert desk.night().edits == []
    for text in (one, other):
        assert f"- {text}{CONTRADICTED} <!-- m:" in desk.read(file)
    again = desk.night()
    assert (again.edits, again.written) == ([], [])
    desk.chat.revise(second, "archive", None)
    assert f"- {one}\n" in shown(desk)
    assert CONTRADICTED not in shown(desk)
    assert desk.night().edits == []
    assert CONTRADICTED not in desk.read(file)


def test_a_line_corrected_beside_its_label_takes_the_label_for_no_word(desk: Desk) -> None:
    first, second = desk.say("Rex is the dog's name"), desk.say("the rabbit eats Momo's hay")
    contradict(desk, first, second)
    desk.night()
    desk.edit(f"Rex is the dog's name{CONTRADICTED}", f"Rex is the cat's name{CONTRADICTED}")
    assert desk.night().effects == {"corrected": 1}
    assert desk.get(first).content == "Rex is the cat's name"


def test_a_memory_whose_words_end_like_the_label_is_no_edit_by_hand(desk: Desk) -> None:
    desk.say(f"Rex is a dog{CONTRADICTED}{CONTRADICTED}")
    desk.night()
    again = desk.night()
    assert (again.edits, again.written) == ([], [])


def test_forgetting_reaches_a_line_with_a_label(desk: Desk) -> None:
    first, second = desk.say("PIN 1"), desk.say("the rabbit eats hay")
    contradict(desk, first, second)
    desk.night()
    Eraser(desk.store, "default", COMMAND_LINE, desk.marks, desk.home).run(
        ErasureRequest.for_ids([first])
    )
    assert "PIN" not in desk.read()
    assert "rabbit" in desk.read()
