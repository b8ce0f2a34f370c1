"""Names of tasks are told apart by their telling words."""

import pytest

from memoria.language.statements.tasks import LONGEST_TASK, names_a_task, same_task, shorten_task


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
