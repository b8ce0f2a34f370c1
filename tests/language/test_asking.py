"""A question taken apart: the answer it wants, its time, its names, what only the record holds."""

import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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
from memoria.language.asking.parse import ParsedQuery, parse_query
from memoria.language.words.analyser import query_terms
from memoria.model import Role, parse_instant, to_iso
from memoria.model.moments import MACHINE_ZONE, UTC_ZONE
from memoria.retrieval.query.options import ALL_STAGES
from memoria.retrieval.ranking.evidence.lexical import bm25
from memoria.retrieval.ranking.evidence.priors import ExpectedAnswer, rank_with_priors
from memoria.retrieval.ranking.evidence.rank import spread_over_sessions
from memoria.store.features import TurnMetadata

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


ASKED = parse_instant("2026-11-18T10:00:00Z")  # a Wednesday


def parse(text: str) -> ParsedQuery:
    return parse_query(text, query_terms(text), ASKED, UTC_ZONE)


def window(text: str) -> tuple[str, str] | None:
    when = parse(text).time
    if when is None:
        return None
    assert when.from_ms is not None
    assert when.until_ms is not None
    return to_iso(when.from_ms)[:10], to_iso(when.until_ms)[:10]


@pytest.mark.parametrize(
    ("text", "first", "beyond"),
    [
        ("What did we decide last week?", "2026-11-09", "2026-11-16"),
        ("我们上周决定了什么？", "2026-11-09", "2026-11-16"),
        ("What did Lin say last month", "2026-10-01", "2026-11-01"),
        ("我上个月说过什么", "2026-10-01", "2026-11-01"),
        ("What happened in May 2023?", "2023-05-01", "2023-06-01"),
        ("2023年5月发生了什么", "2023-05-01", "2023-06-01"),
        ("Who called yesterday", "2026-11-17", "2026-11-18"),
        ("昨天谁打过电话", "2026-11-17", "2026-11-18"),
        ("Where was I on 2023-05-08?", "2023-05-08", "2023-05-09"),
    ],
)
def test_a_time_that_is_named_becomes_a_window_in_either_language(
    text: str, first: str, beyond: str
) -> None:
    assert window(text) == (first, beyond)


@pytest.mark.parametrize("text", ["Who is Lin's manager?", "林的经理是谁", "最近怎么样", "may I?"])
def test_a_question_without_a_time_has_no_window(text: str) -> None:
    assert window(text) is None


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("what did we decide last week about the parser", {"decid", "parser"}),
        ("我上周和小李聊了什么", {"小李"}),
        ("上次部署失败的原因", {"部署", "失败", "原因"}),
        ("What did I tell you about peanuts in May 2023?", {"peanut"}),
        ("我们上个月做了哪些决定", {"决定"}),
        ("十月哪天是妈妈的生日", {"生日"}),
    ],
)
def test_what_remains_beside_the_time_is_what_an_answer_is_about(
    text: str, about: set[str]
) -> None:
    asked = parse(text)
    assert about <= set(asked.discriminative)
    assert not asked.is_time_only
    assert not {"week", "last", "may", "2023", "上周", "上个", "个月", "上次"} & set(
        asked.discriminative
    )


@pytest.mark.parametrize(
    "text",
    [
        "What did I say last week?",
        "What did we talk about yesterday?",
        "我上个月说过什么",
        "昨天我们讨论了什么？",
        "昨天你们聊了哪些事情",
        "最近聊过什么",
        "What happened in October?",
        "上个月发生了什么",
        "What is the latest?",
        "2023-05-08",
    ],
)
def test_a_question_of_nothing_but_a_time_is_known_as_one(text: str) -> None:
    assert parse(text).is_time_only


def test_where_no_time_is_named_every_term_is_discriminative() -> None:
    asked = parse("What did Lin say about the latency?")
    assert asked.discriminative == asked.terms
    assert not asked.is_time_only


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("why does E1437 come up", "E1437"),
        ("报错E1437是什么原因", "E1437"),
        ("ORA-00942 again", "ORA-00942"),
        ("are we hit by CVE-2023-1234?", "CVE-2023-1234"),
        ("read /etc/nginx/nginx.conf", "/etc/nginx/nginx.conf"),
        ("打开/home/lin/notes看看", "/home/lin/notes"),
        (r"it lies in C:\temp\report", r"C:\temp\report"),
        ("what changed in src/app/main.py?", "src/app/main.py"),
        ("文件src/app.py里写了什么", "src/app.py"),
        ("pyproject.toml says so", "pyproject.toml"),
        ("See https://example.org/a?b=1.", "https://example.org/a?b=1"),
        ("https://example.org/c是什么", "https://example.org/c"),
        ("call parser.reset() first", "parser.reset()"),
        ("what is user_id for", "user_id"),
        ("user_id字段是什么", "user_id"),
        ("set MEMORIA_HOME to what", "MEMORIA_HOME"),
        ("a KeyError in the log", "KeyError"),
        ("java.lang.NullPointerException", "NullPointerException"),
        ("commit 3f2a9bc1d", "3f2a9bc1d"),
        ("at 0x7fff01", "0x7fff01"),
        ("who listens on 10.0.4.17:5432?", "10.0.4.17"),
        ("主机10.0.4.17是做什么的", "10.0.4.17"),
        ("order 4711881", "4711881"),
        ("电话13800138000是谁的", "13800138000"),
        ("what does `git push -f` do", "git push -f"),
    ],
)
def test_what_only_the_record_can_hold_is_known_as_such(text: str, literal: str) -> None:
    assert parse(text).literals == (literal,)


