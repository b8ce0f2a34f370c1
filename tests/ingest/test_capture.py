"""Capture keeps what was said, once, in order."""

from collections.abc import Sequence
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memoria
from memoria import Memoria, Settings, Turn
from memoria.errors import InvalidInputError
from memoria.ingest.turn_draft import overlap_length
from memoria.language.reading.fences import fence


def turn(content: str, **fields: object) -> Turn:
    return Turn.model_validate({"role": "user", "session_id": "s", "content": content, **fields})


async def contents(memory: Memoria, session_id: str = "s") -> list[str]:
    record = await memory.get_session(session_id)
    return [kept.content for kept in record.turns]


async def test_a_turn_is_searchable_in_the_next_call(memory: Memoria) -> None:
    await memory.record_conversation([turn("The launch code name is bluebird.")])
    found = await memory.search_conversation_traces("bluebird")
    assert [hit.text for hit in found.hits] == ["The launch code name is bluebird."]


async def test_a_message_recorded_twice_is_kept_once(memory: Memoria) -> None:
    first = await memory.record_conversation([turn("hello", message_id="m1")])
    second = await memory.record_conversation([turn("hello", message_id="m1")])
    assert (first.recorded, second.recorded, second.already_recorded) == (1, 0, 1)
    assert second.turns[0].id == first.turns[0].id
    assert await contents(memory) == ["hello"]


async def test_a_numbered_message_is_the_same_whether_or_not_its_time_is_given(
    memory: Memoria,
) -> None:
    await memory.record_conversation([turn("hello", message_id="m1")])
    again = await memory.record_conversation(
        [turn("hello", message_id="m1", at="2026-03-02T09:14:05+08:00", speaker="Ann")]
    )
    assert again.already_recorded == 1


async def test_a_tool_call_gets_its_result_later_and_never_loses_it(memory: Memoria) -> None:
    asked = turn("", role="tool", message_id="c1", tool_name="bash", tool_args={"command": "ls"})
    answered = asked.model_copy(update={"tool_result": "a.txt"})
    await memory.record_conversation([asked])
    assert (await memory.record_conversation([answered])).new_versions == 1
    again = await memory.record_conversation([asked])
    assert (again.new_versions, again.already_recorded) == (0, 1)
    (kept,) = (await memory.get_session("s")).turns
    assert kept.tool_result == "a.txt"


async def test_an_edited_message_is_a_new_version_and_the_old_one_stays(memory: Memoria) -> None:
    await memory.record_conversation([turn("the port is 8080", message_id="m1")])
    receipt = await memory.record_conversation([turn("the port is 9090", message_id="m1")])
    assert receipt.new_versions == 1
    assert await contents(memory) == ["the port is 9090"]
    now = await memory.search_conversation_traces("port")
    assert [hit.text for hit in now.hits] == ["the port is 9090"]
    everything = await memory.search_conversation_traces("port", include_history=True)
    assert {hit.text for hit in everything.hits} == {"the port is 8080", "the port is 9090"}
    record = await memory.get_turn(str(receipt.turns[0].id))
    assert [version.content for version in record.versions] == [
        "the port is 9090",
        "the port is 8080",
    ]


async def test_the_same_message_id_in_two_sessions_is_two_messages(memory: Memoria) -> None:
    await memory.record_conversation(
        [turn("one", message_id="m1"), turn("two", message_id="m1", session_id="other")]
    )
    assert await contents(memory) == ["one"]
    assert await contents(memory, "other") == ["two"]


