"""A concept rests on what it quotes: it counts for no more, and changes or falls with it."""

from collections.abc import Callable

import pytest
from tests.databases import read_text
from tests.lifecycle.dump import dump, memory, store_of
from tests.lifecycle.test_consolidate import (
    BADGER,
    MORE,
    SAYS,
    SEEN,
    concept,
    concepts,
    night,
    of_badger,
    sessions,
    shown_in,
)
from tests.lifecycle.test_merge import alike, ruling, with_model
from tests.llm.scripted import Asked, ScriptedModel

import memoria.app.nightly as nights
from memoria.app import open_memoria
from memoria.config import Settings
from memoria.errors import NotFoundError
from memoria.model import DAY_MS, EdgeType, Memory, Node, Validity, now_millis, use_clock
from memoria.model.retention import MemoryTier
from memoria.surface.mcp.prompts import briefing

__all__ = ["sessions"]
BADGER_ZH = ("獾项目是用Rust写的", "獾项目每次提交都测试", "獾项目每周五发布", "獾项目有德文文档")
SAYS_ZH = "獾项目是一个按节奏测试和发布的Rust项目"


@pytest.fixture
def four(settings: Settings, sessions: list[int]) -> list[str]:
    """Four memories of one thing from four conversations."""
    return [
        of_badger(settings, text, n) for text, n in zip((*BADGER, MORE), sessions, strict=False)
    ]


def linked(settings: Settings, memory_id: str, kind: EdgeType) -> set[str]:
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        edges = tx.graph.list_edges(Node("memory", memory_id), SEEN)
    return {edge.dst.id for edge in edges if edge.type is kind and edge.src.id == memory_id}


def made(settings: Settings, answer: Callable[[Asked], object]) -> Memory:
    with ScriptedModel(answer=answer) as model:
        night(settings, model)
    (one,) = concepts(settings)
    return one


@pytest.mark.parametrize(
    ("texts", "says", "name"), [((*BADGER, MORE), SAYS, "Badger"), (BADGER_ZH, SAYS_ZH, "獾")]
)
async def test_a_concept_rests_on_the_memories_it_quotes_and_not_on_all_it_was_shown(
    settings: Settings, sessions: list[int], texts: tuple[str, ...], says: str, name: str
) -> None:
    ids = [of_badger(settings, text, n, name) for text, n in zip(texts, sessions, strict=False)]
    one = made(settings, concept(says, name, quotes=2))
    assert linked(settings, one.id, EdgeType.DERIVED_FROM) == set(ids[:2])
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        turns = {each.turn_id for each in tx.memories.list_evidence(one.id)}
        assert turns == {turn.id for turn in tx.conversations.turns(sessions[:2]).values()}
    async with open_memoria(settings=settings) as m:
        record = await m.provenance.get(one.id)
    assert len(record.evidence) == 2  # type: ignore[union-attr]


async def test_forgetting_what_a_concept_was_only_shown_takes_it_along(
    settings: Settings, four: list[str]
) -> None:
    one = made(settings, concept("Badger is made with zeal", quotes=2))
    async with open_memoria(settings=settings) as m:
        await m.forget_memory([four[3]])
        with pytest.raises(NotFoundError):
            await m.get_memory(one.id)
    assert "zeal" not in str(dump(settings.home_path))


async def test_a_concept_is_asked_for_once_though_it_quotes_few_of_what_it_was_shown(
    settings: Settings, four: list[str]
) -> None:
    assert four
    with ScriptedModel(answer=concept(quotes=2)) as model:
        night(settings, model)
        before = dump(settings.home_path)
        assert night(settings, model).steps[0].planned == 0
        assert len(model.requests) == 1
    assert dump(settings.home_path) == before


async def test_a_concept_that_quotes_one_conversation_alone_is_not_written(
    settings: Settings, sessions: list[int]
) -> None:
    for text, n in zip((*BADGER, MORE), (sessions[0], sessions[4], *sessions[1:3]), strict=True):
        of_badger(settings, text, n)
    with ScriptedModel(answer=concept(quotes=2)) as model:
        assert night(settings, model).steps[0].outcomes == {"unchanged": 1}
    assert concepts(settings) == []


async def test_a_number_of_a_memory_that_is_not_quoted_is_no_number_of_the_concept(
    settings: Settings, four: list[str], sessions: list[int]
) -> None:
    assert four
    of_badger(settings, "Badger is on version 17", sessions[4])
    with ScriptedModel(answer=concept("Badger 17 is tested with care", quotes=2)) as model:
        night(settings, model)
    assert concepts(settings) == []


