"""A name that stands nowhere on record, or that has others beside it, is found by these."""

from collections.abc import AsyncIterator

import pytest
from tests.retrieval.test_graph_expansion import mention, snapshot, tell
from tests.retrieval.toys import ToyEmbedder, hits_of

import memoria
from memoria import Memoria
from memoria.language.names.keys import USER
from memoria.language.names.mentions import find_names_asked
from memoria.model.query import MemoryQuery
from memoria.retrieval.query.plan import plan_memories
from memoria.retrieval.query.wording import add_other_names


@pytest.fixture(scope="module")
async def m(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """Two tenants: of the second only the name matters."""
    home = tmp_path_factory.mktemp("names") / "home"
    async with memoria.open(home=home, tenant="other", embedder=ToyEmbedder()) as other:
        await other.record_conversation([{"role": "user", "content": "My niece is Cathryn."}])
    async with memoria.open(home=home, tenant="t", embedder=ToyEmbedder()) as opened:
        lines = [
            "My aunt Katherine keeps three goats behind the mill",
            "The kathode of the old tube amplifier is worn out",
            "Tim mends clocks",
            "Muhhamed and his sister painted the boathouse",
            "Rose Garden is a film about a garden that nobody may enter",
            "李小芬在码头边开了一家面馆",
            "喬治去年搬到了海边",
            "今天的会议讨论了预算",
            "林悦住在杭州西湖区，离公司很近",
            "林悦的父母住在绍兴，每年春节都回去",
            "张晓明弹得一手好钢琴",
        ]
        turns = [{"role": "user", "content": text, "at": "2024-01-01"} for text in lines]
        await opened.record_conversation(turns, session_id="s")
        await opened.wait_until_idle(60)
        yield opened


@pytest.mark.parametrize("search", ["search_memory", "search_conversation_traces"])
@pytest.mark.parametrize(
    ("question", "asked", "known"),
    [
        ("How many goats does Cathrine keep?", "Cathrine", "Katherine"),
        ("What did Mohammed paint with his sister?", "Mohammed", "Muhhamed"),
        ("What did Muhammad paint with his sister?", "Muhammad", "Muhhamed"),
        ("What did Mohamed paint with his sister?", "Mohamed", "Muhhamed"),
        ("李晓芬的面馆开在哪里？", "李晓芬", "李小芬"),
        ("《乔治》去年搬到了哪里？", "乔治", "喬治"),
    ],
)
async def test_a_name_spelt_otherwise_finds_what_is_on_record_and_the_answer_says_so(
    m: Memoria, search: str, question: str, asked: str, known: str
) -> None:
    found = await getattr(m, search)(question)
    assert any(known in hit.text for hit in hits_of(found)[:2]), found
    assert found.query == question
    assert f"no {asked} is on record; searched for {known}" in found.notes


@pytest.mark.parametrize(
    "question",
    [
        "How many goats does Tom keep?",
        "When was Gardenn seen?",
        "Where does Katarzyna live?",
        "张晓芬住在哪里？",
    ],
)
async def test_a_stranger_stays_a_stranger(m: Memoria, question: str) -> None:
    found = await m.search_conversation_traces(question)
    assert found.notes == ()


@pytest.mark.parametrize(
    "question", ["林悦现在住在哪里？", "林悦还住在西湖区吗", "林悦正住在哪里？"]
)
async def test_a_name_is_known_though_the_next_word_is_stuck_to_it(
    m: Memoria, question: str
) -> None:
    found = await m.search_memory(question)
    assert found.answered
    assert "林悦住在杭州西湖区，离公司很近" in [hit.text for hit in hits_of(found)]
    assert found.notes == ()


async def test_who_is_asked_about_in_few_words_is_told_of_unasked(m: Memoria) -> None:
    for question in ("林悦住哪", "林悦现在住哪"):
        assert "林悦住在杭州西湖区" in (await m.build_context(question)).text


async def test_who_only_begins_like_somebody_on_record_stays_a_stranger(m: Memoria) -> None:
    assert not (await m.search_memory("张晓芬住在哪里？")).answered


def test_a_chinese_question_names_whom_it_asks_about() -> None:
    assert find_names_asked("我和张欣怡去过哪里？") == ["张欣怡"]
    assert find_names_asked("杜静怡和赵宇轩谁更高？") == ["杜静怡", "赵宇轩"]
    assert find_names_asked("《远山》是谁写的？") == ["远山"]
    for plain in (
        "对于我使用的美妆呢？",
        "高老师喜欢什么？",
        "程序员有几位？",
        "何时启用？",
        "赵轩就读于哪所学校？",
        "陈月师从谁？",
    ):
        assert find_names_asked(plain) == []


INTRODUCED = "Elizabeth goes by Liz among friends"
INTRODUCED_ZH = "林悦的小名叫小悦"


def other_wordings(m: Memoria, question: str, workspace: str | None = None) -> list[str]:
    """What else is searched for."""
    plan = plan_memories(MemoryQuery(query=question, workspace=workspace))
    with snapshot(m) as tx:
        return [parsed.text for parsed in add_other_names(tx, plan).variants]


async def best(m: Memoria, question: str) -> str:
    """The best hit of a search, once all has its vector."""
    await m.wait_until_idle(60)
    found = hits_of(await m.search_memory(question))
    return max(found, key=lambda hit: hit.score).text


async def best_of(m: Memoria, question: str) -> set[str]:
    """The best hits of a search, which may be as good as each other."""
    await m.wait_until_idle(60)
    found = hits_of(await m.search_memory(question))
    most = max(hit.score for hit in found)
    return {hit.text for hit in found if hit.score == most}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What does Liz teach?", "Elizabeth teaches pottery on Tuesdays"),
        ("what does liz teach now", "Elizabeth teaches pottery on Tuesdays"),
        ("What are Liz's children called?", "Elizabeth has two sons, Ben and Max"),
        ("小悦摔断了哪里", "林悦十月摔断了脚踝"),
    ],
)
async def test_what_is_known_is_found_by_another_name_and_not_the_name_alone(
    memory: Memoria, question: str, answer: str
) -> None:
    await tell(memory, INTRODUCED, mention("Elizabeth", "Liz"))
    await tell(memory, INTRODUCED_ZH, mention("林悦", "小悦"))
    for said in ("teaches pottery on Tuesdays", "has two sons, Ben and Max", "keeps bees"):
        await tell(memory, f"Elizabeth {said}", "Elizabeth")
    for said in ("十月摔断了脚踝", "住在西湖边"):
        await tell(memory, f"林悦{said}", "林悦")
    assert answer in await best_of(memory, question)


