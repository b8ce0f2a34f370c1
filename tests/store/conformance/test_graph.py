"""The graph in the store: bounded nodes, entities known again, unions that lose nothing."""

from collections.abc import AsyncIterator, Collection, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.databases import open_home
from tests.store.conftest import OpenStore
from tests.store.plain import keep, wording

import memoria
from memoria import Memoria
from memoria.errors import InvalidInputError, NotFoundError
from memoria.graph.algorithms import Adjacency, GraphNeighbourhood, find_neighbourhood
from memoria.graph.edges import EDGE_RULES
from memoria.model import Edge, EdgeType, Entity, Finding, InferredBy, Mention, Node, Validity
from memoria.store.engine import Store
from memoria.store.rows.transaction import Transaction
from memoria.store.sqlite.driver import connect
from memoria.store.values import Filters

SEEN = Filters()
DAY = 86_400_000


def remember(
    store: Store, content: str, *, tenant: str = "ann", workspace: str | None = None
) -> str:
    with store.write(tenant) as tx:
        return keep(tx, content, workspace=workspace)


def person(name: str, *aliases: str) -> Mention:
    return Mention(name=name, kind="person", aliases=aliases)


def mention(tx: Transaction, memory_id: str, named: Mention, **how: str) -> Node:
    entity = tx.graph.upsert_entity(memory_id, named, **how)
    tx.graph.upsert_edges([edge(Node("memory", memory_id), EdgeType.MENTIONS, entity)])
    return entity


def edge(src: Node, kind: EdgeType, dst: Node, weight: float = 0.5, at: int = DAY) -> Edge:
    return Edge(src=src, type=kind, dst=dst, weight=weight, confidence=0.6, made_at=at)


def walked(tx: Transaction, seeds: list[int], seen: Filters) -> GraphNeighbourhood:
    return find_neighbourhood(seeds, 3, lambda ns, *room: tx.graph.neighbours(ns, seen, *room))


def called(tx: Transaction, name: str, seen: Filters = SEEN) -> list[Entity]:
    return tx.graph.find_entities([name], seen)


def only(found: list[Entity]) -> Entity:
    (one,) = found
    return one


def test_an_edge_comes_back_as_it_was_written(store: Store) -> None:
    memory = Node("memory", remember(store, "Lin may have moved on Friday"))
    with store.write("ann") as tx:
        lin = tx.graph.upsert_entity(memory.id, person("Lin"))
        written = Edge(
            src=memory,
            type=EdgeType.ROLE,
            dst=lin,
            weight=0.7312,
            confidence=0.6,
            role="agent",
            negated=True,
            modality="possible",
            event_at=5 * DAY,
            event_expression="on Friday",
            inferred_by=InferredBy.MODEL,
            made_at=7 * DAY,
        )
        tx.graph.upsert_edges([written])
        assert tx.graph.list_edges(memory, SEEN) == [written]
        assert tx.graph.list_edges(lin, SEEN) == [written]


def test_only_a_role_edge_has_a_role() -> None:
    with pytest.raises(ValueError, match="a ROLE edge has a role"):
        edge(Node("memory", "a"), EdgeType.ROLE, Node("entity", "b"))
    with pytest.raises(ValueError, match="two different ends"):
        edge(Node("memory", "a"), EdgeType.ABOUT, Node("memory", "a"))


def test_what_is_not_there_can_t_be_linked(store: Store) -> None:
    memory = Node("memory", remember(store, "Lin likes tea"))
    with store.write("ann") as tx, pytest.raises(NotFoundError, match="no memory nowhere"):
        tx.graph.upsert_edges([edge(memory, EdgeType.SUPPORTS, Node("memory", "nowhere"))])


def test_a_mutual_edge_is_kept_once(store: Store) -> None:
    one, other = (Node("memory", remember(store, f"Lin likes {what}")) for what in ("tea", "Tee"))
    with store.write("ann") as tx:
        tx.graph.upsert_edges([edge(one, EdgeType.SIMILAR_TO, other, 0.8)])
        tx.graph.upsert_edges([edge(other, EdgeType.SIMILAR_TO, one, 0.9)])
        assert [found.weight for found in tx.graph.list_edges(one, SEEN)] == [0.9]


