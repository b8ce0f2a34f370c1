"""Merging by rule: what says the same is one, and nothing that differs is ever made one."""

from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

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
from memoria.policy.merging import (
    Authority,
    authority,
    differs,
    may_merge,
    near_identical,
    survivor,
)

ENGLISH = [
    "The user keeps {} bees behind the house",
    "Deploy {} of the billing service to the small server",
    "The report for {} goes to the whole team",
]
CHINESE = ["用户养了{}只蜜蜂", "把账单服务的{}部署到小服务器", "{}的报告发给整个团队"]
SENTENCES = st.sampled_from([*ENGLISH, *CHINESE])
NUMBERS = st.integers(0, 99_999).map(str)
NUMERALS = st.sampled_from("一 二 三 四 五 六 七 八 九 十 两 百".split())
WORDS = st.sampled_from("one two three four seven twelve twenty hundred".split())
NAMES = st.sampled_from("Anna Bella Lin Berlin Bonn Rust Postgres PyPI iPhone".split())
NAMES_ZH = st.sampled_from("小李 小王 老张 王芳 李梅 陈伟 上海 杭州 欧阳修 阿明".split())
DATES = st.sampled_from("Monday Tuesday March April today yesterday 2026-03-02 2026-03-03".split())
DATES_ZH = st.sampled_from("周一 周二 三月 四月 今天 昨天 上周 下周".split())
TELLING = (NUMBERS, NUMERALS, WORDS, NAMES, NAMES_ZH, DATES, DATES_ZH)
DIFFERENCES = st.one_of([st.tuples(kind, kind) for kind in TELLING])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Commit messages are written in English.", "commit messages  are written in English"),
        ("The user likes the tea", "User likes tea."),
        ("用户喜欢喝茶。", "用户很喜欢喝茶"),
        ("用户对花生过敏，很严重", "用户对花生过敏 严重！"),
        ("Deploys on port ８０８０", "deploys on port 8080."),
    ],
)
def test_the_same_words_are_one_statement_without_any_vector(one: str, other: str) -> None:
    assert near_identical(one, other)
    assert near_identical(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The user is vegetarian and allergic to nuts",
            "User is a vegetarian and is allergic to nuts",
        ),
        ("Commit messages are written in English", "Commit messages are in English"),
        ("用户居住在杭州", "用户住在杭州"),
    ],
)
def test_other_words_are_one_statement_where_their_meaning_is_next_to_the_same(
    one: str, other: str
) -> None:
    assert near_identical(one, other, is_close=True)
    assert near_identical(other, one, is_close=True)
    assert not near_identical(one, other)


@given(SENTENCES, DIFFERENCES)
def test_another_number_name_or_date_is_never_merged(sentence: str, pair: tuple[str, str]) -> None:
    assume(pair[0] != pair[1])
    one, other = (sentence.format(word) for word in pair)
    assert differs(one, other)
    assert not near_identical(one, other, is_close=True)
    assert not near_identical(other, one, is_close=True)


@given(SENTENCES, st.one_of(*TELLING))
def test_a_number_name_or_date_more_is_never_merged(sentence: str, word: str) -> None:
    one, other = sentence.format(word), sentence.format("")
    assert not near_identical(one, other, is_close=True)
    assert not near_identical(other, one, is_close=True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The user eats meat", "The user does not eat meat"),
        ("The user eats meat", "The user doesn't eat meat"),
        ("The user eats meat", "The user never eats meat"),
        ("The user eats meat", "The user no longer eats meat"),
        ("用户吃肉", "用户不吃肉"),
        ("用户吃肉", "用户没吃肉"),
        ("用户吃肉", "用户从来没有吃过肉"),
        ("用户要去开会", "用户别去开会"),
        ("The user prefers tea over coffee", "The user prefers coffee over tea"),
        ("用户喜欢茶胜过咖啡", "用户喜欢咖啡胜过茶"),
        ("Anna's mother is a doctor", "Anna's father is a doctor"),
        ("用户的妈妈是医生", "用户的爸爸是医生"),
        ("The user was a nurse", "The user is a nurse"),
        ("The user likes meat", "The user dislikes meat"),
        ("The user drives his car to work", "The user drives her car to work"),
        ("用户开车去公司", "用户开他车去公司"),
        ("Only Fridays are free", "Fridays are free"),
        ("It is -5 degrees there", "It is 5 degrees there"),
        ("It costs $5", "It costs €5"),
        ("Use C++ there", "Use C there"),
        ("Version 1.5 is out", "Version 15 is out"),
        ("Call 5 5 5", "Call 5 5"),
        ("The user takes vitamin A", "The user takes vitamin"),
        ("anna likes Bella", "Bella likes anna"),
        ("", "The user eats meat"),
    ],
)
def test_what_is_turned_round_is_never_merged(one: str, other: str) -> None:
    assert not near_identical(one, other, is_close=True)
    assert not near_identical(other, one, is_close=True)


@given(st.text(max_size=40), st.text(max_size=40), st.booleans())
def test_any_text_says_what_it_says_and_either_order_gives_the_same(
    one: str, other: str, is_close: bool
) -> None:
    assert near_identical(one, one)
    forward = near_identical(one, other, is_close=is_close)
    assert forward == near_identical(other, one, is_close=is_close)
    assert differs(one, other) == differs(other, one)


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
