"""Words of a text, a turn or a name are found again in any spelling, in any language."""

import string
import tracemalloc
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import JsonValue

from memoria.language.words.analyser import (
    distinct_tokens,
    index_text,
    list_stop_words,
    phrase_tokens,
    query_terms,
    tokens,
    word_terms,
)
from memoria.language.words.document import (
    as_text,
    full_text,
    memory_tokens,
    renew_context,
    turn_tokens,
)
from memoria.language.words.spelling import iterate_beginnings, may_be_one_name
from memoria.model.moments import UTC_ZONE
from memoria.store.sqlite.driver import sqlite3

CJK = st.one_of(
    st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF),
    st.characters(min_codepoint=0x3041, max_codepoint=0x3096),
    st.characters(min_codepoint=0x30A1, max_codepoint=0x30FA),
    st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3),
    st.characters(min_codepoint=0x20000, max_codepoint=0x2A6DF),
)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@pytest.fixture(scope="module")
def index() -> Iterator[sqlite3.Connection]:
    """A full text table as the store has it, in memory."""
    connection = sqlite3.connect(":memory:")
    connection.execute(
        "CREATE VIRTUAL TABLE search_index USING fts5 (words, tokenize = \"ascii tokenchars '_'\")"
    )
    connection.execute("CREATE VIRTUAL TABLE terms USING fts5vocab(search_index, row)")
    yield connection
    connection.close()


def listed(text: str) -> list[str]:
    return index_text(text).split()


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("She deployed the releases", "deploying a release"),
        ("The RUNNERS were running", "run"),
        ("naïve café in Zürich", "NAIVE CAFE ZURICH"),
        ("Crème brûlée", "creme brulee"),
        ("Ｅｒｒｏｒ　Ｅ１４３７", "error e1437"),
        ("ﬁle ½", "file"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("Straße", "STRASSE"),
        ("don't panic", "don’t panic"),
        ("Anna's bicycle", "anna bicycle"),
        ("Москва", "МОСКВА"),
        ("e\u0301te\u0301", "été"),
        ("Çınar ve Işık", "CINAR isik"),
        ("Cinar ve Isik", "Çınar Işık"),
        ("İstanbul", "istanbul"),
        (
            "Søren Ødegård, Łódź, Đorđe, Þór, Ħamrun, Sámi ŋ",
            "soren odegard lodz dorde thor hamrun n",
        ),
        ("œuvre, Ærø, Əli", "oeuvre aero eli"),
        ("サーバー", "さーばー"),
        ("ｻｰﾊﾞｰ", "サーバー"),
        ("おかあさん", "オカアサン"),
        ("یحیی کلید", "يحيى كليد"),
        ("أحمد إلى آخر مدرسة", "احمد الى اخر مدرسه"),
        ("مُحَمَّد مـــحمد", "محمد"),
        ("שָׁלוֹם", "שלום"),
        ("۱۴۰۴ ١٤٠٥ १२", "1404 1405 12"),
        ("ADR-0167", "adr0167"),
        ("1,250,000 or 3'000'000 or 2.750.000 or 7\u202f500", "1250000 3000000 2750000 7500"),
        ("12,50,000 rupees and 4 800 000 more", "1250000 4800000"),
    ],
)
def test_a_question_in_another_spelling_has_the_same_tokens(said: str, asked: str) -> None:
    assert set(query_terms(asked)) <= set(listed(said))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("杭州开会", ["杭", "州", "开", "会", "杭州", "州开", "开会"]),
        ("我用Python写", ["我", "用", "我用", "python", "写"]),
        ("东京タワー", ["东", "京", "タ", "ワ", "ー", "东京", "京タ", "タワ", "ワー"]),
        ("서울", ["서", "울", "서울"]),
        ("茶", ["茶"]),
        ("茶，水", ["茶", "水"]),
        ("𠀀𠀁", ["𠀀", "𠀁", "𠀀𠀁"]),
    ],
    ids=["Chinese", "mixed", "Japanese", "Korean", "one", "punctuation parts", "a later plane"],
)
def test_a_chinese_japanese_or_korean_run_is_its_characters_and_pairs(
    text: str, expected: list[str]
) -> None:
    assert listed(text) == expected


