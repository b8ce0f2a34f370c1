"""What is kept without a type gets one by its wording, and its receipt asks what it replaces."""

from pathlib import Path

import pytest

import memoria
from memoria import Memoria
from memoria.config import Settings
from memoria.model import COMMAND_LINE, Channel, MemoryType, Trust

AGENT = Channel(name="mcp", trust=Trust.REPORTED)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("以后都用中文回答我", MemoryType.RULE),
        ("Never push to main without asking me", MemoryType.RULE),
        ("I prefer window seats on trains", MemoryType.PREFERENCE),
        ("The staging server listens on port 8081", MemoryType.FACT),
    ],
)
async def test_a_statement_without_a_type_gets_one_by_its_wording(
    memory: Memoria, words: str, kind: MemoryType
) -> None:
    kept = await memory.remember(words)
    assert (await memory.get_memory(kept.id)).type is kind
    assert kept.guessed_type == (None if kind is MemoryType.FACT else kind)


async def test_a_type_that_is_named_wins(memory: Memoria) -> None:
    kept = await memory.remember("以后都用中文回答我", type="fact")
    assert (await memory.get_memory(kept.id)).type is MemoryType.FACT
    assert kept.guessed_type is None


async def test_a_guessed_rule_is_reported_where_an_agent_keeps_it(memory: Memoria) -> None:
    kept = await memory.with_channel(AGENT).remember("Never push to main without asking me")
    found = await memory.get_memory(kept.id)
    assert found.current.provenance.trust is Trust.REPORTED
    assert not found.verified
    assert (await memory.with_channel(COMMAND_LINE).remember("Always run the linter")).id


async def test_a_receipt_asks_what_a_statement_replaces_and_both_stand_unanswered(
    memory: Memoria,
) -> None:
    old = await memory.remember("The nightly backup of the wiki goes to the Hetzner box")
    await memory.wait_until_idle(60)
    new = await memory.remember("The nightly backup of the wiki goes to the Backblaze bucket")
    assert new.may_replace is not None
    assert new.may_replace.id == old.id
    assert (await memory.get_memory(old.id)).validity == "active"
    answered = await memory.remember(new.content, supersedes=old.id)
    assert answered.id == new.id
    assert (await memory.get_memory(old.id)).validity == "superseded"


async def test_of_what_has_nothing_to_do_with_it_nobody_is_asked(memory: Memoria) -> None:
    await memory.remember("The nightly backup of the wiki goes to the Hetzner box")
    assert (await memory.remember("Ada plays the cello on Tuesdays")).may_replace is None


async def test_of_memories_that_share_as_many_words_the_newest_is_asked_about(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        await m.remember("my real name is Josip and I live in Split")
        newest = await m.remember("I live in Zadar now, not in Split")
        await m.remember("My cat sleeps in the garage")
        asked = (await m.remember("I live in Rijeka")).may_replace
    assert asked is not None
    assert asked.id == newest.id


async def test_a_question_that_is_answered_makes_one_change_that_is_undone_at_once(
    memory: Memoria,
) -> None:
    person = memory.with_channel(COMMAND_LINE)
    old = await person.remember("The spare keys hang in the hall")
    new = await person.remember("The spare keys hang in the shed")
    (asked, _) = (await person.list_changes()).changes
    await person.remember(new.content, supersedes=old.id)
    answered, first = (await person.list_changes()).changes
    assert (answered.memory_id, answered.others, first.memory_id) == (new.id, (old.id,), old.id)
    assert answered.id == asked.id
    await person.undo_change()
    assert (await person.get_memory(old.id)).validity == "active"
    assert (await person.get_memory(new.id)).validity == "archived"
    await person.undo_change((await person.list_changes()).changes[0].id)
    assert (await person.get_memory(old.id)).validity == "superseded"
    assert (await person.get_memory(new.id)).validity == "active"
