"""Present statements stand above those they replaced; later ones, beside what they may correct."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
from tests.retrieval.toys import hits_of

import memoria
from memoria import Memoria, Settings, Turn
from memoria.model import Edge, EdgeType, Hit, Node, Role, Validity, now_millis, to_iso
from memoria.model.search import SearchResult
from memoria.surface.text import result_text

HOUR = 3_600_000


async def say(memory: Memoria, *texts: str, hours_ago: int = 2, **fields: object) -> list[str]:
    """Record what the user says, in one conversation. Gives the ids of the turns."""
    at = now_millis() - hours_ago * HOUR
    turns = [
        Turn.model_validate({"role": Role.USER, "content": text, "at": at + n, **fields})
        for n, text in enumerate(texts)
    ]
    receipt = await memory.record_conversation(turns, session_id="talk")
    await memory.wait_until_idle(60)
    return [str(turn.id) for turn in receipt.turns]


async def test_the_present_wording_comes_with_the_turn_of_a_former_one(memory: Memoria) -> None:
    (turn,) = await say(memory, "The staging server listens on port 8080, if anybody asks.")
    kept = await memory.remember("The staging server listens on port 8080.", turn_id=turn)
    await memory.revise_memory(kept.id, "correct", "It is 9090 on that machine now.")
    found = await memory.search_memory("Which port does the staging server listen on?")
    assert found.hits[0].id == kept.id
    assert all(hit.validity is Validity.SUPERSEDED for hit in found.hits if hit.id == turn)


async def test_a_former_wording_comes_after_the_present_one(memory: Memoria) -> None:
    kept = await memory.remember("The staging server listens on port 8080.")
    await memory.revise_memory(kept.id, "correct", "It is 9090 on that machine now.")
    found = await memory.search_memory(
        "Which port does the staging server listen on?", include_history=True
    )
    assert [hit.validity for hit in found.hits] == [Validity.ACTIVE, Validity.SUPERSEDED]


@pytest.mark.parametrize(
    "narrowed",
    [
        {"until": "2023-06-15"},
        {"until": "2023-06-15", "since": "2023-01-01"},
        {"types": ["rule"]},
        {"session_id": "talk"},
        {},
    ],
    ids=lambda given: "+".join(given) or "nothing",
)
async def test_the_present_wording_comes_only_where_it_passes_what_is_asked_for(
    memory: Memoria, narrowed: dict[str, Any]
) -> None:
    (turn,) = await say(memory, "The harbour master of Lisbon is Rui, if anybody asks.")
    kept = await memory.remember(
        "The harbour master of Lisbon is Rui.", valid_from="2023-01-01", turn_id=turn
    )
    await memory.revise_memory(
        kept.id, "correct", "The harbour master of Lisbon is Ana.", valid_from="2023-07-01"
    )
    found = await memory.search_memory(
        "Who is the harbour master of Lisbon?", include_history=True, **narrowed
    )
    present = [hit for hit in found.hits if "Ana" in hit.text]
    former = [hit for hit in found.hits if "Rui" in hit.text]
    assert bool(present) is not bool(narrowed)
    assert former or "types" in narrowed
    assert all(hit.validity is Validity.SUPERSEDED for hit in former)


@pytest.mark.parametrize("private", ["/diary", "/other"])
async def test_a_private_projects_present_wording_stays_there(home: Path, private: str) -> None:
    settings = Settings(home=home, embedder="off", private_workspaces=(private,))
    async with memoria.open(settings=settings) as m:
        (turn,) = await say(m, "The harbour master of Lisbon is Rui, if anybody asks.")
        kept = await m.remember(
            "The harbour master of Lisbon is Rui.", turn_id=turn, workspace="/diary"
        )
        await m.revise_memory(kept.id, "correct", "The harbour master of Lisbon is Ana.")
        asked = "Who is the harbour master of Lisbon?"
        own = await m.search_memory(asked, workspace="/diary")
        everywhere = await m.search_memory(asked, workspace="*")
        assert any("Ana" in hit.text for hit in own.hits)
        assert any("Ana" in hit.text for hit in everywhere.hits) is (private == "/other")


async def test_a_context_package_has_the_present_wording_first(memory: Memoria) -> None:
    await say(memory, "My name is Lin.")
    await memory.remember("My name is Lina.")
    package = await memory.build_context("What is my name?")
    lines = [line for line in package.recall.splitlines() if "My name is" in line]
    assert "Lina" in lines[0]


async def test_the_record_keeps_its_order_and_says_what_was_superseded(memory: Memoria) -> None:
    (turn,) = await say(memory, "The staging server listens on port 8080, if anybody asks.")
    kept = await memory.remember("The staging server listens on port 8080.", turn_id=turn)
    await memory.revise_memory(kept.id, "correct", "It is 9090 on that machine now.")
    found = await memory.search_conversation_traces("Which port does the staging server have?")
    assert (found.hits[0].id, found.hits[0].validity) == (turn, Validity.SUPERSEDED)


async def test_what_held_at_a_past_moment_is_told_as_it_was(memory: Memoria) -> None:
    await say(memory, "My name is Lin.", hours_ago=48)
    await memory.remember("My name is Lina.")
    then = to_iso(now_millis() - 24 * HOUR)
    found = await memory.search_memory("What is my name?", as_of=then)
    assert "Lina" not in found.hits[0].text


async def test_a_turn_that_only_says_the_same_in_other_words_is_not_superseded(
    memory: Memoria,
) -> None:
    (turn,) = await say(memory, "Tea is what I always prefer over coffee.")
    kept = await memory.remember("The user prefers tea.", turn_id=turn)
    await memory.revise_memory(kept.id, "correct", "User prefers tea.")
    found = await memory.search_conversation_traces("What do I prefer over coffee?")
    assert (found.hits[0].id, found.hits[0].validity) == (turn, None)


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("Standup is at 9 o'clock, by the way.",
         "Standup is now at 11 o'clock, by the way.", "When is our standup?"),
        ("例会是周一。", "例会改到周四了。", "例会是哪天？"),
    ],
)  # fmt: skip
async def test_the_later_of_two_turns_about_one_thing_comes_first_or_right_below_the_other(
    memory: Memoria, older: str, newer: str, question: str
) -> None:
    await say(memory, older, newer)
    first, second = (await memory.search_memory(question)).hits
    assert {first.text, second.text} == {older, newer}
    assert second.later_than == (first.id if second.text == newer else None)


async def test_order_can_be_left_as_it_is_found(memory: Memoria) -> None:
    (turn,) = await say(memory, "The staging server listens on port 8080, if anybody asks.")
    kept = await memory.remember("The staging server listens on port 8080.", turn_id=turn)
    await memory.revise_memory(kept.id, "correct", "It is 9090 on that machine now.")
    found = await memory.search_memory(
        "What does the staging server listen on?", without=["current"]
    )
    assert turn in [hit.id for hit in found.hits]


@pytest.mark.parametrize("later", ["I moved to York last month.", "我上个月搬到了青岛。"])
async def test_the_words_of_a_later_turn_mark_no_memory(memory: Memoria, later: str) -> None:
    stated = await memory.remember("The user lives in Leeds. 用户住在利兹。")
    await say(memory, later)
    hits = (await memory.search_memory("Where do I live? 我住在哪里？")).hits
    assert stated.id in [hit.id for hit in hits]
    assert not any(hit.restated_by or hit.contradicts for hit in hits)


class Case(NamedTuple):
    said: str
    correction: str
    rest: str
    """What the message says besides."""
    of_rest: str
    of_corrected: str


CASES = [
    Case(
        "Remember that we release every Friday after the smoke test. Also the database is "
        "PostgreSQL 15, and amounts are kept as integer cents.",
        "We release every Tuesday after the smoke test",
        "Also the database is PostgreSQL 15, and amounts are kept as integer cents.",
        "PostgreSQL",
        "when do we release",
    ),
    Case(
        "记住：我们店铺项目每周五发版，发版前要跑一遍 smoke test。"
        "另外数据库用的是 PostgreSQL 15，金额一律用分存成整数。",
        "店铺项目每周二发版，发版前要跑一遍 smoke test",
        "另外数据库用的是 PostgreSQL 15，金额一律用分存成整数。",
        "PostgreSQL 版本",
        "什么时候发版",
    ),
]
OTHERS = (
    "The API uses camelCase",
    "接口的字段都用驼峰",
    "我喜欢喝美式咖啡",
    "Tests run with pytest",
)


async def correct(m: Memoria, case: Case) -> tuple[str, str]:
    """Record it among others, correct the memory made of it; the turn's id and the memory's."""
    receipt = await m.record_conversation([{"role": "user", "content": case.said}])
    for one in OTHERS:
        await m.remember(one)
    (kept,) = [one for one in (await m.list_memories()).memories if "smoke" in one.content]
    await m.revise_memory(kept.id, "correct", content=case.correction)
    return str(receipt.turns[0].id), kept.id


def find_hit(answer: SearchResult, record_id: str) -> Hit | None:
    return next((hit for hit in answer.hits if hit.id == record_id), None)


@pytest.mark.parametrize("case", CASES, ids=["en", "zh"])
async def test_who_asks_for_the_rest_of_a_message_is_shown_the_rest_as_it_holds(
    memory: Memoria, case: Case
) -> None:
    turn, _ = await correct(memory, case)
    answer = await memory.search_memory(case.of_rest)
    hit = find_hit(answer, turn)
    assert answer.answered
    assert hit is not None
    assert (hit.shown_as, hit.validity, hit.restated_by) == (None, None, None)
    assert hit.text == case.rest
    assert hit.total_chars == len(case.said)


@pytest.mark.parametrize("case", CASES, ids=["en", "zh"])
async def test_who_asks_for_what_was_corrected_has_the_correction_before_the_message(
    memory: Memoria, case: Case
) -> None:
    turn, kept = await correct(memory, case)
    answer = await memory.search_memory(case.of_corrected, limit=20)
    ids = [hit.id for hit in answer.hits]
    assert kept in ids
    hit = find_hit(answer, turn)
    if hit is not None:
        assert ids.index(kept) < ids.index(turn)
        assert (hit.validity, hit.restated_by) == (Validity.SUPERSEDED, kept)


@pytest.mark.parametrize("case", CASES, ids=["en", "zh"])
async def test_the_record_names_the_sentence_of_a_message_that_no_longer_holds(
    memory: Memoria, case: Case
) -> None:
    turn, _ = await correct(memory, case)
    found = await memory.search_conversation_traces(case.of_rest)
    hit = find_hit(found, turn)
    assert hit is not None
    assert hit.validity is None
    assert hit.superseded_part == case.said.removesuffix(case.rest).strip()
    assert f"(superseded: “{hit.superseded_part[:20]}" in result_text(found)


async def test_a_message_of_which_both_sentences_were_corrected_is_out_of_date(
    memory: Memoria,
) -> None:
    receipt = await memory.record_conversation(
        [{"role": "user", "content": "Remember that the gate code is 4711. The key is at Bob's."}]
    )
    turn = str(receipt.turns[0].id)
    (kept,) = (await memory.list_memories()).memories
    key = await memory.remember("The key is at Bob's", turn_id=turn)
    await memory.revise_memory(kept.id, "correct", content="The gate code is 5822")
    await memory.revise_memory(key.id, "correct", content="The key is at Carla's")
    found = find_hit(await memory.search_conversation_traces("gate code"), turn)
    assert found is not None
    assert (found.validity, found.superseded_part) == (Validity.SUPERSEDED, None)
    for query in ("gate code", "where is the key"):
        hit = find_hit(await memory.search_memory(query, limit=20), turn)
        assert hit is None or hit.validity is Validity.SUPERSEDED


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


@pytest.mark.parametrize(
    ("asked", "as_of"),
    [(QUESTION, "2026-03-21"), ("Where did the nightly backup go on 2 March 2026?", None)],
)
async def test_what_is_asked_of_a_past_time_knows_of_nothing_newer(
    memory: Memoria, asked: str, as_of: str | None
) -> None:
    await memory.remember(OLD, valid_from="2026-03-02")
    await memory.remember(NEW, valid_from="2026-03-20")
    await memory.wait_until_idle()
    found = await memory.search_memory(asked, as_of=as_of)
    assert not any(hit.is_earlier for hit in found.hits)


@pytest.mark.parametrize(
    ("other", "since", "act"),
    [
        (NEW, "2026-03-20", "pin"),
        (NEW, "2026-03-20", "confirm"),
        (NEW, "2026-03-02", "upvote"),
        ("The Backblaze bucket is in the town of the Hetzner box", "2026-03-20", "upvote"),
    ],
    ids=["before a pin", "before the user's word", "of the same moment", "that hardly fits"],
)
async def test_a_statement_is_earlier_than_a_newer_one_alone_that_fits_and_was_told_since(
    memory: Memoria, other: str, since: str, act: Literal["pin", "confirm", "upvote"]
) -> None:
    old = await memory.remember(OLD, valid_from="2026-03-02")
    await memory.remember(other, valid_from=since)
    await memory.with_channel(memoria.model.COMMAND_LINE).revise_memory(old.id, act)
    assert "earlier" not in await ask(memory)
    await memory.remember("The nightly backup of the wiki goes to tape", valid_from="2026-03-21")
    assert re.search(f"{OLD}.*earlier than one above", await ask(memory))


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
