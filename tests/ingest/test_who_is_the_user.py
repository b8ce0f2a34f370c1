"""Where speakers have names, each statement is put down to whoever said it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.ingest.play import add, answers, memories, opened, reader
from tests.ingest.test_second_look import asked_for, finds, lines
from tests.llm.scripted import ScriptedModel

import memoria
from memoria import Memoria, Settings
from memoria.model import CaptureEvent, Memory, Validity
from memoria.model.provenance import EntityRecord

SAID = {
    "en": ("Anna", "Bob", "I'm allergic to nuts.", "{} is allergic to nuts."),
    "zh": ("安娜", "小波", "我对花生过敏。", "{}对花生过敏。"),
}
ASKED = {
    "en": ("Anna", "Bob", "Remember that I'm allergic to nuts.", "I'm allergic to nuts"),
    "zh": ("安娜", "小波", "记住，我对花生过敏。", "我对花生过敏"),
}
USER = {"en": "The user", "zh": "用户"}
languages = pytest.mark.parametrize("language", sorted(SAID))
Line = tuple[str | None, str]


async def spoken(
    m: Memoria,
    *turns: Line | tuple[str | None, str, str],
    session: str = "s",
    event: CaptureEvent | None = "session_end",
) -> None:
    """Record turns, each (speaker, words) or (speaker, words, role)."""
    given = []
    for speaker, words, *role in turns:
        named = {} if speaker is None else {"speaker": speaker}
        given.append({"role": role[0] if role else "user", "content": words, **named})
    await m.record_conversation(given, event, session_id=session)
    await m.wait_until_idle(60)


def by_rules(home: Path) -> Any:  # noqa: ANN401  (a context manager of ours)
    """A memory without a chat model."""
    return memoria.open(settings=Settings.from_values(home=home, embedder="off"))


async def believed(m: Memoria) -> list[tuple[str | None, str]]:
    """(subject, wording) of every active memory."""
    found: list[Memory] = await memories(m)
    return sorted(
        (str(one.subject), one.content) for one in found if one.validity is Validity.ACTIVE
    )


@languages
async def test_what_another_person_asks_for_is_no_memory_of_the_user(
    home: Path, language: str
) -> None:
    anna, bob, asked, _ = ASKED[language]
    async with by_rules(home) as m:
        await spoken(m, (anna, "Hello."), (bob, asked))
        assert await believed(m) == []


@languages
async def test_the_only_named_speaker_is_the_user(home: Path, language: str) -> None:
    _, bob, asked, words = ASKED[language]
    async with by_rules(home) as m:
        await spoken(m, (bob, asked), ("Memo", "Noted.", "assistant"))
        assert await believed(m) == [("user", words)]


@languages
async def test_whoever_was_alone_first_stays_the_user_when_others_come(
    home: Path, language: str
) -> None:
    anna, bob, asked, words = ASKED[language]
    async with by_rules(home) as m:
        await spoken(m, (anna, "Hello."), session="alone")
        await spoken(m, (bob, "Hello."), (anna, asked), (bob, asked), session="together")
        assert await believed(m) == [("user", words)]


@languages
async def test_what_was_put_down_to_the_user_is_the_first_speakers_once_a_second_one_comes(
    home: Path, language: str
) -> None:
    anna, bob, asked, words = ASKED[language]
    async with by_rules(home) as m:
        await spoken(m, (anna, asked), event=None)
        assert await believed(m) == [("user", words)]
        await spoken(m, (bob, "Hello."), (bob, "Hello again."), event=None)
        assert await believed(m) == [(anna.lower(), words)]


async def test_a_turn_without_a_name_is_the_users(home: Path) -> None:
    _, _, asked, words = ASKED["en"]
    async with by_rules(home) as m:
        await spoken(m, ("Anna", "Hello."), ("Bob", "Hello."), (None, asked))
        assert await believed(m) == [("user", words)]


def concludes(by_speaker: Mapping[str, dict[str, Any]]) -> Any:  # noqa: ANN401
    """A model that concludes from each speaker's turns what it is told to."""

    def found(n: int, who: str, text: str, _: object) -> list[dict[str, Any]]:
        return [add(text, n, **by_speaker[who])] if who in by_speaker else []

    return answers(extract=reader(found), verify=finds("yes"))


@languages
async def test_a_model_that_calls_everybody_the_user_makes_one_subject_of_each(
    m: Memoria, model: ScriptedModel, language: str
) -> None:
    anna, bob, words, says = SAID[language]
    content = says.format(USER[language])
    model.answer = concludes(
        {name: {"content": content, "predicate": "allergy"} for name in (anna, bob)}
    )
    await spoken(m, (anna, words), (bob, words))
    assert await believed(m) == sorted(
        [(anna.lower(), says.format(anna)), (bob.lower(), says.format(bob))]
    )


@languages
async def test_the_user_under_their_own_name_is_one_subject_and_one_person(
    m: Memoria, model: ScriptedModel, language: str
) -> None:
    _, bob, words, says = SAID[language]
    named = [{"name": bob, "kind": "person", "role": "agent"}]
    model.answer = concludes(
        {bob: {"content": says.format(bob), "subject": bob, "entities": named}}
    )
    await spoken(m, (bob, words))
    assert await believed(m) == [("user", says.format(bob))]
    by_name, as_user = await m.graph.around(bob), await m.graph.around("user")
    assert isinstance(by_name, EntityRecord)
    assert isinstance(as_user, EntityRecord)
    assert by_name.entity.id == as_user.entity.id


