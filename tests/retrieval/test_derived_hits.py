"""Concepts and episodes stand behind what they rest on, and say so when it has changed."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from tests.lifecycle.test_merge import conclude

from memoria.app import open_memoria
from memoria.app.engine import open_store
from memoria.config import Settings
from memoria.language.reading.statement import fingerprint
from memoria.model import (
    DAY_MS,
    Edge,
    EdgeType,
    Hit,
    InferredBy,
    MemoryType,
    Node,
    Provenance,
    Turn,
    Validity,
    new_id,
    now_millis,
    to_iso,
)
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction
from memoria.store.values import NewMemory, NewVersion
from memoria.surface.documents import write_conclusions, write_memory
from memoria.surface.text import memory_text, result_text

NOW = now_millis()
ENGLISH = (
    "The staging server listens on port 8443",
    "Staging server port: the staging server and its port are part of {}, and its port is watched",
    "staging server port",
)
CHINESE = (
    "预发布服务器监听8443端口",
    "预发布服务器端口：预发布服务器和端口属于{}，端口受到监控",
    "预发布服务器的端口",
)
PLACES = "red blue green black white brown grey pink".split()


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.from_values(home=tmp_path / "home", tenant="ann", embedder="off")


@pytest.fixture
def store(settings: Settings) -> Iterator[Store]:
    settings.home_path.mkdir(parents=True)
    with closing(open_store(settings)) as opened:
        yield opened


def derive(
    tx: Transaction,
    text: str,
    sources: Sequence[str] = (),
    kind: MemoryType = MemoryType.CONCEPT,
    at: int = NOW,
    turn_n: int | None = None,
) -> str:
    """A concept of some memories, or a summary of a turn, as important as can be."""
    channel = "night" if kind is MemoryType.CONCEPT else "extraction"
    origin = Provenance(source_kind="consolidated", trust="reported", channel=channel)
    version = NewVersion(text, fingerprint(text), at, at, origin, turn_n, InferredBy.MODEL)
    new = NewMemory(new_id(), kind, 1.0, 0.9)
    tx.memories.add(new, version)
    for source in sources:
        link = Edge(
            src=Node("memory", new.id),
            type=EdgeType.DERIVED_FROM,
            dst=Node("memory", source),
            weight=1,
            confidence=1,
            made_at=at,
        )
        tx.graph.upsert_edges([link])
    return new.id


async def hits(settings: Settings, query: str, **more: object) -> list[Hit]:
    async with open_memoria(settings=settings) as m:
        return list((await m.search_memory(query, **more)).hits)


@pytest.mark.parametrize(("exact", "around", "query"), [ENGLISH, CHINESE])
async def test_the_exact_memory_is_among_the_first_five_whatever_sums_it_up(
    settings: Settings, store: Store, exact: str, around: str, query: str
) -> None:
    with store.write(settings.tenant) as tx:
        memory_id = conclude(tx, exact, at=NOW - 300 * DAY_MS, confidence=0.8)
        other = conclude(tx, "Nobody waters the plants", at=NOW)
        for place in PLACES:
            derive(tx, around.format(place), [memory_id, other])
    found = [hit.id for hit in await hits(settings, query)]
    assert memory_id in found[:5]


@pytest.mark.parametrize(("exact", "around", "query"), [ENGLISH, CHINESE])
async def test_where_both_match_a_memory_stands_before_the_concept_that_rests_on_it(
    settings: Settings, store: Store, exact: str, around: str, query: str
) -> None:
    with store.write(settings.tenant) as tx:
        memory_id = conclude(tx, exact, at=NOW - 300 * DAY_MS, confidence=0.8)
        other = conclude(tx, "Nobody waters the plants", at=NOW)
        concept = derive(tx, around.format("red"), [memory_id, other])
    found = [hit.id for hit in await hits(settings, query)]
    assert found[:2] == [memory_id, concept]


async def test_where_nothing_else_matches_concepts_take_all_places(
    settings: Settings, store: Store
) -> None:
    with store.write(settings.tenant) as tx:
        other = conclude(tx, "Nobody waters the plants", at=NOW)
        ids = {derive(tx, ENGLISH[1].format(place), [other]) for place in PLACES[:4]}
    assert {hit.id for hit in await hits(settings, ENGLISH[2])} == ids


PAIRS = [
    (
        "The user lives in Leeds",
        "The user lives in York",
        "Leeds: the user lives in Leeds and rows there, the user lives well",
        "where the user lives",
    ),
    (
        "用户住在利兹",
        "用户住在约克",
        "利兹：用户住在利兹，在那里划船，用户住得很好",
        "用户住在哪里",
    ),
]


@pytest.mark.parametrize(("old", "new", "says", "query"), PAIRS)
@pytest.mark.parametrize("by", ["correction", "another memory"])
async def test_a_concept_that_rests_on_what_was_superseded_says_so_and_stands_behind_it(
    settings: Settings, store: Store, old: str, new: str, says: str, query: str, by: str
) -> None:
    with store.write(settings.tenant) as tx:
        memory_id = conclude(tx, old, at=NOW - 90 * DAY_MS)
        other = conclude(tx, "She rows on Sundays", at=NOW)
        concept = derive(tx, says, [memory_id, other], at=NOW - 30 * DAY_MS)
    assert [hit.status for hit in await hits(settings, query) if hit.id == concept] == [None]
    current = await supersede(settings, store, memory_id, new, by)
    async with open_memoria(settings=settings) as m:
        result = await m.search_memory(query)
    found = [hit.id for hit in result.hits]
    assert found.index(current) < found.index(concept)
    (hit,) = (hit for hit in result.hits if hit.id == concept)
    assert (hit.status, hit.outdated_by) == ("outdated", (current,))
    said = "rests on something that has changed since: see [memory {}]"
    assert f"  {said.format(current[-result.id_chars :])}" in result_text(result)
    assert f"[memory {concept}] {said.format(current)}" in str(write_conclusions(result))
    async with open_memoria(settings=settings) as m:
        shown = await m.get_memory(concept)
    assert f"outdated: see [memory {current}]" in memory_text(shown)
    assert write_memory(shown)["validity"] == "outdated"


async def supersede(settings: Settings, store: Store, memory_id: str, new: str, by: str) -> str:
    """Say something else in a memory's place; gives the id of what says it."""
    if by == "correction":
        async with open_memoria(settings=settings) as m:
            await m.revise_memory(memory_id, "correct", new)
        return memory_id
    with store.write(settings.tenant) as tx:
        current = conclude(tx, new, at=NOW - DAY_MS)
        link = Edge(
            src=Node("memory", memory_id),
            type=EdgeType.VERSION_NEXT,
            dst=Node("memory", current),
            weight=1,
            confidence=1,
            event_at=NOW - DAY_MS,
            made_at=NOW,
        )
        tx.graph.upsert_edges([link])
        tx.memories.set_validity(memory_id, Validity.SUPERSEDED, NOW)
    return current