@pytest.mark.parametrize(
    ("identifier", "expected"),
    [
        ("E1437", ["e1437"]),
        ("HTTP2", ["http2"]),
        ("v0.9.1", ["v0", "9", "1"]),
        ("src/main.py", ["src", "main", "py"]),
        ("MAX_TURN_BYTES", ["max", "turn", "byte"]),
        ("2026-03-02", ["2026", "03", "02"]),
        ("a1b2c3d4e5f6", ["a1b2c3d4e5f6"]),
    ],
)
def test_an_identifier_keeps_its_letters_and_digits_together(
    identifier: str, expected: list[str]
) -> None:
    assert listed(identifier) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ship it 🚀🚀", ["ship", "it", "🚀", "🚀"]),
        ("⚠️ ⚠ ⚠\ufe0e", ["⚠", "⚠", "⚠"]),
        ("👍🏽 👍🏿 👍", ["👍", "👍", "👍"]),
        ("👩🏽\u200d💻", ["👩", "💻", "👩💻"]),
        ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]),
        ("3️⃣ #️⃣", ["3", "3⃣", "＃⃣"]),
        ("Memoria™ costs €5 → ★ ∑ ♻️", ["memoria", "cost", "5", "™", "€", "→", "★", "∑", "♻"]),
        ("￥5 ≠ £5", ["5", "5", "¥", "≠", "£"]),
        ("好✅吧", ["好", "吧", "✅"]),
        ("C++, C# and .NET", ["c", "c", "and", "net"]),
        ("Ⓐ ㎏ ½", ["a", "kg", "1", "2"]),
    ],
)
def test_a_symbol_is_a_word_however_it_is_drawn(text: str, expected: list[str]) -> None:
    assert listed(text) == expected


@pytest.mark.parametrize("text", ["1.250", "1 250", "in 2024", "100,200,300,400,500,600,700,800"])
def test_what_may_be_separate_numbers_is_not_joined(text: str) -> None:
    assert listed(text) == list(tokens(text))


def test_words_stand_together_whatever_stands_within() -> None:
    said = f" {index_text('great 🎉 work on ADR-0167 today')} "
    for asked in ("great work on ADR", "0167 today", "work on ADR-0167 today"):
        assert all(f" {run} " in said for run in phrase_tokens(asked))


def test_what_decorates_a_text_is_not_what_it_is_found_again_by() -> None:
    assert word_terms("Ship ADR-0167 🚀") == word_terms("ship adr 0167")


def test_stop_words_leave_a_question_that_has_other_words() -> None:
    assert query_terms("what is the release checklist?") == ("releas", "checklist")
    assert query_terms("我们的发布是什么") == ("发", "布", "们的", "的发", "发布", "布是", "是什")


@pytest.mark.parametrize("question", ["who are you", "to be or not to be", "你是谁", "什么"])
def test_a_question_of_stop_words_alone_keeps_them(question: str) -> None:
    assert query_terms(question)
    assert set(query_terms(question)) <= set(listed(question))


def test_stop_words_stay_in_the_index() -> None:
    assert listed("to be or not to be") == ["to", "be", "or", "not", "to", "be"]


def test_a_term_is_asked_for_once() -> None:
    assert query_terms("tea tea TEA teas 茶 茶") == ("tea", "茶")


@pytest.mark.parametrize("text", ["", " \n\t", "…—!?", "│──┐ ███ ⠋", "\x00"])
def test_what_has_no_word_has_no_token(text: str) -> None:
    assert listed(text) == []
    assert query_terms(text) == ()


def test_a_very_long_word_is_kept_as_it_is() -> None:
    word = "running" * 1000
    assert listed(word) == [word]


