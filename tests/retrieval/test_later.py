"""What stands beside a hit: what the same speaker said later, and what is nearest by meaning."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import takewhile

from tests.retrieval.toys import hits_of

from memoria import Memoria, Turn
from memoria.surface.text import result_text

HOME = "I live in Leeds with my sister."
MOVES = (
    "We have moved to York, my sister and I.",
    "I moved to Hull in the end, the flat in York was too small.",
    "Now I live in Bristol, since the first of May.",
)
TALK = (
    "I bake bread on Sundays.",
    "My car is a red Volvo.",
    "The dentist has taken out two of my teeth.",
    "I play the cello in an orchestra.",
    "My son collects stamps from Norway.",
)
MORE_TALK = (
    "I am learning to sail on the lake.",
    "My brother runs a bakery in Dover.",
    "We painted the kitchen green.",
    "I go swimming with a friend before work.",
    "My neighbour keeps bees.",
    "I have ordered a new bicycle.",
    "I play chess for the county.",
    "We had soup and bread for supper.",
)
CHATTER = "Haha, thanks, that is so kind of you! Where do you live, by the way?"
ASKED = "Where do I live?"
_BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)


async def tell(m: Memoria, said: Sequence[str]) -> None:
    """Have the user say it, a day apart."""
    for n, words in enumerate(said):
        at = _BEGIN + timedelta(days=n)
        await m.record_conversation(
            [Turn(session_id=f"day {n}", message_id=f"{n}", role="user", content=words, at=at)]
        )
    await m.wait_until_idle()


async def test_what_was_said_later_stands_right_below_what_it_corrects(memory: Memoria) -> None:
    moves = MOVES[:2]
    await tell(memory, (HOME, *TALK, *moves))
    found = await memory.search_memory(ASKED)
    first, *others = found.hits
    assert first.text == HOME
    below = list(takewhile(lambda hit: hit.later_than == first.id, others))
    assert {*moves} <= {hit.text for hit in below}
    lines = result_text(found).splitlines()
    (at,) = [place for place, line in enumerate(lines) if HOME in line]
    further_in = list(takewhile(lambda line: line.startswith("  later: [turn "), lines[at + 1 :]))
    assert len(further_in) == len(below)


async def test_the_answer_that_fits_best_comes_first_whatever_was_said_after_it(
    memory: Memoria,
) -> None:
    await tell(memory, (HOME, *TALK, *MORE_TALK))
    unread = await memory.search_memory(ASKED)
    await read_all(memory)
    read = await memory.search_memory(ASKED)
    for found in (unread, read):
        assert (found.hits[0].text, found.hits[0].later_than) == (HOME, None)
        by_id = {hit.id: hit for hit in found.hits}
        for hit in found.hits:
            if hit.later_than is not None:
                assert hit.source.at > by_id[hit.later_than].source.at


async def test_no_line_of_an_answer_is_shown_twice(memory: Memoria) -> None:
    await tell(memory, (HOME, *TALK, *MOVES))
    found = await memory.search_memory(ASKED, queries=["moved house", "which town"])
    assert len({hit.id for hit in found.hits}) == len(found.hits)


async def test_beside_chatter_nothing_is_looked_for(memory: Memoria) -> None:
    await tell(memory, (CHATTER, *TALK))
    found = await memory.search_memory("Thanks, that is so kind of you!", limit=1)
    assert [hit.text for hit in hits_of(found)] == [CHATTER]
    assert not [hit for hit in found.hits if hit.shown_as == "later"]


async def test_an_answer_of_much_takes_no_more_than_seven_hundred_tokens(memory: Memoria) -> None:
    long = " and then we went on to the next of them" * 12
    await tell(memory, [f"{words[:-1]}{long}." for words in (HOME, *TALK, *MOVES)])
    found = await memory.search_memory(ASKED, queries=["moved house", "which town"])
    assert 300 < found.tokens <= 700


async def read_all(m: Memoria) -> None:
    """Have an agent conclude from each turn what it says."""
    while (page := await m.read_unread()) is not None:
        (name,) = re.findall(r'^Page "([^"]+)"', page, re.MULTILINE)
        told = re.findall(r"^\[(\d+)\] user: (.+)$", page, re.MULTILINE)
        fields = [{"content": text, "quote": text, "turn_id": int(n)} for n, text in told]
        await m.hand_in(name, [{**each, "subject": "user"} for each in fields])
    await m.wait_until_idle()
