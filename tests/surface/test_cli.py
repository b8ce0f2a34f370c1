"""The command line: what it prints, where, with which exit code, in any terminal and language."""

import json
import os
import re
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import anyio
import pytest
import typer.main
from rich.cells import cell_len
from tests.surface.shell import Shell
from typer.testing import CliRunner

import memoria
from memoria.config import Settings
from memoria.model import parse_instant, use_clock
from memoria.surface.cli.main import app
from memoria.surface.cli.times import moment

COMMANDS = (
    "remember",
    "search",
    "traces",
    "show",
    "revise",
    "import",
    "doctor",
    "stats",
    "backup",
    "restore",
    "serve",
    "demo",
)
LITERAL = "[red]x[/red] [/] [link=https://example.org]y[/link] \\[z]"


def remembered(shell: Shell, content: str, *options: str) -> str:
    return str(shell.json("remember", content, *options)["id"])


def imported(shell: Shell, folder: Path, *turns: dict[str, Any]) -> Path:
    file = folder / "chat.jsonl"
    file.write_text("".join(json.dumps(turn, ensure_ascii=False) + "\n" for turn in turns), "utf-8")
    shell.json("import", file)
    return file


def parameters() -> Iterator[tuple[str, Any]]:
    group: Any = typer.main.get_command(app)
    yield from (("memoria", one) for one in group.params)
    for name, command in group.commands.items():
        yield from ((name, one) for one in command.params)


def every_command() -> list[tuple[str, ...]]:
    """The way to each command; that of a group of commands too."""
    group: Any = typer.main.get_command(app)
    found: list[tuple[str, ...]] = [(name,) for name in group.commands]
    for name, command in group.commands.items():
        found += [(name, inner) for inner in getattr(command, "commands", {})]
    return [(), *found]


def test_every_command_is_there() -> None:
    group: Any = typer.main.get_command(app)
    assert set(COMMANDS) <= set(group.commands)


def test_the_version_is_printed_without_opening_anything(home: Path) -> None:
    result = CliRunner().invoke(app, ["--home", str(home), "--version"])
    assert (result.exit_code, result.stdout) == (0, f"memoria {version('memoria-server')}\n")
    assert not home.exists()


def test_every_option_and_argument_says_what_it_is_for() -> None:
    silent = [f"{name} {one.name}" for name, one in parameters() if not one.help]
    assert silent == []


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_lists_every_option(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    result = CliRunner().invoke(app, [*command.split(), "--help"])
    assert result.exit_code == 0
    for name, one in parameters():
        if name == (command or "memoria"):
            assert all(option in result.output for option in one.opts if option.startswith("--"))


def test_the_version_is_that_of_the_distribution(shell: Shell) -> None:
    output = shell.run("--version")
    assert (output.code, output.out) == (0, f"memoria {version('memoria-server')}\n")


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_a_completion_script_is_printed_for_a_shell(shell: Shell, name: str) -> None:
    output = shell.run(_MEMORIA_COMPLETE=f"source_{name}")
    assert (output.code, output.err) == (0, "")
    assert f"complete_{name}" in output.out


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("memoria se", {"serve", "search"}),
        ("memoria model queue re", {"retry"}),
        ("memoria remember --type to", {"tool_experience"}),
        ("memoria search --expl", {"--explain"}),
    ],
)
def test_a_shell_completes_commands_options_and_values(
    shell: Shell, typed: str, expected: set[str]
) -> None:
    word = str(len(typed.split()) - 1)
    asked = {"_MEMORIA_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": word}
    assert set(shell.run(**asked).out.split()) == expected


@pytest.mark.parametrize("command", every_command(), ids=" ".join)
def test_help_fits_a_terminal_of_80_columns_and_every_text_is_a_sentence(
    command: tuple[str, ...], shell: Shell
) -> None:
    output = shell.run(*command, "--help", COLUMNS="80")
    assert output.code == 0
    assert max(map(cell_len, output.out.splitlines())) <= 80
    found: Any = typer.main.get_command(app)
    for word in command:
        found = found.commands[word]
    told = [found.help, *(one.help for one in found.params if one.name != "help")]
    assert [text for text in told if not text[0].isupper() and not text.startswith("jsonl")] == []
    assert [text for text in told if not text.rstrip().endswith(".")] == []


def test_help_is_plain_where_there_is_no_terminal(shell: Shell) -> None:
    output = shell.process("--help")
    assert output.code == 0
    assert "\x1b" not in output.out


