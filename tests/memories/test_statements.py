"""Explicit memories: kept once, corrected without losing what was, and traceable."""

import pytest

from memoria import Memoria
from memoria.errors import InvalidInputError, NotFoundError
from memoria.model import COMMAND_LINE, Channel, Trust, Validity

AGENT = Channel(name="mcp", trust=Trust.REPORTED, client="some-agent")


async def test_a_statement_is_found_in_the_next_call(memory: Memoria) -> None:
    kept = await memory.remember("The release checklist lives in docs/release.md")
    found = await memory.search_memory("release checklist")
    assert [hit.id for hit in found.hits] == [kept.id]


async def test_the_same_statement_again_is_the_same_memory(memory: Memoria) -> None:
    first = await memory.remember("I prefer tea")
    second = await memory.remember("  i  PREFER tea ")
    assert (second.id, second.status) == (first.id, "already_known")
    assert (await memory.statistics()).memories == {"active": 1}


async def test_a_correction_comes_first_and_the_old_wording_keeps_its_window(
    memory: Memoria,
) -> None:
    kept = await memory.remember("The API runs on port 8080", valid_from="2026-03-01T00:00:00Z")
    corrected = await memory.revise_memory(kept.id, "correct", "The API runs on port 9090")
    new, old = corrected.versions
    assert (new.version, new.valid_to) == (2, None)
    assert (old.content, old.valid_to) == ("The API runs on port 8080", new.valid_from)
    found = await memory.search_memory("API port")
    assert [hit.text for hit in found.hits] == ["The API runs on port 9090"]
    assert found.hidden == 1
    everything = await memory.search_memory("API port", include_history=True)
    assert {(hit.text, hit.validity) for hit in everything.hits} == {
        ("The API runs on port 9090", Validity.ACTIVE),
        ("The API runs on port 8080", Validity.SUPERSEDED),
    }


async def test_an_archived_memory_is_hidden_and_comes_back(memory: Memoria) -> None:
    kept = await memory.remember("Stand-up is at 09:45")
    await memory.wait_until_idle(60)
    await memory.revise_memory(kept.id, "archive")
    assert (await memory.search_memory("stand-up")).hits == ()
    assert (await memory.get_memory(kept.id)).validity is Validity.ARCHIVED
    await memory.revise_memory(kept.id, "restore")
    assert [hit.id for hit in (await memory.search_memory("stand-up")).hits] == [kept.id]


async def test_remembering_something_archived_restores_it(memory: Memoria) -> None:
    kept = await memory.remember("Stand-up is at 09:45")
    await memory.revise_memory(kept.id, "archive")
    again = await memory.remember("Stand-up is at 09:45")
    assert (again.id, again.status) == (kept.id, "restored")


async def test_correcting_something_archived_makes_it_hold_again(memory: Memoria) -> None:
    kept = await memory.remember("Stand-up is at 09:45")
    await memory.revise_memory(kept.id, "archive")
    corrected = await memory.revise_memory(kept.id, "correct", "Stand-up is at 10:00")
    assert corrected.validity is Validity.ACTIVE
    assert [hit.text for hit in (await memory.search_memory("stand-up")).hits] == [
        "Stand-up is at 10:00"
    ]


async def test_pins_and_votes_move_the_rank(memory: Memoria) -> None:
    plain = await memory.remember("The blue backup disk holds the photos")
    favoured = await memory.remember("The blue backup disk holds the letters")
    await memory.revise_memory(favoured.id, "pin")
    for _ in range(3):
        await memory.revise_memory(favoured.id, "upvote")
        await memory.revise_memory(plain.id, "downvote")
    hits = (await memory.search_memory("blue backup disk")).hits
    assert [hit.id for hit in hits] == [favoured.id, plain.id]
    known = await memory.get_memory(favoured.id)
    assert (known.pinned, known.upvotes, known.downvotes) == (True, 3, 0)
    unpinned = await memory.revise_memory(favoured.id, "unpin")
    assert not unpinned.pinned


async def test_only_a_channel_of_the_users_own_verifies(memory: Memoria) -> None:
    agent, person = memory.with_channel(AGENT), memory.with_channel(COMMAND_LINE)
    reported = await agent.remember("Deploys happen on Tuesdays")
    typed = await person.remember("Reviews happen on Mondays")
    assert not (await agent.revise_memory(reported.id, "confirm")).verified
    assert (await memory.get_memory(typed.id)).verified
    assert (await person.revise_memory(reported.id, "confirm")).verified
    corrected = await agent.revise_memory(reported.id, "correct", "Deploys happen on Wednesdays")
    assert not corrected.verified


