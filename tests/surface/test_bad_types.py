"""The library is handed whatever a program has at hand: a wrong type is a sentence, not a crash."""

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

import memoria
from memoria import Memoria, Settings, Turn
from memoria.errors import InvalidInputError

GREAT = 10**5_000


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no representation")


def ouroboros() -> list[object]:
    snake: list[object] = []
    snake.append(snake)
    return snake


def nested(levels: int) -> object:
    inner: object = "bottom"
    for _ in range(levels):
        inner = {"a": inner}
    return inner


def one_turn(**fields: object) -> dict[str, Any]:
    return {"turns": [{"role": "user", "content": "x", **fields}]}


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("search_memory", {"query": None}, "query"),
    ("search_memory", {"query": ["tea"]}, "query"),
    ("search_memory", {"query": b"tea"}, "query"),
    ("search_memory", {"query": Unprintable()}, "query"),
    ("search_memory", {}, "query"),
    ("search_memory", {"query": "tea", "sinse": "2026-03-01"}, "sinse"),
    ("search_memory", {"query": "tea", "limit": 1.5}, "limit"),
    ("search_memory", {"query": "tea", "limit": "8"}, "limit"),
    ("search_memory", {"query": "tea", "limit": True}, "limit"),
    ("search_memory", {"query": "tea", "limit": GREAT}, "limit: it is beyond 64 bits"),
    ("search_memory", {"query": "tea", "max_tokens": float("nan")}, "max_tokens"),
    ("search_memory", {"query": "tea", "types": "fact"}, "types"),
    ("search_memory", {"query": "tea", "types": ["fact", None]}, "types"),
    ("search_memory", {"query": "tea", "types": {"fact"}}, "types"),
    ("search_memory", {"query": "tea", "since": datetime(2026, 3, 2)}, "since"),  # noqa: DTZ001
    ("search_memory", {"query": "tea", "since": 1_772_414_045_000}, "since"),
    ("search_memory", {"query": "tea", "include_history": 1}, "include_history"),
    ("search_memory", {"query": "tea", "session_id": 7}, "session_id"),
    ("search_conversation_traces", {"query": "tea", "role": ["user"]}, "role"),
    ("search_conversation_traces", {"query": "tea", "context": "1"}, "context"),
    ("record_conversation", {"turns": None}, "turns must be a list"),
    ("record_conversation", {"turns": "hello"}, "turns must be a list"),
    ("record_conversation", {"turns": {"role": "user"}}, "turns must be a list"),
    ("record_conversation", {"turns": 3}, "turns must be a list"),
    ("record_conversation", {"turns": [None]}, "Turn 0"),
    ("record_conversation", {"turns": [["role", "user"]]}, "Turn 0"),
    ("record_conversation", one_turn(content=3), "Turn 0: content"),
    ("record_conversation", one_turn(content=Unprintable()), "Turn 0: content"),
    ("record_conversation", one_turn(at=True), "Turn 0: at"),
    ("record_conversation", one_turn(at=float("inf")), "Turn 0: at"),
    ("record_conversation", one_turn(at=GREAT), "Turn 0: at"),
    ("record_conversation", one_turn(tool_args={1, 2}), "Turn 0: tool_args"),
    ("record_conversation", one_turn(tool_args={1: "a"}), "Turn 0: tool_args"),
    ("record_conversation", one_turn(tool_args=ouroboros()), "Turn 0: tool_args"),
    ("record_conversation", one_turn(tool_args=nested(50_000)), "Turn 0: tool_args"),
    ("record_conversation", one_turn(tool_args=nested(150)), "pass it as text"),
    ("record_conversation", one_turn(tool_args=float("nan")), "write them as text"),
    ("record_conversation", one_turn(tool_args=GREAT), "write"),
    ("record_conversation", {"turns": [], "event": "tea_break"}, "'session_end'"),
    ("record_conversation", {"turns": [], "event": ["compaction"]}, "event"),
    ("record_conversation", {**one_turn(), "session_id": "s" * 501}, "500"),
    ("remember", {"content": 3}, "content"),
    ("remember", {"content": "x", "type": ["fact"]}, "type"),
    ("remember", {"content": "x", "importance": "high"}, "importance"),
    ("remember", {"content": "x", "importance": True}, "importance"),
    ("remember", {"content": "x", "importance": float("nan")}, "from 0 to 1"),
    ("revise_memory", {"memory_id": None, "action": "pin"}, "memory_id"),
    ("revise_memory", {"memory_id": "x", "action": None}, "'correct'"),
    ("get_record", {"record_id": 7}, "record_id"),
    ("get_record", {"record_id": "x", "context": -1}, "context"),
    ("get_memory", {"memory_id": ["x"]}, "memory_id"),
    ("get_turn", {"turn_id": b"x"}, "turn_id"),
    ("get_session", {"session_id": "s", "limit": -1}, "limit"),
    ("get_session", {"session_id": "s", "offset": GREAT}, "offset"),
    ("list_unverified", {"limit": 0}, "limit"),
    ("update_scratchpad", {"current_focus": ["tea"]}, "current_focus"),
    ("update_scratchpad", {"current_focus": "tea", "session_id": "s" * 501}, "500"),
    ("scratchpads", {"limit": "3"}, "limit"),
    ("wait_until_idle", {"timeout_s": -1}, "timeout_s"),
    ("rebuild_indexes", {"progress": "yes"}, "progress"),
]


