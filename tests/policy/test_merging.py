"""Merging: nothing that differs is ever made one, and the better founded of two is kept."""

from typing import Any

import pytest

from memoria.model import (
    DAY_MS,
    Memory,
    MemoryType,
    MemoryVersion,
    Provenance,
    SourceKind,
    Trust,
    Validity,
)
from memoria.policy.merging import Authority, authority, may_merge, survivor


def memory(memory_id: str = "m", since: int = 0, **more: Any) -> Memory:  # noqa: ANN401  (fields)
    came = Provenance(
        source_kind=more.pop("source_kind", SourceKind.USER_SAID),
        trust=more.pop("trust", Trust.REPORTED),
        channel="library",
    )
    wording = MemoryVersion(
        n=1,
        version=1,
        content=more.pop("content", "The user lives in Leeds"),
        valid_from=since,
        valid_to=None,
        ingested_at=since,
        event_at=more.pop("event_at", None),
        provenance=came,
    )
    plain: dict[str, Any] = {
        "type": MemoryType.FACT,
        "validity": Validity.ACTIVE,
        "importance": 0.5,
        "confidence": 0.7,
        "pinned": False,
        "verified": False,
        "upvotes": 0,
        "downvotes": 0,
        "created_at": since,
        "updated_at": since,
    }
    return Memory(id=memory_id, versions=(wording,), **{**plain, **more})


@pytest.mark.parametrize(
    "more",
    [
        {"type": MemoryType.PREFERENCE},
        {"workspace": "billing", "scope": "project"},
        {"expires_at": DAY_MS},
        {"event_at": DAY_MS},
        {"subject": "anna"},
        {"predicate": "home"},
        {"validity": Validity.PENDING_CONFIRMATION},
        {"flag": "review"},
    ],
)
def test_memories_of_another_kind_place_or_time_stay_apart(more: dict[str, Any]) -> None:
    usual: dict[str, Any] = {"subject": "user", "predicate": "job"}
    one, other = memory("a", **usual), memory("b", **{**usual, **more})
    assert may_merge(one, memory("b", **usual))
    assert not may_merge(one, other)
    assert not may_merge(other, one)


def test_a_task_keeps_two_rules_apart_and_facts_only_where_both_have_another() -> None:
    parser: dict[str, Any] = {"task": "the parser"}
    kitchen: dict[str, Any] = {"task": "the kitchen"}
    assert may_merge(memory("a"), memory("b", **parser))
    assert may_merge(memory("a", **parser), memory("b", **parser))
    assert not may_merge(memory("a", **parser), memory("b", **kitchen))
    for kind in (MemoryType.RULE, MemoryType.PREFERENCE):
        assert not may_merge(memory("a", type=kind), memory("b", type=kind, **parser))
        assert may_merge(memory("a", type=kind, **parser), memory("b", type=kind, **parser))


def test_words_for_the_same_subject_and_property_keep_nothing_apart() -> None:
    one = memory("a", subject="user", predicate="Job title")
    assert may_merge(one, memory("b", subject="The user", predicate="job_title"))
    assert may_merge(one, memory("b"))


def test_two_that_the_user_confirmed_are_one_only_in_the_same_words_and_episodes_never() -> None:
    one, again = memory("a", verified=True), memory("b", verified=True)
    dotted = memory("c", verified=True, content="The user lives in Leeds.")
    other = memory("d", verified=True, content="Leeds is where the user lives")
    assert may_merge(one, memory("e"))
    assert may_merge(one, again)
    assert may_merge(one, dotted)
    assert not may_merge(one, other)
    told: dict[str, Any] = {"type": MemoryType.EPISODE}
    assert not may_merge(memory("a", **told), memory("b", **told))
    assert not may_merge(memory("a"), memory("a"))


def test_who_survives_is_the_confirmed_the_pinned_the_better_founded_the_older() -> None:
    older, newer = memory("z", 1), memory("a", 2)
    founded = memory("f", 3, evidence=4)
    pinned = memory("p", 4, pinned=True)
    confirmed = memory("c", 5, verified=True)
    everybody = [newer, older, pinned, founded, confirmed]
    for expected in ("c", "p", "f", "z", "a"):
        assert survivor(everybody).id == survivor(everybody[::-1]).id == expected
        everybody = [one for one in everybody if one.id != expected]


def test_authority_is_that_of_the_least_of_the_sources() -> None:
    said = memory("a", trust=Trust.USER, confidence=0.9)
    read = memory("b", trust=Trust.TOOL, confidence=0.4, source_kind=SourceKind.TOOL_OUTPUT)
    reported = memory("c", trust=Trust.REPORTED, confidence=0.95)
    assert authority([said, read]) == Authority(Trust.TOOL, 0.4, SourceKind.CONSOLIDATED)
    assert authority([said, reported]) == Authority(Trust.REPORTED, 0.9, SourceKind.USER_SAID)


def test_what_the_user_confirmed_keeps_its_authority() -> None:
    said = memory("a", trust=Trust.USER, confidence=0.9, verified=True)
    read = memory("b", trust=Trust.TOOL, confidence=0.4, source_kind=SourceKind.TOOL_OUTPUT)
    assert authority([read, said]) == Authority(Trust.USER, 0.9, SourceKind.USER_SAID)
