"""A question taken apart: its time, what it is about, whom it names, what only the record holds."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoria.language.asking.parse import ParsedQuery, parse_query
from memoria.language.words.analyser import query_terms
from memoria.model import parse_instant, to_iso
from memoria.model.zone import MACHINE_ZONE, UTC_ZONE

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
