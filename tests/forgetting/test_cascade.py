"""What rests on what is forgotten goes with it, whatever its type, and so do its details."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from tests.forgetting.checker import read_tables
from tests.forgetting.histories import retype
from tests.forgetting.remains import remaining, remains
from tests.ingest.play import add, by_model, entries, memories, opened, reader, said
from tests.llm.scripted import ScriptedModel, fails

from memoria import Memoria
from memoria.app import nightly
from memoria.erasure.verify import verify
from memoria.errors import ForgottenError
from memoria.memories.links import link_contradictions
from memoria.model import COMMAND_LINE, MemoryType, Validity, now_millis

WORD = "zanzibar4711"
TURN = f"Well, the combination of my locker is {WORD}, as you know."
CONCLUSION = f"Locker code: {WORD}"


@pytest.fixture
async def concluding(home: Path, model: ScriptedModel) -> AsyncIterator[Memoria]:
    """A memory in which a model draws the same conclusion from every turn with the word."""
    model.answer = reader(
        lambda n, _who, text, _known: [add(WORD, n, CONCLUSION)] if WORD in text else []
    )
    async with opened(home, model) as m:
        yield m


def of_the_door(n: int, text: str) -> list[dict[str, Any]]:
    """A second conclusion from a turn: forgetting it erases the turn under the first."""
    return [add("red", n, "The door is red", predicate="door")] if "red" in text else []


@pytest.mark.parametrize("kind", sorted(MemoryType))
async def test_a_conclusion_of_any_type_goes_with_the_only_turn_it_was_drawn_from(
    concluding: Memoria, home: Path, kind: MemoryType
) -> None:
    await said(concluding, TURN)
    (conclusion,) = await memories(concluding)
    retype(concluding, conclusion, kind)
    (turn,) = (await concluding.get_session("s")).turns
    await concluding.forget_memory([turn.id], include_source=True)
    assert await memories(concluding) == []
    assert remains(home, WORD) == set()


async def test_a_conclusion_of_two_turns_stays_with_one_of_them_and_goes_with_both(
    home: Path, model: ScriptedModel
) -> None:
    def reads(n: int, _who: str, text: str, _known: list[dict[str, Any]]) -> list[dict[str, Any]]:
        found = [add(WORD, n, CONCLUSION)] if WORD in text else []
        return found + of_the_door(n, text)

    model.answer = reader(reads)
    async with opened(home, model) as m:
        await said(m, f"{TURN} And the door is red.", session="first")
        await said(m, f"Once more, {WORD} opens my locker.", session="second")
        (door,) = [one for one in await memories(m) if "door" in one.content]
        await m.forget_memory([door.id], include_source=True)
        (conclusion,) = await memories(m)
        assert conclusion.content == CONCLUSION
        (turn,) = (await m.get_session("second")).turns
        await m.forget_memory([turn.id], include_source=True)
        assert await memories(m) == []
    assert remains(home, WORD) == set()


async def test_an_edited_messages_former_text_takes_its_conclusion_along(
    concluding: Memoria, home: Path
) -> None:
    message = {"role": "user", "message_id": "m", "session_id": "s"}
    await concluding.record_conversation([{**message, "content": TURN}], "session_end")
    await concluding.wait_until_idle(60)
    edited = {**message, "content": "Well, forget what I wrote about the locker, please."}
    await concluding.record_conversation([edited], "session_end")
    await concluding.wait_until_idle(60)
    (turn,) = (await concluding.get_session("s")).turns
    assert turn.content == edited["content"]
    await concluding.forget_memory([turn.id], include_source=True)
    assert await memories(concluding) == []
    assert remains(home, WORD) == set()


async def test_a_former_wording_goes_with_the_turn_it_was_concluded_from(
    home: Path, model: ScriptedModel
) -> None:
    """The memory stays: what it says now was concluded from another turn."""

    def reads(n: int, _who: str, text: str, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if "Lyon" in text:
            old = next(one["id"] for one in known if "Home" in one["content"])
            change = {"op": "UPDATE", "id": old, "reason": "change"}
            return [{**change, "content": "Home is Lyon", "quote": "live in Lyon", "turn": n}]
        if "Xylophonia" in text:
            place = add("live in Xylophonia", n, "Home is Xylophonia", predicate="home")
            return [place, *of_the_door(n, text)]
        return []

    model.answer = reader(reads)
    async with opened(home, model) as m:
        await said(m, "I live in Xylophonia, behind a red door as it were.", session="old")
        await said(m, "Since this summer I live in Lyon, by the way.", session="new")
        (door,) = [one for one in await memories(m) if "door" in one.content]
        await m.forget_memory([door.id], include_source=True)
        (memory,) = await by_model(m)
    assert [version.content for version in memory.versions] == ["Home is Lyon"]
    assert remains(home, "Xylophonia") == set()


def moves(n: int, _who: str, text: str, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a model reads of somebody who lives in Xylophonia and moves to Lyon, and of doors."""
    if "Lyon" in text:
        old = next(one["id"] for one in known if "Home" in one["content"])
        change = {"op": "UPDATE", "id": old, "reason": "change", "turn": n}
        return [{**change, "content": "Home is Lyon", "quote": "Lyon"}, *of_the_door(n, text)]
    home = add("Xylophonia", n, "Home is Xylophonia", predicate="home")
    gate = [add("green", n, "The gate is green", predicate="gate")] if "green" in text else []
    return [*([home] if "Xylophonia" in text else ()), *of_the_door(n, text), *gate]


