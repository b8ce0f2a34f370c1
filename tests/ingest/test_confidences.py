"""A confidence is told to nobody unasked, and what is not to be kept is in no answer."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.databases import change_rows, read_texts
from tests.ingest.play import add, answers, memories, opened, reader
from tests.llm.scripted import Asked, ScriptedModel
from tests.surface.agent import connected, server_on

import memoria.app.nightly as nights
from memoria import Memoria
from memoria.disk.folders import DAILY
from memoria.errors import InvalidInputError, NotFoundError
from memoria.model import DAY_MS, MemoryListing, Validity, now_millis, use_clock
from memoria.model.core import CORE_FILES
from memoria.surface.cli.browsing import render_memories
from memoria.surface.mcp.instructions import briefing_writer, instructions_for
from memoria.surface.mcp.prompts import briefing
from memoria.surface.mcp.resources import core_text

SECRETS = {
    "before": (
        "Don't tell anyone: I have a job interview at Krakenworks on Friday.",
        "Krakenworks",
    ),
    "behind": ("I prefer to work at Krakenworks. Please keep that to yourself.", "Krakenworks"),
    "a rule": ("Between you and me: always call the new firm Krakenworks.", "Krakenworks"),
    "此前": ("悄悄告诉你，我周五去北海公司面试。", "北海"),
    "此后": ("我喜欢北海公司，别告诉别人。", "北海"),
}
UNKEPT = {
    "before": ("Keep this nowhere: my doctor is called Doctor Zephyrine.", "Zephyrine"),
    "behind": ("My doctor is called Doctor Zephyrine. Don't save this.", "Zephyrine"),
    "taken back": ("My doctor is called Doctor Zephyrine. Forget I said that.", "Zephyrine"),
    "不记": ("我的医生叫欧阳锋。这个不要记。", "欧阳锋"),
    "当没说": ("我的医生叫欧阳锋，当我没说。", "欧阳锋"),
}
LATER = {
    "confided": ("I have a job interview at Krakenworks.", "Please keep that to yourself."),
    "私下": ("我周五去北海公司面试。", "刚才说的别告诉别人。"),
}
TAKEN_BACK = {
    "forget": ("My doctor is called Doctor Zephyrine.", "Forget I said that.", "Zephyrine"),
    "当没说": ("我的医生叫欧阳锋。", "当我没说。", "欧阳锋"),
}
CONFIDED = {"en": "I start work at Krakenworks in May.", "zh": "我五月开始在北海公司上班。"}
LATER_REQUEST = {"en": "Please keep that to yourself.", "zh": "别告诉别人。"}
OPENLY = {
    "en": (
        "Tomatoes grow on my balcony.",
        "The balcony gets the sun until noon.",
        "I water the balcony twice a week.",
        "Basil grows on my balcony, too.",
        "My neighbour's balcony is full of roses.",
        "The balcony is two metres wide.",
        "My sister works as a nurse.",
    ),
    "zh": (
        "我的阳台上种了西红柿。",
        "阳台上午有太阳。",
        "我每周给阳台浇两次水。",
        "阳台上还种了罗勒。",
        "邻居的阳台上全是玫瑰。",
        "阳台有两米宽。",
        "我姐姐是护士。",
    ),
}
BALCONY_ASKED = {"en": "What grows on my balcony?", "zh": "我的阳台上种了什么？"}
PAGE = "Zweigstelle 17"
NAMES = ("Krakenworks", "北海", "Zephyrine", "欧阳锋")


def no_name_in(text: str) -> bool:
    return not any(name in text for name in NAMES)


async def told_unasked(m: Memoria) -> str:
    """All that is told to who has not asked for it, and what nights write for people."""
    later = now_millis() + 2 * DAY_MS
    with use_clock(lambda: later):
        nights.run_nightly(m.settings)
        files = read_texts(m.settings)
        pages = [text for place, text in files.items() if place.startswith((DAILY, *CORE_FILES))]
        package = await m.build_context("Krakenworks 北海 interview job 面试 公司")
        return "\n".join(
            [
                (await m.compose(briefing_writer(m.settings))).text,
                await briefing(m),
                await m.read_unread() or "",
                instructions_for(m.settings),
                await m.recall_unasked("When is my job interview at Krakenworks? 北海公司面试"),
                package.persona,
                package.short_term,
                package.recall,
                package.evidence,
                *[await core_text(m, name) for name in CORE_FILES],
                *pages,
            ]
        )


async def asked(m: Memoria, query: str, turn_ids: list[str]) -> str:
    """All that is answered to who asks for it."""
    found = [
        (await m.search_memory(query)).model_dump_json(exclude={"query"}),
        (await m.search_conversation_traces(query)).model_dump_json(exclude={"query"}),
        (await m.list_memories()).model_dump_json(),
        (await m.get_session("s")).model_dump_json(),
        (await m.list_sessions()).model_dump_json(),
        json.dumps([one.model_dump_json() for one in await m.list_unverified()]),
        json.dumps([one.model_dump_json() for one in await m.list_pending()]),
        (await m.graph.around(query)).model_dump_json(exclude={"name"}),
    ]
    for one in turn_ids:
        try:
            found.append((await m.get_turn(one)).model_dump_json())
        except NotFoundError as error:
            found.append(str(error))
    return "\n".join(found)


async def record(m: Memoria, *turns: str) -> list[str]:
    """Record turns of a session that has ended, a user's and an assistant's in turn."""
    roles = ("user", "assistant")
    given = [
        {"role": roles[i % 2], "content": text, "session_id": "s"} for i, text in enumerate(turns)
    ]
    receipt = await m.record_conversation(given, "session_end")
    await m.wait_until_idle(60)
    return [turn.id for turn in receipt.turns if turn.id]


def takes_all(kind: str = "fact") -> Callable[..., object]:
    """A model that makes a memory of every turn and tells of all in its summaries."""

    def sum_up(asked: Asked) -> object:
        words = " ".join(name for name in NAMES if name in asked.text)
        return {
            "summary": f"They spoke of plans. {words}",
            "quotes": [{"turn": 1, "quote": "plans"}],
        }

    return answers(
        extract=reader(lambda n, _, text, __: [add(text, n, text, type=kind)]),
        episode=sum_up,
        day=lambda asked: {
            "sentences": [
                {"text": f"Of {name}.", "episodes": [1]} for name in NAMES if name in asked.text
            ]
        },
    )


@pytest.mark.parametrize(("words", "name"), SECRETS.values(), ids=SECRETS)
async def test_what_is_told_in_confidence_is_told_to_who_asks_alone_and_with_its_condition(
    memory: Memoria, words: str, name: str
) -> None:
    ids = await record(memory, "Let us speak of plans.", "Gladly.", words, f"Good luck at {name}!")
    assert no_name_in(await told_unasked(memory))
    for found in (await memory.search_memory(name), await memory.search_conversation_traces(name)):
        named = [hit for hit in found.hits if name in hit.text]
        assert named
        assert {hit.condition for hit in named} == {"told in confidence"}
    conditions = [(await memory.get_turn(one)).condition for one in ids]
    assert conditions == [None, None, "told in confidence", "told in confidence"]
    for known in await memories(memory):
        shown = await memory.get_memory(known.id)
        assert shown.condition == ("told in confidence" if name in shown.content else None)


@pytest.mark.parametrize("kind", ["fact", "rule", "preference"])
@pytest.mark.parametrize(("words", "name"), SECRETS.values(), ids=SECRETS)
async def test_whatever_a_model_makes_of_a_confidence_carries_the_condition(
    m: Memoria, model: ScriptedModel, words: str, name: str, kind: str
) -> None:
    model.answer = takes_all(kind)
    await record(
        m, "Let us speak of plans.", "Gladly, of all plans.", words, f"Good luck at {name}!"
    )
    assert no_name_in(await told_unasked(m))
    made = [one for one in await memories(m) if name in one.content]
    assert made
    for one in made:
        assert (await m.get_memory(one.id)).condition == "told in confidence"
    hits = (await m.search_memory(name)).hits
    assert {hit.condition for hit in hits if name in hit.text} <= {"told in confidence"}


async def test_a_model_can_not_put_a_confidence_into_a_memory_of_what_was_told_openly(
    m: Memoria, model: ScriptedModel
) -> None:
    words, name = SECRETS["before"]
    content = f"The user likes small plans and has a job interview at {name}."
    model.answer = answers(
        extract=reader(
            lambda n, _, text, __: [add("small plans", n, content)] if "small plans" in text else []
        )
    )
    await record(m, "I like small plans for the spring.", "Good.", words, "Good luck!")
    assert [one for one in await memories(m) if one.content == content] == []
    assert no_name_in(await told_unasked(m))


@pytest.mark.parametrize("with_model", [False, True], ids=["rules", "a model"])
@pytest.mark.parametrize(("words", "name"), UNKEPT.values(), ids=UNKEPT)
async def test_what_is_not_to_be_kept_is_in_no_answer(
    home: Path, model: ScriptedModel, words: str, name: str, with_model: bool
) -> None:
    model.answer = takes_all()
    more = {} if with_model else {"llm_base_url": None, "llm_model": None}
    async with opened(home, model, **more) as m:
        turns = (
            "Let us speak of plans.",
            "Gladly.",
            words,
            f"I see, {name}.",
            "And of plans again.",
        )
        ids = await record(m, *turns)
        assert no_name_in(await told_unasked(m))
        assert no_name_in(await asked(m, name, ids))
        assert all(no_name_in(asked_.text) for asked_ in model.requests)
        package = await m.build_context(name, session_id="s")
        assert no_name_in(package.text)


async def test_a_model_reads_what_is_to_be_forgotten_to_take_it_back_and_concludes_nothing_of_it(
    m: Memoria, model: ScriptedModel
) -> None:
    request = "Forget that I earn 3,900 a month, I earn 4,100. Don't save it."

    model.answer = answers(
        extract=reader(
            lambda n, _, text, known: [
                *({"op": "DELETE", "id": one["id"], "quote": text, "turn": n} for one in known),
                add(text, n),
            ]
        )
    )
    await record(m, "I earn 3,900 a month.", "Noted.")
    await record(m, request, "Done.")
    known = [one for one in await memories(m) if "earn" in one.content]
    assert [(one.content, one.validity) for one in known] == [
        ("I earn 3,900 a month.", Validity.ARCHIVED)
    ]


@pytest.mark.parametrize("language", ["en", "zh"])
async def test_a_confidence_and_a_tools_words_are_never_shown_as_nearest_or_said_later(
    memory: Memoria, language: str
) -> None:
    for words in OPENLY[language]:
        await record(memory, words)
    page = {"role": "tool", "tool_name": "fetch", "tool_result": f"{CONFIDED[language]} {PAGE}"}
    await memory.record_conversation([page], "session_end", session_id="s")
    await record(memory, f"{CONFIDED[language]} {LATER_REQUEST[language]}")
    found = await memory.search_memory(BALCONY_ASKED[language])
    beside = [hit for hit in found.hits if hit.shown_as]
    assert OPENLY[language][-1] in [hit.text for hit in beside]
    assert all(no_name_in(hit.text) and hit.condition is None for hit in beside)
    assert PAGE not in str(found.hits)


@pytest.mark.parametrize(("words", "request_"), LATER.values(), ids=LATER)
async def test_a_request_of_the_next_turn_reaches_what_was_said_before_it(
    memory: Memoria, words: str, request_: str
) -> None:
    await record(memory, words, "Good luck there!", request_, "Of course.", "Now the weather.")
    assert no_name_in(await told_unasked(memory))
    hits = (await memory.search_conversation_traces("Krakenworks 北海公司面试")).hits
    named = [hit.condition for hit in hits if not no_name_in(hit.text)]
    assert set(named) == {"told in confidence"}
    open_hits = (await memory.search_conversation_traces("weather")).hits
    assert [hit.condition for hit in open_hits if "weather" in hit.text] == [None]


@pytest.mark.parametrize(("words", "request_", "name"), TAKEN_BACK.values(), ids=TAKEN_BACK)
async def test_what_is_taken_back_with_the_next_turn_is_in_no_answer(
    memory: Memoria, words: str, request_: str, name: str
) -> None:
    ids = await record(memory, words, f"I see, {name}.", request_, f"I forget {name}.")
    assert no_name_in(await asked(memory, name, ids))
    assert no_name_in(await told_unasked(memory))


async def test_an_agent_that_states_a_confidence_with_its_turn_keeps_its_condition(
    memory: Memoria,
) -> None:
    (turn, *_) = await record(memory, SECRETS["before"][0])
    text = "The user has a job interview at Krakenworks on Friday"
    kept = await memory.remember(text, type="goal", turn_id=turn)
    own = await memory.remember("The user told in confidence that Krakenworks has hired them")
    for one in (kept, own):
        assert (await memory.get_memory(one.id)).condition == "told in confidence"
    assert no_name_in(await told_unasked(memory))


@pytest.mark.parametrize(("words", "name"), UNKEPT.values(), ids=UNKEPT)
async def test_a_statement_that_asks_itself_not_to_be_kept_is_refused_whoever_states_it(
    memory: Memoria, words: str, name: str
) -> None:
    await record(memory, "The kiln is warm.")
    kept = await memory.remember("The kiln is warm")
    for attempt in (memory.remember(words), memory.revise_memory(kept.id, "correct", words)):
        with pytest.raises(InvalidInputError, match="asks itself not to be kept"):
            await attempt
    assert no_name_in(await asked(memory, name, []))
    assert no_name_in(await told_unasked(memory))


async def test_a_statement_that_was_kept_and_asks_not_to_be_is_in_no_answer(
    home: Path, model: ScriptedModel
) -> None:
    async with opened(home, model) as m:
        kept = await m.remember("My doctor is called Doctor Zephyrine")
    with change_rows(home) as rows:
        rows.execute("UPDATE memory_versions SET content = content || '. Don''t save this.'")
    async with opened(home, model) as m:
        await m.record_conversation([{"role": "user", "content": "Hi", "session_id": "s"}])
        assert no_name_in(await asked(m, "Doctor Zephyrine", []))
        assert no_name_in(await told_unasked(m))
        with pytest.raises(NotFoundError):
            await m.get_memory(kept.id)
        await m.remember("The boat shed is green")
        page = await m.list_memories()
        assert (page.total, len(page.memories), page.withheld) == (1, 1, 1)
        listed = render_memories(page, MemoryListing(), 80)
        assert "1 memory\n1 memory more withheld" in listed
        assert "next page" not in listed


@pytest.mark.parametrize(("words", "name"), UNKEPT.values(), ids=UNKEPT)
async def test_an_explanation_lists_nothing_that_may_be_in_no_answer(
    memory: Memoria, words: str, name: str
) -> None:
    await record(memory, words, "The kiln is warm.")
    found = await memory.search_conversation_traces(f"{name} kiln", explain=True, limit=1)
    assert found.explanation is not None
    assert name not in str(found.explanation.candidates)


async def test_a_standing_order_on_what_to_keep_is_remembered(memory: Memoria) -> None:
    for order in ("From now on don't save my phone number", "以后不要记我的电话"):
        kept = await memory.remember(order, type="rule")
        assert (await memory.get_memory(kept.id)).condition is None


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("From now on call me Krakenworks, but that stays between us.", "Krakenworks"),
        ("Always book Krakenworks after six, and keep that to yourself", "Krakenworks"),
        ("悄悄告诉你，以后我的北海公司面试都安排在下班以后", "北海公司"),
    ],
)
async def test_an_order_that_is_told_in_confidence_is_told_to_who_asks_alone(
    memory: Memoria, words: str, name: str
) -> None:
    await record(memory, words)
    await memory.remember(words, type="rule")
    assert no_name_in(await told_unasked(memory))
    hits = (await memory.search_memory(name)).hits
    assert {hit.condition for hit in hits if name in hit.text} == {"told in confidence"}


async def test_a_client_is_shown_the_condition_in_text_and_in_data(memory: Memoria) -> None:
    await record(memory, SECRETS["before"][0])
    async with connected(server_on(memory.settings.home_path, None), "auto") as agent:
        for tool in ("search_memory", "search_conversation_traces"):
            answer, text = await agent.both(tool, query="job interview at Krakenworks")
            assert [hit["condition"] for hit in answer["hits"]] == ["told in confidence"] * len(
                answer["hits"]
            )
            assert "told in confidence" in text
            (first, *_) = answer["hits"]
            whole, text = await agent.both("get_memory", id=first["id"])
            assert whole["condition"] == "told in confidence"
            assert "told in confidence" in text


async def test_what_is_told_openly_is_told_as_before(memory: Memoria) -> None:
    words = "Remember that I prefer small pull requests. Always answer in English."
    ids = await record(
        memory, words, "Noted.", "Don't tell me the answer. The repository is private."
    )
    text = await told_unasked(memory)
    assert "small pull requests" in text
    for one in ids:
        assert (await memory.get_turn(one)).condition is None


SAID_OPENLY = {
    "en": (
        "The folding lamp is on sale at the Voss shop from Monday.",
        "On Saturday at the Voss shop I sell the folding lamp. "
        "Between us, and don't note it: Anna is pregnant.",
        "The folding lamp is on sale at the Voss shop.",
        "Anna is pregnant.",
    ),
    "zh": (
        "折叠露营灯下周一在公司的小程序里上线。",
        "周六在公司弄折叠露营灯上线的事。阿珊怀孕了，这句你别记。",
        "折叠露营灯在公司的小程序里上线。",
        "阿珊怀孕了。",
    ),
}


@pytest.mark.parametrize("language", sorted(SAID_OPENLY))
@pytest.mark.parametrize("tells", [False, True])
async def test_a_summary_of_what_was_said_openly_is_shown_though_a_turn_not_to_be_kept_says_it_too(
    home: Path, model: ScriptedModel, language: str, tells: bool
) -> None:
    openly, not_kept, summary, secret = SAID_OPENLY[language]
    text = f"{summary}{secret}" if tells else summary
    episode = {"summary": text, "quotes": [{"turn": 1, "quote": openly}]}
    model.answer = answers(episode=lambda _: episode)
    async with opened(home, model) as m:
        await record(m, openly, "Gladly, of all that.", not_kept, "Well.", "And tea?", "Yes, tea.")
        listed = await m.list_memories(types=["episode"])
    assert [one.content for one in listed.memories] == ([] if tells else [summary])
