"""The measure of skills: what a model has answered before decides what is found."""

import json
from pathlib import Path

import pytest
from bench.skills import main

_RELEASE = {"text": "Publish: `npm publish --tag <tag>`", "lines": [2, 5, 8]}
_ANSWER = {
    "skills": [
        {
            "name": "cut-release",
            "description": "Cut a release.",
            "sessions": [1, 2, 3],
            "steps": [_RELEASE],
            "pitfalls": [],
        }
    ],
    "failures": [],
}
_FALSE = {"skills": [{**_ANSWER["skills"][0], "sessions": [3, 4, 5], "steps": [
    {"text": "Look: `git status`", "lines": [9, 11, 13]}]}], "failures": []}  # fmt: skip


def make_project(folder: Path) -> None:
    """A project with three releases and two questions."""
    release = [
        {"user": "ship it"},
        {"id": "a", "tool": "Bash", "input": {"command": "npm publish --tag latest"},
         "result": "ok", "failed": False},
        {"id": "b", "tool": "Bash", "input": {"command": "git status"},
         "result": "clean", "failed": False},
    ]  # fmt: skip
    look = [{"user": "how is it?"}, release[2]]
    sessions = [
        {"id": f"s{n}", "at": f"2026-03-0{n}T09:00:00Z", "events": release if n < 4 else look}
        for n in range(1, 6)
    ]
    task = {
        "name": "cut a release",
        "done_in": ["s1", "s2", "s3"],
        "asked": {},
        "steps": ["npm publish --tag <tag>"],
        "pitfalls": [],
        "failed_in": [],
    }
    project = {"project": "cli", "cwd": "/nowhere/cli", "sessions": sessions, "tasks": [task]}
    (folder / "cli.json").write_text(json.dumps(project), "utf-8")


@pytest.mark.sqlite("begins homes of its own")
@pytest.mark.parametrize(
    ("answer", "code", "found", "false"),
    [(_ANSWER, 0, "cut-release", []), (_FALSE, 1, "", ["cut-release"])],
    ids=["what was done", "what was not"],
)
def test_answers_are_asked_for_once_and_decide_what_is_found(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    answer: object,
    code: int,
    found: str,
    false: list[str],
) -> None:
    make_project(tmp_path)
    asked = tmp_path / "asked"
    given = [str(tmp_path), "--every", "5", "--json"]
    assert main([*given, "--write-requests", str(asked)]) == 2
    (prompt,) = asked.rglob("*.prompt.md")
    prompt.with_name("0001.answer.json").write_text(json.dumps(answer), "utf-8")
    assert main([*given, "--write-requests", str(asked)]) == code
    capsys.readouterr()
    assert main(given) == code
    (result,) = json.loads(capsys.readouterr().out)
    assert (result["tasks"][0]["skill"], result["false"]) == (found, false)
    assert result["quoted"] == result["present"] == 1