@pytest.mark.parametrize(
    ("calls", "kept"),
    [
        ([["a"], ["a"]], ["a"]),
        ([["a", "b"], ["a", "b", "c"]], ["a", "b", "c"]),
        ([["a", "b", "c"], ["b", "c", "d"]], ["a", "b", "c", "d"]),
        ([["a", "b", "c"], ["d"], ["a", "b", "c"]], ["a", "b", "c", "d"]),
        (
            [["yes", "done"], ["really?"], ["yes", "done"]],
            ["yes", "done", "really?", "yes", "done"],
        ),
        ([["a", "b"], ["c"], ["a"]], ["a", "b", "c", "a"]),
        ([["a", "b", "a"]], ["a", "b", "a"]),
        ([["a", "a", "a"], ["a", "a", "a"]], ["a", "a", "a"]),
    ],
    ids=[
        "the last call again",
        "the whole conversation so far",
        "a sliding window",
        "the beginning of the session, sent late",
        "an exchange that really happened twice",
        "one earlier turn said again is said again",
        "a repetition within a call",
        "repetitions, retried",
    ],
)
async def test_turns_without_ids_are_known_by_content_and_position(
    memory: Memoria, calls: Sequence[Sequence[str]], kept: Sequence[str]
) -> None:
    for call in calls:
        await memory.record_conversation([turn(text) for text in call])
    assert await contents(memory) == kept


async def test_a_call_that_mixes_sessions_is_known_again(memory: Memoria) -> None:
    call = [turn("a"), turn("x", session_id="other"), turn("b"), turn("y", session_id="other")]
    first = await memory.record_conversation(call)
    again = await memory.record_conversation(call)
    assert (first.recorded, again.recorded, again.already_recorded) == (4, 0, 4)
    assert [t.id for t in again.turns] == [t.id for t in first.turns]
    assert await contents(memory) == ["a", "b"]
    assert await contents(memory, "other") == ["x", "y"]


async def test_turns_with_the_same_words_at_different_times_are_two_turns(memory: Memoria) -> None:
    morning = turn("yes", at="2026-03-02T09:14:05+08:00")
    later = turn("yes", at="2026-03-02T09:20:00+08:00")
    await memory.record_conversation([morning])
    await memory.record_conversation([later])
    await memory.record_conversation([morning])
    assert await contents(memory) == ["yes", "yes"]


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_the_overlap_is_the_longest_end_that_is_also_a_beginning(
    tail: list[str], head: list[str]
) -> None:
    prints = [[text.encode() for text in texts] for texts in (tail, head)]
    found = overlap_length(*prints)
    ends = [k for k in range(len(head) + 1) if k <= len(tail) and tail[len(tail) - k :] == head[:k]]
    assert found == max(ends)


async def test_private_spans_are_gone_and_the_rest_stays(memory: Memoria) -> None:
    receipt = await memory.record_conversation(
        [turn("before <private>my salary is 46,000</private> after")]
    )
    assert receipt.stripped == 1
    assert await contents(memory) == ["before  after"]


async def test_a_turn_of_which_nothing_is_left_is_not_kept(memory: Memoria) -> None:
    receipt = await memory.record_conversation(
        [turn("<private>all of it</private>", message_id="m1"), turn("kept", message_id="m2")]
    )
    assert [outcome.status for outcome in receipt.turns] == ["nothing_left", "recorded"]


async def test_a_secret_is_redacted_in_text_arguments_and_results(memory: Memoria) -> None:
    key = "AKIA" + "IOSFODNN7EXAMPLE"
    receipt = await memory.record_conversation(
        [
            turn(f"my key is {key}"),
            turn(
                "",
                role="tool",
                tool_name="deploy",
                tool_args={"env": {"password": "correct-horse-9"}, "n": 1},
                tool_result=f"used {key}",
            ),
        ]
    )
    assert sum(receipt.redactions.values()) == 3
    stored = (await memory.get_session("s")).turns
    everything = "".join(kept.model_dump_json() for kept in stored)
    assert key not in everything
    assert "correct-horse-9" not in everything
    assert isinstance(stored[1].tool_args, dict)
    assert stored[1].tool_args["n"] == 1


@pytest.mark.parametrize("name", ["mcp__memoria__search_memory", "mcp_memoria_search_memory"])
async def test_what_our_own_tools_were_asked_and_answered_is_not_recorded(
    memory: Memoria, name: str
) -> None:
    await memory.record_conversation(
        [
            turn(
                "",
                role="tool",
                tool_name=name,
                tool_args={"query": "tea"},
                tool_result="[memory 1] likes tea",
            ),
            turn("", role="tool", tool_name="other__search", tool_result="kept"),
        ]
    )
    (other,) = (await memory.get_session("s")).turns
    assert other.tool_result == "kept"


