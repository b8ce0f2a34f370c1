"""Two entities that are one are joined on the user's word, parted on it, and lose nothing by it."""

from pathlib import Path

import pytest
from tests.retrieval.test_graph_expansion import mention, tell
from tests.retrieval.toys import keep
from typer.testing import CliRunner

import memoria
from memoria import Memoria, Settings
from memoria.app.open_home import in_thread
from memoria.errors import InvalidInputError, NotFoundError
from memoria.memories.links import replace_interpretation
from memoria.memories.wordings import Interpretation
from memoria.model import InferredBy, Mention, Validity
from memoria.model.provenance import EntityRecord, Namesakes
from memoria.surface.cli.main import app

MOVED = "Elizabeth moved to Lisbon in March"
PLAYS = "Liz plays chess in a club"
CALLED = "Elizabeth, whom we call Liz, is a cousin of mine"
AGAIN = "Elizabeth (Liz) sings in a choir"


async def settle(m: Memoria) -> str:
    """Two people by their names, then a sentence that an import gives both names. Its id."""
    await tell(m, MOVED, "Elizabeth")
    await tell(m, PLAYS, "Liz")
    kept = (await m.remember(CALLED)).id
    with m._store.write(m.tenant) as tx:  # noqa: SLF001  (no face takes a reading by itself)
        memory = tx.memories.get(kept)
        assert memory is not None
        both = Interpretation(mentions=(mention("Elizabeth", "Liz"),))
        assert both.inferred_by is InferredBy.RULES
        replace_interpretation(tx, memory, both, now=1)
    return kept


async def known_of(m: Memoria, name: str) -> set[str] | None:
    """What is known of one entity; None where several go by the name."""
    found = await m.graph.around(name)
    if isinstance(found, Namesakes):
        return None
    return {one.memory.content for one in found.entity_memories}


async def names_of(m: Memoria, name: str) -> list[str]:
    found = await m.graph.around(name)
    assert isinstance(found, EntityRecord)
    return [found.entity.name, *found.entity.aliases]


async def test_two_of_one_name_are_proposed_and_are_two_until_somebody_says_so(
    memory: Memoria,
) -> None:
    assert await memory.graph.list_proposals() == []
    await settle(memory)
    ((one, other),) = await memory.graph.list_proposals()
    assert {one.name, other.name} == {"Elizabeth", "Liz"}
    assert await known_of(memory, "Liz") is None
    assert await known_of(memory, "Elizabeth") == {MOVED, CALLED}


async def test_joined_they_are_known_by_either_name_and_parted_each_has_its_own(
    memory: Memoria,
) -> None:
    await settle(memory)
    await memory.graph.join("Liz", "Elizabeth")
    assert await known_of(memory, "Liz") == {MOVED, PLAYS, CALLED}
    assert await known_of(memory, "Elizabeth") == {MOVED, PLAYS, CALLED}
    assert await memory.graph.list_proposals() == []
    await memory.graph.part("Liz", "Elizabeth")
    assert await known_of(memory, "Elizabeth") == {MOVED, CALLED}
    assert await memory.graph.list_proposals() == []
    await memory.graph.join("Liz", "Elizabeth")
    assert await known_of(memory, "Elizabeth") == {MOVED, PLAYS, CALLED}


async def test_two_that_were_never_joined_may_be_said_to_be_two(memory: Memoria) -> None:
    await settle(memory)
    await memory.graph.part("Elizabeth", "Liz")
    assert await memory.graph.list_proposals() == []
    assert await known_of(memory, "Elizabeth") == {MOVED, CALLED}


async def test_a_model_that_gives_somebody_two_names_joins_them(memory: Memoria) -> None:
    await tell(memory, MOVED, "Elizabeth")
    await tell(memory, PLAYS, "Liz")
    await tell(memory, CALLED, mention("Elizabeth", "Liz"))
    assert await known_of(memory, "Liz") == {MOVED, PLAYS, CALLED}
    await memory.graph.part("Liz", "Elizabeth")
    await tell(memory, "Elizabeth (Liz) sings", mention("Elizabeth", "Liz"))
    assert await known_of(memory, "Elizabeth") == {MOVED, CALLED, "Elizabeth (Liz) sings"}


async def test_what_waits_for_the_user_joins_nobody(memory: Memoria) -> None:
    await tell(memory, MOVED, "Elizabeth")
    await tell(memory, PLAYS, "Liz")
    kept = keep(memory, CALLED, "2026-03-01", validity=Validity.PENDING_CONFIRMATION)
    with memory._store.write(memory.tenant) as tx:  # noqa: SLF001  (as above)
        held = tx.memories.get(kept)
        assert held is not None
        told = Interpretation(mentions=(mention("Elizabeth", "Liz"),), inferred_by=InferredBy.MODEL)
        replace_interpretation(tx, held, told, now=1)
    assert await known_of(memory, "Elizabeth") == {MOVED, CALLED}
    assert len(await memory.graph.list_proposals()) == 1


