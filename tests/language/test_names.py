"""Rules find names, the qualifiers that tell namesakes apart, and roles in plain sentences."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.language.names.keys import split_qualifier
from memoria.language.names.mentions import MAX_MENTIONS, find_names
from memoria.language.names.roles import SentenceMeaning, parse_sentence


def found(text: str) -> dict[str, str]:
    return {one.name: one.kind for one in find_names(text)}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Yesterday we hired Alice Smith", {"Alice Smith": "person"}),
        ("Bob has a new phone", {"Bob": "person"}),
        ("Lin Wei likes tea", {"Lin Wei": "person"}),
        ("Dr. Brown said no", {"Dr. Brown": "person"}),
        ("My sister Katya is a nurse", {"Katya": "person"}),
        ("a cat named Momo", {"Momo": "person"}),
        ("The project Orion is late", {"Orion": "other"}),
        ("Zoe left. Nobody told Zoe.", {"Zoe": "other"}),
        ("She works at Acme Inc", {"Acme Inc": "organisation"}),
        ("a degree of Stanford University", {"Stanford University": "organisation"}),
        ("the University of Oxford", {"University of Oxford": "organisation"}),
        ("We moved to Lisbon", {"Lisbon": "place"}),
        ("Paris is far away", {"Paris": "place"}),
        ("It runs Python 3.12 on Windows 11", {"Python 3.12": "product", "Windows 11": "product"}),
        ("I was reading “The Left Hand of Darkness” again", {"The Left Hand of Darkness": "other"}),
        ("ask @lin_wei about it", {"@lin_wei": "person"}),
        ("see https://example.org/a?b=1.", {"https://example.org/a?b=1": "other"}),
        ("it is in server/memoria/config.py", {"server/memoria/config.py": "other"}),
        ("we saw Stephen Chow's film", {"Stephen Chow": "person"}),
        ("my friend Priya's dog", {"Priya": "person"}),
        ("a scene in Lord of the Rings", {"Lord of the Rings": "other"}),
        ("She came from Oregon", {"Oregon": "place"}),
        ("我昨天跟王小明去吃饭", {"王小明": "person"}),
        ("我叫李雷。", {"李雷": "person"}),
        ("请给张伟发邮件", {"张伟": "person"}),
        ("我和欧阳锋去看电影", {"欧阳锋": "person"}),
        ("小明在公园里踢足球", {"小明": "person"}),
        ("老王说不行", {"老王": "person"}),
        (
            "他在阿里巴巴公司上班，毕业于清华大学",
            {"阿里巴巴公司": "organisation", "清华大学": "organisation"},
        ),
        ("下个月加入腾讯公司", {"腾讯公司": "organisation"}),
        ("我住在西湖区", {"西湖区": "place"}),
        ("上周去北京出差", {"北京": "place"}),
        ("正在看《三体》", {"三体": "other"}),
    ],
)
def test_what_is_named_is_found_with_its_kind(text: str, names: dict[str, str]) -> None:
    assert found(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "Lunch was fine. Deadlines matter.",
        "On Monday the English team met in March",
        "The API uses HTTP and JSON.",
        "Meet me in Room 3 on May 5",
        "write to a@b.com and/or call",
        "I'm sorry. It's OK. Thanks!",
        "The user prefers tea",
        "I got it from Mom, for Game 7",
        "我去了公园，又在附近的公园散步",
        "在互联网公司上班，其实最近公司很忙",
        "住在另一个城市",
        "他和高兴的人一起",
        "小说很好看，小时候我常看",
        "这家公司很大，我们公司也是",
        "和平很重要，他问了三个问题",
        "给他打电话，问问老师",
        "用户对花生过敏",
        "上海人很多，北京话好听",
        "",
    ],
)
def test_what_only_looks_like_a_name_is_left_alone(text: str) -> None:
    assert found(text) == {}


@given(st.text(alphabet="Aab @/.在小明王和公司《》的 0", max_size=200))
def test_names_stand_in_the_text_apart_from_each_other(text: str) -> None:
    names = find_names(text)
    assert len(names) <= MAX_MENTIONS
    assert all(text[one.start : one.end] == one.name for one in names)
    assert all(a.end <= b.start for a, b in pairwise(names))
    assert all(one.mention.name == one.name for one in names)


def test_of_two_rules_that_see_one_name_the_surer_tells_its_kind() -> None:
    assert found("She went to Paris with my cousin Paris")["Paris"] == "place"
    assert found("We went to see Alice") == {"Alice": "person"}


@pytest.mark.parametrize(
    ("written", "name", "which"),
    [
        ("Anna (sister)", "Anna", "sister"),
        ("Anna (my sister)", "Anna", "sister"),
        ("Anna (the user's sister)", "Anna", "sister"),
        ("Anna, my sister", "Anna", "sister"),
        ("Anna from work", "Anna", "work"),
        ("Anna Lee from the gym", "Anna Lee", "gym"),
        ("小李（同事）", "小李", "同事"),
        ("小李(我的同事)", "小李", "同事"),
        ("小李（用户的邻居）", "小李", "邻居"),
        ("王芳（财务）", "王芳", "财务"),
    ],
)
def test_a_name_is_told_from_which_one_it_is(written: str, name: str, which: str) -> None:
    assert split_qualifier(written) == (name, which)


@pytest.mark.parametrize(
    "name",
    [
        "Anna",
        "小李",
        "Joan of Arc",
        "Smith, John",
        "letter from Anna",
        "",
        "()",
        "（同事）",
        "我的猫",
    ],
)
def test_a_name_alone_stays_as_it_is(name: str) -> None:
    assert split_qualifier(name) == (name, None)


def roles(read: SentenceMeaning) -> dict[str | None, tuple[str, str]]:
    return {one.role: (one.name, one.kind) for one in read.roles}


PARK = {"agent": ("小明", "person"), "patient": ("足球", "other"), "location": ("公园", "place")}


@pytest.mark.parametrize(
    ("text", "predicate", "parts"),
    [
        ("小明在公园里踢足球", "踢", PARK),
        ("老王养了一只猫", "养", {"agent": ("老王", "person"), "patient": ("猫", "other")}),
        ("老王住在杭州", "住", {"agent": ("老王", "person"), "location": ("杭州", "place")}),
        (
            "Lin plays the flute in the park",
            "play",
            {
                "agent": ("Lin", "person"),
                "patient": ("flute", "other"),
                "location": ("park", "place"),
            },
        ),
        (
            "Bob bought a new car at Acme Inc because he likes it",
            "buy",
            {"agent": ("Bob", "person"), "patient": ("new car", "other")},
        ),
        (
            "Alice painted a vivid sunset inspired by a visit",
            "paint",
            {"agent": ("Alice", "person"), "patient": ("vivid sunset", "other")},
        ),
        (
            "Dr. Brown teaches law in Lisbon.",
            "teach",
            {
                "agent": ("Dr. Brown", "person"),
                "patient": ("law", "other"),
                "location": ("Lisbon", "place"),
            },
        ),
    ],
)
def test_a_plain_sentence_is_read(
    text: str, predicate: str, parts: dict[str, tuple[str, str]]
) -> None:
    read = parse_sentence(text)
    assert (read.predicate, roles(read)) == (predicate, parts)


@pytest.mark.parametrize(
    "text",
    [
        "我昨天去了公园",
        "The user prefers tea",
        "In the park there was a flute that Lin played",
        "Alice is a nurse",
        "Alice used to ride horses",
        "Alice speaks at her school",
        "Paris likes visitors",
        "公园里有人踢足球",
        "Lin thinks that Bob plays the flute",
    ],
)
def test_of_any_other_sentence_no_role_is_guessed(text: str) -> None:
    assert parse_sentence(text).roles == ()


def test_the_words_that_say_when_are_in_nobodys_way() -> None:
    read = parse_sentence("小明上周三在公园踢了足球。", "上周三")
    assert (read.predicate, roles(read), read.time) == ("踢", PARK, "上周三")
    read = parse_sentence("Bob bought a car last Friday", "last Friday")
    assert (roles(read)["patient"], read.time) == (("car", "other"), "last Friday")


@pytest.mark.parametrize(
    "text",
    [
        "小明不喜欢咖啡",
        "他没有来",
        "别放糖",
        "Alice doesn't like coffee",
        "Bob has never been there",
        "It does not work",
        "She can’t come",
    ],
)
def test_denial_is_told(text: str) -> None:
    assert parse_sentence(text).negated


@pytest.mark.parametrize(
    "text",
    [
        "小明喜欢咖啡",
        "这个想法不错，不过很贵",
        "不但便宜，差不多也最好",
        "要不要喝茶",
        "没关系，特别好",
        "Not only tea but coffee",
        "Nothing beats a knot",
    ],
)
def test_what_only_sounds_like_denial_is_none(text: str) -> None:
    assert not parse_sentence(text).negated


@pytest.mark.parametrize(
    ("text", "modality"),
    [
        ("小明打算买车", "planned"),
        ("Alice plans to visit Kyoto", "planned"),
        ("We're going to move", "planned"),
        ("我想学钢琴", "wished"),
        ("Bob would like to leave", "wished"),
        ("她可能会来", "possible"),
        ("Maybe it rains", "possible"),
        ("听说他辞职了", "hearsay"),
        ("I heard that Bob left", "hearsay"),
        ("开玩笑的，我不会走", "joking"),
        ("I was just kidding", "joking"),
        ("小明踢足球", "actual"),
        ("It was in May", "actual"),
        ("他的思想和想法都很好", "actual"),
        ("她准备好了，可能性不大", "actual"),
    ],
)
def test_how_far_it_is_so_is_told(text: str, modality: str) -> None:
    assert parse_sentence(text).modality == modality


@given(st.text(alphabet="小明不在要想踢里公园。 A.lice doesn't", max_size=400))
def test_any_text_is_read_and_only_what_stands_in_it(text: str) -> None:
    assert all(one.name in text or " " in one.name for one in parse_sentence(text).roles)
