"""Subjects and properties have one normal form in either language."""

import pytest

from memoria.model import Memory, MemoryType, MemoryVersion, Provenance, SourceKind, Trust, Validity
from memoria.policy.conflict import (
    USER,
    Claim,
    Supersede,
    compare_claim,
    predicate_key,
    subject_key,
)

DAY = 86_400_000


@pytest.mark.parametrize("name", ["user", "The user", " I ", "用户", "本人", "我", "自己"])
def test_every_word_for_the_user_is_the_same(name: str) -> None:
    assert subject_key(name) == USER


@pytest.mark.parametrize(
    ("name", "key"), [("小李", "小李"), ("Lin  Wei", "lin wei"), ("小李 Lin", "小李 lin")]
)
def test_a_name_is_written_as_it_is(name: str, key: str) -> None:
    assert subject_key(name) == key


@pytest.mark.parametrize(("subject", "predicate"), [("user", "home"), ("用户", "住址")])
def test_what_has_one_value_is_superseded_in_either_language(subject: str, predicate: str) -> None:
    said = Provenance(source_kind=SourceKind.USER_SAID, trust=Trust.REPORTED, channel="library")
    wording = MemoryVersion(
        n=1,
        version=1,
        content="住在杭州",
        valid_from=0,
        valid_to=None,
        ingested_at=0,
        provenance=said,
    )
    known = Memory(
        id="m",
        type=MemoryType.FACT,
        validity=Validity.ACTIVE,
        importance=0.5,
        confidence=0.7,
        pinned=False,
        verified=False,
        upvotes=0,
        downvotes=0,
        created_at=0,
        updated_at=0,
        subject=subject_key(subject),
        predicate=predicate_key(predicate),
        versions=(wording,),
    )
    claim = Claim(
        content="住在上海",
        predicate=predicate_key(predicate),
        said_at=DAY,
        event_at=None,
        source=SourceKind.USER_SAID,
        trust=Trust.REPORTED,
        confidence=0.7,
    )
    assert isinstance(compare_claim(claim, known, DAY), Supersede)
