"""Who is asked about under one name is found under the other names that memories give them."""

import pytest
from tests.retrieval.test_graph_expansion import mention, snapshot, tell
from tests.retrieval.toys import hits_of

from memoria import Memoria
from memoria.language.names.keys import USER
from memoria.model.query import MemoryQuery
from memoria.retrieval.query.plan import plan_memories
from memoria.retrieval.query.wording import add_other_names

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
