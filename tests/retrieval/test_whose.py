"""A question about one person is not answered with another's fact, at either level."""

from collections.abc import AsyncIterator, Iterable

import pytest

import memoria
from memoria import Memoria, Turn
from memoria.inference.bundled import BundledEmbedder
from memoria.model import Role

ENGLISH = {
    "mother": "My mother is allergic to penicillin.",
    "daughter": "My daughter is allergic to peanuts.",
    "wife's sister": "My wife's sister is allergic to shellfish.",
    "user": "I'm allergic to latex.",
    "Anna's brother": "Anna's brother is allergic to kiwi.",
    "father": "Dad lives in Leeds.",
    "older brother": "My older brother lives in Cork.",
    "younger brother": "My younger brother lives in Graz.",
    "boss": "My boss's birthday is on 3 March.",
    "mum": "Mum's birthday is on 9 July.",
    "dog": "My dog is called Biscuit.",
    "cat": "The cat is called Pepper.",
    "neighbour's kid": "Our neighbour's kid plays the oboe.",
    "son": "My son plays the trumpet.",
    "Tom": "My cousin Tom drives a Volvo.",
    "Priya": "Priya drives a Skoda.",
    "grandmother": "Grandma takes aspirin every morning.",
    "father-in-law": "My father-in-law takes warfarin every morning.",
}
CHINESE = {
    "mother": "我妈对青霉素过敏。",
    "daughter": "我女儿对花生过敏。",
    "wife's sister": "我老婆的妹妹对虾过敏。",
    "user": "我对乳胶过敏。",
    "小王's child": "小王的孩子对猕猴桃过敏。",
    "father": "我爸住在大连。",
    "older brother": "我哥哥住在厦门。",
    "younger brother": "我弟弟住在长沙。",
    "boss": "我老板的生日是三月三号。",
    "mum": "我母亲的生日是七月九号。",
    "dog": "我家狗叫豆包。",
    "cat": "我家猫叫胡椒。",
    "roommate": "我室友每天早上跑步。",
    "张伟's daughter": "张伟的女儿在学双簧管。",
    "son": "我儿子在学小号。",
    "grandmother": "我奶奶每天吃阿司匹林。",
    "father-in-law": "我岳父每天吃华法林。",
}
ASKED_IN_ENGLISH = (
    ("What is my mother allergic to?", "mother"),
    ("What's my mom allergic to again?", "mother"),
    ("Which allergy does my daughter have?", "daughter"),
    ("What am I allergic to?", "user"),
    ("What is my wife's sister allergic to?", "wife's sister"),
    ("What is Anna's brother allergic to?", "Anna's brother"),
    ("What is my uncle allergic to?", None),
    ("Where does my father live?", "father"),
    ("Where does my little brother live?", "younger brother"),
    ("Where does my big brother live?", "older brother"),
    ("When is my mother's birthday?", "mum"),
    ("When is my manager's birthday?", "boss"),
    ("What is the name of my cat?", "cat"),
    ("What instrument does the neighbour's kid play?", "neighbour's kid"),
    ("What car does my cousin drive?", "Tom"),
    ("Which medicine does my grandmother take every morning?", "grandmother"),
)
ASKED_IN_CHINESE = (
    ("我妈妈对什么过敏？", "mother"),
    ("我母亲有什么过敏的？", "mother"),
    ("我闺女对什么过敏？", "daughter"),
    ("我自己对什么过敏？", "user"),
    ("我老婆的妹妹对什么过敏？", "wife's sister"),
    ("小王的孩子对什么过敏？", "小王's child"),
    ("我叔叔对什么过敏？", None),
    ("我父亲住在哪里？", "father"),
    ("我弟弟住在哪儿？", "younger brother"),
    ("我妈的生日是哪天？", "mum"),
    ("我上司的生日是哪天？", "boss"),
    ("我家的猫叫什么名字？", "cat"),
    ("张伟的女儿在学什么乐器？", "张伟's daughter"),
    ("我儿子在学什么乐器？", "son"),
    ("我奶奶每天吃什么药？", "grandmother"),
    ("What is my mother allergic to?", "mother"),
)
SAME_PERSON = {"mother": ("mother", "mum"), "mum": ("mother", "mum")}
CASES = [
    *((ENGLISH, question, right) for question, right in ASKED_IN_ENGLISH),
    *((CHINESE, question, right) for question, right in ASKED_IN_CHINESE),
]
_IDS = [question for _, question, _ in CASES]


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def remembered(
    tmp_path_factory: pytest.TempPathFactory, embedder: BundledEmbedder
) -> AsyncIterator[Memoria]:
    """Both lists as memories, each list in a tenant of its own."""
    home = tmp_path_factory.mktemp("remembered")
    async with memoria.open(home=home, tenant="en", embedder=embedder) as opened:
        for text in ENGLISH.values():
            await opened.remember(text)
        await opened.wait_until_idle(60)
        yield opened