@given(st.text(CJK, min_size=2, max_size=40), st.data())
def test_any_two_neighbouring_characters_of_a_cjk_text_are_found(
    text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text) - 2))
    assert set(query_terms(text[start : start + 2])) <= set(listed(text))


@given(ANY_TEXT, ANY_TEXT)
def test_any_text_is_found_inside_a_longer_one(inner: str, outer: str) -> None:
    assert set(query_terms(inner)) <= set(listed(f"{outer} . {inner} . {outer}"))


@given(ANY_TEXT)
def test_the_distinct_tokens_are_the_tokens_once_each(text: str) -> None:
    assert distinct_tokens(f"{text} . {text}") == {*listed(text)}


@given(st.text(string.printable.strip() + " '"))
@example("Don't log in as o'brien's 2nd_user'll")
def test_english_has_the_same_tokens_beside_another_script(text: str) -> None:
    assert listed(f"é . {text}") == ["e", *listed(text)]


@given(ANY_TEXT)
def test_no_token_holds_a_space_a_quote_or_an_operator(text: str) -> None:
    for token in listed(text):
        assert token
        assert all(not char.isspace() and (char.isalnum() or ord(char) > 127) for char in token)


@given(ANY_TEXT)
def test_the_full_text_index_finds_every_token(index: sqlite3.Connection, text: str) -> None:
    index.execute("DELETE FROM search_index")
    index.execute("INSERT INTO search_index (rowid, words) VALUES (7, ?)", (index_text(text),))
    for token in set(listed(text)):
        found = index.execute(
            "SELECT rowid FROM search_index WHERE search_index MATCH ?", (f'"{token}"',)
        ).fetchall()
        assert found == [(7,)]


@given(st.text(st.characters(max_codepoint=0x2FF, exclude_categories=["Cs", "So"]), max_size=60))
def test_the_full_text_index_splits_at_our_spaces_only(
    index: sqlite3.Connection, text: str
) -> None:
    index.execute("DELETE FROM search_index")
    index.execute("INSERT INTO search_index (rowid, words) VALUES (7, ?)", (index_text(text),))
    stored = {row[0] for row in index.execute("SELECT term FROM terms")}
    assert stored == set(listed(text))


@pytest.mark.parametrize("text", ["Memoria™", "ℌello", "50 ㎐", "🄰"])
def test_no_token_has_a_capital_letter(text: str) -> None:
    assert [token for token in listed(text) if token != token.lower()] == []


@pytest.mark.parametrize(
    ("question", "word"),
    [("gold mining permits", "mining"), ("John Doe's address", "Doe"), ("Canned soup", "canned")],
)
def test_a_word_that_shares_a_stop_words_stem_stays_in_the_question(
    question: str, word: str
) -> None:
    assert word.lower() not in list_stop_words()
    assert set(tokens(word)) <= set(query_terms(question))


@pytest.mark.parametrize(("text", "word"), [("Côte d'Or", "or"), ("Xi'an", "an")])
def test_the_word_after_an_apostrophe_is_not_lost(text: str, word: str) -> None:
    assert word in listed(text)


def test_no_endless_word_is_kept_in_memory() -> None:
    tracemalloc.start()
    try:
        for i in range(10):
            assert index_text(f"{i}" + "x" * 300_000)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 500_000


MARCH_2ND = 1_772_442_845_000  # 2026-03-02T09:14:05Z, a Monday


@dataclass(frozen=True)
class Said:
    content: str = ""
    speaker: str | None = None
    at: int = MARCH_2ND
    utc_offset: int | None = None
    tool_name: str | None = None
    tool_args: JsonValue = None
    tool_result: JsonValue = None