@pytest.mark.parametrize(("old", "new", "says", "query"), PAIRS)
async def test_an_episode_says_when_something_concluded_from_its_turns_has_changed(
    settings: Settings, store: Store, old: str, new: str, says: str, query: str
) -> None:
    async with open_memoria(settings=settings) as m:
        await m.record_conversation(
            [Turn(role="user", content=text) for text in (old, "and so on")], session_id="s"
        )
    with store.write(settings.tenant) as tx:
        first = tx.conversations.session_turns("s", 0, 1)[0]
        memory_id = conclude(tx, old, [first.n], at=NOW - 90 * DAY_MS)
        at = NOW - 30 * DAY_MS
        episode = derive(tx, says, kind=MemoryType.EPISODE, at=at, turn_n=first.n)
        tx.episodes.add(episode, first.session_n, 0, 1)
    (before,) = [hit for hit in await hits(settings, query) if hit.id == episode]
    assert before.status is None
    async with open_memoria(settings=settings) as m:
        await m.revise_memory(memory_id, "correct", new)
    found = await hits(settings, query)
    (after,) = [hit for hit in found if hit.id == episode]
    assert (after.status, after.outdated_by) == ("outdated", (memory_id,))
    ids = [hit.id for hit in found]
    assert ids.index(memory_id) < ids.index(episode)
    past = await hits(settings, query, as_of=to_iso(NOW - 10 * DAY_MS))
    assert [hit.status for hit in past if hit.id == episode] == [None]


