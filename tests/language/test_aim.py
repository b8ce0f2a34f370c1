"""What a question wants decides which turns answer it, however many of them are asked for."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from tests.retrieval.columns import (
    by_number,
    count,
    hear,
    list_best,
    places,
    remark,
    say_in_columns,
)

import memoria
from memoria import Settings
from memoria.language.asking.aim import Aim, find_aim, find_subject
from memoria.model import Role
from memoria.retrieval.query.options import ALL_STAGES
from memoria.retrieval.ranking.evidence.lexical import bm25
from memoria.retrieval.ranking.evidence.priors import ExpectedAnswer, rank_with_priors
from memoria.retrieval.ranking.evidence.session import spread_over_sessions
from memoria.store.turn_metadata import TurnMetadata

PLAIN = "My sister keeps bees behind the old orchard and sells honey in spring."


@pytest.mark.parametrize(
    ("question", "aim"),
    [
        ("When does my lease end?", Aim.FACT),
        ("What did I say about the harbour?", Aim.FACT),
        ("Can you remind me what my dentist is called?", Aim.FACT),
        ("What did you suggest for the harbour trip?", Aim.REPLY),
        ("Which book had you recommended?", Aim.REPLY),
        ("What did the assistant say about the loan?", Aim.REPLY),
        ("Can you summarise how the move went?", Aim.SUMMARY),
        ("In what order did I plant the beds? List them in order.", Aim.COURSE),
        ("How many different boats have I owned across our talks?", Aim.COURSE),
        ("How should I write the letter to my landlord?", Aim.HELP),
        ("Can you help me plan a weekend by the sea?", Aim.HELP),
        ("我的租约什么时候到期？", Aim.FACT),
        ("你上次推荐了哪家餐馆？", Aim.REPLY),
        ("总结一下我们聊过的装修计划", Aim.SUMMARY),
        ("我先后换过哪些工作？", Aim.COURSE),
        ("帮我写一封给房东的信", Aim.HELP),
    ],
)
def test_a_question_says_what_kind_of_answer_it_wants(question: str, aim: Aim) -> None:
    assert find_aim(question) is aim


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("Can you give me a complete summary of the orchard so far?", "the orchard"),
        ("List the order in which I brought up different parts of the boat", "List boat the"),
        ("总结一下我们聊过的装修计划", "装修计划"),
        ("In what order did you suggest the books?", "In what order did you suggest the books"),
        ("When does my summary course end?", "When does my summary course end"),
    ],
)
def test_the_words_that_ask_for_a_summary_are_not_searched_for(question: str, subject: str) -> None:
    found = find_subject(question, find_aim(question)).strip(" ?").split()
    assert sorted(found) == sorted(subject.split())


@pytest.mark.parametrize(
    ("wish", "place"),
    [
        ("Always name the version when I ask about a library.", 0),
        ("That works. From now on, give me the short form first.", 0),
        ("以后写邮件都用英文。", 0),
        ("I prefer working in the mornings, when the house is quiet.", 0),
        ("My brother has always lived by the sea, far from here.", 1),
    ],
)
def test_a_standing_wish_comes_first_where_something_new_is_asked_for(
    wish: str, place: int
) -> None:
    remarks = {1: remark(PLAIN), 2: remark(wish)}
    assert rank(remarks, {1: 0.5, 2: 0.45}, Aim.HELP).index(2) == place
    assert rank(remarks, {1: 0.5, 2: 0.45}, Aim.FACT) == [1, 2]


def test_a_wish_that_is_far_from_the_request_stays_behind() -> None:
    wish = remark("Always name the version when I ask about a library.")
    assert rank({1: remark(PLAIN), 2: wish}, {1: 0.6, 2: 0.2}, Aim.HELP) == [1, 2]


def test_only_the_user_of_an_assistant_has_standing_wishes() -> None:
    said = "Always name the version when I ask about a library."
    for speaker, role in (("Anna", Role.USER), (None, Role.ASSISTANT)):
        other = remark(said, speaker, role=role)
        found = rank({1: remark(PLAIN, speaker, role=role), 2: other}, {1: 0.5, 2: 0.45}, Aim.HELP)
        assert found == [1, 2]


def test_a_summary_prefers_neither_side() -> None:
    remarks = {1: remark(PLAIN), 2: remark(PLAIN, role="assistant")}
    assert rank(remarks, {1: 0.5, 2: 0.55}, Aim.SUMMARY) == [2, 1]
    assert rank(remarks, {1: 0.5, 2: 0.55}, Aim.FACT) == [1, 2]


def test_what_happened_in_several_sessions_is_heard_from_each() -> None:
    session_of = {1: 1, 2: 1, 3: 1, 4: 2}
    spread = spread_over_sessions({1: 0.9, 2: 0.8, 3: 0.7, 4: 0.6, 9: 0.5}, session_of)
    assert list_best(spread, 9) == [1, 2, 4, 3, 9]
    assert (spread[1], spread[4], spread[9]) == (0.9, 0.6, 0.5)


def test_a_statement_stands_above_an_answer_that_holds_its_words_at_length() -> None:
    once, filler = "harbour lease ", "word " * 700
    said = {1: once + "word " * 28, 2: once * 3 + filler, **dict.fromkeys(range(3, 9), filler)}
    counted = count(said, "harbour", "lease")
    scores = by_number(bm25(counted, places(*((n, n, 0) for n in said)), [1.0, 1.0], lend=True))
    assert scores[1] > scores[2]


def test_who_says_much_lends_each_word_of_it_less() -> None:
    def lend(length: int) -> float:
        counted = count({1: "harbour" + " word" * length}, "harbour")
        return by_number(bm25(counted, places((1, 1, 0), (2, 1, 1)), [1.0], lend=True))[2]

    assert lend(20) == lend(90) > lend(900)


@pytest.mark.parametrize(
    "question",
    [
        "What did I say of the harbour?",
        "How should I paint the boat in the harbour?",
        "In what order did I bring up the harbour and the boats, over time?",
        "What did my sister say about the boat? And where is the harbour?",
    ],
)
async def test_how_many_are_asked_for_does_not_change_who_comes_first(
    home: Path, question: str
) -> None:
    things = ("harbour", "boat", "paint", "sister", "mooring", "winter", "rope")
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        for session in range(6):
            turns = [
                {
                    "role": "assistant" if n % 2 else "user",
                    "content": f"The {things[(n + session) % 7]} of the {things[n * session % 7]} "
                    f"is by the harbour, {'word ' * (n * session % 11)} my sister said.",
                }
                for n in range(24)
            ]
            await m.record_conversation(turns, session_id=f"s{session}")
        many = await m.search_conversation_traces(question, limit=120, max_tokens=100_000)
        for limit in (3, 10, 50):
            few = await m.search_conversation_traces(question, limit=limit, max_tokens=100_000)
            assert [hit.id for hit in few.hits] == [hit.id for hit in many.hits][:limit]


def rank(remarks: Mapping[int, TurnMetadata], scores: Mapping[int, float], aim: Aim) -> list[int]:
    said = [remarks[n] for n in scores]
    final = rank_with_priors(
        np.array([*scores.values()]),
        say_in_columns(said),
        lambda rows, _: hear([said[row] for row in rows]),
        ExpectedAnswer((), None, aim),
        2,
        ALL_STAGES,
    )
    return list_best(dict(zip(scores, final.values.tolist(), strict=True)), 2)
