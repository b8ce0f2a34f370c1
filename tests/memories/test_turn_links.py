"""Raw talk has a place in the graph: whom and what people name is linked by rules."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.databases import change_rows, open_home
from tests.forgetting.checker import rows_without_sources
from tests.forgetting.remains import remains

import memoria
from memoria import Memoria, Settings
from memoria.erasure.verify import repair_orphans, verify
from memoria.errors import NotFoundError
from memoria.inference import LazyEmbedder
from memoria.inference.embedder import BundledEmbedder
from memoria.ingest.embedding import EmbeddingLimits, EmbeddingWorker
from memoria.memories.links import replace_interpretation
from memoria.memories.wordings import interpretation_by_rules
from memoria.model import Edge, EdgeType, Mention, Node, StoredTurn, now_millis
from memoria.model.provenance import EntityRecord, Namesakes
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters
from memoria.surface.cli.entities import render_entity
from memoria.surface.origins import write_graph_answer

LIMITS = EmbeddingLimits(batch=32, lease_ms=60_000, attempts=5)
EVERYTHING = Filters(everywhere=True, include_history=True)
TALK = (
    ("Ottilie", "Hi Bram! Yesterday I had lunch with Quentella by the river."),
    ("Bram", "Lovely. Does Quentella still live in Aveiro?"),
    ("Ottilie", "No, but did her brother not move to Aveiro last spring?"),
    ("林若溪", "我昨天跟赵子墨去看展览了。"),
    ("Bram", "赵子墨我认识，他在读《看不见的城市》。"),
)


@pytest.fixture
async def m(home: Path) -> AsyncIterator[Memoria]:
    async with memoria.open(settings=Settings(home=home, embedder="off"), tenant="t") as opened:
        yield opened


async def say(m: Memoria, *talk: tuple[str, str]) -> list[str]:
    turns = [
        {"role": "user", "speaker": speaker, "content": text, "session_id": "s"}
        for speaker, text in talk
    ]
    receipt = await m.record_conversation(turns)
    return [one.id for one in receipt.turns if one.id is not None]


async def find_turns(m: Memoria, name: str) -> set[str]:
    """Ids of the turns that are linked with a name."""
    found = await m.graph.around(name)
    if isinstance(found, Namesakes):
        assert not found.entities, f"several go by {name}"
        return set()
    return {one.other.id for one in found.entity_turns}


def change(m: Memoria, write: Callable[[Transaction], object]) -> None:
    """Write as another process does, by a connection of its own."""
    store = open_home(m.settings.home_path)
    with store.write("t") as tx:
        write(tx)
    store.close()


def process(tx: Transaction, *turn_ids: str) -> None:
    """Mark turns as read by a model, as the extractor does."""
    tx.conversations.mark_processed(filter(None, map(tx.conversations.turn, turn_ids)))


def existing(tx: Transaction, turn_id: str) -> StoredTurn:
    """A turn that is there."""
    turn = tx.conversations.turn(turn_id)
    assert turn is not None
    return turn


async def test_speakers_people_places_and_titles_of_raw_talk_are_known_to_the_graph(
    m: Memoria,
) -> None:
    first, answer, later, chinese, title = await say(m, *TALK)
    assert await find_turns(m, "Quentella") == {first, answer}
    assert await find_turns(m, "Aveiro") == {answer, later}
    assert await find_turns(m, "Ottilie") == {first}
    assert await find_turns(m, "Bram") == {first, answer}
    assert await find_turns(m, "赵子墨") >= {chinese}
    assert await find_turns(m, "看不见的城市") == {title}
    for no_name in ("Yesterday", "Lovely", "Hi", "昨天", "展览"):
        assert await find_turns(m, no_name) == set()


async def test_what_an_assistant_explains_and_what_tools_return_makes_no_entities(
    m: Memoria,
) -> None:
    texts = {"assistant": "You could ask Quentella in Aveiro.", "tool": "by Quentella, in Aveiro"}
    turns = [
        {"role": role, "content": text, "session_id": "s", "message_id": role}
        for role, text in texts.items()
    ]
    turns.append({"role": "user", "content": "It is in src/Quentella.py, see @Quentella_b"})
    turns.append({"role": "user", "speaker": "user", "content": "Thanks.", "session_id": "u"})
    await m.record_conversation(turns)
    for name in ("Quentella", "Aveiro", "src/Quentella.py", "@Quentella_b", "user"):
        assert await find_turns(m, name) == set()


@pytest.mark.parametrize("speaker", ["Q" * 300, "two\nlines", " ", "\u202e"])
async def test_a_speaker_who_is_no_name_is_recorded_and_not_linked(
    m: Memoria, speaker: str
) -> None:
    turn = {"role": "user", "speaker": speaker, "content": "Has Quentella come?"}
    receipt = await m.record_conversation([turn])
    (recorded,) = receipt.turns
    assert recorded.status == "recorded"
    assert len(await find_turns(m, "Quentella")) == 1
    with m._store.read("t") as tx:  # noqa: SLF001  (no face lists all entities)
        assert [one.name for one in tx.graph.by_prefix("", EVERYTHING, 9)] == ["Quentella"]


async def test_whom_somebody_talks_with_and_words_of_code_are_not_linked(m: Memoria) -> None:
    talk = (
        ("Ottilie", "I am off to the river."),
        ("Bram", "I think, Otti, that Ottilie is a fine name for a boat."),
        ("Ottilie", "```python\nif x is None: call(False)\n```\nWhy does Print fail here?"),
    )
    first, *_ = await say(m, *talk)
    assert await find_turns(m, "Ottilie") == {first}
    for no_name in ("Otti", "None", "False", "Print"):
        assert await find_turns(m, no_name) == set()


async def test_a_name_goes_with_the_last_turn_that_says_it_and_leaves_no_byte(
    m: Memoria, home: Path
) -> None:
    first, answer, *_ = await say(m, *TALK)
    await m.forget_memory([first], include_source=True)
    assert await find_turns(m, "Quentella") == {answer}
    assert await find_turns(m, "Ottilie") == set()
    await m.forget_memory([answer], include_source=True)
    assert await find_turns(m, "Quentella") == set()
    assert remains(home, "Quentella") == set()
    assert rows_without_sources(home) == []
    assert verify(m._store) == {}  # noqa: SLF001  (no face says what leads nowhere)
    assert (await m.health()).is_sound


async def test_a_forget_that_is_undone_brings_the_links_back(home: Path) -> None:
    settings = Settings(home=home, embedder="off", forget_grace_days=7)
    async with memoria.open(settings=settings, tenant="t") as m:
        first, answer, *_ = await say(m, *TALK)
        report = (await m.forget_memory([first], include_source=True)).report
        assert report is not None
        assert await find_turns(m, "Quentella") == {answer}
        await m.undo_forget(report.id)
        assert await find_turns(m, "Quentella") == {first, answer}
        assert rows_without_sources(home) == []


async def test_a_link_of_a_turn_to_what_it_does_not_name_is_found_and_mended(
    m: Memoria, home: Path
) -> None:
    first, answer, *_ = await say(m, *TALK)
    with change_rows(home) as rows:
        rows.execute(
            """DELETE FROM name_uses
               WHERE name_n = (SELECT n FROM entity_names WHERE name = 'Quentella')
                 AND node_n = (
                    SELECT x.n FROM nodes x JOIN turns t ON x.turn_n = t.n AND t.id = :turn)""",
            {"turn": first},
        )
    assert len(rows_without_sources(home)) == 1
    assert repair_orphans(m._store, home) == 1  # noqa: SLF001  (what doctor --fix does)
    assert rows_without_sources(home) == []
    assert await find_turns(m, "Quentella") == {answer}


async def test_what_was_edited_away_names_nobody(m: Memoria, home: Path) -> None:
    turn = {"role": "user", "session_id": "s", "message_id": "m"}
    await m.record_conversation([{**turn, "content": "I met Quentella in Aveiro."}])
    await m.record_conversation([{**turn, "content": "I met her brother in Aveiro."}])
    assert await find_turns(m, "Quentella") == set()
    assert len(await find_turns(m, "Aveiro")) == 1
    assert rows_without_sources(home) == []


async def test_a_turn_that_a_model_has_read_or_nothing_may_be_concluded_from_loses_its_links(
    m: Memoria,
) -> None:
    first, answer, later, *_ = await say(m, *TALK)

    def take(tx: Transaction) -> None:
        process(tx, first)
        tx.conversations.suppress_turn(existing(tx, answer))

    change(m, take)
    assert await find_turns(m, "Quentella") == set()
    assert await find_turns(m, "Aveiro") == {later}


async def test_a_turn_is_linked_with_its_vector_and_not_in_the_transaction_that_records_it(
    home: Path, embedder: BundledEmbedder
) -> None:
    async with memoria.open(home=home, tenant="t", embedder=embedder) as m:
        first, answer, later, chinese, title = await say(m, *TALK)
        await m.wait_until_idle(60)
        assert await find_turns(m, "Quentella") == {first, answer}
        assert await find_turns(m, "Aveiro") == {answer, later}
        assert await find_turns(m, "Ottilie") == {first}
        assert await find_turns(m, "Bram") == {first, answer}
        assert await find_turns(m, "赵子墨") >= {chinese}
        assert await find_turns(m, "看不见的城市") == {title}


async def test_what_a_process_has_left_unlinked_when_it_died_is_linked_by_the_next(
    home: Path, embedder: BundledEmbedder
) -> None:
    """But not what was edited away since, what a model has read, nor what is not to be used."""
    settings = Settings(home=home, embedder="off")
    async with memoria.open(settings=settings, tenant="t") as m:
        never_started = EmbeddingWorker(
            m._store,  # noqa: SLF001
            LazyEmbedder(embedder.name, lambda: embedder),
            LIMITS,
        )
        m._home = replace(m._home, worker=never_started)  # noqa: SLF001  (it dies before it does anything)
        first, answer, later, chinese, title = await say(m, *TALK)
        edited = {"role": "user", "session_id": "s", "message_id": "m"}
        await m.record_conversation([{**edited, "content": "I met Perpetua in Lodz."}])
        assert await find_turns(m, "Quentella") == set()
        await m.record_conversation([{**edited, "content": "I met her brother in Lodz."}])
        change(m, lambda tx: process(tx, first))
        change(m, lambda tx: tx.conversations.suppress_turn(existing(tx, later)))
    async with memoria.open(home=home, tenant="t", embedder=embedder) as m:
        await m.wait_until_idle(60)
        assert await find_turns(m, "Quentella") == {answer}
        assert await find_turns(m, "Aveiro") == {answer}
        assert await find_turns(m, "Perpetua") == set()
        assert len(await find_turns(m, "Lodz")) == 1
        assert await find_turns(m, "赵子墨") >= {chinese}
        assert await find_turns(m, "看不见的城市") == {title}
        assert rows_without_sources(home) == []


async def test_what_another_process_reads_before_the_vectors_are_made_is_not_linked_again(
    home: Path, embedder: BundledEmbedder
) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off"), tenant="t") as m:
        first, answer, *_ = await say(m, *TALK)
        change(m, lambda tx: process(tx, first, answer))
    async with memoria.open(home=home, tenant="t", embedder=embedder) as m:
        await m.wait_until_idle(60)
        assert await find_turns(m, "Quentella") == set()


async def test_a_memory_and_a_turn_that_give_one_name_speak_of_one_thing(m: Memoria) -> None:
    """Whichever was first, and of whatever kind rules and a model take it to be."""
    (turn,) = await say(m, ("Ottilie", "I said hello to Quentella on the way."))
    memories = [(await m.remember(f"{name} keeps bees")).id for name in ("Quentella", "Bozena")]

    def interpret(tx: Transaction) -> None:
        for memory_id, name in zip(memories, ("Quentella", "Bozena"), strict=True):
            memory = tx.memories.get(memory_id)
            assert memory is not None
            read = interpretation_by_rules(memory.content)
            mention = Mention(name=name, kind="person")
            named = replace(read, mentions=(mention,), subject=None)
            replace_interpretation(tx, memory, named, now=now_millis())

    change(m, interpret)
    later, *_ = await say(m, ("Bram", "Is it warm now in Bozena?"))
    for name, memory_id, turn_id in zip(
        ("Quentella", "Bozena"), memories, (turn, later), strict=True
    ):
        found = await m.graph.around(name)
        assert isinstance(found, EntityRecord)
        assert found.entity.kind == "person"
        assert [one.memory.id for one in found.entity_memories] == [memory_id]
        assert [one.other.id for one in found.entity_turns] == [turn_id]


async def test_of_namesakes_rules_guess_neither(m: Memoria) -> None:
    kept = (await m.remember("two of them keep bees")).id

    def link(tx: Transaction) -> None:
        for which in ("colleague", "cousin"):
            one = tx.graph.upsert_entity(kept, Mention(name="Quentella", kind="person"), which)
            edge = {"src": Node("memory", kept), "dst": one, "type": EdgeType.MENTIONS}
            tx.graph.upsert_edges(
                [Edge.model_validate({**edge, "weight": 0.5, "confidence": 0.5, "made_at": 1})]
            )

    change(m, link)
    await say(m, ("Ottilie", "I said hello to Quentella on the way."))
    found = await m.graph.around("Quentella")
    assert isinstance(found, Namesakes)
    assert len(found.entities) == 2


async def test_links_of_turns_neither_drive_a_memorys_link_out_nor_are_followed_by_a_search(
    m: Memoria,
) -> None:
    """Somebody of whom everybody talks keeps the links that a search follows, and they lead on."""
    kept = (await m.remember("My neighbour Quentella keeps bees")).id
    turns = [
        {"role": "user", "content": f"What, {i}? Has Quentella come?", "session_id": "s"}
        for i in range(600)
    ]
    await m.record_conversation(turns)
    found = await m.graph.around("Quentella")
    assert isinstance(found, EntityRecord)
    assert [one.memory.id for one in found.entity_memories] == [kept]
    assert len(found.entity_turns) + found.omitted_turns == 511
    node = found.entity.node
    with m._store.read("t") as tx:  # noqa: SLF001  (what a search walks on is no face's)
        assert tx.graph.high_degree([node], 200) == set()
        assert len(tx.graph.neighbours([node], EVERYTHING)[node]) == 1
        turns_ns = [turn.n for turn in tx.conversations.session_turns("s", 0, 600)]
        assert tx.graph.nodes_of_documents(turns_ns) == {}


async def test_names_stay_within_their_tenant_and_private_project(home: Path) -> None:
    vault = Settings(home=home, embedder="off", workspace="/vault", private_workspaces=("/vault",))
    async with memoria.open(tenant="t", settings=vault) as m:
        (turn,) = await say(m, ("Ottilie", "Yesterday I had lunch with Quentella."))
        assert await find_turns(m, "Quentella") == {turn}
    elsewhere = vault.model_copy(update={"workspace": "/plain"})
    for tenant, settings in (("t", elsewhere), ("other", vault)):
        async with memoria.open(tenant=tenant, settings=settings) as m:
            assert await find_turns(m, "Quentella") == set()
            near = await m.graph.around("Quentela")
            assert isinstance(near, Namesakes)
            assert near.near == ()


async def test_whom_only_turns_name_no_memory_is_linked_with(m: Memoria) -> None:
    """A page of memories says so, and a search finds the turn by its words alone."""
    first, answer, *_ = await say(m, *TALK)
    with pytest.raises(NotFoundError, match="No memory is linked with the name Quentella"):
        await m.list_memories(entity="Quentella")
    hits = (await m.search_conversation_traces("Where does Quentella live?")).hits
    assert {first, answer} >= {hit.id for hit in hits[:2]}


async def test_the_command_line_shows_the_turns_that_name_somebody(m: Memoria) -> None:
    first, *_ = await say(m, *TALK)
    found = await m.graph.around("Ottilie")
    assert isinstance(found, EntityRecord)
    text = render_entity(found, 100)
    assert "in 1 memory or turn" in text
    assert "had lunch with Quentella" in text
    assert f"turn {first[-8:]}" in text
    turns = write_graph_answer(found)["turns"]
    assert [one["other"]["id"] for one in turns] == [first]