@pytest.mark.parametrize(
    "text",
    [
        "What does Lin like to eat, and when?",
        "I'd rather go on foot and/or by bike; he/she/they won't mind.",
        "Rain or shine, 24/7/365.",
        "我最近在学葡萄牙语，周末去爬山。",
        "他喜欢苹果/香蕉/梨。",
        "Did I have COVID-19 in 2021?",
        "新冠COVID-19是什么时候",
        "WW2, H1N1, B12 and the F-16",
        "We met on 2023-05-08, or 2023/05/08, or 20230508.",
        "deadline 10/12/2023",
        "It cost $12000, that is ¥85000 or 12,000 dollars.",
        "It cost 12000 dollars or 12345.50.",
        "上个月的账单是12000元，一共100000人参加",
        "pi is 3.14159265",
        "An Error was made, with one Exception.",
        "Q3/Q4/FY figures",
        "on 21.11.2026, section 1.2.3 of it",
    ],
)
def test_ordinary_prose_names_dates_and_prices_are_nothing_for_the_record(text: str) -> None:
    assert parse(text).literals == ()


@pytest.mark.parametrize(
    "text",
    [
        "What were my exact words?",
        "quote what Lin wrote",
        "When did I mention the leak?",
        "What did I say about Lisbon?",
        "他的原话是什么",
        "我什么时候说过要去里斯本",
        "关于预算我说过什么",
    ],
)
def test_who_asks_for_the_words_or_when_they_were_said_asks_for_the_record(text: str) -> None:
    assert parse(text).wants_record


@pytest.mark.parametrize(
    "text", ["What is Lin allergic to?", "这件衣服防水吗", "a waterproof jacket", "我对什么过敏"]
)
def test_who_asks_for_a_fact_does_not_ask_for_the_record(text: str) -> None:
    assert not parse(text).wants_record


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Who is Priya Sharma?", "Priya Sharma"),
        ("has Jean-Luc O'Neil called", "Jean-Luc O'Neil"),
        ("where does José García live", "José García"),
        ("wo wohnt Frau Müllerschön", "Müllerschön"),
        ("Где живёт Александр", "Александр"),
        ("what is GPT4 good at", "GPT4"),
        ("小李的猫叫什么", "小李"),
        ("我的同事Caroline的猫叫什么名字", "Caroline"),
        ("小A和阿Q是谁", "阿Q"),
        ("昨天下午我们在会议室里讨论过的那个由小李负责的项目后来怎么样了呢", "小李"),
        ("of all the people whom I met at the long and rather dull conference on compilers in"
         " that town by the sea some years ago, was it Grace who gave the talk?", "Grace"),
    ],
)  # fmt: skip
def test_a_name_is_among_the_names_wherever_it_stands(text: str, name: str) -> None:
    assert name in parse(text).names


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
def test_any_text_can_be_taken_apart_and_gives_a_bounded_number_of_names(text: str) -> None:
    asked = parse(text)
    assert len(asked.names) <= 256
    assert all(name in text for name in asked.names)
    assert len(set(asked.names)) == len(asked.names)
    assert set(asked.discriminative) <= set(asked.terms)
    assert all(literal in text for literal in asked.literals)


# A quadratic pattern would take minutes over some of these, a cubic one for ever.
HOSTILE = [
    "1a",
    "a1",
    "1",
    "a-",
    "a.",
    "a/",
    "/a.",
    "A_",
    "a_",
    "A1",
    "ABC-1",
    "1-",
    "aError",
    "`",
    "`a",
    "https://",
    "C:\\a",
    "中",
    "中a",
    "上个月",
    "a, ",
    "é",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_text_of_anything_is_taken_apart_in_linear_time(piece: str) -> None:
    assert parse(piece * (50_000 // len(piece)) + "!x").text


def test_yesterday_is_the_day_before_where_the_asker_is(monkeypatch: pytest.MonkeyPatch) -> None:
    early = parse_instant("2026-03-11T06:00:00+08:00")  # the tenth in Greenwich
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "Asia/Shanghai")
        time.tzset()
        asked = parse_query("昨天说了什么", ("昨天",), early, MACHINE_ZONE)
    time.tzset()
    assert asked.time is not None
    assert asked.time.from_ms == parse_instant("2026-03-10T00:00:00+08:00")
