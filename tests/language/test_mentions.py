"""Named things by rules: each rule finds its example, and leaves alone what only looks like one."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoria.language.names.mentions import MAX_MENTIONS, find_names


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
        (
            "I was reading “The Left Hand of Darkness” again",
            {"The Left Hand of Darkness": "other"},
        ),
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