async def test_a_concept_is_never_reviewed_or_promoted_for_how_often_its_sources_were_said(
    settings: Settings, four: list[str]
) -> None:
    assert four
    one = made(settings, concept(quotes=4))
    later = now_millis() + 30 * DAY_MS
    with ScriptedModel(answer=lambda _: {"decision": "PROMOTE", "reason": "often said"}) as model:
        with use_clock(lambda: later):
            nights.run_nightly(with_model(settings, model), ["review", "promote"])
        asked = [request for request in model.requests if SAYS in request.text]
    assert asked == []
    with store_of(settings) as store, store.read(settings.tenant) as tx:
        attributes = tx.retention.get_attributes(one.id)
    assert attributes is not None
    assert attributes.tier in (MemoryTier.SHORT, MemoryTier.MID)


async def test_a_concept_that_is_used_is_reviewed_for_that_and_not_as_often_said(
    settings: Settings, four: list[str]
) -> None:
    assert four
    one = made(settings, concept(quotes=4))
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        for _ in range(2):
            tx.memories.add_use(one.id, 0.01, now_millis())
    with ScriptedModel(answer=lambda _: {"decision": "KEEP", "reason": ""}) as model:
        nights.run_nightly(with_model(settings, model), ["review"])
        (asked,) = [request.text for request in model.requests if SAYS in request.text]
    assert 'because "it is important and is often used"' in asked
    assert "times_said" not in asked.split("What is known beside it")[0]


async def test_a_concept_is_written_anew_when_a_memory_that_it_quotes_was_changed(
    settings: Settings, four: list[str]
) -> None:
    one = made(settings, concept(quotes=3))
    async with open_memoria(settings=settings) as m:
        await m.revise_memory(four[0], "correct", "Badger is written in Go")
    before = dump(settings.home_path)

    def go(asked: Asked) -> object:
        assert BADGER[0] not in [line["memory"] for line in shown_in(asked)]
        return concept("Badger is a Go project with a steady rhythm", quotes=3)(asked)

    with ScriptedModel(answer=go) as model:
        run = night(settings, model)
    anew = memory(settings, one.id)
    assert (anew.current.version, anew.validity) == (2, Validity.ACTIVE)
    assert "Go project" in anew.content
    assert run.steps[0].outcomes == {"done": 1}
    nights.undo_nightly(settings, run.id, lambda _: None)
    assert dump(settings.home_path) == before


async def test_without_a_model_a_concept_ends_that_quotes_what_was_changed(
    settings: Settings, four: list[str]
) -> None:
    one = made(settings, concept(quotes=3))
    async with open_memoria(settings=settings) as m:
        await m.revise_memory(four[0], "correct", "Badger is written in Go")
    before = dump(settings.home_path)
    run = night(settings)
    assert run.steps[0].reasons == {one.id: "a memory that it quotes has changed"}
    assert memory(settings, one.id).validity is Validity.SUPERSEDED
    nights.undo_nightly(settings, run.id, lambda _: None)
    assert dump(settings.home_path) == before


async def test_a_concept_stays_when_something_it_was_only_shown_was_changed(
    settings: Settings, four: list[str]
) -> None:
    one = made(settings, concept(quotes=3))
    async with open_memoria(settings=settings) as m:
        await m.revise_memory(four[3], "correct", "Badger is documented in French")
    night(settings)
    assert memory(settings, one.id).validity is Validity.ACTIVE


async def test_a_concept_is_asked_about_with_what_has_replaced_a_memory_that_it_quotes(
    settings: Settings, four: list[str], sessions: list[int]
) -> None:
    one = made(settings, concept(quotes=3))
    go = of_badger(settings, "Badger is written in Go", sessions[4], at=now_millis())
    with store_of(settings) as store, store.write(settings.tenant) as tx:
        alike(tx, four[0], go, 0.9)

    def answer(asked: Asked) -> object:
        if '"known":' in asked.text:
            return ruling(Rust="replaces")(asked)
        texts = [line["memory"] for line in shown_in(asked)]
        assert BADGER[0] not in texts
        assert "Badger is written in Go" in texts
        return concept("Badger is a Go project with a steady rhythm", quotes=3)(asked)

    with ScriptedModel(answer=answer) as model:
        nights.run_nightly(with_model(settings, model), ["merge", "consolidate"])
    assert memory(settings, four[0]).validity is Validity.SUPERSEDED
    assert "Go project" in memory(settings, one.id).content


async def test_a_concept_leaves_core_memory_as_soon_as_what_it_quotes_has_changed(
    settings: Settings, four: list[str]
) -> None:
    one = made(settings, concept(quotes=3))
    nights.run_nightly(settings, ["core"])
    async with open_memoria(settings=settings) as m:
        assert SAYS in await briefing(m)
        await m.revise_memory(four[0], "correct", "Badger is written in Go")
        assert SAYS not in await briefing(m)
    assert SAYS in read_text(settings, "MEMORY.md")
    nights.run_nightly(settings, ["core"])
    assert SAYS not in read_text(settings, "MEMORY.md")
    assert memory(settings, one.id).validity is Validity.ACTIVE
