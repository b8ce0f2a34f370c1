"""A forget by a search means what answers it, and says first if that is most of what there is."""

from pathlib import Path

import pytest

import memoria
from memoria.app import Memoria
from memoria.config import Settings
from memoria.errors import InvalidInputError
from memoria.surface.forgetting_text import preview_text

ENGLISH = (
    "Anna's birthday is 12 March",
    "Never touch the legacy folder",
    "Amounts are stored as integer cents",
    "I drink my coffee black",
)
CHINESE = ("小雨的生日是 3 月 12 号", "不要动 legacy 目录", "接口都用 camelCase", "我喝美式咖啡")
CASES = [
    (ENGLISH, "birthday", {ENGLISH[0]}),
    (ENGLISH, "the legacy folder", {ENGLISH[1]}),
    (ENGLISH, "kubernetes", set()),
    (ENGLISH, "blood type", set()),
    (CHINESE, "生日", {CHINESE[0]}),
    (CHINESE, "legacy 目录", {CHINESE[1]}),
    (CHINESE, "血型", set()),
]


@pytest.mark.parametrize(("kept", "query", "meant"), CASES, ids=[case[1] for case in CASES])
async def test_a_search_forgets_what_answers_it_and_nothing_that_is_only_nearest(
    memory: Memoria, kept: tuple[str, ...], query: str, meant: set[str]
) -> None:
    for one in kept:
        await memory.remember(one)
    said = ("今天天气不错", "Please have a look at the shop")
    await memory.record_conversation([{"role": "user", "content": one} for one in said])
    preview = await memory.preview_forget(query=query)
    assert {item.text for item in preview.items} == meant
    assert not preview.share


async def test_a_search_forgets_in_this_project_and_in_all_only_where_that_is_said(
    home: Path,
) -> None:
    settings = Settings.from_values(home=home, workspace="red")
    async with memoria.open(settings=settings) as m:
        red = await m.remember("The red gate opens with a brass key", workspace="red")
        blue = await m.remember("The blue gate opens with an iron key", workspace="blue")
        for scope, meant in ((None, {red.id}), ("blue", {blue.id}), ("*", {red.id, blue.id})):
            preview = await m.preview_forget(query="what opens the gate", workspace=scope)
            assert {item.id for item in preview.items} == meant, scope
        with pytest.raises(InvalidInputError, match="everything"):
            await m.preview_forget(workspace="*")


async def test_where_most_of_what_is_on_record_is_meant_the_first_line_says_so(
    memory: Memoria,
) -> None:
    for one in ENGLISH:
        await memory.remember(one)
    told = preview_text(await memory.preview_forget(since="2020-01-01")).splitlines()
    assert told[0] == "This is most of what is on record: 4 of 4 memories."
    assert told[1].startswith("To be forgotten: 4 memories")
    some = preview_text(await memory.preview_forget(topic="Anna")).splitlines()
    assert some[0].startswith("To be forgotten: 1 memory")
