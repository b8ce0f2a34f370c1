"""What a chat model proposes to change takes effect, with an end of its own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.ingest.play import add, answers, by_model, known_in, log, memories, opened, reader
from tests.ingest.test_second_look import asked_for, finds, lines
from tests.llm.scripted import Asked, ScriptedModel

import memoria
from memoria import Memoria, Settings
from memoria.model import COMMAND_LINE, Edge, EdgeType, Memory, Node, Validity, from_millis
from memoria.model.provenance import EntityRecord
from memoria.store.values import Filters

MONDAY = "2026-03-02T12:00:00+00:00"
SATURDAY = "2026-03-07T12:00:00+00:00"
LATER = "2026-03-09T12:00:00+00:00"
WORDS = {
    "less": (
        "I take aspirin and metformin every day.",
        "Every morning at breakfast the user takes aspirin and metformin with plenty of water.",
        "I've stopped taking the aspirin.",
        "Every morning at breakfast the user takes metformin with plenty of water.",
    ),
    "more": (
        "I'm allergic to shellfish of all kinds.",
        "The user is seriously allergic to shellfish and carries an adrenaline pen.",
        "It turns out I'm allergic to penicillin, too.",
        "The user is seriously allergic to shellfish and penicillin and carries an adrenaline pen.",
    ),
    "少": (
        "我每天早饭时吃二甲双胍和一片药。",
        "用户每天早上吃早饭的时候都要用一大杯温水送服二甲双胍和一片药。",
        "那片药我已经不吃了。",
        "用户每天早上吃早饭的时候都要用一大杯温水送服二甲双胍。",
    ),
    "多": (
        "我对贝类过敏很严重。",
        "用户从小就对贝类严重过敏而且随身带着肾上腺素笔。",
        "原来我对鱼也过敏。",
        "用户从小就对贝类和鱼严重过敏而且随身带着肾上腺素笔。",
    ),
}
AWAY = {
    "en": (
        "I'm in Oslo until Friday, for work.",
        "until Friday",
        "The user is in Oslo.",
        "I'm back home in Rotterdam.",
        "The user is at home in Rotterdam.",
        "until next Wednesday",
    ),
    "zh": (
        "我到周五都在奥斯陆出差。",
        "到周五",
        "用户在奥斯陆。",
        "我已经回到鹿特丹的家了。",
        "用户在鹿特丹的家里。",
        "到下周三",
    ),
}

GUESSES = {
    "en": (
        "I live in Oslo, by the harbour.",
        "The user lives in Oslo.",
        "You seem to live in Bergen.",
        "The user lives in Bergen.",
        "Bergen",
    ),
    "zh": (
        "我住在奥斯陆的港口边。",
        "用户住在奥斯陆。",
        "您好像住在卑尔根。",
        "用户住在卑尔根。",
        "卑尔根",
    ),
}
EVERYTHING = Filters(everywhere=True, include_history=True, include_processed=True)


async def told(m: Memoria, words: str, at: str, session: str = "s", role: str = "user") -> None:
    """Record a turn that was said at a time, and wait until it has been read."""
    turn = {"role": role, "content": words, "at": at}
    await m.record_conversation([turn], "session_end", session_id=session)
    await m.wait_until_idle(60)


def adds_and_updates(first: dict[str, Any], change: dict[str, Any]) -> Callable[[Asked], object]:
    """A model that writes a memory when it reads the first turn, and updates it by the second.

    Args:
        first: fields of the addition; its quote says which turn it is.
        change: fields of the update, likewise.
    """

    def found(n: int, _: str, text: str, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if first["quote"] in text:
            return [add(turn=n, **first)]
        if change["quote"] in text and known:
            return [{"op": "UPDATE", "reason": "change", **change, "id": known[0]["id"], "turn": n}]
        return []

    return answers(extract=reader(found))


def edges(m: Memoria, memory: Memory) -> list[Edge]:
    """Every edge of a memory."""
    with m._store.read(m.tenant) as tx:  # noqa: SLF001  (no face shows all of them)
        return tx.graph.list_edges(Node("memory", memory.id), EVERYTHING)


async def shown(m: Memoria, question: str) -> list[str]:
    return [hit.text for hit in (await m.search_memory(question)).hits if hit.kind == "memory"]


@pytest.mark.parametrize("case", sorted(WORDS))
@pytest.mark.parametrize("reason", ["change", "detail", "correction"])
async def test_an_update_by_one_word_more_or_less_is_applied(
    m: Memoria, model: ScriptedModel, case: str, reason: str
) -> None:
    before, was, after, now = WORDS[case]
    model.answer = adds_and_updates(
        {"quote": before, "content": was}, {"quote": after, "content": now, "reason": reason}
    )
    await told(m, before, MONDAY)
    await told(m, after, SATURDAY, "t")
    told_of = [one for one in await memories(m) if one.validity is Validity.ACTIVE]
    assert [one.content for one in told_of] == [now]
    assert [version.content for version in told_of[0].versions] == [now, was]
    assert (await shown(m, now))[0] == now


@pytest.mark.parametrize("case", sorted(WORDS))
async def test_an_update_that_says_the_same_is_evidence(
    m: Memoria, model: ScriptedModel, case: str
) -> None:
    before, was, after, _ = WORDS[case]
    again = was.rstrip(".。") + "!"
    model.answer = adds_and_updates(
        {"quote": before, "content": was}, {"quote": after, "content": again}
    )
    await told(m, before, MONDAY)
    await told(m, after, SATURDAY, "t")
    (memory,) = [one for one in await memories(m) if one.validity is Validity.ACTIVE]
    assert (memory.content, len(memory.versions), memory.evidence) == (was, 1, 2)


def ends(memory: Memory) -> str | None:
    return None if memory.expires_at is None else from_millis(memory.expires_at).isoformat()


@pytest.mark.parametrize("language", sorted(AWAY))
async def test_an_update_does_not_inherit_the_end_of_what_it_replaces(
    m: Memoria, model: ScriptedModel, language: str
) -> None:
    before, until, was, after, now, _ = AWAY[language]
    model.answer = adds_and_updates(
        {"quote": before, "content": was, "until": until}, {"quote": after, "content": now}
    )
    await told(m, before, MONDAY)
    (memory,) = await by_model(m)
    assert ends(memory) == "2026-03-07T00:00:00+00:00"
    await told(m, after, LATER, "t")
    (memory,) = await by_model(m)
    assert (memory.content, ends(memory)) == (now, None)
    assert await shown(m, now) == [now]


@pytest.mark.parametrize("language", sorted(AWAY))
async def test_an_update_has_an_end_of_its_own_where_one_was_named(
    home: Path, model: ScriptedModel, language: str
) -> None:
    before, until, was, after, now, later = AWAY[language]
    model.answer = adds_and_updates(
        {"quote": before, "content": was, "until": until},
        {"quote": after, "content": now, "until": later},
    )
    async with opened(home, model) as m:
        await told(m, before, MONDAY)
        await told(m, after, SATURDAY, "t")
        (memory,) = await by_model(m)
    (known,) = known_in(asked_for(model, "extract")[-1])
    assert known["until"] == "2026-03-06"  # the last day, as it is said
    expected = {"en": "2026-03-12T00:00:00+00:00", "zh": "2026-03-12T00:00:00+00:00"}
    assert (memory.content, ends(memory)) == (now, expected[language])


async def test_an_update_has_a_duration_of_its_own(home: Path, model: ScriptedModel) -> None:
    before, until, was, after, now, _ = AWAY["en"]
    model.answer = adds_and_updates(
        {"quote": before, "content": was, "until": until},
        {"quote": after, "content": now, "duration": "7d", "until": "for as long as it takes"},
    )
    async with opened(home, model) as m:
        await told(m, before, MONDAY)
        await told(m, after, SATURDAY, "t")
        (memory,) = await by_model(m)
    assert (memory.content, ends(memory)) == (now, "2026-03-14T12:00:00+00:00")


STATED_ENDS = [
    ("rule", "Nothing under pricing/ may be touched, as Tobias is away until 5 May 2026.", "05-06"),
    ("rule", "到2026年5月5日为止不要改动pricing目录。", "05-06"),
    ("rule", "Nothing under pricing/ may be touched after 5 May 2026.", None),
    ("rule", "Up to 5 February 2026 prices had floats; they are whole øre.", None),
    ("rule", "From 1 April 2026 until 5 May 2026 two people review each change.", None),
    ("fact", "The shop in Voss stays closed until 5 May 2026.", None),
]


@pytest.mark.parametrize(("kind", "content", "end"), STATED_ENDS)
async def test_a_rule_ends_with_the_one_date_to_come_up_to_which_its_sentence_says_it_holds(
    home: Path, model: ScriptedModel, kind: str, content: str, end: str | None
) -> None:
    model.answer = answers(
        extract=reader(lambda n, _who, text, _known: [add(text, n, content, type=kind)]),
        verify=finds("yes"),
    )
    async with opened(home, model) as m:
        await told(m, f"Mind this: {content}", MONDAY)
        (memory,) = await by_model(m)
    assert ends(memory) == (end and f"2026-{end}T00:00:00+00:00")


@pytest.mark.parametrize("over", ["2026-02-20", "until 20 February 2026", "到2026年2月20日"])
async def test_an_update_whose_end_was_over_when_it_was_said_is_rejected_with_a_reason(
    home: Path, model: ScriptedModel, over: str
) -> None:
    before, until, was, after, now, _ = AWAY["en"]
    model.answer = adds_and_updates(
        {"quote": before, "content": was, "until": until},
        {"quote": after, "content": now, "until": over},
    )
    async with opened(home, model) as m:
        await told(m, before, MONDAY)
        await told(m, after, SATURDAY, "t")
        (memory,) = await by_model(m)
    assert memory.content == was
    assert ("reject", "UPDATE: over when it was said") in log(home)


async def test_a_memory_of_what_was_over_when_it_was_said_is_not_born_expired(
    m: Memoria, model: ScriptedModel
) -> None:
    words = "I lived in Oslo until February 2024, it was cold."
    content = "The user lived in Oslo until February 2024."
    model.answer = adds_and_updates(
        {"quote": words, "content": content, "until": "until February 2024"}, {"quote": "-"}
    )
    await told(m, words, MONDAY)
    (memory,) = await by_model(m)
    assert (memory.content, memory.expires_at) == (content, None)
    assert await shown(m, "Oslo") == [content]


async def test_a_memory_that_a_conversation_changed_is_linked_to_the_turn_that_changed_it(
    home: Path, model: ScriptedModel
) -> None:
    before, was, after, now = WORDS["more"]
    model.answer = adds_and_updates(
        {"quote": before, "content": was}, {"quote": after, "content": now}
    )
    async with opened(home, model) as m:
        await told(m, before, MONDAY)
        await told(m, after, SATURDAY, "t")
        (memory,) = [one for one in await memories(m) if one.validity is Validity.ACTIVE]
        linked = {edge.dst.id for edge in edges(m, memory) if edge.type is EdgeType.DERIVED_FROM}
    assert linked == {version.provenance.turn_id for version in memory.versions}


MOVES = {
    "en": (
        "I live in Oslo with my sister Lina.",
        "The user lives in Oslo with Lina.",
        "So it's Bergen now, for Lina and me.",
        "The user lives in Bergen with Lina.",
        ("Oslo", "Lina"),
    ),
    "zh": (
        "我和妹妹丽娜住在奥斯陆。",
        "用户和丽娜住在奥斯陆。",
        "现在换成卑尔根了，丽娜也一起。",
        "用户和丽娜住在卑尔根。",
        ("奥斯陆", "丽娜"),
    ),
}


@pytest.mark.parametrize("language", sorted(MOVES))
async def test_what_an_update_no_longer_names_is_no_longer_linked(
    m: Memoria, model: ScriptedModel, language: str
) -> None:
    before, was, after, now, (place, person) = MOVES[language]
    named = [
        {"name": place, "kind": "place", "role": "location"},
        {"name": person, "kind": "person", "role": "patient"},
    ]
    model.answer = adds_and_updates(
        {"quote": before, "content": was, "entities": named}, {"quote": after, "content": now}
    )
    await told(m, before, MONDAY)
    assert isinstance(await m.graph.around(place), EntityRecord)
    await told(m, after, SATURDAY, "t")
    (memory,) = [one for one in await memories(m) if one.content == now]
    ties = [edge for edge in edges(m, memory) if edge.type is EdgeType.ROLE]
    assert [edge.role for edge in ties if edge.role != "agent"] == ["patient"]
    assert {edge.inferred_by for edge in ties} == {"model"}
    assert isinstance(await m.graph.around(person), EntityRecord)


@pytest.mark.parametrize("language", sorted(GUESSES))
async def test_a_contradiction_that_waits_is_linked_as_the_model_understood_it(
    m: Memoria, model: ScriptedModel, language: str
) -> None:
    words, known, guess, guessed, place = GUESSES[language]
    where = [{"name": place, "kind": "place", "role": "location"}]

    def found(n: int, _: str, text: str, __: object) -> list[dict[str, Any]]:
        for quote, content in ((words, known), (guess, guessed)):
            if quote in text:
                return [add(quote, n, content, predicate="home", entities=where)]
        return []

    model.answer = answers(extract=reader(found), verify=finds("yes"))
    await told(m, words, MONDAY)
    (memory,) = await memories(m)
    await m.revise_memory(memory.id, "pin")
    turn = {"role": "assistant", "content": guess, "at": SATURDAY}
    await m.record_conversation([turn], "session_end", session_id="t")
    await m.wait_until_idle(60)
    (waits,) = await m.list_pending()
    assert (waits.content, waits.flag) == (guessed, "conflict")
    roles = [edge for edge in edges(m, waits) if edge.type is EdgeType.ROLE]
    assert [(edge.role, edge.inferred_by) for edge in roles] == [("location", "model")]
    against = [edge for edge in edges(m, waits) if edge.type is EdgeType.CONTRADICTS]
    assert [{edge.src.id, edge.dst.id} for edge in against] == [{waits.id, memory.id}]


@pytest.mark.parametrize("case", sorted(WORDS))
async def test_a_change_that_waited_takes_effect_when_the_user_confirms_it(
    m: Memoria, model: ScriptedModel, case: str
) -> None:
    before, was, after, now = WORDS[case]
    extract = adds_and_updates(
        {"quote": before, "content": was, "importance": 0.9}, {"quote": after, "content": now}
    )

    def unsure_of_changes(asked: Asked) -> object:
        checks = [(line["number"], line["words"]) for line in lines(asked)]
        return {
            "checks": [
                {"statement": n, "supported": "unclear" if words == after else "yes"}
                for n, words in checks
            ]
        }

    model.answer = answers(extract=extract, verify=unsure_of_changes)
    await told(m, before, MONDAY)
    await told(m, after, SATURDAY, "t", "assistant")
    (waits,) = await m.list_pending()
    assert waits.content == now
    assert await shown(m, was) == [was]
    await m.with_channel(COMMAND_LINE).revise_memory(waits.id, "confirm")
    found = await memories(m)
    assert {one.content: one.validity for one in found if one.content in (was, now)} == {
        was: Validity.SUPERSEDED,
        now: Validity.ACTIVE,
    }
    assert await shown(m, now) == [now]


def away_again(first: str, again: str, content: str, until: str) -> Callable[[Asked], object]:
    """A model that concludes the same from two turns, from the first one with an end."""

    def found(n: int, _: str, text: str, __: object) -> list[dict[str, Any]]:
        if first in text:
            return [add(first, n, content, until=until)]
        return [add(again, n, content)] if again in text else []

    return answers(extract=reader(found))


@pytest.mark.parametrize("language", sorted(AWAY))
async def test_what_is_said_again_after_its_end_holds_again(
    m: Memoria, model: ScriptedModel, language: str
) -> None:
    before, until, content, again, _, _ = AWAY[language]
    model.answer = away_again(before, again, content, until)
    await told(m, before, MONDAY)
    assert await shown(m, content) == []
    await told(m, again, LATER, "t")
    (memory,) = await by_model(m)
    assert (memory.content, memory.expires_at) == (content, None)
    assert await shown(m, content) == [content]


@pytest.mark.parametrize("language", sorted(AWAY))
async def test_what_is_said_again_before_its_end_keeps_it(
    m: Memoria, model: ScriptedModel, language: str
) -> None:
    before, until, content, again, _, _ = AWAY[language]
    model.answer = away_again(before, again, content, until)
    await told(m, before, MONDAY)
    await told(m, again, "2026-03-04T12:00:00+00:00", "t")
    (memory,) = await by_model(m)
    assert (ends(memory), memory.evidence) == ("2026-03-07T00:00:00+00:00", 2)


@pytest.mark.parametrize("language", sorted(AWAY))
@pytest.mark.parametrize("is_archived", [False, True])
async def test_what_is_stated_or_restored_after_its_end_holds_again(
    m: Memoria, model: ScriptedModel, language: str, *, is_archived: bool
) -> None:
    before, until, content, again, _, _ = AWAY[language]
    model.answer = away_again(before, again, content, until)
    await told(m, before, MONDAY)
    (memory,) = await by_model(m)
    if is_archived:
        await m.revise_memory(memory.id, "archive")
        await m.revise_memory(memory.id, "restore")
    else:
        assert (await m.remember(content)).status == "restored"
    assert await shown(m, content) == [content]


DATED = {
    "en": (
        "Otto's birthday is on 9 May.",
        "Otto's birthday is on 19 May.",
        "I was wrong about 19 May, my friend's day is the 9th after all.",
    ),
    "zh": ("奥托的生日是5月9日。", "奥托的生日是5月19日。", "我又问了一遍，还是5月9日没错。"),
}


@pytest.mark.parametrize("language", sorted(DATED))
async def test_a_date_that_a_change_tells_is_not_when_it_changed(
    m: Memoria, model: ScriptedModel, language: str
) -> None:
    first, second, again = DATED[language]
    model.answer = adds_and_updates({"quote": "-"}, {"quote": again, "content": first})
    kept = await m.remember(first, valid_from=MONDAY)
    await m.revise_memory(kept.id, "correct", content=second, valid_from=SATURDAY)
    await told(m, again, "2026-06-07T12:00:00+00:00")
    memory = await m.get_memory(kept.id)
    assert [version.content for version in memory.versions] == [first, second, first]
    starts = [from_millis(version.valid_from).isoformat() for version in memory.versions]
    assert starts == ["2026-06-07T12:00:00+00:00", SATURDAY, MONDAY]
    assert all(v.valid_to is None or v.valid_from < v.valid_to for v in memory.versions)


@pytest.mark.parametrize("expression", ["on 1 June", "六月一日"])
async def test_a_change_holds_from_when_the_speaker_says_it_happened(
    home: Path, model: ScriptedModel, expression: str
) -> None:
    before, was, after, now = WORDS["less"]
    model.answer = adds_and_updates(
        {"quote": before, "content": was},
        {"quote": after, "content": now, "event_time": expression},
    )
    async with opened(home, model) as m:
        await told(m, before, MONDAY)
        await told(m, after, "2026-06-07T12:00:00+00:00", "t")
        (memory,) = [one for one in await memories(m) if one.validity is Validity.ACTIVE]
    assert from_millis(memory.current.valid_from).isoformat() == "2026-06-01T00:00:00+00:00"


MOVED = {
    "en": (
        "I live in Oslo, by the harbour.",
        "The user lives in Oslo.",
        "Bergen it is, as far as homes go.",
        "The user lives in Bergen.",
    ),
    "zh": (
        "我住在奥斯陆，就在港口边。",
        "用户住在奥斯陆。",
        "家嘛，就算是卑尔根吧。",
        "用户住在卑尔根。",
    ),
}


@pytest.mark.parametrize("language", sorted(MOVED))
async def test_a_conclusion_that_waited_takes_effect_on_what_is_known_once_it_is_confirmed(
    m: Memoria, model: ScriptedModel, language: str
) -> None:
    words, known, vague, concluded = MOVED[language]

    def found(n: int, _: str, text: str, __: object) -> list[dict[str, Any]]:
        if words in text:
            return [add(words, n, known, predicate="home")]
        return [add(vague, n, concluded, predicate="home", modality="hearsay")]

    model.answer = answers(extract=reader(found))
    await told(m, words, MONDAY)
    await told(m, vague, SATURDAY, "t")
    (waits,) = await m.list_pending()
    assert waits.content == concluded
    await m.with_channel(COMMAND_LINE).revise_memory(waits.id, "confirm")
    active = [one.content for one in await memories(m) if one.validity is Validity.ACTIVE]
    assert active == [concluded]
    assert await shown(m, concluded) == [concluded]


BACK = {
    "en": ("I live in Ulm", "I live in Bonn now", "Remember that {}."),
    "zh": ("我住在大理", "我现在住在昆明", "记住，{}。"),
}


@pytest.mark.parametrize("language", sorted(BACK))
async def test_what_was_archived_holds_again_where_it_is_asked_for_again_and_ends_nothing_else(
    home: Path, language: str
) -> None:
    there, elsewhere, asked = BACK[language]
    async with memoria.open(settings=Settings.from_values(home=home, embedder="off")) as m:
        for session, words in enumerate((there, elsewhere, there)):
            turn = {"role": "user", "content": asked.format(words)}
            await m.record_conversation([turn], "session_end", session_id=str(session))
            if session == 0:
                (memory,) = await memories(m)
                await m.revise_memory(memory.id, "archive")
        active = [one for one in await memories(m) if one.validity is Validity.ACTIVE]
        assert sorted(one.content for one in active) == sorted([there, elsewhere])
