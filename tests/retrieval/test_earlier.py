"""Of memories that are alike an answer shows the newer first, and marks the older one."""

from memoria import Memoria
from memoria.model import Edge, EdgeType, Node
from memoria.surface.text import result_text

OLD = "The nightly backup of the wiki goes to the Hetzner box"
NEW = "The nightly backup of the wiki goes to the Backblaze bucket"
QUESTION = "Where does the nightly backup of the wiki go?"


async def ask(memory: Memoria) -> str:
    await memory.wait_until_idle()
    return result_text(await memory.search_memory(QUESTION))


async def test_the_newer_of_two_stands_above_the_older_which_is_marked(memory: Memoria) -> None:
    await memory.remember(NEW, valid_from="2026-03-20")
    await memory.remember(OLD, valid_from="2026-03-02")
    await memory.remember("Ada plays the cello on Tuesdays", valid_from="2026-03-01")
    lines = (await ask(memory)).splitlines()
    new, old = (next(one for one in lines if words in one) for words in (NEW, OLD))
    assert lines.index(new) < lines.index(old)
    assert "earlier" in old
    assert "earlier" not in new
    assert all("earlier" not in one for one in lines if "cello" in one)


async def test_two_statements_of_one_day_have_their_time(memory: Memoria) -> None:
    await memory.remember(OLD, valid_from="2026-03-02T08:15:00Z")
    await memory.remember(NEW, valid_from="2026-03-02T09:30:00Z")
    await memory.wait_until_idle()
    found = await memory.search_memory(QUESTION)
    assert [(hit.text, hit.clock, hit.is_earlier) for hit in found.hits] == [
        (NEW, "09:30", False),
        (OLD, "08:15", True),
    ]
    assert "09:30" in result_text(found)


async def test_what_is_asked_for_as_of_a_day_knows_of_nothing_newer(memory: Memoria) -> None:
    await memory.remember(OLD, valid_from="2026-03-02")
    await memory.remember(NEW, valid_from="2026-03-20")
    await memory.wait_until_idle()
    found = await memory.search_memory(QUESTION, as_of="2026-03-21")
    assert not any(hit.is_earlier for hit in found.hits)


async def test_what_a_model_has_ruled_another_matter_is_neither_earlier_nor_said_later(
    memory: Memoria,
) -> None:
    old = await memory.remember(OLD, valid_from="2026-03-02")
    new = await memory.remember(NEW, valid_from="2026-03-20")
    await memory.wait_until_idle()
    assert (await memory.get_memory(old.id)).later is not None
    ends = [Node("memory", old.id), Node("memory", new.id)]
    with memory._store.write(memory.tenant) as tx:  # noqa: SLF001  (as a night with a model)
        for src, dst in (ends, ends[::-1]):
            edge = {"type": EdgeType.SIMILAR_TO, "weight": 0.8, "confidence": 0.8, "made_at": 1}
            tx.graph.upsert_edges([Edge(src=src, dst=dst, **edge)])
        tx.pairs.mark_distinct(old.id, new.id)
    found = await memory.search_memory(QUESTION)
    assert {hit.text for hit in found.hits} >= {OLD, NEW}
    assert not any(hit.is_earlier or hit.shown_as == "later" for hit in found.hits)
    assert (await memory.get_memory(old.id)).later is None
