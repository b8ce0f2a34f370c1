"""A question of yes or no is answered in English or in Chinese; anything else is asked again."""

from pathlib import Path

import pytest
from tests.surface.shell import Shell
from typer.testing import CliRunner

from memoria.surface.cli.main import app


@pytest.mark.parametrize(
    ("answer", "is_yes"),
    [
        *((word, True) for word in ("y", "Yes", "是", "是的", "好", "好的。", "对")),
        *((word, False) for word in ("n", "NO", "否", "不", "不要", "")),
        ("maybe\n是", True),
        ("也许\n否", False),
    ],
)
def test_who_is_asked_may_answer_in_chinese(home: Path, answer: str, is_yes: bool) -> None:
    shell = Shell(home)
    shell("remember", "The canary is yellow")
    line = ["--home", str(home), "forget", "--topic", "canary"]
    asked = CliRunner().invoke(app, line, input=f"{answer}\n", env={"MEMORIA_EMBEDDER": "off"})
    assert (asked.exit_code, "Answer y or n" in asked.stderr) == (int(not is_yes), "\n" in answer)
    assert ("canary" in shell("list").out) != is_yes
