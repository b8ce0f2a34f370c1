"""Any part may be missing: a search goes on with the others, and says so."""

from collections.abc import AsyncIterator, Sequence
from itertools import combinations
from pathlib import Path
from threading import Event

import pytest
from tests.retrieval.toys import FailingEmbedder, ToyEmbedder, keep, texts_of

import memoria
from memoria import Memoria, SearchResult, Settings
from memoria.app.engine import open_store
from memoria.app.open_home import OpenHome
from memoria.errors import InvalidInputError
from memoria.inference import Embedder, LazyEmbedder
from memoria.model import LIBRARY, PARTS, Mention, Part
from memoria.store.rows import documents as concurrent_read
from memoria.store.rows import matching

LITERAL = "The gate number of the depot is E4711"
PARAPHRASE = "The vehicle broke down near the physician"
LINKED = "Grows orchids on the balcony"
UNRELATED = "Tea is served at five"
QUESTION = "Did Priya's automobile reach the doctor after the depot gave E4711 as its code?"
"""Asks for all of them: by words, by meaning, by a name."""

SWITCHED_OFF = [parts for size in (1, 2, 3) for parts in combinations(PARTS, size)]


async def fill(m: Memoria) -> None:
    for text in (LITERAL, PARAPHRASE, UNRELATED):
        keep(m, text, "2023-01-01")
    keep(m, LINKED, "2023-01-01", about=[Mention(name="Priya", kind="person")])
    await m.record_conversation(
        [
            {"role": "user", "content": text, "at": "2023-01-01"}
            for text in (LITERAL, PARAPHRASE, UNRELATED, "We planted it in spring")
        ],
        session_id="s",
    )


