"""Subjects and properties have one normal form in either language."""

import pytest

from memoria.model import Memory, MemoryType, MemoryVersion, Provenance, SourceKind, Trust, Validity
from memoria.policy.conflict import (
    USER,
    Claim,
    Dispute,
    KeepBoth,
    SameStatement,
    Supersede,
    Unrelated,
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


@pytest.mark.parametrize(
    "name",
    [
        "my mom",
        "My mother",
        "the user's mother",
        "user's mum",
        "我妈",
        "我妈妈",
        "用户的母亲",
        "mother of the user",
    ],
)
def test_somebody_of_the_users_has_one_key_in_any_wording(name: str) -> None:
    assert subject_key(name) == "user's mother"


@pytest.mark.parametrize("name", ["my older brother", "my big brother", "我哥哥", "用户的哥哥"])
def test_age_among_siblings_has_one_word(name: str) -> None:
    assert subject_key(name) == "user's elder brother"


def test_different_relatives_stay_different() -> None:
    names = [
        "我舅舅",
        "我叔叔",
        "my uncle",
        "my brother",
        "我哥哥",
        "我弟弟",
        "my sister",
        "我们",
        "Anna's mother",
    ]
    assert len({subject_key(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Residence", "home"),
        ("lives_in", "home"),
        ("住址", "home"),
        ("Job title", "job"),
        ("职业", "job"),
        ("date of birth", "birthday"),
        ("回答语言", "answer_language"),
        ("shoe size", "shoe_size"),
    ],
)
def test_a_property_has_one_key_for_what_models_call_it(name: str, key: str) -> None:
    assert predicate_key(name) == key


def memory(content: str, predicate: str | None, subject: str = "user") -> Memory:
    said = Provenance(source_kind=SourceKind.USER_SAID, trust=Trust.REPORTED, channel="library")
    wording = MemoryVersion(
        n=1,
        version=1,
        content=content,
        valid_from=0,
        valid_to=None,
        ingested_at=0,
        provenance=said,
    )
    return Memory(
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
        predicate=predicate and predicate_key(predicate),
        versions=(wording,),
    )


def claim(content: str, predicate: str = "") -> Claim:
    return Claim(
        content=content,
        predicate=predicate_key(predicate) if predicate else "",
        said_at=DAY,
        event_at=None,
        source=SourceKind.USER_SAID,
        trust=Trust.REPORTED,
        confidence=0.7,
    )


@pytest.mark.parametrize(("subject", "predicate"), [("user", "home"), ("用户", "住址")])
def test_what_has_one_value_is_superseded_in_either_language(subject: str, predicate: str) -> None:
    known = memory("住在杭州", predicate, subject)
    assert isinstance(compare_claim(claim("住在上海", predicate), known, DAY), Supersede)


@pytest.mark.parametrize(
    ("known", "new", "verdict"),
    [
        ("The user lives in Leeds", "The user lives in York", Supersede),
        ("The user lives in Leeds", "I live in Leeds.", SameStatement),
        ("The user likes cats", "The user likes dogs", Unrelated),
        ("The user has two cats", "The user has three cats", Dispute),
        ("用户喜欢猫", "用户不喜欢猫", Supersede),
    ],
)
def test_without_a_property_by_name_the_wording_decides(
    known: str, new: str, verdict: type
) -> None:
    assert isinstance(compare_claim(claim(new), memory(known, None), DAY), verdict)


@pytest.mark.parametrize(
    ("known", "new", "predicate"),
    [
        ("The user lives in Berlin.", "The user used to live in Bonn.", "home"),
        ("The user lives in Berlin.", "The user plans to live in Bonn.", "home"),
        ("Always answer in English.", "Answer in German when I write German.", "answer language"),
        ("用户住在柏林。", "用户以前住在波恩。", "住址"),
    ],
)
def test_another_time_or_condition_replaces_nothing_though_the_property_is_one(
    known: str, new: str, predicate: str
) -> None:
    verdict = compare_claim(claim(new, predicate), memory(known, predicate), DAY)
    assert isinstance(verdict, KeepBoth)


def test_another_name_of_a_pet_is_marked_and_replaces_nothing() -> None:
    known = memory("The user's dog is called Rex.", "name", "user's dog")
    new = claim("The user's dog is called Max.", "name")
    assert isinstance(compare_claim(new, known, DAY), Dispute)
