"""Subjects and properties have one normal form in either language."""

from dataclasses import replace

import pytest

from memoria.language.names.keys import USER, predicate_key, subject_key
from memoria.model import (
    Memory,
    MemoryType,
    MemoryVersion,
    Provenance,
    Relation,
    SourceKind,
    Trust,
    Validity,
)
from memoria.policy.conflict import (
    Claim,
    KeepBoth,
    NeedsReview,
    SameStatement,
    Supersede,
    Unrelated,
    compare_claim,
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
        n=1, version=1, content=content, valid_from=0, valid_to=None, ingested_at=0, provenance=said
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
        ("The user lives in Leeds", "The user lives in York", Unrelated),
        ("The user lives in Leeds", "the user lives in Leeds.", SameStatement),
        ("The user has two cats", "The user has three cats", Unrelated),
        ("用户喜欢猫", "用户不喜欢猫", Unrelated),
    ],
)
def test_words_alone_tell_only_that_two_statements_are_the_same(
    known: str, new: str, verdict: type
) -> None:
    assert isinstance(compare_claim(claim(new), memory(known, None), DAY), verdict)


@pytest.mark.parametrize(
    ("relation", "verdict"),
    [("replaces", Supersede), ("contradicts", NeedsReview), ("different", KeepBoth)],
)
def test_where_a_model_has_told_what_one_is_to_the_other_that_counts(
    relation: Relation, verdict: type
) -> None:
    known = memory("The user lives in Berlin.", "home")
    new = claim("The user's flat is in Bonn.", "home")
    assert isinstance(compare_claim(new, known, DAY, relation), verdict)


def test_what_is_no_claim_of_fact_replaces_nothing_though_the_property_is_one() -> None:
    known = memory("The user lives in Berlin.", "home")
    planned = replace(claim("The user plans to live in Bonn.", "home"), assertive=False)
    assert isinstance(compare_claim(planned, known, DAY), KeepBoth)


def test_a_plan_replaces_a_plan_where_a_model_has_said_so() -> None:
    known = memory("The user marries on 1 May.", "wedding")
    planned = replace(claim("The user marries on 1 October.", "wedding"), assertive=False)
    assert isinstance(compare_claim(planned, known, DAY, "replaces"), Supersede)
    assert isinstance(compare_claim(planned, known, DAY, "contradicts"), KeepBoth)


def test_what_tells_of_an_earlier_time_replaces_nothing_though_the_property_is_one() -> None:
    known = memory("The user lives in Berlin.", "home")
    earlier = replace(claim("The user lived in Bonn.", "home"), event_at=-DAY)
    assert isinstance(compare_claim(earlier, known, DAY), KeepBoth)