async def test_what_the_same_conversation_corrects_has_not_changed_for_its_summary(
    settings: Settings, store: Store
) -> None:
    old, new, says, query = PAIRS[0]
    async with open_memoria(settings=settings) as m:
        await m.record_conversation(
            [Turn(role="user", content=text) for text in (old, new)], session_id="s"
        )
    with store.write(settings.tenant) as tx:
        first, second = tx.conversations.session_turns("s", 0, 2)
        memory_id = conclude(tx, old, [first.n], at=NOW - 90 * DAY_MS)
        episode = derive(tx, says, kind=MemoryType.EPISODE, at=NOW - 30 * DAY_MS, turn_n=first.n)
        tx.episodes.add(episode, first.session_n, 0, 1)
        origin = Provenance(source_kind="user_said", trust="reported", channel="extraction")
        version = NewVersion(new, fingerprint(new), NOW, NOW, origin, second.n, InferredBy.MODEL)
        tx.memories.add_version(memory_id, version)
        assert tx.derivations.list_changed([episode]) == []
    assert [hit.status for hit in await hits(settings, query) if hit.id == episode] == [None]


async def test_a_concept_of_what_was_merged_has_not_changed(
    settings: Settings, store: Store
) -> None:
    with store.write(settings.tenant) as tx:
        one = conclude(tx, "The user lives in Leeds", at=1)
        other = conclude(tx, "The user really lives in Leeds", at=1)
        concept = derive(tx, PAIRS[0][2], [one], at=NOW - 30 * DAY_MS)
        tx.memories.set_validity(one, Validity.SUPERSEDED, NOW)
        tx.pairs.note_merged(one, other)
        assert tx.derivations.list_changed([concept]) == []


async def test_an_episode_of_what_was_merged_into_other_words_has_not_changed(
    settings: Settings, store: Store
) -> None:
    old, new, says, _ = PAIRS[0]
    async with open_memoria(settings=settings) as m:
        await m.record_conversation([Turn(role="user", content=old)], session_id="s")
        await m.record_conversation([Turn(role="user", content="as said")], session_id="t")
    with store.write(settings.tenant) as tx:
        (first,) = tx.conversations.session_turns("s", 0, 1)
        (later,) = tx.conversations.session_turns("t", 0, 1)
        one = conclude(tx, old, [first.n], at=NOW - 90 * DAY_MS)
        other = conclude(tx, f"{old} these days", [later.n], at=NOW - 20 * DAY_MS)
        episode = derive(tx, says, kind=MemoryType.EPISODE, at=NOW - 30 * DAY_MS, turn_n=first.n)
        tx.episodes.add(episode, first.session_n, 0, 0)
        tx.memories.set_validity(one, Validity.SUPERSEDED, NOW - 10 * DAY_MS)
        tx.pairs.note_merged(one, other)
        assert tx.derivations.list_changed([episode]) == []
        origin = Provenance(source_kind="user_said", trust="reported", channel="extraction")
        version = NewVersion(new, fingerprint(new), NOW, NOW, origin, later.n, InferredBy.MODEL)
        tx.memories.add_version(other, version)
        (change,) = tx.derivations.list_changed([episode])
        assert (change.id, change.after, change.changed_at) == (other, new, NOW)
