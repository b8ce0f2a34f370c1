"""When the first prompt of a session is about something else than a task, as far as words tell."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import bench.extraction
import pytest

from memoria.language.statements.tasks import is_about_another

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