async def test_what_was_said_under_another_name_is_found_by_the_first(memory: Memoria) -> None:
    await tell(memory, INTRODUCED, mention("Elizabeth", "Liz"))
    await tell(memory, "Liz plays chess in a club", "Liz")
    await tell(memory, "Elizabeth keeps bees", "Elizabeth")
    assert await best(memory, "Which game does Elizabeth play?") == "Liz plays chess in a club"


async def test_a_name_is_replaced_as_a_word_and_not_within_one(memory: Memoria) -> None:
    await tell(memory, "Joanna is Ann for short", mention("Joanna", "Ann"))
    assert other_wordings(memory, "Did Ann read the Annual?") == ["Did Joanna read the Annual?"]


async def test_of_many_names_in_a_question_two_are_replaced(memory: Memoria) -> None:
    for name in ("Ann", "Bea", "Cat"):
        await tell(memory, f"{name}ika is {name} for short", mention(f"{name}ika", name))
    assert len(other_wordings(memory, "What of Ann, Bea and Cat?")) == 2


async def test_the_user_is_found_whatever_their_name_is(memory: Memoria) -> None:
    await tell(memory, "The user lives in Lisbon", mention("Lin", USER))
    assert await best(memory, "Where does Lin live?") == "The user lives in Lisbon"
    assert other_wordings(memory, "Where does Lin live?") == []


async def test_a_name_that_another_project_gives_somebody_is_unknown_here(memory: Memoria) -> None:
    await tell(memory, "Fox (Tom) works on the parser", mention("Tom", "Fox"), workspace="dojo")
    assert other_wordings(memory, "What of Fox?", "dojo") == ["What of Tom?"]
    assert other_wordings(memory, "What of Fox?", "here") == []