def test_a_memory_is_remembered_found_shown_and_revised(shell: Shell) -> None:
    memory_id = remembered(shell, "Commit messages are in English", "--type", "preference")
    (hit,) = shell.json("search", "commit messages")["hits"]
    assert (hit["id"], hit["type"], hit["text"]) == (
        memory_id,
        "preference",
        "Commit messages are in English",
    )
    shell.json("revise", memory_id, "correct", "Commit messages are in Chinese")
    shown = shell.json("show", memory_id)
    assert [version["text"] for version in shown["versions"]] == [
        "Commit messages are in Chinese",
        "Commit messages are in English",
    ]


def test_what_is_typed_counts_as_said_by_the_user(shell: Shell) -> None:
    shown = shell.json("show", remembered(shell, "I like tea"))
    assert (shown["source"]["trust"], shown["source"]["client"]) == ("user", "cli")
    assert shown["verified"] is True


def test_the_user_can_confirm_what_an_agent_reported(shell: Shell) -> None:
    memory_id = remembered(shell, "I like tea")
    assert shell.json("revise", memory_id, "confirm")["verified"] is True


def test_quotes_are_not_needed(shell: Shell) -> None:
    kept = shell("remember", "I", "like", "tea")
    assert "I like tea" in kept.out
    assert [hit["text"] for hit in shell.json("search", "like", "tea")["hits"]] == ["I like tea"]


def test_a_turn_is_found_and_shown_whole(shell: Shell, tmp_path: Path) -> None:
    imported(
        shell,
        tmp_path,
        {"role": "user", "content": "run it", "session_id": "s"},
        {
            "role": "tool",
            "tool_name": "bash",
            "tool_args": {"command": "make"},
            "tool_result": "bluebird\n" * 3_000,
            "session_id": "s",
        },
    )
    (hit,) = shell.json("traces", "bluebird", "--tool", "bash", "--max-tokens", "500")["hits"]
    assert hit["tool"]["cut"] is True
    shown = shell.json("show", hit["id"])
    assert shown["tool"]["result"] == "bluebird\n" * 3_000
    assert shown["before"][0]["text"] == "run it"
    assert shell("show", hit["id"]).out.count("bluebird") == 3_000


def test_a_file_that_came_with_a_message_is_named_and_saved_and_overwrites_none(
    shell: Shell, tmp_path: Path
) -> None:
    sent = {"type": "input_file", "filename": "合同.md", "file_data": "IyDlkIjlkIwK"}
    words = {"type": "text", "text": "Keep this lease"}
    imported(shell, tmp_path, {"role": "user", "content": [words, sent], "session_id": "s"})
    (hit,) = shell.json("traces", "合同", "--tool", "attachment")["hits"]
    message = shell.json("show", hit["id"])["attachments"][0]["message_id"]
    assert "合同.md" in shell("show", message).out
    target = tmp_path / "saved.md"
    assert "合同.md" in shell("show", message, "--save", target).out
    assert target.read_text("utf-8") == "# 合同\n"
    again = shell("show", hit["id"], "--save", target)
    assert again.code != 0
    assert "exists already" in again.err


def test_filters_of_traces(shell: Shell, tmp_path: Path) -> None:
    imported(
        shell,
        tmp_path,
        {"role": "user", "content": "bluebird a", "session_id": "s", "at": "2026-03-01T00:00:00Z"},
        {
            "role": "assistant",
            "content": "bluebird b",
            "session_id": "t",
            "at": "2026-04-01T00:00Z",
        },
    )

    def found(*options: str) -> set[str]:
        return {hit["text"] for hit in shell.json("traces", "bluebird", *options)["hits"]}

    assert found() == {"bluebird a", "bluebird b"}
    assert found("--role", "user") == {"bluebird a"}
    assert found("--session-id", "t") == {"bluebird b"}
    assert found("--since", "2026-03-15") == {"bluebird b"}
    assert found("--until", "2026-03-15") == {"bluebird a"}
    assert found("--limit", "1") < {"bluebird a", "bluebird b"}


def test_stats_count_one_tenant(shell: Shell, tmp_path: Path) -> None:
    remembered(shell, "I like tea")
    (tmp_path / "empty.jsonl").touch()
    shell.json("--tenant", "stranger", "import", tmp_path / "empty.jsonl")
    assert shell.json("stats")["memories"] == {"active": 1}
    other = shell.json("--tenant", "stranger", "stats")
    assert (other["tenant"], other["memories"]) == ("stranger", {})


