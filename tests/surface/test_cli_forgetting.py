"""Forgetting and workspaces on the command line."""

from pathlib import Path

import pytest
from tests.surface.shell import Shell

from memoria.bare.spool import append_entry


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


def said_in_codex(shell: Shell, text: str, session: str = "s1") -> None:
    entry: dict[str, object] = {
        "v": 1,
        "client": "codex",
        "event": "prompt",
        "session": session,
        "cwd": str(shell.home),
        "at": 1_790_000_000_000,
        "turns": [{"role": "user", "content": text, "id": session}],
    }
    append_entry(str(shell.home), "default", entry)


def test_what_a_forget_leaves_is_named_and_goes_by_the_id_that_was_forgotten(shell: Shell) -> None:
    said_in_codex(shell, "Remember that the harbour gate opens to the left.")
    (kept,) = [one["id"] for one in shell.json("list")["memories"]]
    told = shell("forget", kept, "--yes").out.replace("\n", " ")
    assert "1 memory forgotten for good." in told
    assert "1 turn left on record, word for word" in told
    assert "erased: 1 memory, nothing left" in told
    assert shell.json("traces", "harbour gate")["hits"]
    told = shell("forget", kept, "--include-source", "--yes").out
    assert "1 turn erased from the record" in told
    assert "erased: 1 turn, nothing left" in told
    assert not shell.json("traces", "harbour gate")["hits"]


def test_a_number_for_a_topic_means_what_holds_it_and_no_number_near_it(shell: Shell) -> None:
    kept = {
        text: shell.json("remember", text)["id"]
        for text in (
            "My phone is 13812345678",
            "Ann's phone is 13812345679",
            "The order is 138123456780",
            "测试数据库在 5433 端口",
            "我的旧手机号是13812345678，停用了",
        )
    }
    shown = shell.json("forget", "--topic", "13812345678", "--dry-run")["items"]
    assert {one["id"] for one in shown} == {
        kept["My phone is 13812345678"],
        kept["我的旧手机号是13812345678，停用了"],
    }
    shown = shell.json("forget", "--topic", "5433", "--dry-run")["items"]
    assert [one["id"] for one in shown] == [kept["测试数据库在 5433 端口"]]


def test_what_goes_only_because_its_turn_does_says_so(shell: Shell) -> None:
    said_in_codex(shell, "记住：测试数据库在 5433 端口。我的手机号是 13812345678。")
    shown = shell("forget", "--topic", "13812345678", "--include-source", "--dry-run").out
    assert "测试数据库在 5433 端口" in shown
    assert "conclusion · rests on nothing but turns that go" in shown.replace("\n", " ")


def test_whoever_forgets_what_a_client_told_hears_that_it_keeps_its_own_transcripts(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "codex"))
    (tmp_path / "codex" / "sessions").mkdir(parents=True)
    said_in_codex(shell, "Remember that the harbour gate opens to the left.")
    (kept,) = [one["id"] for one in shell.json("list")["memories"]]
    told = shell("forget", kept, "--yes").out
    assert f"Codex keeps its own transcripts, which Memoria does not touch: {tmp_path}" in told
    stated = shell.json("remember", "the lantern is green")["id"]
    assert "transcripts" not in shell("forget", stated, "--yes").out