@pytest.fixture(scope="module")
async def remembered_zh(
    tmp_path_factory: pytest.TempPathFactory, embedder: BundledEmbedder
) -> AsyncIterator[Memoria]:
    home = tmp_path_factory.mktemp("remembered_zh")
    async with memoria.open(home=home, tenant="zh", embedder=embedder) as opened:
        for text in CHINESE.values():
            await opened.remember(text)
        await opened.wait_until_idle(60)
        yield opened


@pytest.fixture(scope="module")
async def recorded(
    tmp_path_factory: pytest.TempPathFactory, embedder: BundledEmbedder
) -> AsyncIterator[Memoria]:
    """The English list as turns of one conversation."""
    home = tmp_path_factory.mktemp("recorded")
    async with memoria.open(home=home, tenant="en", embedder=embedder) as opened:
        await opened.record_conversation(_say(ENGLISH.values()))
        await opened.wait_until_idle(60)
        yield opened


@pytest.fixture(scope="module")
async def recorded_zh(
    tmp_path_factory: pytest.TempPathFactory, embedder: BundledEmbedder
) -> AsyncIterator[Memoria]:
    home = tmp_path_factory.mktemp("recorded_zh")
    async with memoria.open(home=home, tenant="zh", embedder=embedder) as opened:
        await opened.record_conversation(_say(CHINESE.values()))
        await opened.wait_until_idle(60)
        yield opened


def _say(texts: Iterable[str]) -> list[Turn]:
    turns = []
    for n, text in enumerate(texts):
        turns.append(Turn(role=Role.USER, content=text, session_id=f"s{n // 4}"))
        turns.append(Turn(role=Role.ASSISTANT, content="Noted.", session_id=f"s{n // 4}"))
    return turns


@pytest.mark.parametrize(("facts", "question", "right"), CASES, ids=_IDS)
async def test_a_memory_of_another_person_is_not_the_answer(
    facts: dict[str, str],
    question: str,
    right: str | None,
    remembered: Memoria,
    remembered_zh: Memoria,
) -> None:
    found = await (remembered if facts is ENGLISH else remembered_zh).search_memory(question)
    texts = [hit.text for hit in found.hits]
    assert texts[:1] == ([] if right is None else [facts[right]])
    own = {facts[key] for key in SAME_PERSON.get(right or "", (right,)) if key}
    assert set(texts) <= own


@pytest.mark.parametrize(("facts", "question", "right"), CASES, ids=_IDS)
async def test_a_turn_about_another_person_is_not_the_first_of_the_record(
    facts: dict[str, str],
    question: str,
    right: str | None,
    recorded: Memoria,
    recorded_zh: Memoria,
) -> None:
    memory = recorded if facts is ENGLISH else recorded_zh
    found = await memory.search_conversation_traces(question)
    if right is not None:
        assert found.hits[0].text == facts[right]


@pytest.fixture(scope="module")
async def two_speakers(
    tmp_path_factory: pytest.TempPathFactory, embedder: BundledEmbedder
) -> AsyncIterator[Memoria]:
    """A talk of two people who both stand in the user's place."""
    home = tmp_path_factory.mktemp("two")
    said = [
        ("Bob", "I'm allergic to peanuts."),
        ("Anna", "I'm allergic to latex."),
        ("Bob", "My mother is allergic to penicillin."),
        ("Anna", "My mother is allergic to kiwi."),
        ("Anna", "我弟弟住在长沙。"),
        ("Bob", "我弟弟住在厦门。"),
    ]
    turns = [Turn(role=Role.USER, speaker=who, content=text, session_id="s") for who, text in said]
    async with memoria.open(home=home, tenant="two", embedder=embedder) as opened:
        await opened.record_conversation(turns)
        await opened.wait_until_idle(60)
        yield opened


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is Bob's mother allergic to?", "My mother is allergic to penicillin."),
        ("What is Anna's mother allergic to?", "My mother is allergic to kiwi."),
        ("What is Bob allergic to?", "I'm allergic to peanuts."),
        ("What is Anna allergic to?", "I'm allergic to latex."),
        ("Anna的弟弟住在哪里？", "我弟弟住在长沙。"),
        ("Bob的弟弟住在哪里？", "我弟弟住在厦门。"),
    ],
)
async def test_my_in_a_talk_is_whoever_speaks(
    two_speakers: Memoria, question: str, answer: str
) -> None:
    record = await two_speakers.search_conversation_traces(question)
    assert record.hits[0].text == answer


async def test_who_the_user_is_by_name_is_the_user(memory: Memoria) -> None:
    await memory.remember("My name is Lin.")
    await memory.remember("Lin is allergic to eggs.")
    await memory.remember("My daughter is allergic to peanuts.")
    found = await memory.search_memory("What am I allergic to?")
    assert [hit.text for hit in found.hits if "allergic" in hit.text] == [
        "Lin is allergic to eggs."
    ]