def test_another_tenant_finds_nothing_of_it(shell: Shell) -> None:
    memory_id = remembered(shell, "I like tea")
    shell.json("--tenant", "stranger", "remember", "I like coffee")
    found = shell.json("--tenant", "stranger", "search", "tea")["hits"]
    assert [hit["text"] for hit in found] == ["I like coffee"]
    assert shell("--tenant", "stranger", "show", memory_id).code == 1


@pytest.mark.parametrize(
    "command",
    [
        ("remember", "I like coffee"),
        ("search", "tea"),
        ("traces", "tea"),
        ("show", "ID"),
        ("revise", "ID", "pin"),
        ("import", "FILE"),
        ("doctor",),
        ("stats",),
        ("serve",),
    ],
    ids=lambda command: command[0],
)
def test_json_is_one_document_on_standard_output_and_nothing_else(
    shell: Shell, tmp_path: Path, command: tuple[str, ...]
) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text('{"role": "user", "content": "喝茶"}\n', "utf-8")
    given = {"ID": remembered(shell, "I like tea"), "FILE": str(file)}
    output = shell(*(given.get(word, word) for word in command), "--json")
    assert (output.code, output.err) == (0, "")
    assert isinstance(output.document, dict)
    assert output.out.endswith("\n")
    assert "\x1b" not in output.out


def test_serve_prints_the_entry_a_client_needs(shell: Shell) -> None:
    entry = shell.json("serve")["mcpServers"]["memoria"]
    assert Path(entry["command"]).is_absolute()
    assert entry["args"] == ["serve"]
    assert entry["env"] == {"MEMORIA_HOME": str(shell.home)}


def test_the_entry_does_not_depend_on_the_folder_it_was_made_in(shell: Shell) -> None:
    entry = shell.run("--home", "relative", "serve", "--json").document["mcpServers"]["memoria"]
    assert Path(entry["env"]["MEMORIA_HOME"]).is_absolute()


def test_the_entry_leads_to_the_home_the_environment_names(shell: Shell, tmp_path: Path) -> None:
    output = shell.run("serve", "--json", MEMORIA_HOME=str(tmp_path / "elsewhere"))
    entry = output.document["mcpServers"]["memoria"]
    assert entry.get("env", {}).get("MEMORIA_HOME") == str(tmp_path / "elsewhere")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("show", "nope"), "memoria search"),
        (("revise", "nope", "pin"), "There is no memory nope"),
        (("search", ""), "the query is empty"),
        (("search", "x", "--limit", "0"), "from 1 to 200"),
        (("search", "x", "--since", "some day"), "ISO 8601"),
        (("remember", " "), "sentence"),
        (("traces", "x", "--context", "9"), "from 0 to 5"),
    ],
    ids=str,
)
def test_what_cannot_be_done_is_said_on_standard_error_with_exit_code_1(
    shell: Shell, arguments: tuple[str, ...], reason: str
) -> None:
    output = shell(*arguments)
    assert (output.code, output.out) == (1, "")
    assert output.err.startswith("error: ")
    assert reason in output.err
    assert "Traceback" not in output.err
    assert "\x1b" not in output.err


@pytest.mark.parametrize(
    "arguments",
    [("revise", "x", "explode"), ("remember", "x", "--type", "wizard"), ("nothing",), ("search",)],
    ids=str,
)
def test_a_misspelt_command_has_exit_code_2(shell: Shell, arguments: tuple[str, ...]) -> None:
    output = shell(*arguments)
    assert (output.code, output.out) == (2, "")
    assert "Traceback" not in output.err


def test_a_setting_that_cannot_be_used_is_named(shell: Shell) -> None:
    output = shell("stats", MEMORIA_NIGHTLY_TOKENS="soon")
    assert output.code == 1
    assert "MEMORIA_NIGHTLY_TOKENS" in output.err


