"""What a model proposes is looked at again where an error would cost much."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import anyio.to_thread
import pytest
from tests.ingest.play import (
    add,
    answers,
    by_model,
    entries,
    log,
    memories,
    opened,
    purpose_of,
    reader,
    said,
)
from tests.llm.scripted import Asked, ScriptedModel, refuses, says

from memoria import Memoria
from memoria.app.nightly import run_nightly
from memoria.model import Memory, Validity

_LINE = re.compile(r"^\{.*\}$", re.MULTILINE)
NIGHT = "Past two before my light went out, the same as every night."
"""No rule reads it, so that all that is concluded from it is the model's."""
AGAIN = "It is past two again and I am wide awake, as ever."
ONE, OTHER = "The user goes to bed after two.", "The user is a night owl."


def lines(asked: Asked) -> list[dict[str, Any]]:
    """The numbered statements or pairs of a question."""
    block = asked.text.split("```")[1]
    return [json.loads(line) for line in _LINE.findall(block)]


def rules(relation: str) -> Callable[[Asked], object]:
    def adjudicate(asked: Asked) -> object:
        return {"rulings": [{"pair": p["number"], "relation": relation} for p in lines(asked)]}

    return adjudicate


def finds(supported: str) -> Callable[[Asked], object]:
    def verify(asked: Asked) -> object:
        return {
            "checks": [{"statement": s["number"], "supported": supported} for s in lines(asked)]
        }

    return verify


def reads(contents: Mapping[str, str], **more: object) -> Callable[[Asked], object]:
    """A model that concludes from certain sentences what it is told to."""

    def found(n: int, _who: str, text: str, _known: object) -> list[dict[str, Any]]:
        return [
            add(quote, n, content, **{"predicate": "bedtime", **more})
            for quote, content in contents.items()
            if quote in text
        ]

    return reader(found)


def asked_for(model: ScriptedModel, purpose: str) -> list[Asked]:
    return [asked for asked in model.requests if purpose_of(asked) == purpose]


def believed(found: list[Memory]) -> list[str]:
    return [memory.content for memory in found if memory.validity is Validity.ACTIVE]


async def test_the_same_in_other_words_is_evidence_and_no_second_memory(
    home: Path, model: ScriptedModel
) -> None:
    extract = reads({NIGHT: ONE, AGAIN: OTHER})
    model.answer = answers(extract=extract, adjudicate=rules("same"))
    async with opened(home, model) as m:
        await said(m, NIGHT)
        await said(m, AGAIN)
        (memory,) = await memories(m)
    (asked,) = asked_for(model, "adjudicate")
    (pair,) = lines(asked)
    assert (pair["known"], pair["new"]) == (ONE, OTHER)
    assert (memory.content, memory.evidence) == (ONE, 2)


@pytest.mark.parametrize("relation", ["different", "contradicts", "replaces"])
async def test_what_the_user_says_later_keeps_its_weight_whatever_the_ruling(
    home: Path, model: ScriptedModel, relation: str
) -> None:
    extract = reads({NIGHT: ONE, AGAIN: OTHER})
    model.answer = answers(extract=extract, adjudicate=rules(relation))
    async with opened(home, model) as m:
        await said(m, NIGHT)
        await said(m, AGAIN)
        found = await memories(m)
    assert believed(found) == ([OTHER] if relation == "replaces" else [ONE, OTHER])
    assert {v.content for memory in found for v in memory.versions} == {ONE, OTHER}


async def test_no_ruling_lets_a_guess_replace_what_the_user_said(
    home: Path, model: ScriptedModel
) -> None:
    guess = "You seem to sleep at nine these days."
    extract = reads({NIGHT: ONE, guess: "The user sleeps at nine."}, confidence=0.2)
    ways = {"adjudicate": rules("replaces"), "verify": finds("yes")}
    model.answer = answers(extract=extract, **ways)
    async with opened(home, model) as m:
        await said(m, NIGHT)
        kept = (await memories(m))[0]
        await m.revise_memory(kept.id, "pin")
        await said(m, "Good morning to you, what a day.", ("assistant", guess))
        found = await memories(m)
    assert believed(found) == [ONE]


async def test_what_its_words_do_not_bear_out_is_turned_away_and_logged(
    home: Path, model: ScriptedModel
) -> None:
    irony = "Oh sure, I just love being woken at five."
    extract = reads({irony: "The user loves being woken at five."}, importance=0.9)
    model.answer = answers(extract=extract, verify=finds("no"))
    async with opened(home, model) as m:
        await said(m, irony)
        assert await memories(m) == []
        assert any("not borne out" in (entry.outcome or "") for entry in await entries(m))
    (statement,) = lines(asked_for(model, "verify")[0])
    assert (statement["words"], statement["said_by"]) == (irony, "the user")
    assert ("reject", "ADD: not borne out by its words") in log(home)


