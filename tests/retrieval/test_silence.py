"""Where nothing fits, the nearest topics; where the record has more, a hint; else neither."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from tests.retrieval.toys import ToyEmbedder, keep, texts_of

import memoria
from memoria import Memoria
from memoria.text.budget import price_text

SUPPRESSED = "The vault code is E7700"
READ = "Deploy log: E4711 in /srv/app/main.log at step 12"


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
async def m(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Memoria]:
    """Memories, turns nobody has read, turns that have been read, and a barred one."""
    home = tmp_path_factory.mktemp("silence") / "home"
    async with memoria.open(home=home, tenant="t", embedder=ToyEmbedder()) as opened:
        keep(opened, "Lin is allergic to peanuts", "2023-01-01")
        keep(opened, "Lin may move to Oslo, or not", "2023-01-01", confidence=0.2)
        keep(opened, "The quarterly budget of the harbour is planned in October", "2023-01-01")
        new = ["Nobody has read about the zeppelin yet"]
        read = [
            READ,
            "Peanuts make Lin ill",
            "Lin, a move to Oslo?",
            SUPPRESSED,
            *(f"Marble sample {i}" for i in range(12)),
        ]
        for session, lines in {"s": read, "new": new}.items():
            turns = [{"role": "user", "content": text, "at": "2023-01-01"} for text in lines]
            await opened.record_conversation(turns, session_id=session)
        await opened.wait_until_idle(60)
        with opened._store.write("t") as tx:  # noqa: SLF001  (as an extractor would)
            known = tx.conversations.session_turns("s", 0, 50)
            tx.conversations.mark_processed(known)
            tx.conversations.suppress_turn(
                next(each for each in known if each.content == SUPPRESSED)
            )
        yield opened


async def test_where_nothing_fits_the_nearest_topics_are_named(m: Memoria) -> None:
    query = "Which harbour pilot of Rotterdam retired with honours, a medal and cake?"
    found = await m.search_memory(query)
    assert found.hits == ()
    assert any("harbour" in topic for topic in found.nearest_topics)
    assert len(found.nearest_topics) <= 3


@pytest.mark.parametrize("max_tokens", [50, 100, 200, 1500])
async def test_topics_take_a_tenth_of_the_budget_at_most(m: Memoria, max_tokens: int) -> None:
    query = "Which harbour pilot of Rotterdam retired with honours, a medal and cake?"
    found = await m.search_memory(query, max_tokens=max_tokens)
    assert found.hits == ()
    assert sum(map(price_text, found.nearest_topics)) <= min(100, max_tokens / 10)


async def test_a_topic_says_what_it_is_about_and_no_two_say_the_same(tmp_path: Path) -> None:
    said = "Yes. The vehicle of the harbour pilots is parked by the quay, under a green roof."
    embedder = ToyEmbedder()
    async with memoria.open(home=tmp_path / "home", tenant="t", embedder=embedder) as m:
        await m.record_conversation([{"role": "user", "content": said}], session_id="s")
        keep(m, f"The user said: {said}", "2023-01-01")
        await m.wait_until_idle(60)
        query = "Whose automobile retired with honours, a medal, a cake and a parade in Rotterdam?"
        (topic,) = (await m.search_memory(query)).nearest_topics
    assert "The vehicle of the harbour" in topic


async def test_what_nothing_on_record_comes_near_to_gets_no_topic(m: Memoria) -> None:
    found = await m.search_memory("xylophone quartet")
    assert (found.hits, found.nearest_topics, found.hint) == ((), (), None)


async def test_who_is_answered_is_named_no_topics_and_given_no_hint(m: Memoria) -> None:
    found = await m.search_memory("What is Lin allergic to?")
    assert texts_of(found)[0] == "Lin is allergic to peanuts"
    assert (found.nearest_topics, found.hint) == ((), None)


@pytest.mark.parametrize(
    ("query", "begins"),
    [
        ("What were the exact words about peanuts?", "The exact words are in the record"),
        ("花生的原话 peanuts ill Lin", "The exact words are in the record"),
        ("what is E4711", "Codes, paths and addresses"),
        ("what does /srv/app/main.log say", "Codes, paths and addresses"),
        ("marble sample", "No sure match here"),
        ("Will Lin move to Oslo", "The best conclusion is unsure"),
    ],
)
async def test_a_hint_says_why_the_record_is_worth_a_look(
    m: Memoria, query: str, begins: str
) -> None:
    found = await m.search_memory(query)
    assert found.hint is not None
    assert found.hint.startswith(begins)
    assert found.hint.endswith("call search_conversation_traces.")


async def test_a_hint_counts_the_turns_up_to_ten(m: Memoria) -> None:
    many = await m.search_memory("marble sample")
    assert many.hits == ()
    assert "10 or more turns match" in str(many.hint)
    query = "What were the exact words on the deploy log step?"
    one = await m.search_memory(query, without=["vectors"])
    assert "1 turn matches" in str(one.hint)


async def test_of_a_code_a_hint_counts_the_turns_that_hold_it_as_it_is_written(m: Memoria) -> None:
    found = await m.search_memory("E4711 marble sample")
    assert str(found.hint).startswith("Codes, paths and addresses")
    assert ": 1 turn matches;" in str(found.hint)


async def test_without_a_turn_that_fits_there_is_no_hint(m: Memoria) -> None:
    assert (await m.search_memory("the exact words on xylophones")).hint is None
    assert (await m.search_memory("E9999")).hint is None


async def test_a_literal_finds_turns_that_have_been_read_word_for_word(m: Memoria) -> None:
    for query in ("what is E4711", "what does /srv/app/main.log hold", "E4711是什么"):
        (hit,) = (await m.search_memory(query)).hits
        assert (hit.text, hit.status) == (READ, "verbatim")


async def test_a_turn_nobody_has_read_stands_in_and_one_that_was_read_does_not(
    m: Memoria,
) -> None:
    (hit,) = (await m.search_memory("zeppelin")).hits
    assert hit.status == "unprocessed"
    assert (await m.search_memory("deploy log step")).hits == ()


async def test_a_suppressed_turn_is_in_the_record_and_in_no_conclusion(m: Memoria) -> None:
    assert texts_of(await m.search_conversation_traces("vault code E7700"))[0] == SUPPRESSED
    for history in (False, True):
        found = await m.search_memory("vault code E7700", include_history=history)
        assert found.hits == ()
        assert "vault" not in " ".join(found.nearest_topics)


async def test_a_suppressed_turn_is_in_no_context_package(m: Memoria) -> None:
    for query in ("vault code E7700", "What were the exact words on the vault code?"):
        assert "The vault code" not in (await m.build_context(query)).text