async def erase_turn_of(m: Memoria, content: str) -> None:
    """Forget another conclusion of a turn together with the turn."""
    (memory,) = [one for one in await memories(m) if one.content == content]
    await m.forget_memory([memory.id], include_source=True)


async def test_a_wording_whose_turn_is_erased_is_cited_from_one_that_bears_it_out_now_and_later(
    home: Path, model: ScriptedModel
) -> None:
    model.answer = reader(moves)
    async with opened(home, model) as m:
        await said(m, "I live in Xylophonia, behind a red door as it were.", session="first")
        await said(m, "Here in Xylophonia it rains, on a green gate too.", session="second")
        (second,) = (await m.get_session("second")).turns
        await erase_turn_of(m, "The door is red")
        (memory,) = [one for one in await memories(m) if "Home" in one.content]
        origin = memory.current.provenance
        assert (origin.turn_id, origin.quote) == (second.id, "Xylophonia")
        assert memory.evidence == 1
        await said(m, "Since this summer I live in Lyon, by the way.", session="third")
        assert verify(m._store) == {}  # noqa: SLF001
        (memory,) = [one for one in await memories(m) if "Home" in one.content]
        assert [one.content for one in memory.versions] == ["Home is Lyon", "Home is Xylophonia"]
        assert memory.versions[-1].provenance.turn_id == second.id
        await erase_turn_of(m, "The gate is green")
        (memory,) = await by_model(m)
        assert [one.content for one in memory.versions] == ["Home is Lyon"]
    assert remains(home, "Xylophonia") == set()


async def test_what_bears_out_a_former_wording_keeps_none_that_came_after(
    home: Path, model: ScriptedModel
) -> None:
    """Turns that say only the former one are no sources of what is forgotten, and stay."""
    model.answer = reader(moves)
    async with opened(home, model) as m:
        await said(m, "So, this is Xylophonia at last.", session="first")
        await said(m, "Here in Xylophonia it rains.", session="second")
        await said(m, "Now it is Lyon, behind a red door.", session="third")
        await erase_turn_of(m, "The door is red")
        assert await memories(m) == []
        for session in ("first", "second"):
            assert "Xylophonia" in (await m.get_session(session)).turns[0].content
    assert remains(home, "Lyon") == set()


async def test_a_queue_entry_goes_with_the_last_turn_of_its_span(
    home: Path, model: ScriptedModel
) -> None:
    model.answer = lambda _: fails(500)
    async with opened(home, model, llm_attempts=1) as m:
        await said(m, TURN)
        waiting = [entry for entry in await entries(m) if entry.state == "waiting"]
        assert waiting
        (turn,) = (await m.get_session("s")).turns
        await m.forget_memory([turn.id])
        assert [entry.state for entry in await entries(m)] == ["waiting"]
        await m.forget_memory([turn.id], include_source=True)
        assert [entry.state for entry in await entries(m)] == ["dropped"]


