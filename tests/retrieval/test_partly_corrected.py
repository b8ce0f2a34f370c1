"""Who corrects one sentence of a message takes nothing from what else it says."""

from typing import NamedTuple

import pytest

from memoria.app import Memoria
from memoria.model import Hit, Validity
from memoria.model.search import SearchResult
from memoria.surface.text import result_text


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
