"""What a person did to a memory can be taken back, and nothing forgotten comes back by it."""

from collections.abc import Callable
from pathlib import Path

import pytest

import memoria
from memoria import Memoria
from memoria.config import Settings
from memoria.errors import ForgottenError, InvalidInputError, NotFoundError
from memoria.model import (
    COMMAND_LINE,
    AuditEntry,
    Channel,
    Memory,
    MemoryType,
    Revision,
    Trust,
    to_iso,
)

AGENT = Channel(name="mcp", trust=Trust.REPORTED, client="a client")
OLD, NEW = "Mira keeps the spare keys in the blue tin", "Mira keeps the spare keys in a red box"


@pytest.fixture
def settings(home: Path) -> Settings:
    return Settings(home=home, embedder="off", forget_grace_days=7, workspace="boat")


def state_of(memory: Memory) -> dict[str, object]:
    """How a memory stands, apart from its history."""
    gone = {"versions", "updated_at", "local", "links", "former_end", "is_unchanged"}
    return {**memory.model_dump(exclude=gone), "content": memory.content}


ACTIONS: dict[Revision, Callable[[Memory], object]] = {
    "archive": lambda m: m.validity,
    "confirm": lambda m: m.verified,
    "pin": lambda m: m.pinned,
    "upvote": lambda m: m.upvotes,
    "downvote": lambda m: m.downvotes,
    "project": lambda m: m.scope,
    "correct": lambda m: m.content,
}


@pytest.mark.parametrize("action", ACTIONS)
async def test_a_revision_is_undone_and_the_undo_is_undone(
    settings: Settings, action: Revision
) -> None:
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        agent = m.with_channel(AGENT)
        one = await agent.remember(OLD, scope="everywhere", until="2099-01-01")
        before = await m.get_memory(one.id)
        after = await m.revise_memory(one.id, action, NEW if action == "correct" else None)
        assert ACTIONS[action](after) != ACTIONS[action](before)
        assert (await m.undo_change()).action == action
        back = await m.get_memory(one.id)
        assert state_of(back) == state_of(before)
        assert await found(m, "spare keys") == [OLD]
        (undo, *_) = (await m.list_changes()).changes
        assert undo.action == "undo"
        await m.undo_change(undo.id[-8:])
        again = await m.get_memory(one.id)
        assert ACTIONS[action](again) == ACTIONS[action](after)
        events = (await m.provenance.history(one.id)).events
        history = [event.action for event in events if isinstance(event, AuditEntry)]
        assert history.count("undo") == 2


async def test_a_wording_that_comes_back_has_its_own_date_and_the_one_undone_held_at_no_time(
    settings: Settings,
) -> None:
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        one = await m.remember(OLD, valid_from="2020-01-02")
        before = (await m.get_memory(one.id)).current
        await m.revise_memory(one.id, "correct", NEW)
        await m.undo_change()
        back, undone, first = (await m.get_memory(one.id)).versions
        assert (back.content, back.valid_from) == (OLD, before.valid_from)
        assert undone.valid_to == undone.valid_from
        assert (first.valid_from, first.valid_to) == (before.valid_from, undone.valid_from)
        assert (await m.search_memory("spare keys")).hits[0].source.at == to_iso(before.valid_from)
        for moment in ("2020-01-03", None):
            hits = (await m.search_memory("spare keys", as_of=moment)).hits
            assert [hit.text for hit in hits] == [OLD]
        await m.undo_change((await m.list_changes()).changes[0].id)
        again = (await m.get_memory(one.id)).current
        assert (again.content, again.valid_from) == (NEW, undone.valid_from)


async def found(m: Memoria, query: str) -> list[str]:
    return [hit.text for hit in (await m.search_memory(query)).hits if hit.kind == "memory"]


@pytest.mark.parametrize("action", ["restore", "unpin", "everywhere"])
async def test_what_was_itself_a_return_is_undone_too(settings: Settings, action: Revision) -> None:
    contrary: dict[str, Revision] = {"restore": "archive", "unpin": "pin", "everywhere": "project"}
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        one = await m.remember(OLD)
        before = await m.revise_memory(one.id, contrary[action])
        await m.revise_memory(one.id, action)
        await m.undo_change()
        assert state_of(await m.get_memory(one.id)) == state_of(before)
        await m.undo_change()  # and the change before that
        assert state_of(await m.get_memory(one.id)) != state_of(before)


@pytest.mark.parametrize(
    ("old", "new"), [("I live in Ghent", "I live in Oslo"), ("我住在北京", "我住在上海")]
)
async def test_what_a_statement_replaced_counts_again_when_the_statement_is_undone(
    settings: Settings, old: str, new: str
) -> None:
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        former = await m.remember(old)
        await m.remember(new, supersedes=former.id)
        await m.undo_change()
        active = [one.content for one in (await m.list_memories()).memories]
        assert (old in active, new in active) == (True, False)
        await m.undo_change((await m.list_changes()).changes[0].id)
        active = [one.content for one in (await m.list_memories()).memories]
        assert (old in active, new in active) == (False, True)


