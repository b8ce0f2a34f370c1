"""What is forgotten is gone from the graph too: its edges, and names that nothing else uses."""

from collections.abc import Callable
from pathlib import Path

from tests.forgetting.remains import remains
from tests.store.insides import connection_of

import memoria
from memoria.app import Memoria
from memoria.config import Settings
from memoria.model import Edge, EdgeType, Mention, Node
from memoria.store.rows.transaction import Transaction
from memoria.store.sqlite import SqliteStore
from memoria.store.values import Filters

NAME, ALIAS, HERE, WHEN = "Zanzibarov", "quaggason", "okapiville", "jerboaday"
EVERYWHERE = Filters(everywhere=True, include_history=True)
PLACES = {"entity_names.name", "entity_names.key"}


def write(memory: Memoria, change: Callable[[Transaction], None]) -> None:
    path = memory.settings.home_path / "memoria.db"
    store = SqliteStore(path, busy_timeout_ms=10_000, readers=1)
    with store.write(memory.tenant) as tx:
        change(tx)
    store.close()


def link(tx: Transaction, memory_id: str, turn_id: str | None, *names: str) -> None:
    """A memory that mentions a person by these names, at a time, as a turn has it."""
    src = Node("memory", memory_id)
    person = tx.graph.upsert_entity(
        memory_id, Mention(name=names[0], kind="person", aliases=names[1:])
    )
    common = {"src": src, "weight": 0.5, "confidence": 0.5, "made_at": 1}
    role = {"type": EdgeType.ROLE, "dst": person, "role": "agent", "event_expression": WHEN}
    tx.graph.upsert_edges([Edge.model_validate({**common, **role, "turn_id": turn_id})])
    if turn_id is not None:
        drawn = {"type": EdgeType.DERIVED_FROM, "dst": Node("turn", turn_id)}
        tx.graph.upsert_edges([Edge.model_validate({**common, **drawn})])


async def recorded(memory: Memoria, content: str) -> str:
    turn = {"role": "user", "content": content, "session_id": "s", "message_id": content}
    turn_id = (await memory.record_conversation([turn])).turns[0].id
    assert turn_id is not None
    return turn_id


async def test_a_name_goes_with_the_last_memory_that_uses_it(memory: Memoria, home: Path) -> None:
    first = (await memory.remember(f"{NAME} plays the flute")).id
    second = (await memory.remember(f"{NAME} lives here")).id
    write(memory, lambda tx: link(tx, first, None, NAME, ALIAS))
    write(memory, lambda tx: link(tx, second, None, NAME))
    assert remains(home, NAME) >= PLACES
    assert remains(home, ALIAS) >= PLACES
    assert remains(home, WHEN) >= {"edges.event_expression"}
    await memory.forget_memory([first])
    assert remains(home, ALIAS) == set()
    assert remains(home, NAME) >= PLACES
    await memory.forget_memory([second])
    assert remains(home, NAME) == set()
    assert remains(home, WHEN) == set()


async def test_merged_entities_leave_with_their_own_names_only(memory: Memoria, home: Path) -> None:
    first = (await memory.remember(f"{NAME} plays the flute")).id
    second = (await memory.remember(f"{ALIAS} lives here")).id
    write(memory, lambda tx: link(tx, first, None, NAME))
    write(memory, lambda tx: link(tx, second, None, ALIAS))

    def merge(tx: Transaction) -> None:
        (one,) = tx.graph.find_entities([NAME], EVERYWHERE)
        (other,) = tx.graph.find_entities([ALIAS], EVERYWHERE)
        tx.graph.merge_entities(other.id, one.id)

    def look(tx: Transaction) -> None:
        (left,) = tx.graph.find_entities([ALIAS], EVERYWHERE)
        assert (left.name, left.aliases, left.mentions) == (ALIAS, (), 1)
        assert tx.graph.find_entities([NAME], EVERYWHERE) == []

    write(memory, merge)
    await memory.forget_memory([first])
    assert remains(home, NAME) == set()
    write(memory, look)
    await memory.forget_memory([second])
    assert remains(home, ALIAS) == set()
    assert await rows(memory) == {"nodes": 0, "entities": 0, "edges": 0, "name_uses": 0}


async def test_a_memory_that_outlives_its_turn_keeps_only_names_it_says_itself(
    memory: Memoria, home: Path
) -> None:
    said = f"{NAME}, called {ALIAS}, plays the flute {WHEN}; {HERE} is far away"
    turn_id = await recorded(memory, said)
    kept = (await memory.remember(f"{NAME} plays the flute", turn_id=turn_id)).id
    other = (await memory.remember(f"{HERE} is far away", turn_id=turn_id)).id
    write(memory, lambda tx: link(tx, kept, turn_id, NAME, ALIAS))
    write(memory, lambda tx: link(tx, other, turn_id, HERE))
    await memory.forget_memory([other], include_source=True)
    for word in (ALIAS, WHEN, HERE):
        assert remains(home, word) == set()
    assert remains(home, NAME) >= PLACES
    assert await rows(memory) == {"nodes": 2, "entities": 1, "edges": 1, "name_uses": 1}


async def test_a_wording_that_was_corrected_leaves_no_name_behind(
    memory: Memoria, home: Path
) -> None:
    kept = (await memory.remember(f"{NAME} plays the flute")).id
    write(memory, lambda tx: link(tx, kept, None, NAME))
    await memory.revise_memory(kept, "correct", "Somebody plays the flute")
    assert remains(home, NAME).isdisjoint(PLACES)
    await memory.forget_memory([kept])
    assert remains(home, NAME) == set()


async def test_a_turn_forgotten_by_itself_takes_its_node_along(memory: Memoria, home: Path) -> None:
    turn_id = await recorded(memory, f"{NAME} came {WHEN}")
    kept = (await memory.remember(f"{NAME} came", turn_id=turn_id)).id
    write(memory, lambda tx: link(tx, kept, turn_id, NAME, ALIAS))
    await memory.forget_memory([turn_id], include_source=True)
    for word in (NAME, ALIAS, WHEN):
        assert remains(home, word) == set()
    assert await rows(memory) == {"nodes": 0, "entities": 0, "edges": 0, "name_uses": 0}


async def rows(memory: Memoria) -> dict[str, int]:
    """How many rows each table of the graph has, once the home is opened anew."""
    settings = Settings(home=memory.settings.home_path, embedder="off")
    async with memoria.open(settings=settings) as again:
        assert (await again.health()).is_sound
    counted: dict[str, int] = {}

    def count(tx: Transaction) -> None:
        connection = connection_of(tx)
        for table in ("nodes", "entities", "edges", "name_uses"):
            sql = f"SELECT count(*) FROM {table}"  # noqa: S608  (one of four)
            counted[table] = connection.execute(sql).fetchone()[0]

    write(memory, count)
    return counted
