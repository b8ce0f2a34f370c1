"""Where nothing fits, the nearest and a word on it; where the record has more, a hint."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
from tests.retrieval.toys import ToyEmbedder, keep, texts_of

import memoria
from memoria import Memoria
from memoria.model import Vector
from memoria.surface.text import result_text

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


@pytest.mark.parametrize(
    ("queries", "first"),
    [
        ((), "Nothing fits well. Add queries: other words for “zebra Rotterdam retired”; "),
        (("a striped horse, pensioned off",), "Nothing fits well; nearest:\n"),
    ],
)
async def test_where_nothing_fits_the_first_line_says_so_and_the_nearest_is_shown(
    m: Memoria, queries: tuple[str, ...], first: str
) -> None:
    question = "Which zebra of Rotterdam retired with honours and cake?"
    found = await m.search_memory(question, queries=queries)
    assert (found.answered, bool(found.hits)) == (False, True)
    assert result_text(found).startswith(first)


async def test_what_nothing_on_record_comes_near_to_gets_no_hint(m: Memoria) -> None:
    found = await m.search_memory("xylophone quartet")
    assert (found.answered, found.hint) == (False, None)


async def test_an_empty_home_says_that_nothing_is_recorded_yet(tmp_path: Path) -> None:
    async with memoria.open(home=tmp_path / "home", embedder=ToyEmbedder()) as m:
        for search in (m.search_memory, m.search_conversation_traces):
            found = await search("xylophone quartet")
            assert (found.hits, found.answered) == ((), False)
            assert result_text(found) == "Nothing is recorded yet."


async def test_who_is_answered_is_given_no_hint(m: Memoria) -> None:
    found = await m.search_memory("What is Lin allergic to?")
    assert texts_of(found)[0] == "Lin is allergic to peanuts"
    assert (found.answered, found.hint) == (True, None)


@pytest.mark.parametrize(
    ("query", "begins"),
    [
        ("What were the exact words about peanuts?", "The exact words are in the record"),
        ("花生的原话 peanuts ill Lin", "The exact words are in the record"),
        ("what is E4711", "Codes, paths and addresses"),
        ("what does /srv/app/main.log say", "Codes, paths and addresses"),
        ("marble sample", "No sure match here"),
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
    assert not many.answered
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
        hits = (await m.search_memory(query)).hits
        assert (READ, "verbatim") in [(hit.text, hit.status) for hit in hits]


async def test_a_turn_nobody_has_read_stands_in_and_one_that_was_read_does_not(
    m: Memoria,
) -> None:
    hit, *_ = (await m.search_memory("zeppelin")).hits
    assert hit.status == "unprocessed"
    found = await m.search_memory("deploy log step")
    assert READ not in [hit.text for hit in found.hits if hit.shown_as != "later"]


async def test_a_suppressed_turn_is_in_the_record_and_in_no_conclusion(m: Memoria) -> None:
    assert texts_of(await m.search_conversation_traces("vault code E7700"))[0] == SUPPRESSED
    for history in (False, True):
        found = await m.search_memory("vault code E7700", include_history=history)
        assert SUPPRESSED not in texts_of(found)


async def test_a_suppressed_turn_is_in_no_context_package(m: Memoria) -> None:
    for query in ("vault code E7700", "What were the exact words on the vault code?"):
        assert "The vault code" not in (await m.build_context(query)).text


@pytest.mark.parametrize("limit", [1, 3])
async def test_where_nothing_is_found_what_was_said_last_keeps_to_the_limit(
    m: Memoria, limit: int
) -> None:
    found = await m.search_memory("zebra", limit=limit, without=["text", "vectors"])
    assert [hit.shown_as for hit in found.hits] == ["nearest"] * limit


class AlikeEmbedder(ToyEmbedder):
    """Takes every text for one of the same meaning."""

    def embed_query(self, text: str) -> Vector:
        """The one vector there is."""
        return super().embed_query("peanuts" if text else "")

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The one vector there is, for each."""
        return [self.embed_query(text) for text in texts]


async def test_a_hint_counts_no_turn_that_is_near_by_meaning_alone(tmp_path: Path) -> None:
    async with memoria.open(home=tmp_path / "home", embedder=AlikeEmbedder()) as m:
        said = [f"Today boat {i} came in late again." for i in range(12)]
        turns = [{"role": "user", "content": text} for text in said]
        await m.record_conversation(turns, session_id="s")
        await m.wait_until_idle(60)
        for query in ("13812345678", "the exact words on xylophones"):
            assert (await m.search_memory(query)).hint is None
        assert "match" in str((await m.search_memory("the exact words on the boat")).hint)
