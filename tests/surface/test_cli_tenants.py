"""A command that is printed reaches the tenant it is about, and one that is not there is told."""

import re
import shlex
from pathlib import Path

import pytest
from tests.surface.shell import Shell


@pytest.mark.sqlite("a backup is a copy of the file")
def test_what_a_restore_tells_to_run_brings_back_what_was_said_after_the_backup(
    shell: Shell, tmp_path: Path
) -> None:
    shell("--tenant", "ann", "remember", "The ferry leaves at nine.")
    file = tmp_path / "ann.backup"
    assert shell("backup", file).code == 0
    shell("--tenant", "ann", "remember", "The bakery opens at six.")
    told = shell("--tenant", "ann", "restore", file, "--yes", "--json").document
    (cure,) = (one["cure"] for one in told["findings"] if one["check"] == "backups")
    export, bring_in, look = re.findall(r"memoria (--home .*?(?:jsonl|list))", cure)
    lost = tmp_path / "later.jsonl"
    for command in (export, bring_in):
        words = shlex.split(command.replace("later.jsonl", str(lost)))
        assert shell.run(*words).code == 0, command
    assert "bakery" in shell.run(*shlex.split(look)).out


def test_a_receipt_of_a_forget_names_the_tenant_in_its_commands(shell: Shell) -> None:
    kept = shell("--tenant", "ann", "remember", "The ferry leaves at nine.", "--json").document
    printed = shell("--tenant", "ann", "forget", kept["id"], "--yes").out
    (command,) = re.findall(r"memoria (--tenant ann show \S+)\)", " ".join(printed.split()))
    assert "Proof" in shell(*shlex.split(command)).out


def test_an_export_of_a_tenant_that_is_not_there_is_an_error_that_names_those_who_are(
    shell: Shell, tmp_path: Path
) -> None:
    shell("--tenant", "ann", "remember", "The ferry leaves at nine.")
    refused = shell("export", tmp_path / "none.jsonl")
    assert refused.code != 0
    assert "'ann'" in refused.err
    assert not (tmp_path / "none.jsonl").exists()


def test_an_import_that_begins_a_memory_says_whose(shell: Shell, tmp_path: Path) -> None:
    shell("--tenant", "ann", "remember", "The ferry leaves at nine.")
    file = tmp_path / "ann.jsonl"
    assert shell("--tenant", "ann", "export", file).code == 0
    elsewhere = Shell(tmp_path / "elsewhere")
    begun = elsewhere("import", file)
    assert begun.code == 0
    assert "no memory of the tenant default" in begun.err
    assert "that of ann" in begun.err
    assert "one began" not in elsewhere("import", file).err


@pytest.mark.sqlite("a backup is a copy of the file")
def test_a_restore_in_place_of_a_lost_home_says_that_tokens_ended_and_stands_in_the_log(
    shell: Shell, tmp_path: Path
) -> None:
    shell("token", "create")
    file = tmp_path / "kept.backup"
    shell("backup", file)
    lost = Shell(tmp_path / "lost")
    told = lost("restore", file)
    assert "1 token" in told.out
    assert "--keep-tokens" in told.out
    assert "revoked" in lost("token").out
    assert "put a backup in the home's place" in lost("log").out
    kept = Shell(tmp_path / "kept")
    assert "--keep-tokens" not in kept("restore", file, "--keep-tokens").out
    assert "revoked" not in kept("token").out


def test_an_empty_log_of_nobody_names_those_who_have_one(shell: Shell) -> None:
    shell("--tenant", "ann", "remember", "The ferry leaves at nine.")
    refused = shell("log")
    assert refused.code == 2
    assert "'ann'" in refused.err