async def test_a_new_memory_is_archived_and_a_forget_put_back_within_its_grace(
    settings: Settings,
) -> None:
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        one = await m.remember(OLD)
        await m.forget_memory([one.id])
        forget = await m.undo_change()
        assert (forget.action, forget.is_undone) == ("forget", True)
        assert await found(m, "spare keys") == [OLD]
        assert (await m.undo_change()).action == "remember"
        assert (await m.get_memory(one.id)).validity == "archived"
        with pytest.raises(NotFoundError, match="nothing to undo"):
            await m.undo_change()


async def test_nothing_forgotten_comes_back_by_an_undo(home: Path) -> None:
    settings = Settings(home=home, embedder="off")
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        gone, reworded = await m.remember("The tent is green"), await m.remember(OLD)
        await m.revise_memory(gone.id, "archive")
        await m.revise_memory(reworded.id, "correct", NEW)
        said_again = await m.remember(OLD)
        assert said_again.id != reworded.id
        await m.forget_memory([gone.id, said_again.id])
        assert len((await m.get_memory(reworded.id)).versions) == 1
        changes = (await m.list_changes()).changes
        archive = next(one for one in changes if one.action == "archive")
        assert (archive.is_gone, archive.content) == (True, None)
        with pytest.raises(ForgottenError, match="forgotten since"):
            await m.undo_change(archive.id)
        correction = next(one for one in changes if one.action == "correct")
        assert (correction.is_gone, correction.former) == (True, None)
        with pytest.raises(ForgottenError, match="forgotten since"):
            await m.undo_change(correction.id)
        assert (await m.get_memory(reworded.id)).content == NEW
        assert await found(m, "green tent") == [NEW]


async def test_what_was_changed_again_since_is_left_as_it_is(settings: Settings) -> None:
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        one = await m.remember(OLD)
        await m.revise_memory(one.id, "correct", NEW)
        correction = (await m.list_changes()).changes[0]
        await m.revise_memory(one.id, "correct", "Nobody has spare keys")
        with pytest.raises(InvalidInputError, match="changed again since"):
            await m.undo_change(correction.id)
        await m.undo_change()
        await m.undo_change((await m.list_changes()).changes[0].id)
        assert (await m.get_memory(one.id)).content == "Nobody has spare keys"


async def test_several_changes_are_undone_one_after_the_other_back_to_the_first(
    settings: Settings,
) -> None:
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        one = await m.remember(OLD)
        await m.revise_memory(one.id, "correct", NEW)
        await m.revise_memory(one.id, "correct", "Nobody has spare keys")
        wordings = [
            ((await m.undo_change()).action, (await m.get_memory(one.id)).content) for _ in range(3)
        ]
        assert wordings == [("correct", NEW), ("correct", OLD), ("remember", OLD)]
        assert (await m.get_memory(one.id)).validity == "archived"


async def test_changes_of_other_projects_tenants_and_agents_are_not_undone(
    settings: Settings, home: Path
) -> None:
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        await m.remember("The build runs on Sundays", scope="project")
        await m.with_channel(AGENT).remember("The deck is varnished twice")
        assert len((await m.list_changes()).changes) == 1
    elsewhere = Settings(home=home, embedder="off", workspace="house")
    async with memoria.open(settings=elsewhere, channel=COMMAND_LINE) as m:
        assert not (await m.list_changes()).changes
    async with memoria.open(settings=settings, tenant="bob", channel=COMMAND_LINE) as m:
        with pytest.raises(NotFoundError):
            await m.undo_change()


async def test_a_memory_is_filed_as_another_type_and_an_undo_files_it_back(
    settings: Settings,
) -> None:
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        one = await m.remember(OLD, type="fact")
        before = await m.get_memory(one.id)
        now = await m.revise_memory(one.id, "type", "rule")
        assert (now.type, now.content, len(now.versions)) == (MemoryType.RULE, OLD, 1)
        assert (now.is_unchanged, now.validity) == (False, before.validity)
        assert [hit.id for hit in (await m.search_memory("spare keys", types=["rule"])).hits]
        assert (await m.revise_memory(one.id, "type", "rule")).is_unchanged
        await m.undo_change()
        assert (await m.get_memory(one.id)).type is MemoryType.FACT
        events = (await m.provenance.history(one.id)).events
        did = [(one.action, one.detail) for one in events if isinstance(one, AuditEntry)]
        assert ("describe", "type fact before") in did
        assert ("undo", "type") in did


@pytest.mark.parametrize("name", ["episode", "concept", "nonsense", None])
async def test_nothing_is_filed_as_what_nobody_may_state(
    settings: Settings, name: str | None
) -> None:
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        one = await m.remember(OLD, type="fact")
        with pytest.raises(InvalidInputError):
            await m.revise_memory(one.id, "type", name)
        assert (await m.get_memory(one.id)).type is MemoryType.FACT


async def test_an_agent_files_nothing_otherwise_that_the_user_has_confirmed(
    settings: Settings,
) -> None:
    async with memoria.open(settings=settings, channel=COMMAND_LINE) as m:
        one = await m.remember(OLD, type="fact")
        await m.revise_memory(one.id, "confirm")
        with pytest.raises(InvalidInputError, match="only they can"):
            await m.with_channel(AGENT).revise_memory(one.id, "type", "rule")
        assert (await m.get_memory(one.id)).type is MemoryType.FACT
