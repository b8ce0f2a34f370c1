"""Names of tasks are told apart by their telling words."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import bench.extraction
import pytest

from memoria.language.names.keys import (
    LONGEST_TASK,
    is_about_another,
    names_a_task,
    same_task,
    shorten_task,
)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("fix the parser", "the parser's error messages", True),
        ("重构支付模块", "支付模块的测试", True),
        ("refactor the config loader", "refactor the billing service", False),
        ("fix the bug", "fix the error", False),
        ("修复解析器", "修复登录页面", False),
        ("", "", False),
    ],
)
def test_tasks_are_told_apart_by_their_telling_words(one: str, other: str, same: bool) -> None:
    assert same_task(one, other) is same


def test_a_long_task_is_cut_to_a_line_between_words() -> None:
    cut = shorten_task(f"the {'very long and winding ' * 12}road")
    assert len(cut) <= LONGEST_TASK
    assert cut.endswith(" very…")


@pytest.mark.parametrize("name", ["fix it", "[redacted:password]", "写一下"])
def test_what_has_no_telling_word_and_a_placeholder_name_no_task(name: str) -> None:
    assert not names_a_task(name)


MATERIAL = Path(bench.extraction.__file__).parent
TASKS = {
    "agent": {
        "s1": "prices: check nobody sneaked a float in near costing",
        "s2": "test the mail thing and send one to the user",
        "s3": "for the demo slides: play an angry baker",
    },
    "chinese": {
        "s1": "今晚试试让换了地方就不吃饭的馒头吃东西",
        "s2": "准备明天去跟恒裕谈价",
        "s3": "帮我看看这段文案哪怪",
        "s4": "小程序查库存一直401",
    },
}
"""What a model that read the labelled talks took for the task in hand at the end of a session."""


def openings() -> Iterator[tuple[str, str]]:
    """Each such task, and what the user of the talk said first in the next session."""
    for name, tasks in TASKS.items():
        talk = json.loads((MATERIAL / "labelled" / f"{name}.json").read_text("utf-8"))
        project = [one for one in talk["sessions"] if one["id"] != "x1"]
        for before, after in pairwise(project):
            yield tasks[before["id"]], after["turns"][0]["content"]


@pytest.mark.parametrize(("task", "opening"), [*openings()])
def test_every_next_session_of_the_labelled_talks_begins_with_something_else(
    task: str, opening: str
) -> None:
    assert is_about_another(opening, task)


@pytest.mark.parametrize(
    ("task", "opening"),
    [
        ("repair the tide gauge", "The tide gauge still shows yesterday's level, look again"),
        ("repair the tide gauge", "morning! carry on with what we had yesterday evening please"),
        ("repair the tide gauge", "where were we? something about water levels, I think"),
        ("repair the tide gauge", "hi there"),
        ("小程序查库存一直401", "小程序的库存接口还是返回401，再查一下"),
        ("小程序查库存一直401", "接着昨天没做完的那件事情"),
        ("小程序查库存一直401", "好的"),
    ],
)
def test_who_goes_on_or_says_hardly_anything_is_not_at_something_else(
    task: str, opening: str
) -> None:
    assert not is_about_another(opening, task)