async def test_injected_blocks_are_not_recorded(memory: Memoria) -> None:
    await memory.record_conversation([turn(f"{fence('recalled text')}What now?")])
    assert await contents(memory) == ["What now?"]


@pytest.mark.parametrize(
    "content", ["x", "\n", "你", "a\x00b", "\u202eabc", "😀" * 10, "ends with spaces  \n\n"]
)
async def test_a_turn_comes_back_to_the_byte(memory: Memoria, content: str) -> None:
    receipt = await memory.record_conversation([turn(content, message_id="m1"), turn("y")])
    if receipt.turns[0].id is None:
        assert not content.strip()
    else:
        record = await memory.get_turn(receipt.turns[0].id)
        assert record.turn.content.encode() == content.encode()


async def test_five_megabytes_are_kept_and_found(memory: Memoria) -> None:
    filler = "The quick brown fox 在杭州开会 jumps over. "
    text = (filler * (5 * 1024 * 1024 // len(filler.encode())))[: -len(" zebra 终点")]
    text += " zebra 终点"
    receipt = await memory.record_conversation([turn(text)])
    record = await memory.get_turn(str(receipt.turns[0].id))
    assert record.turn.content == text
    found = await memory.search_conversation_traces("zebra", max_tokens=500)
    (hit,) = found.hits
    assert hit.excerpt is not None
    start, end = hit.excerpt
    assert hit.text == text[start:end]
    assert found.tokens <= 500


@pytest.mark.parametrize(
    ("fields", "complaint"),
    [
        ({"content": ""}, "Turn 1: it is empty"),
        ({"content": "x", "role": "wizard"}, "role"),
        ({"content": "x", "at": "yesterday"}, "at: 'yesterday' is not a date"),
        ({"content": "x", "colour": "red"}, "colour"),
        ({"content": "x", "session_id": ""}, "session_id must have 1 to"),
        ({"content": "x" * (5 * 1024 * 1024 + 1)}, "Split it"),
    ],
)
async def test_a_bad_turn_is_named_and_nothing_of_the_call_is_recorded(
    memory: Memoria, fields: dict[str, object], complaint: str
) -> None:
    good = {"role": "user", "session_id": "s", "content": "good"}
    with pytest.raises(InvalidInputError, match="Nothing of this call was recorded") as caught:
        await memory.record_conversation([good, {**good, **fields}])
    assert complaint in str(caught.value)
    assert (await memory.statistics()).turns == 0


async def test_an_event_closes_the_stretch_and_the_next_turn_opens_another(memory: Memoria) -> None:
    receipt = await memory.record_conversation([turn("one"), turn("two")], event="compaction")
    assert receipt.closed_segments == 1
    await memory.record_conversation([turn("three")])
    await memory.record_conversation([], event="session_end", session_id="s")
    segments = (await memory.get_session("s")).segments
    assert [(s.first_index, s.last_index, s.closed_by) for s in segments] == [
        (0, 1, "compaction"),
        (2, 2, "session_end"),
    ]


async def test_a_pause_closes_the_stretch(memory: Memoria) -> None:
    await memory.record_conversation(
        [
            turn("one", at="2026-03-02T09:00:00Z"),
            turn("two", at="2026-03-02T09:29:00Z"),
            turn("three", at="2026-03-02T10:00:00Z"),
        ]
    )
    segments = (await memory.get_session("s")).segments
    assert [(s.first_index, s.last_index, s.closed_by) for s in segments] == [
        (0, 1, "idle"),
        (2, 2, None),
    ]


async def test_nothing_to_record_is_an_error(memory: Memoria) -> None:
    with pytest.raises(InvalidInputError, match="nothing to record"):
        await memory.record_conversation([])


async def test_what_was_acknowledged_is_there_after_reopening(home: Path) -> None:
    async with memoria.open(home=home, tenant="t") as first:
        await first.record_conversation([turn("kept for good")])
    async with memoria.open(home=home, tenant="t") as second:
        assert await contents(second) == ["kept for good"]
    async with memoria.open(home=home, tenant="stranger") as other:
        assert (await other.statistics()).turns == 0


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(min_size=1, max_size=200))
async def test_any_text_is_stored_or_refused_but_never_changed(
    memory: Memoria, content: str
) -> None:
    receipt = await memory.record_conversation([turn(content, session_id=f"s{hash(content)}")])
    kept = receipt.turns[0]
    if kept.id is not None and not receipt.redactions and not receipt.stripped:
        stored = (await memory.get_turn(kept.id)).turn.content
        assert stored == content.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


async def test_a_secret_in_the_session_of_the_whole_call_is_redacted(memory: Memoria) -> None:
    said = [{"role": "user", "content": "hello"}]
    receipt = await memory.record_conversation(said, session_id="password=hunter22!")
    assert receipt.redactions == {"password": 1}
    assert receipt.turns[0].id is not None
    kept = (await memory.get_turn(receipt.turns[0].id)).turn
    assert kept.session_id.startswith("password=[redacted:password]~")


async def test_half_a_character_in_a_message_id_is_mended_and_known_again(memory: Memoria) -> None:
    said = {"role": "user", "content": "hello", "message_id": "m\ud83d"}
    first = await memory.record_conversation([said], session_id="s\udc00")
    again = await memory.record_conversation([said], session_id="s\udc00")
    assert (first.recorded, again.already_recorded) == (1, 1)


async def test_a_secret_in_a_name_or_a_flag_is_redacted(memory: Memoria) -> None:
    token = "ghp_" + "aB3d" * 9
    await memory.record_conversation(
        [
            turn("hello", speaker=token),
            turn(
                "",
                role="tool",
                tool_name="run",
                tool_args={
                    "argv": ["mysql", "--password", "Hunter2xyzz9"],
                    "env": [{"name": "DB_PASSWORD", "value": "Hunter2xyzz9"}],
                },
            ),
        ]
    )
    kept = (await memory.get_session("s")).turns
    assert token not in str(kept[0].speaker)
    assert "Hunter2xyzz9" not in kept[1].model_dump_json()
    assert isinstance(kept[1].tool_args, dict)
    assert kept[1].tool_args["argv"][:2] == ["mysql", "--password"]  # type: ignore[index]


@pytest.mark.parametrize("at", [True, 1_700_000_000])
async def test_a_number_that_is_hardly_milliseconds_is_no_time(memory: Memoria, at: int) -> None:
    with pytest.raises(InvalidInputError, match="at: "):
        await memory.record_conversation([{"role": "user", "content": "x", "at": at}])


async def test_an_unknown_event_is_refused(memory: Memoria) -> None:
    with pytest.raises(InvalidInputError, match="'session_end' or 'compaction'"):
        await memory.record_conversation([turn("x")], event="lunch")  # type: ignore[arg-type]


@pytest.mark.sqlite("PostgreSQL itself writes to disk what is committed at once")
async def test_captures_that_come_at_once_share_commits(home: Path) -> None:
    settings = Settings.load().model_copy(update={"embedder": "off"})
    async with memoria.open(home, "tests", settings=settings) as opened:
        await opened.record_conversation([turn("The first one.")])
        committed: list[str] = []
        writer = opened._store._connections.writer.connection  # type: ignore[attr-defined]  # noqa: SLF001
        writer.set_trace_callback(lambda sql: committed.append(sql) if sql == "COMMIT" else None)
        commits = opened._store._connections._commits  # type: ignore[attr-defined]  # noqa: SLF001
        async with anyio.create_task_group() as group:
            with commits.alone(), anyio.fail_after(60):  # until a crowd has come
                for n in range(32):
                    group.start_soon(opened.record_conversation, [turn(f"This is number {n}.")])
                while len(commits._line) < 8:  # noqa: SLF001
                    await anyio.sleep(0.001)
        writer.set_trace_callback(None)
        kept = await contents(opened)
    assert sorted(kept[1:]) == sorted(f"This is number {n}." for n in range(32))
    assert len(committed) < 32


async def test_a_call_of_more_turns_than_others_can_wait_for_is_refused_whole(
    memory: Memoria,
) -> None:
    turns = [{"role": "user", "content": f"turn {n}"} for n in range(10_001)]
    with pytest.raises(InvalidInputError, match="send them in parts"):
        await memory.record_conversation(turns, session_id="s")
    assert (await memory.statistics()).turns == 0
