"""What an agent is told, by line: the lines are the text, and each names what it rests on."""

from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memoria
from memoria import Memoria, Settings
from memoria.app.briefing import compose_core_file
from memoria.bare.kept import BRIEFING, INSTRUCTIONS, read_kept
from memoria.language.reading.fences import fence, fence_lines
from memoria.model import COMMAND_LINE
from memoria.model.core import CORE_FILES, ToldLine, ToldText
from memoria.surface.mcp.instructions import composers_for, keep_once_closed

PROJECT = "/work/shop"
RULE, FACT = "Never deploy on a Friday", "The shop's database is Postgres 16"
WISH = "From now on, always answer me in English."
TASK = "Migrate the checkout"
_PIECES = st.text(st.sampled_from("<>/ \nmemoria\u200bx‹"), max_size=12)


@pytest.fixture
def chosen(home: Path) -> Settings:
    return Settings.from_values(home=home, embedder="off", workspace=PROJECT)


async def fill(memory: Memoria) -> tuple[str, str | None]:
    """Say what a briefing tells of; return the ids of the rule and of the turn with the wish."""
    rule = await memory.remember(RULE, type="rule", scope="project")
    await memory.remember(FACT, type="fact", scope="project", importance=0.9)
    said = await memory.record_conversation([{"role": "user", "content": WISH}], session_id="s1")
    await memory.update_scratchpad(current_focus=TASK, session_id="s1")
    return rule.id, said.turns[0].id


def find(told: ToldText, words: str) -> tuple[str, str | None]:
    """Return the part and the record of the one line that says the words."""
    (line,) = (line for line in told.lines if words in line.text)
    return line.part, line.record_id


async def test_the_lines_of_a_core_file_are_the_file_as_it_is_read(chosen: Settings) -> None:
    async with memoria.open(settings=chosen, channel=COMMAND_LINE) as m:
        rule, _ = await fill(m)
        read = await m.read_core()
        told = {file: await m.compose(partial(compose_core_file, file=file)) for file in CORE_FILES}
    assert {file: one.text for file, one in told.items() if one.lines} == read
    assert find(told["MEMORY.md"], RULE) == ("core", rule)


@pytest.mark.sqlite("nothing is kept for hooks beside a database elsewhere")
async def test_the_lines_are_exactly_what_clients_and_hooks_tell(
    chosen: Settings, home: Path
) -> None:
    async with memoria.open(settings=chosen, channel=COMMAND_LINE) as m:
        await fill(m)
        told = {name: await m.compose(write) for name, write in composers_for(chosen).items()}
    keep_once_closed(chosen)
    for name in (INSTRUCTIONS, BRIEFING):
        assert told[name].text == read_kept(str(home), "default", PROJECT, name)


async def test_the_lines_name_their_sources(chosen: Settings) -> None:
    async with memoria.open(settings=chosen, channel=COMMAND_LINE) as m:
        rule, wish = await fill(m)
        told = {name: await m.compose(write) for name, write in composers_for(chosen).items()}
    for name in (INSTRUCTIONS, BRIEFING):
        assert find(told[name], RULE) == ("core", rule)
    assert find(told[BRIEFING], WISH) == ("wish", wish)
    assert find(told[BRIEFING], TASK) == ("task", "s1")
    unnamed = [line for line in told[BRIEFING].lines if line.text.startswith("- ")]
    assert all(line.record_id for line in unnamed if line.part != "guide")


@given(st.lists(_PIECES, min_size=1))
def test_lines_in_a_fence_are_the_fenced_text_wherever_a_tag_runs_over_their_ends(
    texts: list[str],
) -> None:
    lines = [ToldLine(text, "core", str(n)) for n, text in enumerate(texts)]
    fenced = ToldText(tuple(fence_lines(lines)))
    assert fenced.text == fence("\n".join(texts))
    assert [line.record_id for line in fenced.lines] == [None, *map(str, range(len(texts))), None]