@pytest.mark.parametrize("other", [mention("Liz", kind="product"), mention("Liz (neighbour)")])
async def test_a_thing_and_a_namesake_are_joined_with_nobody(
    memory: Memoria, other: Mention
) -> None:
    await tell(memory, MOVED, "Elizabeth")
    await tell(memory, PLAYS, other)
    await tell(memory, CALLED, mention("Elizabeth", "Liz"))
    assert await known_of(memory, "Elizabeth") == {MOVED, CALLED}


async def test_names_that_share_no_memory_may_be_joined(memory: Memoria) -> None:
    await tell(memory, MOVED, "Elizabeth")
    await tell(memory, "小李会弹钢琴", "小李")
    await memory.graph.join("小李", "Elizabeth")
    assert await names_of(memory, "小李") == ["Elizabeth", "小李"]


async def test_what_names_nobody_or_one_alone_joins_nothing(memory: Memoria) -> None:
    await settle(memory)
    with pytest.raises(NotFoundError, match="Zorro"):
        await memory.graph.join("Zorro", "Elizabeth")
    with pytest.raises(InvalidInputError, match="mean one entity"):
        await memory.graph.join("Elizabeth", "elizabeth")
    await memory.graph.join("Liz", "Elizabeth")
    with pytest.raises(InvalidInputError, match="one already"):
        await memory.graph.join("Liz", "Elizabeth")


async def test_another_project_s_people_are_neither_proposed_nor_joined(memory: Memoria) -> None:
    await tell(memory, "Ann works on the parser", "Ann", workspace="there")
    await tell(memory, "Bo works on the parser", "Bo", workspace="there")
    await tell(memory, "Ann (Bo) works on the lexer", mention("Ann", "Bo"), workspace="there")
    assert await memory.graph.list_proposals() == []
    with pytest.raises(NotFoundError):
        await memory.graph.join("Ann", "Bo")


async def test_a_join_survives_export_and_import(
    memory: Memoria, home: Path, tmp_path: Path
) -> None:
    await settle(memory)
    await memory.graph.join("Liz", "Elizabeth")
    file = tmp_path / "out.jsonl"
    await run(home, "export", str(file))
    await run(tmp_path / "other", "import", str(file))
    async with memoria.open(home=tmp_path / "other", tenant="tests") as other:
        assert await known_of(other, "Liz") == {MOVED, PLAYS, CALLED}


async def test_forgetting_takes_the_names_that_only_the_forgotten_gave(memory: Memoria) -> None:
    called = await settle(memory)
    await memory.graph.join("Liz", "Elizabeth")
    await memory.forget_memory([called])
    assert await known_of(memory, "Liz") == {MOVED, PLAYS}
    (moved,) = [one.id for one in (await memory.search_memory("Lisbon")).hits if one.text == MOVED]
    await memory.forget_memory([moved])
    assert await names_of(memory, "Liz") == ["Liz"]
    with pytest.raises(NotFoundError):
        await memory.graph.join("Elizabeth", "Liz")


async def test_who_a_model_has_joined_by_a_sentence_are_two_once_it_is_forgotten(
    memory: Memoria,
) -> None:
    await tell(memory, MOVED, "Elizabeth")
    await tell(memory, PLAYS, "Liz")
    called = [await tell(memory, each, mention("Elizabeth", "Liz")) for each in (CALLED, AGAIN)]
    await memory.forget_memory([called[0]])
    assert await known_of(memory, "Liz") == {MOVED, PLAYS, AGAIN}
    await memory.forget_memory([called[1]])
    assert await known_of(memory, "Liz") == {PLAYS}
    assert await known_of(memory, "Elizabeth") == {MOVED}


async def test_what_is_put_back_joins_again(home: Path) -> None:
    settings = Settings.from_values(home=home, tenant="tests", embedder="off", forget_grace_days=1)
    async with memoria.open(settings=settings) as m:
        await tell(m, MOVED, "Elizabeth")
        await tell(m, PLAYS, "Liz")
        called = await tell(m, CALLED, mention("Elizabeth", "Liz"))
        report = (await m.forget_memory([called])).report
        assert report is not None
        assert await known_of(m, "Liz") == {PLAYS}
        await m.undo_forget(report.id)
        assert await known_of(m, "Liz") == {MOVED, PLAYS, CALLED}


async def run(home: Path, *arguments: str) -> str:
    """What a command prints; it begins an event loop of its own, and so in a thread of its own."""
    line = ["--home", str(home), "--tenant", "tests", *arguments]
    done = await in_thread(lambda: CliRunner().invoke(app, line))
    assert done.exit_code == 0, done.output
    return done.output


async def test_on_the_command_line_they_are_reviewed_joined_and_parted(
    memory: Memoria, home: Path
) -> None:
    await settle(memory)
    assert "maybe one" in await run(home, "review")
    assert PLAYS in await run(home, "revise", "Liz", "same", "Elizabeth")
    assert "maybe one" not in await run(home, "review")
    assert "2 go by" in await run(home, "revise", "Liz", "apart", "Elizabeth")
