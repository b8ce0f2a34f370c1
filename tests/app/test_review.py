"""What waits for the user's word is listed over all projects, with its source, and is settled."""

from pathlib import Path

import pytest
from tests.memories.test_corrections import state_both

import memoria
from memoria import Memoria, Settings
from memoria.errors import InvalidInputError
from memoria.memories.links import link_contradictions
from memoria.model import COMMAND_LINE, Channel, Trust, now_millis
from memoria.model.turn import Turn

AGENT = Channel(name="mcp", trust=Trust.REPORTED, client="codex")


async def hold_back(m: Memoria, *contents: str, workspace: str | None = None) -> list[str]:
    """Have an agent contradict what the user has said; return ids of what waits for their word."""
    ids = list[str]()
    for content in contents:
        known = await m.with_channel(COMMAND_LINE).remember(f"Not so: {content}")
        stated = await m.with_channel(AGENT).remember(
            content, supersedes=known.id, workspace=workspace
        )
        assert stated.status == "pending"
        ids.append(stated.id)
    return ids


def see_all(m: Memoria, workspace: str = "*") -> Memoria:
    return m.with_channel(COMMAND_LINE, workspace=workspace)


async def test_what_waits_is_listed_of_all_projects_but_private_ones_page_by_page(
    home: Path,
) -> None:
    settings = Settings.from_values(home=home, embedder="off", private_workspaces=("diary",))
    async with memoria.open(settings=settings) as m:
        shop = await hold_back(m, "The shop opens at nine", workspace="shop")
        blog = await hold_back(m, "The blog is in Hugo", "Posts end on Friday", workspace="blog")
        diary = await hold_back(m, "The diary is kept in ink", workspace="diary")
        first = await see_all(m).provenance.page_pending(2)
        rest = await see_all(m).provenance.page_pending(2, first.after)
        own = await see_all(m, "diary").provenance.page_pending()
        plain = await see_all(m).list_pending()
    assert [one.subject.memory.id for one in first.items] == blog[::-1]
    assert [one.subject.memory.id for one in rest.items] == shop
    assert (first.total, first.after, rest.total, rest.after) == (3, blog[0], 3, None)
    assert [one.memory.content for one in first.items[0].against] == ["Not so: Posts end on Friday"]
    assert diary[0] in {one.subject.memory.id for one in own.items}
    assert [one.id for one in plain] == [*blog[::-1], *shop]


async def test_contradictions_come_with_the_sources_of_both_and_a_pair_once(
    memory: Memoria,
) -> None:
    first, second = await state_both(memory)
    third = await memory.remember("The user took aspirin once, as a child")
    with memory._store.write(memory.tenant) as tx:  # noqa: SLF001  (as a night does)
        newest = tx.memories.get(third.id)
        assert newest is not None
        link_contradictions(tx, newest, [second.id], now=now_millis())
    page = await memory.provenance.page_contradicted()
    pairs = {
        frozenset((one.subject.memory.id, other.memory.id))
        for one in page.items
        for other in one.against
    }
    assert pairs == {frozenset((first.id, second.id)), frozenset((second.id, third.id))}
    assert sum(len(one.against) for one in page.items) == len(pairs)
    quoted = {one.subject.memory.current.provenance.quote for one in page.items}
    assert quoted <= {"The user stopped taking aspirin", third.content, first.content}


async def test_two_that_both_hold_are_not_marked_again_until_one_is_worded_anew(
    memory: Memoria,
) -> None:
    user = memory.with_channel(COMMAND_LINE)
    first, second = await state_both(memory)
    with pytest.raises(InvalidInputError, match="Only the user"):
        await memory.set_contradiction(first.id, second.id, contradict=False)
    await user.set_contradiction(first.id, second.id, contradict=False)
    assert (await memory.provenance.page_contradicted()).items == ()
    await mark(memory, second.id, first.id)
    assert (await memory.provenance.page_contradicted()).total == 0

    await user.set_contradiction(second.id, first.id, contradict=True)
    assert (await memory.provenance.page_contradicted()).total == 1
    await user.set_contradiction(second.id, first.id, contradict=False)
    settled = now_millis()
    while now_millis() == settled:  # a wording of the same moment is the one that was settled
        pass
    await user.revise_memory(first.id, "correct", "The user takes aspirin every day")
    await mark(memory, second.id, first.id)
    assert (await memory.provenance.page_contradicted()).total == 1


async def mark(m: Memoria, memory_id: str, other_id: str) -> None:
    with m._store.write(m.tenant) as tx:  # noqa: SLF001  (as a night does)
        found = tx.memories.get(memory_id)
        assert found is not None
        link_contradictions(tx, found, [other_id], now=now_millis())


async def test_what_no_project_sees_together_is_no_contradiction_to_settle(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        one = await m.remember("It listens on 8080", workspace="shop", scope="project")
        other = await m.remember("It listens on 9090", workspace="blog", scope="project")
        await mark(m, one.id, other.id)
        assert (await see_all(m).provenance.page_contradicted()).total == 0
        await m.with_channel(COMMAND_LINE).revise_memory(other.id, "everywhere")
        assert (await see_all(m).provenance.page_contradicted()).total == 1


async def test_quotes_of_all_projects_are_listed_as_turns(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        wish = Turn(role="user", content="From now on use pnpm here, never npm.")
        await m.record_conversation([wish], session_id="s", workspace="shop")
        (quote,) = await see_all(m).provenance.list_quotes()
        assert (quote.content, quote.workspace) == (wish.content, "shop")
        await m.set_quote_aside(quote.id)
        assert await see_all(m).provenance.list_quotes() == []


async def test_names_are_listed_in_order_and_found_by_how_they_begin(memory: Memoria) -> None:
    people = ("Zoe Quill", "Adam Birch", "Quentin Ash", "adele stone")
    for name in people:
        await memory.remember(f"{name} sings in the choir", entities=[name])
    first = await memory.graph.list_names(limit=3)
    rest = await memory.graph.list_names(limit=3, after=first.after)
    assert [one.name for one in (*first.entities, *rest.entities)] == sorted(
        people, key=str.casefold
    )
    assert rest.after is None
    found = await memory.graph.list_names("AD")
    assert [one.name for one in found.entities] == ["Adam Birch", "adele stone"]
