"""A stored memory finds its place in the graph: by rules first, by a model better."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.databases import open_home
from tests.ingest.play import memories

import memoria
from memoria import Memoria, Settings
from memoria.erasure.suppression import Digester
from memoria.errors import NotFoundError
from memoria.inference.embedder import BundledEmbedder
from memoria.ingest.capture import Capture, CaptureLimits
from memoria.memories.details import StatementDetails
from memoria.memories.links import link_memories, link_memory, link_similar, replace_interpretation
from memoria.memories.statements import Statements
from memoria.memories.wordings import (
    Interpretation,
    StructuralLinks,
    interpretation_by_model,
    interpretation_by_rules,
)
from memoria.model import (
    LIBRARY,
    Add,
    Edge,
    EdgeType,
    InferredBy,
    Memory,
    MemoryType,
    Mention,
    Node,
    Role,
    Turn,
)
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters

SEEN = Filters()
NOW = 1_800_000_000_000
DIGESTER = Digester("t", lambda: b"k")


class Desk:
    """A store, and what is said and kept in it."""

    def __init__(self, home: Path) -> None:
        self.store = open_home(home)
        self._statements = Statements(self.store, "t", LIBRARY, DIGESTER)
        self._capture = Capture(
            self.store, "t", LIBRARY, CaptureLimits(max_turn_bytes=9999, idle_minutes=30), DIGESTER
        )

    def say(self, content: str, session: str = "s") -> str:
        turn = Turn(role=Role.USER, content=content)
        said = self._capture.record([turn], session, None).turns[0].id
        assert said is not None
        return said

    def keep(self, content: str, turn_id: str | None = None) -> str:
        return self._statements.remember(
            content, MemoryType.FACT, StatementDetails(turn_id=turn_id)
        ).id

    def correct(self, memory_id: str, content: str) -> None:
        self._statements.revise(memory_id, "correct", content)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    desk = Desk(tmp_path)
    yield desk
    desk.store.close()


def memory(tx: Transaction, memory_id: str) -> Memory:
    found = tx.memories.get(memory_id)
    assert found is not None
    return found


def edges(tx: Transaction, memory_id: str) -> list[Edge]:
    return tx.graph.list_edges(Node("memory", memory_id), SEEN)


def links(tx: Transaction, memory_id: str) -> set[tuple[str, str | None, str]]:
    """What a memory is linked with: type, role, and the name or id of the other end."""
    own = Node("memory", memory_id)
    found: set[tuple[str, str | None, str]] = set()
    for edge in edges(tx, memory_id):
        other = edge.dst if edge.src == own else edge.src
        entity = tx.graph.get_entity(other.id, SEEN) if other.kind == "entity" else None
        found.add((edge.type.value, edge.role, entity.name if entity else other.id))
    return found


def test_a_plain_sentence_becomes_the_graph_of_the_specification(desk: Desk) -> None:
    """R2G-7: 小明在公园里踢足球."""
    turn = desk.say("小明在公园里踢足球")
    kept = desk.keep("小明在公园里踢足球", turn)
    with desk.store.write("t") as tx:
        link_memory(tx, memory(tx, kept), now=NOW)
        assert links(tx, kept) == {
            ("DERIVED_FROM", None, turn),
            ("ABOUT", None, "小明"),
            ("MENTIONS", None, "小明"),
            ("MENTIONS", None, "足球"),
            ("MENTIONS", None, "公园"),
            ("ROLE", "agent", "小明"),
            ("ROLE", "patient", "足球"),
            ("ROLE", "location", "公园"),
        }
        kinds = {e.name: e.kind for e in tx.graph.find_entities(["小明", "公园", "足球"], SEEN)}
        assert kinds == {"小明": "person", "公园": "place", "足球": "other"}


def test_what_rules_read_is_marked_and_less_sure_than_what_a_model_reads(desk: Desk) -> None:
    kept = desk.keep("Lin plays the flute")
    with desk.store.write("t") as tx:
        link_memory(tx, memory(tx, kept), now=NOW)
        by_rules = edges(tx, kept)
        assert {edge.inferred_by for edge in by_rules} == {"rules"}
        assert replace_interpretation(tx, memory(tx, kept), interpretation_by_model(ADD), now=NOW)
        by_model = edges(tx, kept)
        assert {edge.inferred_by for edge in by_model} == {"model"}
        assert min(e.confidence for e in by_model) > max(e.confidence for e in by_rules)
        assert min(e.weight for e in by_model) > max(e.weight for e in by_rules)


ADD = Add(
    type=MemoryType.FACT,
    content="Lin may take up the clarinet next week",
    quote="Lin may take up the clarinet",
    turn=1,
    subject="Lin",
    predicate="instrument",
    confidence=0.9,
    entities=(
        Mention(name="Lin", kind="person", role="agent", aliases=("Lin Wei",)),
        Mention(name="clarinet", role="patient"),
    ),
    event_time="next week",
    modality="planned",
)


def test_a_model_s_reading_replaces_that_of_the_rules_and_no_rule_replaces_it(desk: Desk) -> None:
    kept = desk.keep("Lin plays the flute")
    with desk.store.write("t") as tx:
        link_memory(tx, memory(tx, kept), now=NOW)
        replace_interpretation(
            tx, memory(tx, kept), interpretation_by_model(ADD, event_at=NOW + 1), now=NOW
        )
        expected = {
            ("ABOUT", None, "Lin"),
            ("MENTIONS", None, "Lin"),
            ("MENTIONS", None, "clarinet"),
            ("ROLE", "agent", "Lin"),
            ("ROLE", "patient", "clarinet"),
        }
        assert links(tx, kept) == expected
        assert tx.graph.find_entities(["flute"], SEEN) == []
        (role,) = [e for e in edges(tx, kept) if e.role == "agent"]
        assert (role.modality, role.event_at, role.event_expression) == (
            "planned",
            NOW + 1,
            "next week",
        )
        assert not replace_interpretation(
            tx, memory(tx, kept), interpretation_by_rules("Lin plays the flute"), now=NOW
        )
        link_memory(tx, memory(tx, kept), now=NOW)
        assert links(tx, kept) == expected


def test_a_corrected_memory_is_linked_anew(desk: Desk) -> None:
    kept = desk.keep("Lin plays the flute")
    with desk.store.write("t") as tx:
        link_memory(tx, memory(tx, kept), interpretation_by_model(ADD), now=NOW)
    desk.correct(kept, "Kim plays the drums")
    with desk.store.write("t") as tx:
        link_memory(tx, memory(tx, kept), now=NOW)
        assert {name for _, _, name in links(tx, kept)} == {"Kim", "drums"}


def test_denial_and_supposition_stand_on_the_roles(desk: Desk) -> None:
    kept = desk.keep("I heard that Lin doesn't like coffee")
    with desk.store.write("t") as tx:
        link_memory(tx, memory(tx, kept), now=NOW)
        told = {(e.role, e.negated, e.modality) for e in edges(tx, kept) if e.role}
        assert told == {("agent", True, "hearsay"), ("patient", True, "hearsay")}


def test_memories_of_one_session_follow_each_other(desk: Desk) -> None:
    turns = [desk.say(f"turn {n}") for n in range(4)]
    elsewhere = desk.keep("in another session", desk.say("elsewhere", "other"))
    kept = [desk.keep(f"memory {n}", turns[n]) for n in (0, 1, 3)]
    with desk.store.write("t") as tx:
        for one in (elsewhere, *kept):
            link_memory(tx, memory(tx, one), now=NOW)
        following = [
            (edge.src.id, edge.dst.id)
            for one in (elsewhere, *kept)
            for edge in edges(tx, one)
            if edge.type is EdgeType.TEMPORAL_NEXT and edge.dst.id == one
        ]
    assert following == [(kept[0], kept[1]), (kept[1], kept[2])]


def test_what_surrounds_a_memory_is_linked_as_the_caller_says(desk: Desk) -> None:
    first, second, third, own = (desk.keep(f"statement {n}") for n in range(4))
    turn = desk.say("and again")
    around = StructuralLinks(turns=(turn,), follows=first, replaces=second, contradicts=(third,))
    with desk.store.write("t") as tx:
        link_memory(tx, memory(tx, own), structural=around, now=NOW)
        link_similar(tx, memory(tx, own), {first: 0.91, third: 0.75}, now=NOW)
        link_memories(tx, memory(tx, own), EdgeType.CAUSES, first, 0.8, now=NOW)
        found = {(e.src.id, e.type.value, e.dst.id) for e in edges(tx, own)}
        weights = {e.type: e.weight for e in edges(tx, first)}
    assert found >= {
        (own, "DERIVED_FROM", turn),
        (first, "TEMPORAL_NEXT", own),
        (second, "VERSION_NEXT", own),
        (own, "CAUSES", first),
    }
    assert {(kind, *sorted((a, b))) for a, kind, b in found if kind == "SIMILAR_TO"} == {
        ("SIMILAR_TO", *sorted((own, first))),
        ("SIMILAR_TO", *sorted((own, third))),
    }
    assert sum(kind == "CONTRADICTS" for _, kind, _ in found) == 1
    assert weights[EdgeType.SIMILAR_TO] == 0.91


def test_relinking_leaves_what_surrounds_a_memory(desk: Desk) -> None:
    turn = desk.say("Lin plays the flute")
    other, own = desk.keep("Lin sings"), desk.keep("Lin plays the flute", turn)
    with desk.store.write("t") as tx:
        link_memory(tx, memory(tx, own), now=NOW)
        link_similar(tx, memory(tx, own), {other: 0.8}, now=NOW)
        replace_interpretation(
            tx, memory(tx, own), Interpretation(inferred_by=InferredBy.MODEL), now=NOW
        )
        assert links(tx, own) == {("DERIVED_FROM", None, turn), ("SIMILAR_TO", None, other)}


def test_nothing_is_linked_with_a_memory_that_is_not_there(desk: Desk) -> None:
    kept = desk.keep("Lin plays the flute")
    with desk.store.read("t") as tx:
        before = edges(tx, kept)
    with desk.store.write("t") as tx, pytest.raises(NotFoundError):
        link_memory(
            tx, memory(tx, kept), structural=StructuralLinks(contradicts=("nobody",)), now=NOW
        )
    with desk.store.read("t") as tx:
        assert edges(tx, kept) == before


def test_pronouns_and_secrets_are_nobody_s_name(desk: Desk) -> None:
    key = "sk-proj-" + "Ab1" * 16
    kept = desk.keep("Lin plays the flute")
    mentions = (Mention(name="She", kind="person"), Mention(name=key), Mention(name="我"))
    reading = Interpretation(
        mentions=(*mentions, Mention(name="Lin", kind="person", aliases=(key, "him"))),
        subject="I",
        event_expression=f"when {key} expired",
        inferred_by=InferredBy.MODEL,
    )
    with desk.store.write("t") as tx:
        link_memory(tx, memory(tx, kept), reading, now=NOW)
        assert links(tx, kept) == {("MENTIONS", None, "Lin")}
        (lin,) = tx.graph.find_entities(["Lin"], SEEN)
        assert lin.aliases == ()


def test_two_memories_of_one_person_meet_in_one_node(desk: Desk) -> None:
    one, other = desk.keep("Lin plays the flute"), desk.keep("LIN buys a car")
    with desk.store.write("t") as tx:
        for kept, name in ((one, "Lin"), (other, "LIN")):
            reading = Interpretation(mentions=(Mention(name=name, kind="person"),))
            link_memory(tx, memory(tx, kept), reading, now=NOW)
        (lin,) = tx.graph.find_entities(["lin"], SEEN)
        assert lin.mentions == 2
        assert len(tx.graph.neighbours([lin.node], SEEN)[lin.node]) == 2


PEOPLE = {
    "Anna": ("sister", "colleague", "Anna's birthday is in May", "Anna works in sales"),
    "小李": ("邻居", "同事", "小李养了一只猫", "小李在财务部工作"),
}


@pytest.mark.parametrize("name", PEOPLE)
def test_two_people_of_one_name_are_two_where_the_reader_said_which(desk: Desk, name: str) -> None:
    one, other, first, second = PEOPLE[name]
    told = {
        desk.keep(first): Interpretation(
            mentions=(Mention(name=name, kind="person", role="agent"),), subject=f"{name} ({one})"
        ),
        desk.keep(second): Interpretation(
            mentions=(Mention(name=f"{name}（{other}）", kind="person", role="agent"),),
            subject=f"{name}（{other}）",
        ),
        desk.keep(f"{name}, {other}"): Interpretation(
            subject=f"{name} (my {other})" if name == "Anna" else f"{name}（我的{other}）"
        ),
    }
    with desk.store.write("t") as tx:
        for kept, reading in told.items():
            link_memory(tx, memory(tx, kept), reading, now=NOW)
        people = tx.graph.find_entities([name], SEEN)
        assert {(e.name, e.distinct, e.mentions) for e in people} == {
            (name, one, 1),
            (name, other, 2),
        }
        about = [
            {e.dst.id for e in edges(tx, kept) if e.type in (EdgeType.ABOUT, EdgeType.ROLE)}
            for kept in told
        ]
    assert [len(ends) for ends in about] == [1, 1, 1]
    assert about[0] != about[1] == about[2]


def test_a_bare_name_is_the_only_one_of_that_name_and_of_two_neither(desk: Desk) -> None:
    def say(tx: Transaction, kept: str, name: str) -> None:
        link_memory(
            tx,
            memory(tx, kept),
            Interpretation(mentions=(Mention(name=name, kind="person"),)),
            now=NOW,
        )

    memories = [desk.keep(f"statement {n}") for n in range(4)]
    with desk.store.write("t") as tx:
        say(tx, memories[0], "Anna (sister)")
        say(tx, memories[1], "Anna")
        (anna,) = tx.graph.find_entities(["Anna"], SEEN)
        assert (anna.distinct, anna.mentions) == ("sister", 2)
        say(tx, memories[2], "Anna from work")
        say(tx, memories[3], "Anna")
        found = {e.distinct: e.mentions for e in tx.graph.find_entities(["anna"], SEEN)}
    assert found["work"] == 1
    assert sum(found.values()) == 4


def test_a_secret_tells_nobody_apart(desk: Desk) -> None:
    key = "sk-proj-" + "Ab1" * 16
    kept = desk.keep("Anna plays the flute")
    reading = Interpretation(
        mentions=(Mention(name=f"Anna ({key})", kind="person"),), subject="Anna"
    )
    with desk.store.write("t") as tx:
        link_memory(tx, memory(tx, kept), reading, now=NOW)
        assert [e.distinct for e in tx.graph.find_entities(["Anna"], SEEN)] == [None]


def named(m: Memoria, memory_id: str) -> set[str]:
    """The names of what a memory mentions."""
    seen = Filters(everywhere=True)
    with m._store.read(m.tenant) as tx:  # noqa: SLF001  (the plain edges)
        edges = tx.graph.list_edges(Node("memory", memory_id), seen)
        mentioned = (edge.dst.id for edge in edges if edge.type is EdgeType.MENTIONS)
        found = (tx.graph.get_entity(entity_id, seen) for entity_id in mentioned)
        return {entity.name for entity in found if entity is not None}


async def test_an_explicit_statement_is_linked_to_whom_it_speaks_of(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        kept = await m.remember("Anna Keller moved to Leeds with Tom.")
        assert named(m, kept.id) >= {"Anna Keller", "Leeds"}


async def test_a_corrected_statement_is_linked_anew(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        kept = await m.remember("Anna Keller moved to Leeds.")
        await m.revise_memory(kept.id, "correct", "Anna Keller moved to York.")
        assert "York" in named(m, kept.id)
        assert "Leeds" not in named(m, kept.id)
        assert len(await memories(m)) == 1


HOME = "The user lives in Leeds"
AGAIN = "The user's home is in Leeds"
OTHER = "The user works as a nurse"


def neighbours(m: Memoria, memory_id: str) -> dict[str, float]:
    with m._store.read(m.tenant) as tx:  # noqa: SLF001  (the plain edges)
        edges = tx.graph.list_edges(Node("memory", memory_id), Filters(everywhere=True))
    like = [edge for edge in edges if edge.type is EdgeType.SIMILAR_TO]
    return {(edge.dst if edge.src.id == memory_id else edge.src).id: edge.weight for edge in like}


async def test_statements_that_mean_nearly_the_same_are_linked_once_they_have_vectors(
    home: Path, embedder: BundledEmbedder
) -> None:
    async with memoria.open(settings=Settings(home=home), embedder=embedder) as m:
        first, second, third = [(await m.remember(text)).id for text in (HOME, AGAIN, OTHER)]
        await m.wait_until_idle(60)
        found = neighbours(m, first)
        assert list(found) == [second]
        assert 0.75 <= found[second] <= 1
        assert neighbours(m, third) == {}


async def test_another_wording_has_other_neighbours_and_a_forgotten_one_none(
    home: Path, embedder: BundledEmbedder
) -> None:
    async with memoria.open(settings=Settings(home=home), embedder=embedder) as m:
        first, second = [(await m.remember(text)).id for text in (HOME, AGAIN)]
        await m.wait_until_idle(60)
        await m.revise_memory(second, "correct", "The user's dog is called Rex")
        await m.wait_until_idle(60)
        assert neighbours(m, first) == {}
        third = (await m.remember(AGAIN)).id
        await m.wait_until_idle(60)
        assert list(neighbours(m, first)) == [third]
        await m.forget_memory([third])
        assert neighbours(m, first) == {}


async def test_tenants_are_no_neighbours(home: Path, embedder: BundledEmbedder) -> None:
    async with memoria.open(settings=Settings(home=home, tenant="ann"), embedder=embedder) as ann:
        await ann.remember(HOME)
        await ann.wait_until_idle(60)
    async with memoria.open(settings=Settings(home=home, tenant="bob"), embedder=embedder) as bob:
        own = (await bob.remember(AGAIN)).id
        await bob.wait_until_idle(60)
        assert neighbours(bob, own) == {}
