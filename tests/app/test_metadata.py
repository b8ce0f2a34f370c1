"""A caller's own fields of turns and memories: kept, shown, filtered by, and bounded."""

import json
from collections.abc import Iterable, Mapping
from contextlib import AbstractAsyncContextManager, closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.databases import change_rows, open_home
from tests.empty_home import lay_empty_home
from tests.forgetting.remains import remaining

import memoria
from memoria import Memoria, Settings
from memoria.errors import ForgottenError, InvalidInputError
from memoria.model import COMMAND_LINE
from memoria.model.metadata import MOST_BYTES, MOST_KEYS, Metadata, MetadataValue

FIELDS: Metadata = {"ticket": "T-12", "count": 3, "done": True, "tags": ["a", "会议"]}
KEYS = ("ticket", "count", "tags")
SCALARS = st.sampled_from(
    ["T-1", "T-12", "1", "true", "", '"', "会议", 1, 1.0, 12, 1.5, True, False]
)
LISTS = st.lists(st.sampled_from(["T-1", "a", "会议"]), max_size=2)
WORD = "harbour"


def opened(home: Path, **more: object) -> AbstractAsyncContextManager[Memoria]:
    chosen = {"home": lay_empty_home(home), "tenant": "ann", "embedder": "off", **more}
    return memoria.open(settings=Settings.from_values(**chosen))


def said(content: str, metadata: Mapping[str, object] | str, **more: object) -> dict[str, object]:
    return {"role": "user", "content": content, "metadata": metadata, **more}


async def test_metadata_comes_back_with_turns_memories_hits_and_lists(home: Path) -> None:
    async with opened(home) as m:
        (turn,) = (await m.record_conversation([said("The harbour closes at six.", FIELDS)])).turns
        kept = await m.remember("The harbour opens at nine.", metadata=FIELDS)
        record = await m.get_turn(turn.id or "")
        shown = [record.turn.metadata, (await m.get_memory(kept.id)).metadata]
        shown += [one.metadata for one in (await m.list_memories()).memories]
        found = await m.search_memory("When does the harbour open?")
        shown += [hit.metadata for hit in found.hits]
        traces = await m.search_conversation_traces("harbour")
        shown += [hit.metadata for hit in traces.hits]
    assert len(shown) == 6
    assert all(one == FIELDS for one in shown)


def holds(own: Metadata, wanted: Metadata) -> bool:
    """What the filter promises, said another way: each value is the same, or one of a list."""

    def is_same(one: MetadataValue, other: MetadataValue) -> bool:
        return one == other and isinstance(one, bool) == isinstance(other, bool)

    def has(value: MetadataValue, key: str) -> bool:
        found = own.get(key)
        if isinstance(value, list):
            return isinstance(found, list) and set(value) <= set(found)
        if isinstance(found, list):
            return value in found
        return found is not None and is_same(found, value)

    return all(has(value, key) for key, value in wanted.items())


def listed_of(metadata: Iterable[Metadata]) -> list[str]:
    return sorted(json.dumps(one, sort_keys=True) for one in metadata)


FILTERS = st.dictionaries(st.sampled_from(KEYS), SCALARS, min_size=1, max_size=2)


@settings(
    deadline=None, max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.dictionaries(st.sampled_from(KEYS), SCALARS | LISTS), min_size=4, max_size=4),
    st.lists(FILTERS, min_size=6, max_size=6),
)
async def test_both_searches_and_the_list_find_exactly_what_has_every_value(
    tmp_path_factory: pytest.TempPathFactory, given: list[Metadata], filters: list[Metadata]
) -> None:
    turns = [said(f"{WORD} {i}", one) for i, one in enumerate(given)]
    async with opened(tmp_path_factory.mktemp("home")) as m:
        await m.record_conversation(turns)
        for i, one in enumerate(given):
            await m.remember(f"{WORD} memory {i}", metadata=one)
        for wanted in filters:
            expected = listed_of(one for one in given if holds(one, wanted))
            traces = await m.search_conversation_traces(WORD, metadata=wanted)
            first = await m.search_memory(WORD, metadata=wanted, types=["fact"])
            listed = await m.list_memories(metadata=wanted)
            assert listed_of(hit.metadata for hit in traces.hits) == expected
            assert listed_of(hit.metadata for hit in first.hits) == expected
            assert listed_of(one.metadata for one in listed.memories) == expected


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ({"a b": 1}, "letters, digits"),
        ({"x": None}, "x: give a text"),
        ({"x": {"y": 1}}, "x: give a text"),
        ({"x": [1]}, "x: give a text"),
        ({"x": float("nan")}, "x: give a text"),
        ({"x": 2**53}, "x: give a text"),
        ({f"k{i}": i for i in range(MOST_KEYS + 1)}, f"{MOST_KEYS} is the most"),
        ({"x": "y" * MOST_BYTES}, f"{MOST_BYTES:,} is the most"),
        ("ticket=T-12", "give an object"),
    ],
)
async def test_what_can_not_be_metadata_is_refused_with_what_to_do(
    home: Path, bad: Metadata, told: str
) -> None:
    async with opened(home) as m:
        for call in (
            lambda: m.remember("The harbour opens at nine.", metadata=bad),
            lambda: m.record_conversation([said("The harbour closes.", bad)]),
            lambda: m.search_memory("harbour", metadata=bad),
            lambda: m.list_memories(metadata=bad),
        ):
            with pytest.raises(InvalidInputError, match=told):
                await call()
        counted = await m.statistics()
    assert (counted.turns, counted.memories) == (0, {})


