"""What the user asked for stands in MEMORY.md as a quote, until they make a memory of it."""

from pathlib import Path

import pytest

import memoria
from memoria import Settings
from memoria.app.nightly import run_nightly
from memoria.model import COMMAND_LINE

WISH = "From now on, always answer me in English."
HEADING = "## Said, not decided"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.from_values(home=tmp_path / "home", tenant="default", embedder="off")


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


def core(settings: Settings) -> Path:
    return settings.home_path / "MEMORY.md"


async def test_a_night_writes_quotes_in_a_section_of_their_own_and_a_second_one_nothing(
    settings: Settings,
) -> None:
    await say(settings, WISH)
    run_nightly(settings)
    text = core(settings).read_text("utf-8")
    assert f"\n- 2026-11-20: “{WISH}” <!-- q:" in text.partition(HEADING)[2]
    assert run_nightly(settings).steps[-1].planned == 0
    assert await list_contents(settings) == []


async def test_words_put_in_a_quote_are_a_memory_in_its_place(settings: Settings) -> None:
    await say(settings, WISH)
    run_nightly(settings)
    mine = "Always answer in English, but for poems"
    core(settings).write_text(core(settings).read_text("utf-8").replace(WISH, mine), "utf-8")
    run_nightly(settings)
    assert await list_contents(settings) == [mine]
    assert await list_wishes(settings) == []
    assert HEADING not in core(settings).read_text("utf-8")


async def test_a_line_below_the_quotes_is_a_memory_and_the_quotes_are_none(
    settings: Settings,
) -> None:
    await say(settings, WISH)
    run_nightly(settings)
    with core(settings).open("a", encoding="utf-8") as file:
        file.write("- Never deploy on Fridays\n")
    run_nightly(settings)
    assert await list_contents(settings) == ["Never deploy on Fridays"]
    assert WISH in core(settings).read_text("utf-8").partition(HEADING)[2]


async def test_a_quote_that_is_kept_or_set_aside_stands_there_no_more(settings: Settings) -> None:
    await say(settings, WISH, "Never call me sir, from now on say Ada.")
    run_nightly(settings)
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        for line in await m.wishes():
            await m.set_quote_aside(line.partition("[turn ")[2][:8])
    run_nightly(settings)
    assert HEADING not in core(settings).read_text("utf-8")


async def test_what_holds_in_a_project_alone_is_quoted_in_its_file(settings: Settings) -> None:
    words = "From now on, always run the linter of this project before you commit."
    await say(settings, WISH, workspace="api")
    await say(settings, words, workspace="api")
    async with memoria.open(settings=settings) as m:
        await m.remember("The API listens on port 80", workspace="api", scope="project")
    run_nightly(settings)
    (project,) = (settings.home_path / "projects").rglob("MEMORY.md")
    assert words in project.read_text("utf-8")
    assert words not in core(settings).read_text("utf-8")
    home = core(settings).read_text("utf-8")
    assert f"\n- 2026-11-20, said in api: “{WISH}” <!-- q:" in home
    run_nightly(settings)
    assert core(settings).read_text("utf-8") == home
    mine = "Answer in English unless I write German"
    core(settings).write_text(home.replace(WISH, mine), "utf-8")
    run_nightly(settings)
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
    run_nightly(settings)
    text = core(settings).read_text("utf-8")
    assert 1 <= text.count("<!-- q:") <= 8
    assert text.count("<!-- m:") >= 15