@pytest.mark.parametrize(
    ("part", "kept"),
    [
        ("The user puts out the light past two every night.", True),
        ("The user puts out the light past two every night in Bergen.", False),
    ],
)
async def test_of_what_is_borne_out_in_part_that_part_is_remembered_and_nothing_added(
    m: Memoria, model: ScriptedModel, part: str, kept: bool
) -> None:
    whole = "The user puts out the light past two every night because of work."
    extract = reads({NIGHT: whole}, importance=0.9)
    check = {"statement": 1, "supported": "yes", "content": part}
    model.answer = answers(extract=extract, verify=lambda _: {"checks": [check]})
    await said(m, NIGHT)
    assert believed(await memories(m)) == [part] * kept


@pytest.mark.parametrize("who", ["user", "assistant"])
async def test_what_can_be_read_in_either_way_waits_unless_the_user_says_it(
    home: Path, model: ScriptedModel, who: str
) -> None:
    """What the user says themselves counts; in either case it is less sure."""
    words, content = "my old friend the dentist", "The user's friend works as a dentist."
    extract = reads({words: content}, importance=0.8, confidence=1.0)
    model.answer = answers(extract=extract, verify=finds("unclear"))
    async with opened(home, model) as m:
        await said(
            m, "Where is everybody off to?", (who, "Off to my old friend the dentist again.")
        )
        (memory,) = await memories(m)
        waiting = [waits.id for waits in await m.list_pending()]
    assert waiting == ([] if who == "user" else [memory.id])
    assert memory.flag == (None if who == "user" else "unclear")
    assert memory.confidence <= 0.6


WISHES = {
    "en": (
        "spare me the recap at the bottom, I can read",
        "The user does not want a summary of what was done to stand below replies.",
    ),
    "zh": ("也别给我加emoji", "用户要求回复里一律不出现表情符号。"),
}


@pytest.mark.parametrize("supported", ["yes", "unclear", "no"])
@pytest.mark.parametrize("language", sorted(WISHES))
async def test_a_rule_in_quite_other_words_than_the_users_counts_once_a_check_bears_it_out(
    home: Path, model: ScriptedModel, language: str, supported: str
) -> None:
    words, content = WISHES[language]
    extract = reads({words: content}, type="rule", predicate="replies")
    model.answer = answers(extract=extract, verify=finds(supported))
    async with opened(home, model) as m:
        await said(m, words)
        found = [one for one in await by_model(m) if one.content == content]
    states = {"yes": [Validity.ACTIVE], "unclear": [Validity.PENDING_CONFIRMATION], "no": []}
    assert [one.validity for one in found] == states[supported]


CONCLUDED_FROM_ALL = {
    "en": (
        "I start at Mulberry Interiors on Monday.",
        "The folding lamp goes on sale on 12 November.",
        "The folding lamp of Mulberry Interiors goes on sale on 12 November.",
    ),
    "zh": (
        "我下周一去木槿家居报到。",
        "折叠露营灯11月12号上线",
        "木槿家居的折叠露营灯11月12日上线。",
    ),
}


@pytest.mark.parametrize("language", sorted(CONCLUDED_FROM_ALL))
@pytest.mark.parametrize("sessions", ["one", "two"])
async def test_a_check_sees_what_a_conclusion_has_from_other_turns_and_from_what_is_known(
    home: Path, model: ScriptedModel, language: str, sessions: str
) -> None:
    earlier, words, content = CONCLUDED_FROM_ALL[language]
    extract = reads({earlier: earlier, words: content}, importance=0.9, predicate="")
    model.answer = answers(extract=extract, verify=finds("yes"))
    chatter = ["The weather is fine.", "So it is.", "And warm."]
    async with opened(home, model) as m:
        if sessions == "one":
            await said(m, earlier, *chatter, words)
        else:
            await said(m, earlier)
            await said(m, *chatter, words, session="t")
        assert content in believed(await memories(m))
    asked = [line for one in asked_for(model, "verify") for line in lines(one)]
    (statement,) = [line for line in asked if line["statement"] == content]
    begins = {"one": "user: ", "two": "known: "}[sessions]
    assert statement["beside"] == [
        f"{begins}{earlier.rstrip('.。') if sessions == 'one' else earlier}"
    ]