def test_a_rule_does_not_overwrite_what_a_model_saw(store: Store) -> None:
    memory = Node("memory", remember(store, "Lin likes tea"))
    with store.write("ann") as tx:
        lin = tx.graph.upsert_entity(memory.id, person("Lin"))
        by_model = edge(memory, EdgeType.ABOUT, lin).model_copy(
            update={"inferred_by": InferredBy.MODEL}
        )
        tx.graph.upsert_edges([by_model, edge(memory, EdgeType.ABOUT, lin, 1.0)])
        assert tx.graph.list_edges(memory, SEEN) == [by_model]
        assert tx.graph.links_inferred_by(memory.id) == "model"


@pytest.mark.parametrize(
    "again", ["LIN WEI", "Lin  Wei", "Ｌｉｎ Wei", "Lín Wěi", "“Lin Wei”", "林伟"]
)
def test_an_entity_is_known_again_in_another_spelling_or_by_an_alias(
    store: Store, again: str
) -> None:
    first, second = remember(store, "Lin Wei likes tea"), remember(store, "Lin Wei moved")
    with store.write("ann") as tx:
        known = tx.graph.upsert_entity(first, person("Lin Wei", "林伟"))
        assert tx.graph.upsert_entity(second, person(again)) == known
        assert only(called(tx, again)).id == known.id


def test_the_same_name_of_another_kind_is_another_entity(store: Store) -> None:
    memory = remember(store, "Mercedes drives a Mercedes")
    with store.write("ann") as tx:
        someone = tx.graph.upsert_entity(memory, person("Mercedes"))
        car = tx.graph.upsert_entity(memory, Mention(name="Mercedes", kind="product"))
    assert someone != car


def test_one_of_no_told_kind_is_the_only_thing_of_that_name(store: Store) -> None:
    memories = [remember(store, f"Mercedes, number {n}") for n in range(4)]
    untold = Mention(name="Mercedes")
    with store.write("ann") as tx:
        someone = tx.graph.upsert_entity(memories[0], person("Mercedes"))
        assert tx.graph.upsert_entity(memories[1], untold) == someone
        car = tx.graph.upsert_entity(memories[2], Mention(name="Mercedes", kind="product"))
        assert tx.graph.upsert_entity(memories[3], untold) not in (someone, car)


def test_namesakes_are_told_apart_where_the_caller_says_so(store: Store) -> None:
    memories = [remember(store, f"Li Wei, number {n}") for n in range(5)]
    with store.write("ann") as tx:
        dentist = tx.graph.upsert_entity(memories[0], person("Li Wei"), distinct="the dentist")
        assert tx.graph.upsert_entity(memories[1], person("Li Wei")) == dentist
        cousin = tx.graph.upsert_entity(memories[2], person("Li Wei"), distinct="the cousin")
        assert cousin != dentist
        assert (
            tx.graph.upsert_entity(memories[3], person("Li Wei"), distinct="The Cousin") == cousin
        )
        assert (
            tx.graph.upsert_entity(memories[4], person("Li Wei"), distinct="the dentist") == dentist
        )


def test_of_two_qualified_namesakes_neither_is_guessed(store: Store) -> None:
    memories = [remember(store, f"Li Wei, number {n}") for n in range(3)]
    with store.write("ann") as tx:
        known = {
            tx.graph.upsert_entity(memories[n], person("Li Wei"), distinct=f"{n}").id
            for n in (0, 1)
        }
        assert tx.graph.upsert_entity(memories[2], person("Li Wei")).id not in known


@settings(
    deadline=None, max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    st.lists(st.tuples(st.integers(1, 5), st.integers(1, 5)), max_size=6),
    st.lists(st.integers(1, 5), max_size=4),
)
def test_no_merging_and_parting_loses_an_edge(
    store: Store, merges: list[tuple[int, int]], parts: list[int]
) -> None:
    with store.write("ann") as tx:
        earlier = tx.graph.find_entities([f"P{n}" for n in range(1, 6)], SEEN)
    memories = {n: remember(store, f"about P{n}, round {len(earlier)}") for n in range(1, 6)}
    with store.write("ann") as tx:
        entities = {n: mention(tx, memory, person(f"P{n}")) for n, memory in memories.items()}
        for a, b in merges:
            tx.graph.merge_entities(entities[a].id, entities[b].id)
        shown = {only(called(tx, f"P{n}")).id: only(called(tx, f"P{n}")) for n in memories}
        beside = tx.graph.neighbours([one.node for one in shown.values()], SEEN)
        nodes = {tx.graph.nodes_of_documents([v])[v]: n for n, v in wordings(tx, memories).items()}
        joined = {(nodes[n], one) for one in beside for n in beside[one] if n in nodes}
        assert joined == {(n, only(called(tx, f"P{n}")).node) for n in memories}
        for n in parts:
            entity = tx.graph.get_entity(entities[n].id, SEEN)
            if entity is not None and entity.canonical_id is not None:
                tx.graph.split_entity(entity.id)
        for n in memories:  # leave everything apart for the next example
            entity = tx.graph.get_entity(entities[n].id, SEEN)
            if entity is not None and entity.canonical_id is not None:
                tx.graph.split_entity(entity.id)
        for n, memory in memories.items():
            (found,) = tx.graph.list_edges(Node("memory", memory), SEEN)
            assert found.dst == entities[n]


