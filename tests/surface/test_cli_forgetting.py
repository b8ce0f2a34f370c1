"""Forgetting and workspaces on the command line."""

from pathlib import Path

import pytest
from tests.surface.shell import Shell


def test_the_command_line_forgets_after_asking(shell: Shell) -> None:
    kept = shell.json("remember", "the gate opens to the left")["id"]
    refused = shell("forget", kept)
    assert refused.code == 1
    assert "the gate opens to the left" in refused.err
    assert shell.json("show", kept)["id"] == kept
    assert shell.json("forget", kept, "--yes")["memories"] == [kept]
    again = shell("remember", "the gate opens to the left")
    assert again.code == 1
    assert "was forgotten on" in again.err
    assert "on the command line" in again.err
    assert shell.json("remember", "the gate opens to the left", "--again")["status"] == "remembered"


def test_a_workspace_is_chosen_by_option_environment_or_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository, outside = tmp_path / "repository", tmp_path / "outside"
    (repository / ".git").mkdir(parents=True)
    (repository / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (repository / "deep").mkdir()
    outside.mkdir()
    home = tmp_path / "home"
    monkeypatch.delenv("MEMORIA_WORKSPACE", raising=False)
    shell = Shell(home)

    def found(*options: str) -> int:
        shell_line = [*options, "search", "kettle"]
        return len(shell.json(*shell_line)["hits"])

    monkeypatch.chdir(repository / "deep")
    shell.json("remember", "the kettle belongs to the repository")
    assert found() == 1
    assert found("--workspace", "none") == 0
    monkeypatch.chdir(outside)
    assert found() == 0
    assert found("--workspace", str(repository)) == 1
    monkeypatch.setenv("MEMORIA_WORKSPACE", str(repository))
    assert found() == 1