@pytest.fixture(scope="module")
async def home(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """A home in which each part finds something that the others don't."""
    home = tmp_path_factory.mktemp("parts") / "home"
    async with memoria.open(home=home, tenant="t", embedder=ToyEmbedder()) as m:
        await fill(m)
        await m.wait_until_idle(60)
        yield m


def says_what_it_did_without(found: SearchResult, off: Sequence[str]) -> None:
    """The trace and the notes tell the same, and the truth."""
    trace = found.explanation
    assert trace is not None
    assert trace.path == (" → ".join(part for part in PARTS if part not in off) or "none")
    states = {report.part: report.state for report in trace.parts}
    assert [part for part in PARTS if states[part] == "off"] == [p for p in PARTS if p in off]
    assert found.notes == tuple(
        f"searched without {part}: switched off" for part in PARTS if part in off
    )
    for each in trace.candidates:
        assert each.lexical == 0 or "text" not in off
        assert each.cosine == 0 or "vectors" not in off
        assert each.graph == 0 or "graph" not in off


@pytest.mark.parametrize("off", [(), *SWITCHED_OFF], ids=lambda off: "+".join(off) or "nothing")
async def test_whatever_is_switched_off_both_levels_answer_with_the_rest_and_say_so(
    home: Memoria, off: tuple[Part, ...]
) -> None:
    for question in (QUESTION, "depot gate code", "doctor", "Priya", "什么"):
        says_what_it_did_without(await home.search_memory(question, without=off, explain=True), off)
        says_what_it_did_without(
            await home.search_conversation_traces(question, without=off, explain=True), off
        )


ALONE: dict[Part, tuple[str, str]] = {
    "text": ("gate number of the depot E4711", LITERAL),
    "vectors": ("automobile doctor", PARAPHRASE),
    "graph": ("What does Priya do?", LINKED),
}


@pytest.mark.parametrize("part", PARTS)
async def test_each_part_alone_finds_what_it_is_for(home: Memoria, part: Part) -> None:
    question, answer = ALONE[part]
    others = [other for other in PARTS if other != part]
    found = await home.search_memory(question, without=others)
    assert texts_of(found)[0] == answer


@pytest.mark.parametrize("part", PARTS)
async def test_without_a_part_is_missing_what_it_alone_finds_and_nothing_else(
    home: Memoria, part: Part
) -> None:
    for own, (question, answer) in ALONE.items():
        found = texts_of(await home.search_memory(question, without=[part]))
        if own == part and part != "text":
            assert found[0] != answer
        elif own != part:
            assert found[0] == answer


async def test_the_record_is_found_by_its_words_or_by_its_meaning(home: Memoria) -> None:
    by_words = await home.search_conversation_traces("E4711 depot", without=["vectors", "graph"])
    by_meaning = await home.search_conversation_traces(
        "automobile doctor", without=["text", "graph"]
    )
    assert texts_of(by_words)[0] == LITERAL
    assert PARAPHRASE in texts_of(by_meaning)[:2]  # the next turn is embedded together with it


async def test_with_every_part_switched_off_nothing_is_found_but_what_was_said_last(
    home: Memoria,
) -> None:
    nothing = await home.search_memory("depot gate code", without=PARTS, explain=True)
    assert {hit.shown_as for hit in nothing.hits} == {"nearest"}
    latest = await home.search_conversation_traces(
        "What is the latest?", without=PARTS, explain=True
    )
    assert latest.explanation is not None
    assert latest.explanation.path == "recent"
    assert len(latest.hits) == 4


async def test_a_part_that_does_not_exist_is_named(home: Memoria) -> None:
    with pytest.raises(InvalidInputError, match=r"without.*'reranker'.*text, vectors, graph"):
        await home.search_memory("depot", without=["reranker"])


async def test_a_question_in_which_the_model_sees_no_meaning_is_asked_of_the_others(
    home: Memoria,
) -> None:
    for search in (home.search_memory, home.search_conversation_traces):
        found = await search("?!", explain=True)
        assert not found.answered
        assert found.notes == ("searched without vectors: toy/1 sees no meaning in the question",)


async def missing_vectors(m: Memoria, why: str) -> None:
    """Both levels answer by text and say why there are no vectors."""
    for found in (
        await m.search_memory("depot gate code", explain=True),
        await m.search_conversation_traces("depot gate code", explain=True),
    ):
        assert texts_of(found)[0] == LITERAL
        assert found.notes == (f"searched without vectors: {why}",)
        assert found.explanation is not None
        assert found.explanation.path == "text → graph"


async def test_with_the_graph_alone_a_name_leads_to_the_turns_that_say_it(tmp_path: Path) -> None:
    async with memoria.open(home=tmp_path, tenant="t", embedder=ToyEmbedder()) as m:
        said = [f"My friend Rosalind lives in {place}" for place in ("Utrecht", "Ghent")]
        turns = [{"role": "user", "content": one, "at": "2023-01-01"} for one in said]
        turns.append({"role": "user", "content": UNRELATED})
        await m.record_conversation(turns, session_id="s")
        await m.wait_until_idle(60)
        for search in (m.search_memory, m.search_conversation_traces):
            found = await search("What of Rosalind?", without=["text", "vectors"])
            assert texts_of(found) == said[::-1]


async def test_without_an_embedder_text_and_graph_go_on(tmp_path: Path) -> None:
    async with memoria.open(settings=Settings(home=tmp_path, embedder="off")) as m:
        await fill(m)
        await missing_vectors(m, "switched off")


async def test_with_an_embedder_that_fails_text_and_graph_go_on(tmp_path: Path) -> None:
    async with memoria.open(home=tmp_path, embedder=FailingEmbedder()) as m:
        await fill(m)
        await missing_vectors(m, "the embedder failed: RuntimeError: no vector for 15 characters")


async def test_while_the_model_still_loads_text_and_graph_go_on(tmp_path: Path) -> None:
    ready = Event()

    def build() -> Embedder:
        ready.wait(60)
        return ToyEmbedder()

    settings = Settings(home=tmp_path)
    store = open_store(settings)
    try:
        m = Memoria(OpenHome(settings, store, LazyEmbedder("toy/1", build)), LIBRARY)
        m.embedder_wait_ms = 0
        await fill(m)
        await missing_vectors(m, "the embedding model toy/1 is still loading")
    finally:
        ready.set()
        store.close()


async def test_an_answer_of_nothing_says_that_what_came_in_last_has_no_vector_yet(
    tmp_path: Path,
) -> None:
    asked = Event()

    class Patient(ToyEmbedder):
        def embed_documents(self, texts: Sequence[str]) -> list[memoria.model.Vector]:
            assert asked.wait(60)
            return super().embed_documents(texts)

    async with memoria.open(home=tmp_path, embedder=Patient()) as m:
        await m.remember(PARAPHRASE)
        early = await m.search_memory("Where is the automobile?")
        assert not early.answered
        assert early.notes == (
            "searched without vectors of what came in last: they are being made",
        )
        asked.set()
        await m.wait_until_idle(60)
        late = await m.search_memory("Where is the automobile?")
        assert (texts_of(late), late.notes) == ([PARAPHRASE], ())


async def test_a_model_whose_vectors_are_of_another_length_is_named_and_does_without(
    tmp_path: Path,
) -> None:
    async with memoria.open(home=tmp_path, embedder=ToyEmbedder()) as m:
        await fill(m)
        await m.wait_until_idle(60)

    class Longer(ToyEmbedder):
        def embed_query(self, text: str) -> memoria.model.Vector:
            return super().embed_query(text).repeat(2)

    async with memoria.open(home=tmp_path, embedder=Longer()) as m:
        await missing_vectors(m, "toy/1 gives vectors of 4096 numbers; in this home it gave 2048")


@pytest.mark.parametrize("off", [(), *SWITCHED_OFF], ids=lambda off: "+".join(off) or "nothing")
async def test_an_empty_home_answers_with_nothing_and_does_not_fail(
    tmp_path: Path, off: tuple[Part, ...]
) -> None:
    async with memoria.open(home=tmp_path, embedder=ToyEmbedder()) as m:
        for question in ("depot", "我上个月说过什么", "E4711", "What did I say last week?"):
            known = await m.search_memory(question, without=off, explain=True)
            record = await m.search_conversation_traces(question, without=off, explain=True)
            assert (known.hits, known.is_empty, known.hint, record.hits) == ((), True, None, ())
        package = await m.build_context("depot")
        assert package.recall == package.evidence == ""


@pytest.mark.parametrize("off", [(), *SWITCHED_OFF], ids=lambda off: "+".join(off) or "nothing")
async def test_text_and_vectors_at_the_same_time_find_what_they_find_in_turn(
    home: Memoria, off: tuple[Part, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matching, "BUDGET", 2)  # so that words are counted
    for question in (QUESTION, "depot gate code", "doctor", "Priya", "什么"):
        for search in (home.search_memory, home.search_conversation_traces):
            in_turn = await search(question, without=off, explain=True)
            with monkeypatch.context() as large:
                large.setattr(concurrent_read, "BUDGET", 0)
                assert await search(question, without=off, explain=True) == in_turn