async def test_no_secret_is_kept_in_metadata(home: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    given: Metadata = {"note": f"use {token}", "password": "Xk9!vQ2#mZ7p", "ok": "plain"}
    async with opened(home) as m:
        receipt = await m.record_conversation([said("The harbour closes at six.", given)])
        kept = await m.remember("The harbour opens at nine.", metadata=given)
        shown = (await m.get_turn(receipt.turns[0].id or "")).turn.metadata
        shown_too = (await m.get_memory(kept.id)).metadata
    assert shown == shown_too
    assert shown["ok"] == "plain"
    assert receipt.redactions == kept.redactions
    assert sum(receipt.redactions.values()) == 2
    assert remaining(home, [token, "Xk9!vQ2#mZ7p"]) == set()


async def test_what_was_forgotten_does_not_come_back_as_metadata(home: Path) -> None:
    told = "The spare key hangs in the cellar behind the boiler"
    async with opened(home, forget_grace_days=0) as m:
        await m.forget_memory([(await m.remember(told)).id])
        given = [said("The harbour closes at six.", {"note": told, "ok": 1})]
        receipt = await m.record_conversation(given)
        shown = (await m.get_turn(receipt.turns[0].id or "")).turn.metadata
        with pytest.raises(ForgottenError):
            await m.remember("The harbour opens at nine.", metadata={"note": told})
    assert shown == {"ok": 1}


async def test_metadata_is_forgotten_with_its_memory_and_its_turn(home: Path) -> None:
    async with opened(home, forget_grace_days=0) as m:
        turns = [said("The harbour closes at six.", {"note": "zanzibar"})]
        receipt = await m.record_conversation(turns)
        kept = await m.remember("The harbour opens at nine.", metadata={"note": "tanganyika"})
        ids = [kept.id, receipt.turns[0].id or ""]
        await m.forget_memory(ids, include_source=True)
    assert remaining(home, ["zanzibar", "tanganyika"]) == set()


async def test_a_known_statement_gets_new_metadata_unless_the_user_has_confirmed_it(
    home: Path,
) -> None:
    async with opened(home) as m:
        kept = await m.remember("The harbour opens at nine.", metadata={"ticket": "T-1"})
        again = await m.remember("The harbour opens at nine.", metadata={"ticket": "T-2"})
        assert (await m.get_memory(kept.id)).metadata == {"ticket": "T-2"}
        await m.with_channel(COMMAND_LINE).revise_memory(kept.id, "confirm")
        ignored = await m.remember("The harbour opens at nine.", metadata={"ticket": "T-3"})
        assert (await m.get_memory(kept.id)).metadata == {"ticket": "T-2"}
    assert (again.id, again.ignored, ignored.ignored) == (kept.id, (), ("metadata",))


async def test_an_edited_message_has_the_metadata_it_was_edited_with(home: Path) -> None:
    async with opened(home) as m:
        first = said("It closes at six.", {"ticket": "T-1"}, message_id="m", session_id="s")
        second = {**first, "content": "It closes at five.", "metadata": {"ticket": "T-2"}}
        await m.record_conversation([first])
        (turn,) = (await m.record_conversation([second])).turns
        record = await m.get_turn(turn.id or "")
    assert [one.metadata for one in record.versions] == [{"ticket": "T-2"}, {"ticket": "T-1"}]


async def test_no_metadata_leaves_no_value_in_the_columns(home: Path) -> None:
    async with opened(home) as m:
        await m.record_conversation([said("The harbour closes at six.", {})])
        await m.remember("The harbour opens at nine.")
    with closing(open_home(home)), change_rows(home) as connection:
        found = connection.tuples(
            "SELECT metadata FROM turns UNION ALL SELECT metadata FROM memories", ()
        )
    assert [tuple(row) for row in found] == [(None,), (None,)]
