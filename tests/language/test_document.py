"""Everything a turn says or does can be searched, and who said it when."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from memoria.language.words.analyser import query_terms
from memoria.language.words.document import (
    as_text,
    full_text,
    memory_tokens,
    renew_context,
    turn_tokens,
)
from memoria.model.zone import UTC_ZONE

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