def wordings(tx: Transaction, memories: dict[int, str]) -> dict[int, int]:
    found = {n: tx.memories.get(memory_id) for n, memory_id in memories.items()}
    return {n: memory.current.n for n, memory in found.items() if memory is not None}


def test_what_is_no_member_can_t_be_parted(store: Store) -> None:
    memory = remember(store, "Lin likes tea")
    with store.write("ann") as tx:
        lin = tx.graph.upsert_entity(memory, person("Lin"))
        with pytest.raises(InvalidInputError, match="not merged"):
            tx.graph.split_entity(lin.id)


def test_a_union_is_shown_with_every_name_and_its_members_point_at_it(store: Store) -> None:
    first, second = remember(store, "Lin likes tea"), remember(store, "Dr Wei moved")
    with store.write("ann") as tx:
        lin = mention(tx, first, person("Lin"))
        wei = mention(tx, second, person("Dr Wei"))
        tx.graph.merge_entities(wei.id, lin.id)
        union = only(called(tx, "dr wei"))
        assert (union.id, union.name, union.aliases, union.mentions) == (
            lin.id,
            "Lin",
            ("Dr Wei",),
            2,
        )
        member = tx.graph.get_entity(wei.id, SEEN)
        assert member is not None
        assert (member.name, member.canonical_id) == ("Dr Wei", lin.id)
        assert {found.src.id for found in tx.graph.list_edges(lin, SEEN)} == {first, second}


CAPPED = EdgeType.SIMILAR_TO
CAP = EDGE_RULES[CAPPED].cap


@pytest.fixture(scope="module")
def crowd(
    engine: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Store, list[Node]]]:
    """A store with more memories than a node may have likes of."""
    store = open_home(tmp_path_factory.mktemp(engine))
    yield store, [Node("memory", remember(store, f"number {n}")) for n in range(CAP + 8)]
    store.close()


@settings(deadline=None, max_examples=10)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 2), st.integers(3, CAP + 7), st.integers(1, 99), st.integers(1, 60)
        ),
        max_size=60,
    )
)
def test_caps_hold_after_any_sequence_of_edges(
    crowd: tuple[Store, list[Node]], added: list[tuple[int, int, int, int]]
) -> None:
    store, nodes = crowd
    with store.write("ann") as tx:
        tx.graph.upsert_edges(edge(nodes[0], CAPPED, other) for other in nodes[1 : CAP + 1])
        for a, b, weight, days in added:
            tx.graph.upsert_edges([edge(nodes[a], CAPPED, nodes[b], weight / 100, days * DAY)])
        for node in nodes[:3]:
            assert len(tx.graph.list_edges(node, SEEN)) <= CAP
        assert len(tx.graph.list_edges(nodes[0], SEEN)) == CAP


def test_the_weakest_and_oldest_edge_makes_room(crowd: tuple[Store, list[Node]]) -> None:
    store, nodes = crowd
    _, _, _, first, second, *others = nodes
    hub = Node("memory", remember(store, "the hub"))
    with store.write("ann") as tx:
        tx.graph.upsert_edges(
            [edge(hub, CAPPED, first, 0.5, DAY), edge(hub, CAPPED, second, 0.1, 60 * DAY)]
        )
        tx.graph.upsert_edges(
            edge(hub, CAPPED, other, 0.9, 60 * DAY) for other in others[: CAP - 1]
        )
        left = {end for e in tx.graph.list_edges(hub, SEEN) for end in (e.src, e.dst)}
        assert first not in left  # half as strong again as the other once, and two months old
        assert second in left