@pytest.mark.parametrize(
    ("turn", "question"),
    [
        (Said(content="the port is 8080"), "port 8080"),
        (Said(tool_name="run_tests"), "run tests"),
        (Said(tool_args={"path": ["src/main.py"]}), "main.py"),
        (Said(tool_args={"path": "x"}), "path"),
        (Said(tool_result="error E1437"), "E1437"),
        (Said(tool_result={"城市": "杭州"}), "杭州"),
        (Said(tool_result=[1, {"deep": [None, True, 42]}]), "42"),
    ],
    ids=["words", "tool", "argument", "name of an argument", "result", "Chinese", "nested"],
)
def test_words_arguments_and_results_are_found(turn: Said, question: str) -> None:
    words, _ = turn_tokens(turn, UTC_ZONE)
    assert set(query_terms(question)) <= set(words.split(" "))


@pytest.mark.parametrize("question", ["Ann", "Monday", "March", "2026", "2 March 2026"])
def test_who_and_when_are_found_apart_from_the_words(question: str) -> None:
    words, context = turn_tokens(Said(content="hello", speaker="Ann"), UTC_ZONE)
    assert words == "hello"
    assert set(query_terms(question)) <= set(context.split(" "))


def test_a_memory_is_found_by_its_words_and_its_date() -> None:
    words, context = memory_tokens("likes tea", None, MARCH_2ND, UTC_ZONE)
    assert words == "like tea"
    assert set(query_terms("monday 2 march 2026")) <= set(context.split(" "))


def test_a_memory_is_found_by_the_property_it_tells() -> None:
    words, context = memory_tokens("out on Tuesdays", "release_day", MARCH_2ND, UTC_ZONE)
    assert words == "out on tuesday"
    assert context.split(" ")[:2] == ["releas", "day"]
    assert renew_context(context, "launch") == "launch monday 2 march 2026"


@pytest.mark.parametrize("predicate", ["fact_he_says_that_it_leaks", "x" * 41, "", None])
def test_a_sentence_in_the_place_of_a_property_is_not_indexed(predicate: str | None) -> None:
    assert memory_tokens("x", predicate, MARCH_2ND, UTC_ZONE)[1] == "monday 2 march 2026"


def test_a_turn_reads_as_one_text_without_empty_lines() -> None:
    turn = Said(content="look", tool_name="ls", tool_args={"at": "家"}, tool_result="a.py")
    assert full_text(turn) == 'look\nls\n{"at": "家"}\na.py'
    assert full_text(Said()) == ""


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        ("bare", "bare"),
        (0, "0"),
        (False, "false"),
        ([], "[]"),
        ({"键": 1}, '{"键": 1}'),
    ],
)
def test_a_json_value_reads_as_a_person_would_write_it(value: JsonValue, text: str) -> None:
    assert as_text(value) == text


@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_every_moment_of_the_calendar_can_be_indexed(at: int) -> None:
    _, context = memory_tokens("x", None, at, UTC_ZONE)
    assert len(context.split(" ")) == 4


@pytest.mark.parametrize(
    "pair",
    [
        "Cathrine Katherine", "Melany Melanie", "Carolyne Caroline", "Stephen Steven",
        "Mohammed Muhhamed", "Muhammad Mohamed",
        "Philip Filip", "Alexander Aleksandr", "Samm Sam", "Sara Sarah", "Smyth Smith",
        "乔治 喬治", "李晓芬 李小芬", "凯瑟琳 凯瑟林", "陈梦婷 陳夢婷",
    ],
)  # fmt: skip
def test_a_name_is_known_in_another_spelling(pair: str) -> None:
    asked, known = pair.split()
    assert may_be_one_name(asked, known)
    assert any(known.lower().startswith(first) for first in iterate_beginnings(asked))


@pytest.mark.parametrize(
    "pair",
    [
        "Tim Tom", "Evan Ivan", "Maria Marie", "Joanna Joanne", "Audrey Andrew", "Dave David",
        "Marina Moreno", "Katarzyna Katherine", "Mahmoud Mohammed",
        "Julian Juliana", "Carolina Caroline", "王思婷 王思琪", "张志强 赵志强", "李娜 李雷",
    ],
)  # fmt: skip
def test_two_people_are_not_taken_for_one(pair: str) -> None:
    one, other = pair.split()
    assert not may_be_one_name(one, other)
