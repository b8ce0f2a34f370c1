"""What is asked is searched for by itself, whatever is said around it and asked beside it."""

from collections.abc import AsyncIterator
from itertools import chain

import pytest

import memoria
from memoria import Memoria, Settings
from memoria.retrieval.query.askings import MOST_ASKINGS, Asking, find_askings
from memoria.retrieval.query.terms import MOST_TERMS

ONE_THING = (
    "Where do I keep the spare key?",
    "I'm flying to Oslo in May. Which hotel did you suggest?",
    "Which hotel did you suggest for Oslo? Answer in one sentence.",
    "Would Dr. Seuss have liked the U.S. edition of J.K. Rowling?",
    "How many days passed between when I sowed the beans, and when I picked them?",
    "我打算五月去奥斯陆。你当时推荐的是哪家旅馆？",
    "那个口号是“先问。再做！”的社团，什么时候聚会？",
    "这位钟表匠认为修表的关键问题是什么？",
    "the spare key",
    "???",
)
SEVERAL = {
    "What is the door code? By the way, when does the pool open?": (
        "What is the door code?",
        "when does the pool open?",
    ),
    "Tell me the door code. Also remind me when the pool opens.": (
        "Tell me the door code.",
        "remind me when the pool opens.",
    ),
    "Which hotel did I book? How much did it cost?": (
        "Which hotel did I book?",
        "Which hotel did I book? How much did it cost?",
    ),
    "I moved to Bergen. Who lent me the van? And what did I promise Ida?": (
        "I moved to Bergen. Who lent me the van?",
        "And what did I promise Ida?",
    ),
    "What was the rent in Bergen, and who was the landlord?": (
        "What was the rent in Bergen,",
        "and who was the landlord?",
    ),
    "What's the door code; and when does the pool open?": (
        "What's the door code;",
        "and when does the pool open?",
    ),
    "门锁密码是多少来着？另外，游泳馆几点开门？": ("门锁密码是多少来着？", "游泳馆几点开门？"),
    "告诉我门锁密码，还有游泳馆几点开门": ("告诉我门锁密码，", "游泳馆几点开门"),
}
BEHIND_CHAT = {
    "Lovely day. Did you see the match? What I actually wanted to ask is: who has the drill?": (
        "who has the drill?",
    ),
    "So much rain lately! My real question is who has the drill.": ("who has the drill.",),
    "今天真热，要不要去游泳呢？对了，我其实想问的是：电钻在谁那里？": ("电钻在谁那里？",),
    "外面好吵。我真正想知道的是，电钻在谁那里？另外，天黑了。我本来想说的是，门票多少钱？": (
        "电钻在谁那里？",
        "门票多少钱？",
    ),
}
AFTER_TALK = {
    "Hi! How are you?": "Do you remember the name of my dentist?",
    "It rains. The roof leaks. My neighbour sings.": "Who has the drill?",
    "下雨了。 屋顶漏水。 邻居在唱歌。": "电钻在谁那里？",
}
SAID = {
    "en": (
        "The workshop opens with the red key on the hook.",
        "The pool on Birch Street opens at half past six.",
        "Marta has my drill until the end of the month.",
    ),
    "zh": (
        "车间的门用挂钩上的红钥匙开。",
        "桦树街的游泳馆六点半开门。",
        "玛塔借走了我的电钻，月底还。",
    ),
}
CHAT = {
    "en": (
        "Lovely day for a walk along the river, the match was thrilling too.",
        "I saw the match with my neighbours, what a lovely evening.",
        "Walking along the river in the sun makes a lovely day.",
        "The match, the river, the sun: what more does a day want?",
    ),
    "zh": (
        "今天天气真好，沿着河边散步特别舒服，球赛也很精彩。",
        "昨晚和邻居一起看了球赛，天气也很好。",
        "晒着太阳沿着河边散步，今天真舒服。",
        "球赛、河边、太阳，今天还要什么呢？",
    ),
}
WORDS = " ".join(f"word{n}" for n in range(80))
TWO_THINGS = {
    "en": "Which key opens the workshop? By the way, when does the pool open?",
    "zh": "车间的门用哪把钥匙来着？另外，游泳馆几点开门？",
}
RAMBLING = {
    "en": "Lovely day for a walk along the river! Did you see the match, it was thrilling? I saw "
    "it with my neighbours in the sun. Sorry, what I actually wanted to ask is: who has my drill?",
    "zh": "今天天气真好，沿着河边散步特别舒服。昨晚的球赛你看了吗？和邻居一起看可精彩了。"
    "还晒了太阳。哎呀，我其实想问的是：我的电钻在谁那里？",
    "en, not announced": "Lovely day for a walk along the river! I saw the match with my "
    "neighbours. The sun was out. What a lovely evening. Who has my drill?",
    "zh, not announced": "今天天气真好，沿着河边散步特别舒服。昨晚和邻居一起看了球赛。还晒了太阳。"
    "球赛可精彩了。我的电钻在谁那里？",
}


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def m(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """Three facts in two languages, among chat."""
    home = tmp_path_factory.mktemp("askings") / "home"
    async with memoria.open(settings=Settings.load(home=home, embedder="off")) as opened:
        for language, facts in SAID.items():
            for text in chain(*zip(CHAT[language], (*facts, *facts[:1]), strict=True)):
                turn = {"role": "user", "content": text, "session_id": text}
                await opened.record_conversation([turn])
        for session in ("first", "second", "third"):
            turn = {"role": "user", "content": f"{session} {WORDS}", "session_id": session}
            await opened.record_conversation([turn])
        yield opened


def test_each_thing_that_is_asked_is_a_text_of_its_own() -> None:
    for text in ONE_THING:
        assert find_askings(text) == (Asking(text),)
    for text, questions in (SEVERAL | BEHIND_CHAT).items():
        assert find_askings(text) == tuple(map(Asking, questions))


def test_much_talk_before_a_question_is_another_wording_of_it() -> None:
    for talk, question in AFTER_TALK.items():
        whole = f"{talk} {question}"
        assert find_askings(whole) == (Asking(question, whole),)
    assert find_askings(f"{talk} 这个多少钱？") == (Asking(f"{talk} 这个多少钱？"),)


def test_of_very_many_questions_the_first_are_asked_as_one() -> None:
    many = [f"What is the code of door {n}?" for n in range(9)]
    askings = [each.question for each in find_askings(" ".join(many))]
    assert len(askings) == MOST_ASKINGS
    assert " ".join(askings) == " ".join(many)


@pytest.mark.parametrize("language", SAID)
async def test_a_question_of_two_parts_finds_what_each_part_finds(
    m: Memoria, language: str
) -> None:
    for search in (m.search_memory, m.search_conversation_traces):
        found = await search(TWO_THINGS[language], limit=2)
        assert {hit.text for hit in found.hits} == {*SAID[language][:2]}
        assert found.query == TWO_THINGS[language]


@pytest.mark.parametrize("language", RAMBLING)
async def test_chat_before_a_question_does_not_bury_its_answer(m: Memoria, language: str) -> None:
    for search in (m.search_memory, m.search_conversation_traces):
        found = await search(RAMBLING[language], limit=2)
        assert found.hits[0].text == SAID[language[:2]][2]


@pytest.mark.parametrize("language", SAID)
async def test_of_a_long_text_the_rarest_words_count_wherever_they_stand(
    m: Memoria, language: str
) -> None:
    chat = f"{CHAT[language][0]} {WORDS}"
    for long in (f"{chat} {SAID[language][2]}", f"{SAID[language][2]} {chat}"):
        found = await m.search_conversation_traces(long, limit=8, max_tokens=4000, explain=True)
        assert SAID[language][2] in [hit.text for hit in found.hits]
        assert found.explanation is not None
        assert len(found.explanation.terms) <= MOST_TERMS


async def test_a_part_that_nothing_answers_takes_no_room(m: Memoria) -> None:
    known, unknown = (
        "What is the door code of the workshop?",
        "Also, who is Wolfgang Petersen's aunt?",
    )
    alone = await m.search_memory(known)
    together = await m.search_memory(f"{known} {unknown}")
    assert [hit.text for hit in together.hits] == [hit.text for hit in alone.hits]