@pytest.mark.sqlite("a memory begins in the folder")
def test_a_home_that_cannot_be_used_is_named(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    missing = shell.run("--home", str(tmp_path / "file" / "home"), "stats")
    unusable = shell.run("--home", str(tmp_path / "file" / "home"), "remember", "I like tea")
    assert (missing.code, unusable.code) == (2, 1)
    for said in (missing.err, unusable.err):
        assert "MEMORIA_HOME" in said
        assert "Traceback" not in said


def test_what_looks_like_markup_is_printed_as_it_is(shell: Shell) -> None:
    memory_id = remembered(shell, LITERAL)
    for output in (shell("show", memory_id), shell("search", "link", "example")):
        assert output.code == 0
        assert LITERAL in output.out


@pytest.mark.parametrize("content", ["is :warning: an emoji", "a\ttab", "a\x0bb\x0cc\x07d"])
def test_stored_text_is_printed_unchanged(shell: Shell, content: str) -> None:
    shown = shell("show", remembered(shell, content))
    printed = "".join(char for char in content if char == "\t" or char.isprintable())
    assert content in shown.out or printed in shown.out


def test_stored_text_cannot_steer_the_terminal(shell: Shell, tmp_path: Path) -> None:
    text = "I like \x1b[31mred\x1b]0;title\x07, \x9b2J tea and \u202eeffoc\u2066"
    memory_id = remembered(shell, text)
    file = tmp_path / "chat.jsonl"
    file.write_text(json.dumps({"role": "user", "content": text}), "utf-8")
    shown = [
        shell(command, *arguments)
        for command, *arguments in (
            ("import", str(file)),
            ("traces", "tea", "--json"),
            ("show", memory_id),
            ("search", "tea", "--explain"),
            ("forget", f"{memory_id}\x1b[2J", "--yes"),
            ("import", "no\x1b]0;title\x07.jsonl"),
            ("show", "I\x9b2J"),
        )
    ]
    for output in shown:
        assert not set("\x1b\x9b\x07\u202e\u2066") & set(output.out + output.err)
    assert shown[1].document["hits"][0]["text"] == text


@pytest.mark.parametrize("command", ["stats", "doctor"])
def test_a_tenant_or_home_that_looks_like_markup_is_no_crash(
    shell: Shell, tmp_path: Path, command: str
) -> None:
    home = tmp_path / "a[" / "]b[red]"
    shell.run("--home", str(home), "--tenant", "[/]", "remember", "I like tea")
    output = shell.run("--home", str(home), "--tenant", "[/]", command, COLUMNS="500")
    assert output.code == 0
    assert ("[/]" if command == "stats" else str(home)) in output.out


def test_chinese_is_read_and_printed_under_any_locale(shell: Shell) -> None:
    assert "林岚对花生过敏" in shell.process("remember", "林岚对花生过敏", LANG="C").out
    output = shell.process("search", "花生", LC_ALL="POSIX")
    assert (output.code, output.err) == (0, "")
    assert "林岚对花生过敏" in output.out


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["text", "json"])
def test_an_output_that_has_no_chinese_is_no_crash(shell: Shell, options: tuple[str, ...]) -> None:
    remembered(shell, "林岚对花生过敏 (peanut)")
    # What a pipe is on a Western Windows.
    output = shell.process("search", "peanut", *options, PYTHONIOENCODING="cp1252")
    assert output.code == 0
    assert "Traceback" not in output.err
    assert "peanut" in output.out


def test_bytes_that_are_not_utf_8_are_no_crash(shell: Shell) -> None:
    broken = os.fsdecode(b"peanut \xff\xfe")
    for arguments in (("remember", broken), ("search", broken)):
        output = shell.process(*arguments)
        assert "Traceback" not in output.err, arguments
    assert shell.json("search", "peanut")["hits"][0]["text"].startswith("peanut")


def test_the_answer_says_when_nothing_is_on_record(shell: Shell) -> None:
    assert shell("search", "zebra").out.startswith("Nothing is recorded yet.")
    assert shell.json("search", "zebra")["hits"] == []


def test_the_scratchpad_shows_what_is_in_hand_and_what_was_done_with_their_times(
    shell: Shell,
) -> None:
    async def note(focus: str) -> None:
        async with memoria.open(settings=Settings(home=shell.home, embedder="off")) as m:
            await m.update_scratchpad(current_focus=focus, session_id="s")

    for at, focus in (
        ("2024-05-06T09:00:00Z", "the parser"),
        ("2024-05-06T10:00:00Z", "write the release notes"),
    ):
        with use_clock(partial(parse_instant, at)):
            anyio.run(note, focus)
    (pad,) = shell.json("list", "tasks")["scratchpads"]
    assert (pad["session_id"], pad["current_focus"]) == ("s", "write the release notes")
    assert pad["updated_at"].startswith("2024-05-06T10:00")
    (done,) = pad["completed"]
    assert done["task"] == "the parser"
    assert done["at"].startswith("2024-05-06T10:00")
    assert shell.json("list", "tasks", "--session-id", "s")["scratchpads"] == [pad]
    assert shell.json("list", "tasks", "--session-id", "other") == {"scratchpads": []}
    shown = shell("list", "tasks").out
    at = moment(parse_instant("2024-05-06T10:00:00Z"))
    assert shown == (
        f"  write the release notes\n    last worked on · {at} · session s\n"
        f"    before, until {at}:\n      the parser\n"
    )