async def test_every_memory_names_where_it_came_from(memory: Memoria) -> None:
    receipt = await memory.record_conversation(
        [{"role": "user", "session_id": "s", "message_id": "m7", "content": "我对花生过敏"}]
    )
    kept = await memory.with_channel(AGENT).remember("用户对花生过敏", turn_id=receipt.turns[0].id)
    origin = (await memory.get_memory(kept.id)).current.provenance
    assert (origin.session_id, origin.message_id, origin.turn_index) == ("s", "m7", 0)
    assert (origin.channel, origin.client, origin.trust) == ("mcp", "some-agent", Trust.REPORTED)
    (hit,) = (await memory.search_memory("花生过敏", types=["fact"])).hits
    assert hit.source.turn_id == receipt.turns[0].id


async def test_a_secret_in_a_statement_is_redacted(memory: Memoria) -> None:
    kept = await memory.remember("The deploy key is AKIA" + "IOSFODNN7EXAMPLE")
    assert "AKIA" not in kept.content
    assert sum(kept.redactions.values()) == 1


@pytest.mark.parametrize(
    ("content", "arguments", "complaint"),
    [
        ("   ", {}, "nothing to remember"),
        ("<private>x</private>", {}, "nothing to remember"),
        ("x" * 4001, {}, "at most 4,000 characters"),
        ("x" * 50_000_000, {}, "at most 4,000 characters"),
        ("x", {"importance": 2}, "importance is 2"),
        ("x", {"type": "opinion"}, "type: 'opinion' is not one of fact, preference"),
        ("x", {"valid_from": "soon"}, "valid_from: 'soon' is not a date"),
    ],
)
async def test_what_cannot_be_remembered_is_refused_with_a_reason(
    memory: Memoria, content: str, arguments: dict[str, object], complaint: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        await memory.remember(content, **arguments)  # type: ignore[arg-type]
    assert complaint in str(caught.value)
    assert (await memory.statistics()).memories == {}


async def test_a_revision_that_makes_no_sense_is_refused(memory: Memoria) -> None:
    kept = await memory.remember("I prefer tea")
    with pytest.raises(InvalidInputError, match="content is the new wording"):
        await memory.revise_memory(kept.id, "correct")
    with pytest.raises(InvalidInputError, match="content is the new wording"):
        await memory.revise_memory(kept.id, "pin", "I prefer coffee")
    with pytest.raises(InvalidInputError, match="nothing to do"):
        await memory.revise_memory(kept.id, "correct", "I prefer tea")


async def test_an_unknown_id_says_how_to_find_one(memory: Memoria) -> None:
    with pytest.raises(NotFoundError, match="search_memory"):
        await memory.revise_memory("nope", "pin")
    with pytest.raises(NotFoundError, match="search_memory"):
        await memory.get_memory("nope")
    with pytest.raises(NotFoundError, match="search_conversation_traces"):
        await memory.get_turn("nope")
    with pytest.raises(NotFoundError, match="search_conversation_traces"):
        await memory.remember("x", turn_id="nope")


async def test_a_correction_cannot_hold_before_what_it_corrects_or_after_today(
    memory: Memoria,
) -> None:
    kept = await memory.remember("Cy uses vim", valid_from="2020-01-01")
    for when in ("2010-01-01", "2099-01-01"):
        with pytest.raises(InvalidInputError, match="valid_from must lie between"):
            await memory.revise_memory(kept.id, "correct", "Cy uses emacs", valid_from=when)


async def test_a_correction_into_what_another_memory_says_is_refused(memory: Memoria) -> None:
    nurse = await memory.remember("Ann is a nurse")
    doctor = await memory.remember("Ann is a doctor")
    with pytest.raises(InvalidInputError, match=nurse.id):
        await memory.revise_memory(doctor.id, "correct", "Ann is a nurse")


async def test_an_unknown_action_is_refused_and_leaves_no_trace(memory: Memoria) -> None:
    kept = await memory.remember("I prefer tea")
    with pytest.raises(InvalidInputError, match="'correct', 'confirm'"):
        await memory.revise_memory(kept.id, "frobnicate")  # type: ignore[arg-type]