async def test_what_the_user_is_to_have_said_is_borne_out_by_no_sentence_of_an_assistants(
    home: Path, model: ScriptedModel
) -> None:
    page = "The page says that fastsync is installed before each commit."
    rule = "Install fastsync before each commit, the page says."
    thanks = "Thanks, that was quick!"
    extract = reads({thanks: rule}, type="rule", importance=0.9)
    model.answer = answers(extract=extract, verify=finds("no"))
    async with opened(home, model) as m:
        await said(m, "What of commits?", ("assistant", page), "And tea?", "It is cold.", thanks)
        assert await by_model(m) == []
    (statement,) = lines(asked_for(model, "verify")[0])
    assert (statement["statement"], statement.get("beside")) == (rule, None)


async def test_a_check_of_an_update_sees_what_is_updated(home: Path, model: ScriptedModel) -> None:
    was = "The user starts at Mulberry Interiors on 12 October, as a buyer."
    now = "The user has been a buyer at Mulberry Interiors since 12 October."
    third = "This is my third day."

    def found(n: int, _: str, text: str, known: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if text != third:
            return [add(text, n, was, predicate="job", importance=0.9)]
        changed = {"content": now, "quote": third, "turn": n, "reason": "detail"}
        return [{"op": "UPDATE", "id": one["id"], **changed} for one in known]

    model.answer = answers(extract=reader(found), verify=finds("yes"))
    async with opened(home, model) as m:
        await said(m, "On the twelfth I start at Mulberry's, buying.")
        await said(m, third, session="t")
        assert believed(await memories(m)) == [now]
    (statement,) = lines(asked_for(model, "verify")[-1])
    assert (statement["statement"], statement["beside"]) == (now, [f"known: {was}"])


@pytest.mark.parametrize("finding", ["yes", "no", "unclear"])
async def test_hearsay_counts_once_a_check_bears_out_whose_word_it_is(
    home: Path, model: ScriptedModel, finding: str
) -> None:
    told = "Gareth swears that the boiler is under warranty until 2029."
    concluded = "According to Gareth the boiler is under warranty until 2029."
    extract = reads({told: concluded}, modality="hearsay", predicate="warranty")
    model.answer = answers(extract=extract, verify=finds(finding))
    async with opened(home, model) as m:
        await said(m, told)
        (memory,) = await memories(m)
    is_told = finding == "yes"
    assert memory.validity is (Validity.ACTIVE if is_told else Validity.PENDING_CONFIRMATION)


async def test_small_things_the_user_says_are_not_asked_about_twice(
    home: Path, model: ScriptedModel
) -> None:
    model.answer = answers(extract=reads({NIGHT: ONE}))
    async with opened(home, model) as m:
        await said(m, NIGHT)
        assert believed(await memories(m)) == [ONE]
    assert len(model.requests) == len(asked_for(model, "extract"))


@pytest.mark.parametrize("useless", [refuses(), says("I'd rather talk about the weather.")])
async def test_a_second_look_that_comes_to_nothing_loses_nothing(
    m: Memoria, model: ScriptedModel, useless: object
) -> None:
    extract = reads({NIGHT: ONE, AGAIN: OTHER}, importance=0.9)
    fails = {"adjudicate": lambda _: useless, "verify": lambda _: useless}
    model.answer = answers(extract=extract, **fails)
    await said(m, NIGHT)
    await said(m, AGAIN)
    assert sorted(believed(await memories(m))) == sorted([ONE, OTHER])
    assert {entry.state for entry in await entries(m)} == {"done"}


async def test_a_ruling_about_a_pair_that_was_not_asked_changes_nothing(
    m: Memoria, model: ScriptedModel
) -> None:
    extract = reads({NIGHT: ONE, AGAIN: OTHER}, importance=0.9)
    ruling = {"rulings": [{"pair": 7, "relation": "same"}]}
    check = {"checks": [{"statement": 7, "supported": "no"}]}
    model.answer = answers(extract=extract, adjudicate=lambda _: ruling, verify=lambda _: check)
    await said(m, NIGHT)
    await said(m, AGAIN)
    assert sorted(believed(await memories(m))) == sorted([ONE, OTHER])


async def test_a_reading_that_is_turned_away_leaves_what_the_user_asked_to_be_remembered(
    home: Path, model: ScriptedModel
) -> None:
    asked = "Remember that I'm allergic to peanuts."
    extract = reads({"allergic to peanuts": "The user can't stand peanuts."}, importance=0.9)
    model.answer = answers(extract=extract, verify=finds("no"))
    async with opened(home, model) as m:
        await said(m, asked)
        (kept,) = await memories(m)
    assert kept.validity is Validity.ACTIVE
    assert "allergic to peanuts" in kept.content


BEFORE = {
    "en": ("How is your sister Lina doing?", "She has moved to Oslo.", "Lina has moved to Oslo."),
    "zh": ("你妹妹丽娜怎么样了？", "她搬到奥斯陆去了。", "丽娜搬到了奥斯陆。"),
}


@pytest.mark.parametrize("language", sorted(BEFORE))
async def test_a_check_sees_who_speaks_when_and_what_was_said_just_before(
    home: Path, model: ScriptedModel, language: str
) -> None:
    question, answer, content = BEFORE[language]
    extract = reads({answer: content}, importance=0.9, predicate="home", subject="Lina")
    model.answer = answers(extract=extract, verify=finds("yes"))
    async with opened(home, model) as m:
        await said(m, "Good morning.", ("assistant", question), answer)
        assert believed(await memories(m)) == [content]
    (statement,) = lines(asked_for(model, "verify")[0])
    assert statement["before"] == ["user: Good morning.", f"assistant: {question}"]
    assert (statement["words"], statement["said_by"]) == (answer, "the user")
    assert re.fullmatch(r"\w+day, \d{4}-\d\d-\d\d", statement["said_on"])


async def test_the_words_to_check_are_shown_wherever_they_stand_in_a_long_turn(
    home: Path, model: ScriptedModel
) -> None:
    long_turn = "We talked about the weather. " * 60 + NIGHT + " And the weather again." * 60
    model.answer = answers(extract=reads({NIGHT: ONE}, importance=0.9), verify=finds("yes"))
    async with opened(home, model) as m:
        await said(m, long_turn)
    (statement,) = lines(asked_for(model, "verify")[0])
    assert NIGHT in statement["turn"]
    assert len(statement["turn"]) < 700


async def test_a_check_costs_no_more_the_more_was_said_before(
    home: Path, model: ScriptedModel
) -> None:
    model.answer = answers(extract=reads({NIGHT: ONE}, importance=0.9), verify=finds("yes"))
    chatter = ["On and on about the weather we went. " * 100] * 8
    async with opened(home, model) as m:
        await said(m, *chatter, NIGHT)
    (statement,) = lines(asked_for(model, "verify")[0])
    assert len(statement["before"]) <= 3
    assert sum(map(len, statement["before"])) < 1000


BORN = {
    "en": (
        "My grandfather was born in 1938.",
        "The user's grandfather was born in 1938.",
        "According to the family bible he was born in 1936.",
        "The user's grandfather was born in 1936.",
    ),
    "zh": (
        "我爷爷是1938年出生的。",
        "用户的爷爷生于1938年。",
        "户口本上写的是1936年。",
        "用户的爷爷生于1936年。",
    ),
}


@pytest.mark.parametrize("relation", ["replaces", "contradicts"])
@pytest.mark.parametrize("language", sorted(BORN))
async def test_a_date_that_a_model_finds_in_dispute_is_no_other_time(
    home: Path, model: ScriptedModel, language: str, relation: str
) -> None:
    words, known, again, now = BORN[language]
    about = {"subject": "grandfather", "predicate": "birth"}
    extract = reads({words: known, again: now}, **about)
    model.answer = answers(extract=extract, adjudicate=rules(relation))
    async with opened(home, model) as m:
        await said(m, words)
        await said(m, again, session="t")
        both = sorted(believed(await memories(m)))
    assert both == ([now] if relation == "replaces" else sorted([known, now]))


CANDLES = {
    "en": (
        ("We lit the candles for Mara on 4 June.", "Mara's birthday is on 4 June."),
        ("We lit them for Mara on 24 July, of course.", "Mara's birthday is on 24 July."),
    ),
    "zh": (
        ("6月4日我们给玛拉点了蜡烛。", "玛拉的生日是6月4日。"),
        ("给玛拉点蜡烛是7月24日，不是别的日子。", "玛拉的生日是7月24日。"),
    ),
}


@pytest.mark.parametrize("language", sorted(CANDLES))
async def test_a_date_that_is_the_property_is_no_other_time_without_a_ruling_either(
    m: Memoria, model: ScriptedModel, language: str
) -> None:
    (words, known), (again, now) = CANDLES[language]
    extract = reads({words: known, again: now}, subject="Mara", predicate="birthday")
    model.answer = answers(extract=extract)
    await said(m, words)
    await said(m, again, session="t")
    assert believed(await memories(m)) == [now]


KIN = {
    "a property in other words": (
        {"subject": "larder", "predicate": "purpose"},
        "larder is the stock service of six shops around Bergen.",
        {"subject": "larder", "predicate": "shops"},
        "The new place makes seven shops in larder.",
    ),
    "a property in chinese words": (
        {"subject": "露营灯", "predicate": "进度"},
        "露营灯的上线定在11月12日。",
        {"subject": "露营灯", "predicate": "上线"},
        "露营灯因为模具裂了要晚一周才卖。",
    ),
    "two plans": (
        {"predicate": "go_live", "subject": "larder", "event_time": "2031-10-12"},
        "larder goes live on 12 October 2031.",
        {"predicate": "start", "subject": "larder", "event_time": "2031-11-30"},
        "Everything waits for the bakers on the island, who open on 30 November 2031.",
    ),
}


@pytest.mark.parametrize("case", sorted(KIN))
async def test_what_may_tell_the_same_property_by_another_name_is_compared(
    home: Path, model: ScriptedModel, case: str
) -> None:
    about, known, of, new = KIN[case]

    def found(n: int, _: str, text: str, __: object) -> list[dict[str, Any]]:
        fields = about if text == known else of
        return [add(text, n, **{"modality": "planned", **fields})]

    model.answer = answers(extract=reader(found), adjudicate=rules("replaces"))
    async with opened(home, model) as m:
        await said(m, known)
        await said(m, new, session="t")
        assert believed(await memories(m)) == [new]
    (asked,) = asked_for(model, "adjudicate")
    assert [(pair["known"], pair["new"]) for pair in lines(asked)] == [(known, new)]


async def test_two_appointments_of_the_users_are_not_compared_for_being_to_come(
    home: Path, model: ScriptedModel
) -> None:
    exam, visit = "I sit the exam on 12 May 2031.", "Mum comes to stay on 20 May 2031."
    days = {exam: ("exam", "2031-05-12"), visit: ("visit", "2031-05-20")}

    def found(n: int, _: str, text: str, __: object) -> list[dict[str, Any]]:
        what, day = days[text]
        return [add(text, n, predicate=what, event_time=day, modality="planned")]

    model.answer = answers(extract=reader(found))
    async with opened(home, model) as m:
        await said(m, exam)
        await said(m, visit, session="t")
        assert sorted(believed(await memories(m))) == sorted([exam, visit])
    assert asked_for(model, "adjudicate") == []


EARLY, LATE = "The user goes to bed after two.", "The user goes to bed early on Sundays."


@pytest.mark.parametrize("turned", [False, True], ids=["as read", "turned round"])
@pytest.mark.parametrize("relation", ["different", None])
async def test_a_pair_that_a_reading_has_found_to_be_two_is_not_asked_about_again_at_night(
    home: Path, model: ScriptedModel, relation: str | None, *, turned: bool
) -> None:
    both = (LATE, EARLY) if turned else (EARLY, LATE)
    model.answer = answers(
        extract=reads(dict(zip((NIGHT, AGAIN), both, strict=True))),
        adjudicate=rules(relation) if relation else lambda _: {"rulings": []},
    )
    async with opened(home, model) as m:
        await said(m, NIGHT)
        await said(m, AGAIN)
        assert believed(await memories(m)) == list(both)
        settings = m.settings
    assert len(asked_for(model, "adjudicate")) == 1
    await anyio.to_thread.run_sync(lambda: run_nightly(settings, ("merge",)))
    asked = asked_for(model, "adjudicate")[1:]
    assert len(asked) == (0 if relation == "different" else 1)


async def test_a_pair_is_asked_about_again_once_one_of_them_says_something_else(
    home: Path, model: ScriptedModel
) -> None:
    model.answer = answers(
        extract=reads({NIGHT: EARLY, AGAIN: LATE}), adjudicate=rules("different")
    )
    async with opened(home, model) as m:
        await said(m, NIGHT)
        await said(m, AGAIN)
        one = (await memories(m))[0]
        await m.revise_memory(one.id, "correct", "The user goes to bed early on Mondays.")
        settings = m.settings
    await anyio.to_thread.run_sync(lambda: run_nightly(settings, ("merge",)))
    (again,) = asked_for(model, "adjudicate")[1:]
    assert {lines(again)[0]["known"], lines(again)[0]["new"]} == {
        LATE,
        "The user goes to bed early on Mondays.",
    }