async def test_whose_name_it_is_is_known_from_elsewhere(memory: Memoria) -> None:
    await memory.remember("Tom is my brother.")
    await memory.remember("Tom lives in Cork.")
    await memory.remember("The user likes long walks.")
    found = await memory.search_memory("Where does my brother live?")
    assert "Tom lives in Cork." in [hit.text for hit in found.hits]


async def test_the_stage_can_be_left_out_and_explains_itself(memory: Memoria) -> None:
    await memory.remember("My daughter is allergic to peanuts.")
    question = "What is my uncle allergic to?"
    with_stage = await memory.search_memory(question, explain=True)
    without = await memory.search_memory(question, without=["people"])
    assert with_stage.explanation is not None
    (candidate,) = with_stage.explanation.candidates
    assert (candidate.outcome, candidate.factors["person"]) == ("below threshold", 0.3)
    assert [hit.text for hit in without.hits] == ["My daughter is allergic to peanuts."]
    assert with_stage.hits == ()


@pytest.mark.parametrize(
    ("said", "question", "of_another"),
    [
        ([("Bob", "I'm allergic to nuts."), ("Anna", "I prefer tea over coffee.")],
         "What is Anna allergic to?", "Bob"),
        ([("Bob", "I'm allergic to nuts."), ("Anna", "I prefer tea over coffee.")],
         "Does Bob prefer tea?", "Anna"),
        ([("鲍勃", "我对坚果过敏。"), ("安娜", "我喜欢喝茶。")], "安娜对什么过敏？", "鲍勃"),
    ],
)  # fmt: skip
async def test_what_one_of_two_speakers_said_is_not_the_others(
    memory: Memoria, said: list[tuple[str, str]], question: str, of_another: str
) -> None:
    turns = [Turn(role=Role.USER, speaker=who, content=text, session_id="s") for who, text in said]
    await memory.record_conversation(turns)
    await memory.wait_until_idle(60)
    found = await memory.search_memory(question)
    shown = [f"{hit.source.speaker}: {hit.text}" for hit in found.hits]
    assert [line for line in shown if of_another in line] == []


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("用户养了一只刺猬。", "用户养的宠物是什么？"),
        ("My budgie is called Kiwi.", "What is my pet called?"),
        ("My son is five years old.", "How old are my kids?"),
        ("我妈住在大连。", "我父母住在哪里？"),
        ("My mother-in-law is called Ada.", "What is my wife's mother called?"),
    ],
)
async def test_a_general_word_for_kin_or_animals_finds_the_special_one(
    memory: Memoria, fact: str, question: str
) -> None:
    await memory.remember(fact)
    assert [hit.text for hit in (await memory.search_memory(question)).hits] == [fact]


@pytest.mark.parametrize(
    ("fact", "question"),
    [
        ("My brother is 180 cm tall.", "How tall am I?"),
        ("Boris's cat is called Tom.", "What is my cat called?"),
        ("我哥哥身高一米八。", "我身高多少？"),
        ("李雷家的猫叫毛毛。", "我家的猫叫什么？"),
        ("小吴的属相是马。", "我姥姥的属相是什么？"),
        ("我姥爷的属相是兔。", "我姥姥的属相是什么？"),
        ("阿芳做厨师。", "阿芳的老公做什么工作？"),
        ("我老公做司机。", "阿芳的老公做什么工作？"),
    ],
)
async def test_where_only_anothers_fact_is_on_record_the_first_level_is_silent(
    memory: Memoria, fact: str, question: str
) -> None:
    await memory.remember("The user likes long walks.")
    await memory.remember("用户喜欢散步。")
    await memory.remember(fact)
    await memory.wait_until_idle(60)
    found = await memory.search_memory(question)
    assert fact not in [hit.text for hit in found.hits]


async def test_the_name_of_a_property_finds_the_memory_that_tells_it(memory: Memoria) -> None:
    await memory.record_conversation(_say(["I work at Halvorsen Labs."]))
    await memory.wait_until_idle(60)
    await memory.remember("The user's car is in the garage at Dufour.")
    found = [hit.text for hit in (await memory.search_memory("Who is my employer?")).hits]
    assert found == ["The user works at Halvorsen Labs."]
    assert not (await memory.search_memory("Who is Anna's employer?")).answered


async def test_who_is_asked_what_they_have_is_answered_with_it(memory: Memoria) -> None:
    await memory.remember("The pet of Priya is a ferret.")
    await memory.wait_until_idle(60)
    for question in ("Which pet does Priya keep?", "What animal does Priya have at home?"):
        found = [hit.text for hit in (await memory.search_memory(question)).hits]
        assert found == ["The pet of Priya is a ferret."]