def test_a_statements_scope_can_be_given_and_revised(shell: Shell) -> None:
    told = shell(
        "--workspace", "red", "remember", "--scope", "everywhere", "Ports end in 7", "--json"
    ).document
    hits = shell("--workspace", "blue", "search", "ports", "--json").document["hits"]
    assert [hit["text"] for hit in hits] == ["Ports end in 7"]
    shell.json("revise", told["id"], "project")
    assert shell("--workspace", "blue", "search", "ports", "--json").document["hits"] == []
    open_one = shell("--workspace", "red", "remember", "The meeting is at ten", "--json").document
    assert "scope=everywhere" in open_one["notes"][0]


def test_a_statement_has_its_end_subject_task_and_entities_from_the_command_line(
    shell: Shell,
) -> None:
    there = Shell(shell.home, {"MEMORIA_TIME_ZONE": "Asia/Shanghai"})
    kept = there.json(
        "remember", "Priya keeps the staging keys", "--until", "2060-06-30",
        "--subject", "Priya Nair", "--entity", "Priya Nair", "--entity", "Rotterdam",
        "--task", "move staging",
    )  # fmt: skip
    assert kept["task"] == "move staging"
    assert kept["expires_at"] == "2060-07-01T00:00:00+08:00"
    shown = shell("show", kept["id"]).out
    for text in ("priya nair", "move staging", "Rotterdam", "importance 0.50, confidence 0.90"):
        assert text in shown
    shell.json(
        "remember", "Anna keeps the staging keys of the parser", "--task", "write the parser"
    )
    found = shell.json("search", "who keeps the staging keys", "--task", "move staging")
    assert [hit["id"] for hit in found["hits"]] == [kept["id"]]
    assert "other tasks" in shell("search", "staging keys", "--task", "move staging").out


def test_an_end_within_a_day_is_a_moment_on_the_clock_of_the_terminal(shell: Shell) -> None:
    for zone, shift in (("UTC", "UTC"), ("Asia/Shanghai", r"\+08:00")):
        there = Shell(shell.home, {"MEMORIA_TIME_ZONE": zone})
        told = there("remember", f"The dock of {zone} is closed", "--until", "session").out
        assert re.search(rf"^    until \d{{4}}-\d\d-\d\d \d\d:\d\d {shift}$", told, re.MULTILINE)


def test_a_statement_replaces_the_memory_that_is_named_and_a_correction_takes_an_end(
    shell: Shell,
) -> None:
    old = shell.json("remember", "Priya keeps the staging keys", "--until", "30d")
    new = shell("remember", "Tom has had them since", "--supersedes", old["id"])
    assert f"replaces: {'Priya keeps the staging keys'}" in new.out
    assert "--supersedes" not in new.err
    revised = shell.json("revise", old["id"], "correct", "Tom has the keys", "--until", "7d")
    assert revised["text"] == "Tom has the keys"
    assert "expires" in shell("show", old["id"]).out
    refused = shell("remember", "Nobody has them", "--until", "when pigs fly")
    assert refused.code == 1
    assert "2026-06-30" in refused.err


def test_the_package_for_a_prompt_is_shown_with_the_last_turns(shell: Shell) -> None:
    shell.json("remember", "用户对花生过敏")
    package = shell.json("context", "花生", "--max-tokens", "400", "--short-term-turns", "3")
    assert "花生" in package["recall"]
    assert package["tokens"] <= 400
    assert shell("context", "花生").out.startswith("<memoria>")


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("记住：我的工位在 3 楼", "我的工位在 3 楼"),
        ("remember that the oar is red", "the oar is red"),
        ("Remember Tom, who rows", "Remember Tom, who rows"),
        ("记住这一点", "记住这一点"),
    ],
)
def test_a_request_to_remember_is_the_command_and_no_part_of_what_is_kept(
    shell: Shell, typed: str, kept: str
) -> None:
    shell("remember", typed)
    assert [one["text"] for one in shell.json("list")["memories"]] == [kept]
