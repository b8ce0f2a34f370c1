"""The mark of a turn is made anew where its vector tells something else than its words."""

from memoria import Memoria
from memoria.inference.bundled import BUNDLED, BundledEmbedder
from memoria.ingest.marks import list_other_marks
from memoria.model import StoredTurn
from memoria.policy.statements.standing import is_standing_wish

TIMEOUT_S = 30
TEXTS = [
    "Never suggest meat dishes, I'm a vegetarian.",
    "Give me the short answer first, then the reasons.",
    "Stop apologising all the time, it's tiring.",
    "You should always salt the water before the pasta.",
    "Metric units please, I'm European.",
]


async def record_all(memory: Memoria, texts: list[str]) -> list[StoredTurn]:
    receipt = await memory.record_conversation([{"role": "user", "content": t} for t in texts])
    await memory.wait_until_idle(TIMEOUT_S)
    ids = [each.id for each in receipt.turns if each.id is not None]
    return [(await memory.get_turn(one)).turn for one in ids]


def tell_by_vectors(embedder: BundledEmbedder, texts: list[str]) -> dict[str, bool]:
    """Of texts of which the vector tells something else than the words, what it tells."""
    vectors = embedder.embed_documents([f"user: {text}" for text in texts])
    told = {t: is_standing_wish(t, v) for t, v in zip(texts, vectors, strict=True)}
    return {text: is_wish for text, is_wish in told.items() if is_wish != is_standing_wish(text)}


async def test_once_a_turn_has_its_vector_that_decides_whether_it_is_told_as_a_wish(
    memory: Memoria, embedder: BundledEmbedder
) -> None:
    told = tell_by_vectors(embedder, TEXTS)
    assert {*told.values()} == {True, False}
    await record_all(memory, list(told))
    lines = "\n".join(await memory.wishes())
    assert {text: text in lines for text in told} == told


async def test_the_vectors_of_another_embedder_change_no_mark(
    memory: Memoria, embedder: BundledEmbedder
) -> None:
    turns = await record_all(memory, list(tell_by_vectors(embedder, TEXTS)))
    made = embedder.embed_documents([f"user: {turn.content}" for turn in turns])
    vectors = {turn.n: vector for turn, vector in zip(turns, made, strict=True)}
    assert len(list(list_other_marks(BUNDLED, turns, vectors))) == len(turns) > 0
    assert not list(list_other_marks("another", turns, vectors))
