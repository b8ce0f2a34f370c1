"""Skills in a shell: listed, printed, written into a project, dropped."""

from pathlib import Path

from tests.surface.shell import Shell

SKILL = """---
name: cut-release
description: 'Cut a release: "ship it".'
---

1. Run `make release`.
"""


def test_a_shell_lists_prints_keeps_and_drops_a_skill(shell: Shell, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    here = ("--workspace", str(project))
    shell("remember", "hello")
    assert "There is no skill yet" in shell(*here, "skills").out
    shell(*here, "remember", "--type", "skill", "--scope", "project", "--", SKILL)
    assert "to write its file: memoria skills keep cut-release" in shell(*here, "skills").out
    kept = shell(*here, "skills", "keep", "cut-release")
    file = project / ".claude" / "skills" / "cut-release" / "SKILL.md"
    assert str(file) in kept.out
    assert (
        file.read_text("utf-8").strip() == shell(*here, "skills", "show", "cut-release").out.strip()
    )
    assert 'description: "Cut a release: \\"ship it\\"."' in file.read_text("utf-8")
    assert "dropped" in shell(*here, "skills", "drop", "cut-release").out
    assert not file.exists()
    (listed,) = shell(*here, "skills", "--json").document["skills"]
    assert (listed["name"], listed["state"]) == ("cut-release", "dropped")


def test_a_skill_that_failed_twice_is_withdrawn(shell: Shell) -> None:
    shell("remember", "--type", "skill", "--", SKILL)
    assert "has failed 1 time." in shell("skills", "failed", "cut-release").out
    assert "has failed 2 times and is withdrawn." in shell("skills", "failed", "cut-release").out
    assert shell("skills", "failed", "no-such").code == 1