async def test_what_another_person_says_of_the_user_is_about_the_user(
    m: Memoria, model: ScriptedModel
) -> None:
    words = "Anna can't eat any nuts, mind you."
    model.answer = concludes({"Bob": {"content": "The user can't eat nuts."}})
    await spoken(m, ("Anna", "Hello."), session="alone")
    await spoken(m, ("Bob", words), session="together")
    assert await believed(m) == [("user", "The user can't eat nuts.")]


async def test_a_persons_word_for_a_user_interface_stays(m: Memoria, model: ScriptedModel) -> None:
    content = "The user likes the user interface of the user's phone."
    model.answer = concludes({"Bob": {"content": content}})
    await spoken(m, ("Anna", "Hello."), ("Bob", "I do like the interface of my phone."))
    assert await believed(m) == [("bob", "Bob likes the user interface of Bob's phone.")]


async def test_the_prompt_says_who_of_the_speakers_is_the_user(
    home: Path, model: ScriptedModel
) -> None:
    model.answer = concludes({})
    async with opened(home, model) as m:
        await spoken(m, ("Anna", "Hello there, it's me."), ("Mel", "Hi!", "assistant"))
        await spoken(m, ("Bob", "And it's me as well, hello."), session="t")
        await spoken(m, (None, "Nobody says who I am, which is odd."), session="u")
    first, second, third = asked_for(model, "extract")
    assert '"Anna" is the user. In the assistant\'s place speaks: "Mel".' in first.text
    assert '"Anna" is the user. People of their own, and not the user: "Bob".' in second.text
    assert "Turns of `user` are the user's." in third.text


async def test_the_prompt_says_that_nobody_is_known_to_be_the_user(
    home: Path, model: ScriptedModel
) -> None:
    model.answer = concludes({})
    async with opened(home, model) as m:
        await spoken(m, ("Anna", "Hello there, it's me."), ("Bob", "And me, hello."))
    (asked,) = asked_for(model, "extract")
    assert "None of the people who speak is known to be the user." in asked.text
    assert 'People of their own, and not the user: "Anna", "Bob".' in asked.text


async def test_a_check_says_which_of_the_speakers_it_is(home: Path, model: ScriptedModel) -> None:
    model.answer = concludes(
        {
            "Anna": {"content": "The user owns a boat.", "importance": 0.9},
            "Bob": {"content": "Bob owns a horse.", "subject": "Bob", "importance": 0.9},
        }
    )
    async with opened(home, model) as m:
        await spoken(m, ("Anna", "Hello."), session="alone")
        await spoken(m, ("Anna", "There is my boat."), ("Bob", "There is my horse."), session="t")
    statements = [line for asked in asked_for(model, "verify") for line in lines(asked)]
    assert {line["statement"]: line["said_by"] for line in statements} == {
        "The user owns a boat.": "Anna, the user",
        "Bob owns a horse.": "Bob, who is not the user",
    }


PIANO = {
    "en": (
        "I play the piano every evening.",
        "The user plays the piano every evening.",
        "I play the piano in the mornings, too.",
        "The user plays the piano every morning and evening.",
        "Bob plays the piano every morning and evening.",
    ),
    "zh": (
        "我每天晚上都弹钢琴。",
        "用户每天晚上弹钢琴。",
        "我早上也弹钢琴。",
        "用户每天早上和晚上弹钢琴。",
        "小波每天早上和晚上弹钢琴。",
    ),
}


@languages
@pytest.mark.parametrize("change", ["UPDATE", "DELETE"])
async def test_what_another_person_says_of_themselves_changes_nothing_of_the_users(
    m: Memoria, model: ScriptedModel, language: str, change: str
) -> None:
    anna, bob = SAID[language][:2]
    words, content, again, wrong, right = PIANO[language]

    def found(n: int, who: str, text: str, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if who == anna:
            return [add(words, n, content, predicate="piano")]
        wanted = {"op": change, "id": known[0]["id"], "quote": text, "turn": n}
        more = {"content": wrong, "reason": "detail"} if change == "UPDATE" else {}
        return [{**wanted, **more}]

    model.answer = answers(extract=reader(found))
    await spoken(m, (anna, words), session="alone")
    await spoken(m, (bob, again), session="together")
    theirs = [(bob.lower(), right)] if change == "UPDATE" else []
    assert await believed(m) == sorted([("user", content), *theirs])


async def test_what_the_user_says_of_themselves_changes_nothing_of_another_person(
    m: Memoria, model: ScriptedModel
) -> None:
    words, content, again, wrong, _ = PIANO["en"]

    def found(n: int, who: str, text: str, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if who == "Bob":
            return [add(text, n, content, predicate="piano")]
        theirs = [one["id"] for one in known if one["subject"] == "bob"]
        change = {"content": wrong, "quote": text, "turn": n, "reason": "detail"}
        return [{"op": "UPDATE", "id": one, **change} for one in theirs]

    model.answer = answers(extract=reader(found))
    await spoken(m, ("Anna", "Hello."), session="alone")
    await spoken(m, ("Bob", words), session="together")
    await spoken(m, ("Anna", again), session="later")
    assert await believed(m) == sorted(
        [("user", wrong), ("bob", content.replace("The user", "Bob"))]
    )