def test_what_stands_in_another_workspace_is_not_reached(store: Store) -> None:
    here = remember(store, "Lin likes tea", workspace="kitchen")
    there = remember(store, "Lin a.k.a. Zoe codes", workspace="office")
    everywhere = remember(store, "Lin is tall")
    with store.write("ann") as tx:
        lin = mention(tx, here, person("Lin"))
        mention(tx, there, person("Lin", "Zoe"))
        mention(tx, everywhere, person("Lin"))
        kitchen = Filters(workspace="kitchen")
        assert {e.src.id for e in tx.graph.list_edges(lin, kitchen)} == {here, everywhere}
        assert {e.src.id for e in tx.graph.list_edges(lin, SEEN)} == {everywhere}
        assert len(tx.graph.list_edges(lin, Filters(everywhere=True))) == 3
        seen = only(called(tx, "lin", kitchen))
        assert (seen.aliases, seen.mentions) == ((), 2)
        assert called(tx, "zoe", kitchen) == []
        assert only(called(tx, "zoe", Filters(workspace="office"))).aliases == ("Zoe",)
        walk = walked(tx, [seen.node], kitchen)
        reached = {tx.graph.documents_of_nodes([n]).get(n) for n in walk.distances}
        assert reached == {None, *wordings(tx, {0: here, 1: everywhere}).values()}


def test_what_is_archived_is_met_on_request_only(store: Store) -> None:
    memory = remember(store, "Lin likes tea")
    with store.write("ann") as tx:
        lin = mention(tx, memory, person("Lin"))
    with store.write("ann") as tx:
        tx.memories.set_validity(memory, Validity.ARCHIVED, DAY)
    with store.read("ann") as tx:
        assert tx.graph.list_edges(lin, SEEN) == []
        assert called(tx, "Lin") == []
        assert tx.graph.get_entity(lin.id, SEEN) is None
        assert len(tx.graph.list_edges(lin, Filters(include_history=True))) == 1


def test_another_wording_takes_back_what_the_last_one_said(store: Store) -> None:
    memory = remember(store, "Lin likes tea")
    with store.write("ann") as tx:
        lin = mention(tx, memory, person("Lin"))
    with store.write("ann") as tx:
        tx.memories.add_version(memory, wording("Kim likes tea"))
    with store.read("ann") as tx:
        assert tx.graph.list_edges(Node("memory", memory), SEEN) == []
        assert tx.graph.get_entity(lin.id, SEEN) is None


WORLD = st.lists(st.tuples(st.sampled_from("ABC"), st.integers(0, 3)), min_size=1, max_size=8)