@pytest.fixture
async def plain(home: Path) -> AsyncIterator[Memoria]:
    """A memory without vectors."""
    async with memoria.open(settings=Settings.from_values(home=home, embedder="off")) as opened:
        yield opened


async def test_a_wrong_type_is_named_and_nothing_is_done(plain: Memoria) -> None:
    await plain.record_conversation([{"role": "user", "content": "the bluebird nests"}])
    before = await plain.statistics()
    for method, arguments, named in WRONG:
        with pytest.raises(InvalidInputError) as caught:
            await getattr(plain, method)(**arguments)
        assert named in str(caught.value), method
        assert len(str(caught.value)) < 500
        assert "pydantic" not in str(caught.value)
        assert "\n" not in str(caught.value)
    assert await plain.statistics() == before
    assert len((await plain.search_memory("bluebird")).hits) == 1


async def test_arguments_in_place_are_named_too(plain: Memoria) -> None:
    with pytest.raises(InvalidInputError, match=r"^search_memory: query: "):
        await plain.search_memory(3)


async def test_a_turn_that_was_never_checked_is_checked(plain: Memoria) -> None:
    fine = Turn.model_validate({"role": "user", "content": "x"})
    with pytest.raises(InvalidInputError, match="Turn 1: content"):
        await plain.record_conversation([fine, fine.model_copy(update={"content": 3})])


async def test_an_error_of_the_callers_own_iterator_stays_its_own(plain: Memoria) -> None:
    with pytest.raises(ZeroDivisionError):
        await plain.record_conversation({"role": "user", "content": str(1 // i)} for i in (1, 0))
    assert (await plain.statistics()).turns == 0


async def test_a_thousand_bad_fields_are_counted_and_the_first_are_named(plain: Memoria) -> None:
    fields = {f"field {i}": i for i in range(1_000)}
    with pytest.raises(InvalidInputError, match="and 996 more") as caught:
        await plain.record_conversation([{"role": "user", **fields, "content": None}])
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"home": 3}, "home"),
        ({"home": "a\0b"}, "MEMORIA_HOME"),
        ({"home": "half \ud83d"}, "MEMORIA_HOME"),
        ({"home": "~nobody-of-that-name/x"}, "MEMORIA_HOME"),
        ({"tenant": ["me"]}, "tenant"),
        ({"tenant": ""}, "MEMORIA_TENANT"),
        ({"settings": "default"}, "settings"),
        ({"channel": "mcp"}, "channel"),
        ({"tenent": "me"}, "tenent"),
    ],
    ids=str,
)
async def test_a_memory_that_cannot_be_opened_says_why(
    arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(InvalidInputError, match=named):
        async with memoria.open(**arguments):
            pass


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"llm_attempts": "many"}, "MEMORIA_LLM_ATTEMPTS"),
        ({"llm_attempts": GREAT}, "MEMORIA_LLM_ATTEMPTS"),
        ({"embedder": "endpoint"}, "MEMORIA_EMBEDDING_BASE_URL"),
        ({"x" * 100_000: 1}, "MEMORIA_X"),
        ({"home": Unprintable()}, "MEMORIA_HOME"),
    ],
    ids=["text", "a great number", "half an endpoint", "an unknown name", "an object"],
)
def test_a_setting_that_cannot_be_used_is_named_in_a_sentence(
    fields: dict[str, Any], named: str
) -> None:
    with pytest.raises(InvalidInputError) as caught:
        Settings.from_values(**fields)
    assert named in str(caught.value)
    assert str(caught.value).endswith(". Mend the setting and start again.")
    assert "Value error" not in str(caught.value)
    assert len(str(caught.value)) < 400
