"""A search that found less than was asked for says how many matches other projects have."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

import memoria
from memoria import Memoria, Settings
from memoria.model import SearchResult
from memoria.surface.text import result_text

FACTS = {
    "en": "The billing gateway of the shop listens on port 7443",
    "zh": "商城的支付网关监听 7443 端口",
}
ASKED = {"en": "which port does the billing gateway listen on", "zh": "支付网关监听哪个端口"}
LANGUAGES = ("en", "zh")


@asynccontextmanager
async def opened(home: Path, workspace: str | None, **more: object) -> AsyncIterator[Memoria]:
    settings = Settings.load(home=home, embedder="off", workspace=workspace, **more)
    async with memoria.open(settings=settings) as m:
        yield m


async def asked(home: Path, question: str, **more: object) -> SearchResult:
    async with opened(home, "blog", **more) as m:
        return await m.search_memory(question)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_another_project_knows_is_counted_and_not_shown(
    home: Path, language: str
) -> None:
    async with opened(home, "shop") as m:
        await m.remember(FACTS[language])
    found = await asked(home, ASKED[language])
    assert found.hits == ()
    assert found.elsewhere is not None
    assert (found.elsewhere.matches, found.elsewhere.projects) == (1, ())
    text = result_text(found)
    assert "1 more matches in other projects; ask with workspace=*" in text
    assert "7443" not in text
    assert "shop" not in text


@pytest.mark.parametrize("language", LANGUAGES)
async def test_the_second_level_counts_too(home: Path, language: str) -> None:
    async with opened(home, "shop") as m:
        await m.record_conversation([{"role": "user", "content": FACTS[language]}])
    async with opened(home, "blog") as m:
        found = await m.search_conversation_traces(ASKED[language])
    assert found.hits == ()
    assert found.elsewhere is not None
    assert found.elsewhere.matches == 1


async def test_other_projects_are_named_before_the_second_level(home: Path) -> None:
    async with opened(home, "shop") as m:
        await m.remember(FACTS["en"])
    async with opened(home, "blog") as m:
        await m.record_conversation(
            [{"role": "user", "content": "What did I say word for word about the billing port?"}]
        )
    text = result_text(await asked(home, f"{ASKED['en']}, word for word"))
    assert 0 < text.index("workspace=*") < text.index("search_conversation_traces")


async def test_projects_are_named_where_the_user_allows_it(home: Path) -> None:
    async with opened(home, "shop") as m:
        await m.remember(FACTS["en"])
    found = await asked(home, ASKED["en"], name_other_projects=True)
    assert found.elsewhere is not None
    assert found.elsewhere.projects == ("shop",)
    assert "(shop)" in result_text(found)


async def test_private_projects_are_neither_counted_nor_named_nor_asked(home: Path) -> None:
    hidden = {"private_workspaces": "diary, safe", "name_other_projects": True}
    async with opened(home, "diary", **hidden) as m:
        await m.remember(FACTS["en"])
        await m.record_conversation([{"role": "user", "content": FACTS["en"]}])
        assert (await m.search_memory(ASKED["en"])).hits
    assert (await asked(home, ASKED["en"], **hidden)).elsewhere is None
    async with opened(home, "blog", **hidden) as m:
        assert not (await m.search_memory(ASKED["en"], workspace="*")).answered
        assert not (await m.search_conversation_traces(ASKED["en"], workspace="*")).answered
        assert (await m.search_memory(ASKED["en"], workspace="diary")).hits


async def test_what_is_said_about_the_user_in_a_private_project_stays_there(home: Path) -> None:
    hidden = {"private_workspaces": "diary"}
    async with opened(home, "diary", **hidden) as m:
        kept = await m.remember("I'm allergic to penicillin")
        assert (kept.scope, kept.is_scope_open) == ("project", False)
        assert (await m.remember("I'm allergic to nuts", scope="everywhere")).project is None
    found = await asked(home, "what am I allergic to", **hidden)
    assert [hit.text for hit in found.hits] == ["I'm allergic to nuts"]
    assert found.elsewhere is None


@pytest.mark.parametrize(
    "question",
    [
        "which wine goes with the port",
        "does the shop sell bread",
        "who listens to jazz",
        "Which port does Falcon listen on",
        "商城几点开门",
    ],
)
async def test_a_common_word_or_another_name_is_no_match(home: Path, question: str) -> None:
    async with opened(home, "shop") as m:
        for fact in FACTS.values():
            await m.remember(fact)
    assert (await asked(home, question)).elsewhere is None


async def test_many_are_counted_up_to_a_bound(home: Path) -> None:
    async with opened(home, "shop") as m:
        for i in range(25):
            await m.remember(f"The billing gateway of shop number {i} has a port")
    found = await asked(home, "which port has the billing gateway")
    assert "20+ more match in other projects; ask with workspace=*" in result_text(found)


async def test_nothing_is_counted_where_enough_was_found_or_all_projects_were_asked(
    home: Path,
) -> None:
    for place in ("shop", "blog"):
        async with opened(home, place) as m:
            await m.remember(FACTS["en"], scope="project")
    async with opened(home, "blog") as m:
        assert (await m.search_memory(ASKED["en"], limit=1)).elsewhere is None
        assert (await m.search_memory(ASKED["en"], limit=2)).elsewhere is not None
        everywhere = await m.search_memory(ASKED["en"], workspace="*")
        assert (len(everywhere.hits), everywhere.elsewhere) == (2, None)
        package = await m.build_context(ASKED["en"])
        assert "other projects" not in str(package)


async def test_what_only_comes_near_here_is_not_enough_to_leave_other_projects_uncounted(
    home: Path,
) -> None:
    async with opened(home, "shop") as m:
        await m.remember(FACTS["en"])
    async with memoria.open(settings=Settings.load(home=home, workspace="blog")) as m:
        for what in (
            "roses",
            "tulips",
            "lilacs",
            "violets",
            "asters",
            "poppies",
            "irises",
            "ferns",
        ):
            await m.remember(f"The border of the garden path has {what} in it", scope="project")
        await m.wait_until_idle()
        found = await m.search_memory(ASKED["en"])
        kept = await m.search_memory("Where do roses, tulips, lilacs, violets and asters grow?")
    assert (found.answered, len(found.hits) >= 8) == (False, True)
    assert found.elsewhere is not None
    assert found.elsewhere.matches == 1
    assert (kept.answered, kept.elsewhere) == (True, None)