@settings(
    deadline=None, max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(WORLD, WORLD)
def test_no_walk_leaves_its_tenant(
    open_store: OpenStore,
    tmp_path_factory: pytest.TempPathFactory,
    ann: list[tuple[str, int]],
    bob: list[tuple[str, int]],
) -> None:
    home = tmp_path_factory.mktemp("walk")
    store = open_store(home)
    own: dict[str, set[int]] = {}
    for tenant, said in (("ann", ann), ("bob", bob)):
        memories = [remember(store, f"{name} {n}", tenant=tenant) for name, n in said]
        with store.write(tenant) as tx:
            for (name, _), memory in zip(said, memories, strict=True):
                mention(tx, memory, person(name))
            found = [tx.memories.get(memory) for memory in memories]
            wording = [memory.current.n for memory in found if memory is not None]
            own[tenant] = set(tx.graph.nodes_of_documents(wording).values())
            own[tenant] |= {entity.node for entity in tx.graph.find_entities("ABC", SEEN)}
    for tenant, nodes in own.items():
        with store.read(tenant) as tx:
            walk = walked(tx, sorted(set().union(*own.values())), SEEN)
        assert {n for n, others in walk.adjacency.items() if others} == nodes


@pytest.mark.parametrize("limit", [1, 2, 5, 9, 40])
def test_a_walk_with_little_room_meets_the_same_as_one_that_looks_at_everything(
    store: Store, limit: int
) -> None:
    ids = [remember(store, f"Lin and her friend number {i}") for i in range(12)]
    with store.write("ann") as tx:
        for i, one in enumerate(ids):
            mention(tx, one, person("Lin"))
            other = mention(tx, one, person(f"Friend {i % 5}"))
            tx.graph.upsert_edges(
                [edge(Node("memory", one), EdgeType.ABOUT, other, weight=i % 4 / 4)]
            )
        tx.graph.merge_entities(called(tx, "Friend 1")[0].id, called(tx, "Friend 2")[0].id)
        seeds = [called(tx, "Lin")[0].node]

        def roomy(ns: Sequence[int], *_: object) -> Adjacency:
            return tx.graph.neighbours(ns, SEEN)

        def short(ns: Sequence[int], met: Collection[int], room: int) -> Adjacency:
            return tx.graph.neighbours(ns, SEEN, met, room)

        assert find_neighbourhood(seeds, 3, short, limit) == find_neighbourhood(
            seeds, 3, roomy, limit
        )


SESSION = {"session_id": "s", "role": "user", "content": "Lin moved to Hangzhou"}


@pytest.fixture
async def memory(home: Path) -> AsyncIterator[Memoria]:
    async with memoria.open(settings=memoria.Settings(home=home, embedder="off")) as opened:
        yield opened


async def fill(memory: Memoria) -> None:
    """Two memories of Lin, drawn from a turn, one of a cat; Lin is the same as Dr Wei."""
    turn_id = (await memory.record_conversation([SESSION])).turns[0].id
    assert turn_id is not None
    store = open_home(memory.settings.home_path)
    with store.write(memory.tenant) as tx:
        turn = tx.conversations.turn(turn_id)
        assert turn is not None
        tx.conversations.mark_processed([turn])
        said = ("Lin moved to Hangzhou", "Lin likes tea", "Dr Wei has a cat")
        kept = [keep(tx, text, turn_n=turn.n) for text in said]
        people = [
            tx.graph.upsert_entity(memory_id, Mention(name=name, kind="person"))
            for memory_id, name in zip(kept, ("Lin", "Lin", "Dr Wei"), strict=True)
        ]
        for memory_id, entity in zip(kept, people, strict=True):
            tx.graph.upsert_edges([edge_from(memory_id, EdgeType.MENTIONS, entity, turn_id)])
            tx.graph.upsert_edges(
                [edge_from(memory_id, EdgeType.DERIVED_FROM, Node("turn", turn_id), None)]
            )
        tx.graph.merge_entities(people[2].id, people[0].id)
    store.close()


def edge_from(memory_id: str, kind: EdgeType, dst: Node, turn_id: str | None) -> Edge:
    src = Node("memory", memory_id)
    return Edge(src=src, type=kind, dst=dst, weight=0.5, confidence=0.5, turn_id=turn_id, made_at=1)


def behind_its_back(memory: Memoria, *statements: str) -> None:
    connection = connect(memory.settings.home_path / "memoria.db", 10_000)
    connection.execute("PRAGMA foreign_keys = OFF")
    for statement in statements:
        connection.execute(statement)
    connection.close()


async def look(memory: Memoria) -> Finding:
    (found,) = [f for f in (await memory.health()).findings if f.check == "graph"]
    return found


async def test_a_sound_graph_is_found_sound(memory: Memoria) -> None:
    await fill(memory)
    assert (await memory.health()).is_sound
    assert (await look(memory)).detail == "6 edges, all held"


@pytest.mark.parametrize(
    ("damage", "detail", "left"),
    [
        (["DELETE FROM nodes WHERE turn_n IS NOT NULL"], "3 edges", 3),
        (["DELETE FROM nodes WHERE memory_n = 3"], "2 edges, 1 uses", 4),
        (["DELETE FROM entities WHERE canonical_n IS NULL"], "1 canonicals, 1 names, 1 nodes", 4),
        (["DELETE FROM entity_names WHERE name = 'Lin'"], "2 uses", 6),
        (["UPDATE edges SET turn_n = 99 WHERE turn_n IS NOT NULL"], "3 turns", 6),
        (["UPDATE nodes SET tenant_id = 7 WHERE memory_n = 1"], "2 edges", 4),
        (["INSERT INTO nodes (tenant_id) VALUES (1)"], "1 nodes", 6),
        (
            [
                "DROP TRIGGER names_leave_with_their_last_use",
                "DELETE FROM name_uses WHERE name_n = 2",
            ],
            "1 names",
            5,
        ),
    ],
)
@pytest.mark.sqlite("foreign keys of PostgreSQL let nothing lead nowhere")
async def test_doctor_sees_what_leads_nowhere_and_mends_it(
    memory: Memoria, damage: Sequence[str], detail: str, left: int
) -> None:
    await fill(memory)
    behind_its_back(memory, *damage)
    found = await look(memory)
    assert (found.state, found.cure) == ("error", "memoria doctor --fix")
    assert found.detail.startswith(f"lead nowhere: {detail}")
    await memory.rebuild_indexes()
    assert (await look(memory)).detail == f"{left} edges, all held"


@pytest.mark.sqlite("examines the file")
async def test_what_the_graph_lost_is_no_damage_to_the_truth(memory: Memoria) -> None:
    await fill(memory)
    behind_its_back(memory, "DELETE FROM nodes")
    (integrity,) = [f for f in (await memory.health()).findings if f.check == "integrity"]
    assert integrity.state == "ok"