async def test_a_link_to_somebody_whom_only_an_erased_turn_named_goes_with_it(
    home: Path, model: ScriptedModel
) -> None:
    """Others still speak of her, so she stays; the memory no longer does."""
    nora = [{"name": "Nora", "kind": "person"}]

    def reads(n: int, _who: str, text: str, _known: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if "nine" in text:
            ferry = add("at nine", n, "The ferry leaves at nine", predicate="ferry", entities=nora)
            return [ferry, *of_the_door(n, text)]
        return [add("Nora", n, "Nora paints", predicate="art", entities=nora)]

    model.answer = reader(reads)
    async with opened(home, model) as m:
        await said(m, "Nora came over to paint again.", session="art")
        await said(m, "Her ferry leaves at nine, and the door is red.", session="first")
        await said(m, "It really leaves at nine in the morning.", session="second")
        door = next(one for one in await memories(m) if "door" in one.content)
        await m.forget_memory([door.id], include_source=True)
        left = [one.content for one in await by_model(m)]
    assert sorted(left) == ["Nora paints", "The ferry leaves at nine"]
    tables = read_tables(home)
    (ferry,) = [row["n"] for row in tables["memories"] if row["predicate"] == "ferry"]
    (node,) = [row["n"] for row in tables["nodes"] if row["memory_n"] == ferry]
    (entity,) = [row["entity_n"] for row in tables["entity_names"] if row["name"] == "Nora"]
    assert not [e for e in tables["edges"] if (e["src_n"], e["dst_n"]) == (node, entity)]


STATED, CORRECTED = "The user's locker code is 4711", "The user's locker code is zanzibar8822"


async def propose(m: Memoria) -> tuple[str, str]:
    """A memory that the user has stated, and a correction of an agent's that waits for them."""
    stated = await m.with_channel(COMMAND_LINE).remember(STATED)
    waiting = await m.revise_memory(stated.id, "correct", content=CORRECTED)
    assert waiting.id != stated.id
    assert waiting.validity is Validity.PENDING_CONFIRMATION
    return stated.id, waiting.id


async def test_a_correction_that_waits_is_named_and_forgotten_with_what_it_corrects(
    memory: Memoria, home: Path
) -> None:
    stated, waiting = await propose(memory)
    preview = await memory.preview_forget([stated])
    assert [(item.kind, item.id, item.text) for item in preview.items] == [
        ("memory", stated, STATED),
        ("correction", waiting, CORRECTED),
    ]
    await memory.forget_memory([stated], token=preview.token)
    assert remains(home, "zanzibar8822") == set()
    assert verify(memory._store) == {}  # noqa: SLF001


async def test_what_a_forgotten_correction_said_may_be_said_again(memory: Memoria) -> None:
    stated, _ = await propose(memory)
    await memory.forget_memory([stated])
    assert (await memory.remember(CORRECTED)).content == CORRECTED


async def test_a_correction_that_waits_can_be_kept(memory: Memoria) -> None:
    stated, waiting = await propose(memory)
    await memory.forget_memory([stated], keep=[waiting])
    kept = await memory.get_memory(waiting)
    assert (kept.content, kept.validity) == (CORRECTED, Validity.PENDING_CONFIRMATION)


async def test_a_correction_that_a_turn_says_stays_with_the_turn(memory: Memoria) -> None:
    stated = await memory.with_channel(COMMAND_LINE).remember(STATED)
    receipt = await memory.record_conversation([{"role": "assistant", "content": CORRECTED}])
    (turn,) = receipt.turns
    waiting = await memory.revise_memory(stated.id, "correct", content=CORRECTED, turn_id=turn.id)
    await memory.forget_memory([stated.id])
    assert (await memory.get_memory(waiting.id)).content == CORRECTED


async def test_all_corrections_that_wait_go_with_what_they_correct(
    memory: Memoria, home: Path
) -> None:
    stated, first = await propose(memory)
    second = await memory.revise_memory(stated, "correct", content=CORRECTED.replace("8822", "55"))
    preview = await memory.preview_forget([stated])
    assert [item.id for item in preview.items] == [stated, first, second.id]
    await memory.forget_memory([stated], token=preview.token)
    assert remains(home, "zanzibar") == set()


async def test_a_correction_that_was_put_aside_goes_too(memory: Memoria, home: Path) -> None:
    stated, waiting = await propose(memory)
    await memory.revise_memory(waiting, "archive")
    await memory.forget_memory([stated])
    assert remains(home, "zanzibar8822") == set()


async def test_what_the_user_confirmed_and_put_aside_stays(memory: Memoria) -> None:
    stated, waiting = await propose(memory)
    user = memory.with_channel(COMMAND_LINE)
    for action in ("confirm", "archive"):
        await user.revise_memory(waiting, action)
    await memory.forget_memory([stated])
    assert (await memory.get_memory(waiting)).content == CORRECTED


async def test_what_was_linked_before_it_was_corrected_takes_the_correction_along(
    memory: Memoria, home: Path
) -> None:
    stated = await memory.with_channel(COMMAND_LINE).remember("Mira Holm lives in Ghent")
    await memory.wait_until_idle()
    await memory.revise_memory(stated.id, "correct", content="Mira Holm lives in Zanzibar")
    await memory.forget_memory([stated.id])
    assert remains(home, "zanzibar") == set()


async def test_a_correction_goes_with_a_memory_that_goes_with_its_turn(
    memory: Memoria, home: Path
) -> None:
    receipt = await memory.record_conversation([{"role": "user", "content": f"Remember: {STATED}"}])
    (turn,) = receipt.turns
    stated = await memory.with_channel(COMMAND_LINE).remember(STATED, turn_id=turn.id)
    await memory.with_channel(COMMAND_LINE).revise_memory(stated.id, "confirm")
    await memory.revise_memory(stated.id, "correct", content=CORRECTED)
    await memory.forget_memory([turn.id], include_source=True)
    assert remains(home, "zanzibar8822") == remains(home, "4711") == set()


@pytest.mark.parametrize("other", ["The user rents a locker", "Locker 4711 is broken"])
async def test_a_correction_that_contradicts_what_stays_stays_with_it(
    memory: Memoria, other: str
) -> None:
    stated, waiting = await propose(memory)
    staying = await memory.with_channel(COMMAND_LINE).remember(other)
    with memory._store.write(memory.settings.tenant) as tx:  # noqa: SLF001
        proposal = tx.memories.get(waiting)
        assert proposal is not None
        link_contradictions(tx, proposal, [staying.id], now=now_millis())
    await memory.forget_memory([stated])
    assert (await memory.get_memory(waiting)).content == CORRECTED


FORGOTTEN = "The combination of the vault is zanzibar4711"


async def test_task_subject_and_names_that_were_stated_go_with_their_memory(
    m: Memoria, home: Path
) -> None:
    kept = await m.remember(
        "They marry in June", type="fact", subject="Zebulon", task="plan for zorilla",
        entities=["Quagga", {"name": "Numbat", "kind": "place", "aliases": ["Thylacine"]}],
    )  # fmt: skip
    nightly.run_nightly(m.settings)
    words = ("zebulon", "zorilla", "quagga", "numbat", "thylacine")
    assert remaining(home, words) == set(words)
    await m.forget_memory([kept.id])
    assert remaining(home, words) == set()


@pytest.mark.parametrize("field", ["subject", "task", "entities"])
async def test_what_was_forgotten_comes_back_in_no_detail_of_a_statement(
    m: Memoria, home: Path, field: str
) -> None:
    kept = await m.remember(FORGOTTEN)
    await m.forget_memory([kept.id])
    given: dict[str, Any] = {field: [FORGOTTEN] if field == "entities" else FORGOTTEN}
    with pytest.raises(ForgottenError):
        await m.remember("The bank closes at noon", **given)
    assert remains(home, WORD) == set()


async def test_what_was_forgotten_comes_back_in_no_detail_that_a_model_proposes(
    m: Memoria, home: Path, model: ScriptedModel
) -> None:
    kept = await m.remember(FORGOTTEN)
    await m.forget_memory([kept.id])
    model.answer = reader(
        lambda n, _who, _text, _known: [
            add(
                "at noon",
                n,
                "The bank closes at noon",
                task=FORGOTTEN,
                subject="bank",
                predicate="x",
            ),
            add("bank", n, "The bank is old", subject=FORGOTTEN, predicate="age"),
            add("closes", n, "Banks close", subject="banks", predicate=FORGOTTEN),
        ]
    )
    await said(m, "As you know the bank closes at noon.")
    (entry,) = await entries(m)
    assert (entry.state, entry.outcome) == ("done", "rejected: forgotten 3")
    assert remains(home, WORD) == set()


async def test_a_subject_that_only_an_erased_turn_named_goes_with_it(
    m: Memoria, home: Path, model: ScriptedModel
) -> None:
    """The conclusion stays, for another turn bears it out."""

    def reads(n: int, _who: str, text: str, _known: list[dict[str, Any]]) -> list[dict[str, Any]]:
        door = [add("red", n, "The door is red", predicate="door")] if "red" in text else []
        what = {"subject": "Zebulon", "predicate": "ferry", "task": "trip of the zorilla"}
        return [add("at nine", n, "The ferry leaves at nine", **what), *door]

    model.answer = reader(reads)
    first = "Zebulon and the trip of the zorilla: the ferry leaves at nine. And the door is red."
    await said(m, first, session="first")
    await said(m, "It really leaves at nine in the morning.", session="second")
    (door,) = [one for one in await memories(m) if "door" in one.content]
    await m.forget_memory([door.id], include_source=True)
    (ferry,) = await memories(m)
    assert ferry.content == "The ferry leaves at nine"
    assert remaining(home, ["zebulon", "zorilla"]) == set()


async def test_a_turn_whose_words_were_forgotten_is_not_among_the_last_turns(m: Memoria) -> None:
    await said(
        m, "Hello there.", FORGOTTEN, ("assistant", f"Noted. {FORGOTTEN}."), "And what is new?"
    )
    kept = await m.remember(FORGOTTEN)
    assert WORD in (await m.build_context("what is new", session_id="s")).text
    await m.forget_memory([kept.id])
    package = await m.build_context("what is new", session_id="s")
    assert "Hello there." in package.last_turns
    assert WORD not in package.text


async def test_names_are_kept_under_the_rules_for_personal_data(
    home: Path, model: ScriptedModel
) -> None:
    async with opened(home, model, personal_data="email=mask") as m:
        await m.remember("She answers on Mondays", entities=["anna@example.org", "Anna"])
    assert remaining(home, ["anna@example.org", "anna"]) == {"anna"}
