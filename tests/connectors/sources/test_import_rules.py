"""What holds for every import: nothing forgotten comes back, nothing foreign is touched."""

import sqlite3
import zipfile
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.connectors.sources.samples.base import ANNA, LIN, dump, write_zip
from tests.connectors.sources.samples.chats import (
    chatgpt_conversations,
    write_chatgpt,
    write_chatgpt_json,
)
from tests.connectors.sources.samples.clients import (
    write_cursor,
    write_cursor_transcript,
    write_opencode_files,
)
from tests.connectors.sources.samples.notes import write_notes, write_obsidian
from tests.connectors.sources.samples.servers import (
    mem0_memory,
    write_claude_mem,
    write_mem0,
    write_server_memory,
)
from tests.surface.shell import Shell

from memoria import Memoria
from memoria.admin.importer import Importer
from memoria.app import project_of
from memoria.connectors.sources import opencode
from memoria.connectors.sources.detect import SOURCES, find_files
from memoria.connectors.transcripts.base import TranscriptTurn
from memoria.connectors.transcripts.source import TranscriptSource
from memoria.memories.foreign import ForeignReceipt
from memoria.model import Role
from memoria.model.conclusions import ForeignMemory
from memoria.model.provenance import transcript_channel

BY_PATH = partial(project_of, "")
"""Of no home, which knows of no project that was moved."""


def written(folder: Path, *memories: dict[str, object]) -> Path:
    path = folder / "mem0.json"
    path.write_text(dump({"results": list(memories)}), "utf-8")
    return path


def found(shell: Shell, words: str) -> list[Any]:
    hits = shell.json("search", words)["hits"]
    return [hit for hit in hits if words in hit["text"]]


def shown(shell: Shell, words: str) -> Any:  # noqa: ANN401  (what the command prints)
    (hit,) = found(shell, words)
    return shell.json("show", hit["id"])


def test_a_memory_keeps_its_date_its_author_and_its_own_words_as_evidence(
    shell: Shell, tmp_path: Path
) -> None:
    shell.json("import", write_mem0(tmp_path))
    memory = shown(shell, LIN)
    (wording,) = memory["wordings"]
    assert wording["source"]["client"] == "mem0 (cursor)"
    assert wording["valid_from"] == "2026-03-01T18:00:00Z"
    assert (wording["source_kind"], wording["source"]["trust"]) == ("imported", "reported")
    assert wording["quote"] == LIN


def test_an_item_that_changed_there_gets_a_new_wording_here(shell: Shell, tmp_path: Path) -> None:
    shell.json("import", written(tmp_path, mem0_memory("m", "Anna has nine canes")))
    changed = mem0_memory("m", ANNA, updated_at="2026-05-01T10:00:00Z")
    again = shell.json("import", written(tmp_path, changed))
    assert again["memories"] == {"changed": 1}
    assert len(shown(shell, ANNA)["wordings"]) == 2
    assert not found(shell, "nine canes")


def test_what_the_user_has_corrected_stays_as_they_want_it(shell: Shell, tmp_path: Path) -> None:
    shell.json("import", written(tmp_path, mem0_memory("m", "Anna has nine canes")))
    own = shown(shell, "nine canes")["id"]
    shell.json("revise", own, "correct", "Anna has twelve canes")
    shell.json("revise", own, "confirm")
    for words in ("Anna has nine canes", "Anna has ninety canes"):
        changed = mem0_memory("m", words, updated_at="2026-12-01T10:00:00Z")
        report = shell.json("import", written(tmp_path, changed))
        assert not report["memories"].get("changed")
    assert found(shell, "twelve canes")
    assert not found(shell, "nine canes")


@pytest.mark.parametrize("words", [ANNA, LIN])
def test_what_was_forgotten_does_not_come_back(shell: Shell, tmp_path: Path, words: str) -> None:
    path = write_mem0(tmp_path)
    shell.json("import", path)
    shell("forget", shown(shell, words)["id"], "--yes")
    assert shell.json("import", path)["memories"] == {"known": 2, "forgotten": 1}
    own = "m-1" if words == ANNA else "m-2"
    reworded = mem0_memory(own, "said in quite other words", updated_at="2026-12-01T10:00:00Z")
    assert shell.json("import", written(tmp_path, reworded))["memories"] == {"forgotten": 1}
    shell.json("import", write_chatgpt(tmp_path))  # in which it was said
    assert not found(shell, words)


@pytest.mark.sqlite("looks into the file")
def test_secrets_are_redacted_and_nothing_of_private_time_is_kept(
    shell: Shell, tmp_path: Path
) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    said_at = "2099-01-01T00:00:00Z"
    path = written(
        tmp_path,
        mem0_memory("1", f"The token of the shed is {key}"),
        mem0_memory("2", "A secret walk", created_at=said_at),
    )
    shell.begin()
    shell("--workspace", "none", "private", "on")
    report = shell.json("import", path)
    assert report["memories"] == {"added": 1, "private": 1}
    assert sum(report["redactions"].values()) == 1
    database = (shell.home / "memoria.db").read_bytes()
    assert key.encode() not in database
    assert b"A secret walk" not in database


def test_what_is_too_long_for_a_memory_is_kept_in_the_record(shell: Shell, tmp_path: Path) -> None:
    long = f"{ANNA}. " + "The canes were counted again. " * 200
    report = shell.json("import", written(tmp_path, mem0_memory("m", long)))
    assert (report["recorded"], report["memories"]) == (1, {})
    assert shell.json("traces", ANNA)["hits"]


def test_entities_and_relations_are_in_the_graph(shell: Shell, tmp_path: Path) -> None:
    shell.json("import", write_server_memory(tmp_path))
    for name, words in (
        ("Anna Berg", "Sings alto"),
        ("Anna_Berg", "Sings alto"),
        ("老周", "is a friend of"),
    ):
        assert words in shell("show", name).out, name


def test_a_project_of_claude_mem_is_the_folder_that_claude_code_was_in(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "garden"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    transcript = tmp_path / "claude" / "projects" / "-garden" / "s1.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text(dump({"type": "user", "cwd": str(project), "sessionId": "s1"}) + "\n")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    shell.json("import", write_claude_mem(tmp_path))
    assert not found(shell, "bed 4")
    hits = shell.json("--workspace", str(project), "search", "bed 4")["hits"]
    assert any("bed 4" in hit["text"] for hit in hits)


def test_a_command_that_failed_in_opencode_has_its_exit_code_which_its_output_does_not_say(
    tmp_path: Path,
) -> None:
    root = write_opencode_files(tmp_path)
    (part,) = (path for path in root.rglob("part/**/*.json") if "callID" in path.read_text())
    part.write_text(part.read_text().replace('"metadata": {}', '"metadata": {"exit": 1}'))
    session = TranscriptSource(root / "session" / "p" / "ses_1.json", "ses_1")
    turns = [one.turn for one in opencode.read(session) if isinstance(one, TranscriptTurn)]
    (call,) = (turn for turn in turns if turn.role is Role.TOOL)
    assert call.tool_result == {"output": "bed 4", "exit_code": 1}


def test_a_database_that_is_in_use_is_read_with_its_log_and_not_touched(
    shell: Shell, tmp_path: Path
) -> None:
    path = write_claude_mem(tmp_path)
    with closing(sqlite3.connect(path)) as program:
        program.execute("PRAGMA journal_mode = WAL")
        program.execute("PRAGMA wal_autocheckpoint = 0")
        program.execute("UPDATE observations SET narrative = 'Counted thrice.' WHERE id = 1")
        program.commit()
        program.execute("BEGIN EXCLUSIVE")  # it is writing just now
        program.execute("UPDATE observations SET narrative = 'Not yet.' WHERE id = 1")
        before = {file.name: file.read_bytes() for file in tmp_path.glob("claude-mem.db*")}
        report = shell.json("import", path)
        after = {file.name: file.read_bytes() for file in tmp_path.glob("claude-mem.db*")}
        program.rollback()
    assert (report["bad"], report["recorded"]) == (0, 3)
    assert before == after
    assert shell.json("traces", "Counted thrice")["hits"][0]["text"].count("Counted thrice")


def test_a_database_that_is_cut_off_is_named_and_nothing_breaks(
    shell: Shell, tmp_path: Path
) -> None:
    path = write_claude_mem(tmp_path)
    path.write_bytes(path.read_bytes()[:9000])
    report = shell.json("import", path, "--format", "claude-mem", code=3)
    assert report["bad"] == 1
    assert report["bad_lines"][0]["problem"].startswith("can't be read")


def test_an_archive_that_would_do_harm_is_refused_and_the_rest_is_read(
    shell: Shell, tmp_path: Path
) -> None:
    path = write_chatgpt(tmp_path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("../conversations-666.json", "[]")
        archive.writestr("conversations-999.json", "[" + " " * 80_000_000 + "]")
    report = shell.json("import", path, code=3)
    problems = " ".join(bad["problem"] for bad in report["bad_lines"])
    assert (report["recorded"], report["bad"]) == (5, 2)
    assert "leads out of the archive" in problems
    assert "would unpack to 80,000,002 bytes" in problems
    assert not (tmp_path.parent / "conversations-666.json").exists()


def test_what_nobody_recognises_is_named_and_not_read(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "prices.json").write_text('[{"sku": 1, "price": 2}]')
    alone = shell("import", tmp_path / "prices.json")
    assert (alone.code, alone.out) == (1, "")
    assert "objects with the fields sku, price" in alone.err
    write_chatgpt_json(tmp_path)
    report = shell.json("import", tmp_path, code=3)
    assert report["not_understood"] == [str(tmp_path / "prices.json")]
    assert report["recorded"] == 5


def test_a_folder_may_hold_what_several_programs_left(shell: Shell, tmp_path: Path) -> None:
    for name, write in (("a", write_chatgpt), ("b", write_mem0), ("c", write_server_memory)):
        (tmp_path / name).mkdir()
        write(tmp_path / name)
    report = shell.json("import", tmp_path)
    assert sorted(report["sources"]) == ["chatgpt", "mem0", "server-memory"]
    assert (report["recorded"], report["memories"]["added"]) == (5, 9)


def test_what_is_on_the_machine_is_counted_and_then_imported(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for variable in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "GEMINI_CLI_HOME", "XDG_DATA_HOME"):
        monkeypatch.delenv(variable, raising=False)
    (tmp_path / "Downloads").mkdir()
    (tmp_path / ".claude-mem").mkdir()
    write_chatgpt(tmp_path / "Downloads")
    write_claude_mem(tmp_path / ".claude-mem")
    counted = shell("import", "--all", "--dry-run", COLUMNS="80")
    assert counted.code == 0
    assert "ChatGPT" in counted.out
    assert "~/Downloads/chatgpt-export.zip" in counted.out
    assert max(map(len, counted.out.splitlines())) <= 80
    assert not shell.home.exists()
    report = shell.json("import", "--all")
    assert sorted(report["sources"]) == ["chatgpt", "claude-mem"]
    assert (report["recorded"], report["bad"]) == (8, 0)


class StopError(Exception):
    """The user has pressed Ctrl-C."""


async def test_an_import_of_memories_stopped_half_way_and_begun_again_comes_to_the_same(
    quiet: Memoria, tmp_path: Path
) -> None:
    memories = [mem0_memory(f"m{n}", f"Bed {n} grows {n} leeks") for n in range(130)]
    files = find_files(SOURCES["mem0"], [written(tmp_path, *memories)])
    memory = quiet.with_channel(transcript_channel("mem0"))

    class Interrupted:
        """A memory that is cancelled at its third batch."""

        record_conversation = memory.record_conversation
        close_past_conversations = memory.close_past_conversations
        batches = 0

        async def keep_foreign(
            self, memories: Sequence[ForeignMemory], *, workspace: str | None
        ) -> ForeignReceipt:
            self.batches += 1
            if self.batches == 3:
                raise StopError
            return await memory.keep_foreign(memories, workspace=workspace)

    def run(recorder: Any) -> Importer:  # noqa: ANN401
        source = files.source
        return Importer(recorder, source, files.files, lambda _f, _d: None, BY_PATH, "none")

    with pytest.raises(StopError):
        await run(Interrupted()).run()
    kept = (await memory.statistics()).memories
    assert sum(kept.values()) == 50
    report = await run(memory).run()
    assert report.memories == {"known": 50, "added": 80}
    assert sum((await memory.statistics()).memories.values()) == 130


def test_a_conversation_of_many_megabytes_is_never_held_whole(shell: Shell, tmp_path: Path) -> None:
    big = chatgpt_conversations()[1]
    big["padding"] = "x" * 34_000_000
    small = chatgpt_conversations()[0]
    path = write_zip(tmp_path / "export.zip", conversations_DOT_json=dump([small, big]))
    report = shell.json("import", path, code=3)
    assert (report["recorded"], report["bad"]) == (3, 1)
    assert "is longer than 33,554,432 bytes" in report["bad_lines"][0]["problem"]


def test_a_transcript_of_cursor_is_left_out_where_the_editor_has_the_conversation(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    garden = tmp_path / "my.garden"
    garden.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    editor = tmp_path / "config" / "Cursor" / "User" / "globalStorage"
    editor.mkdir(parents=True)
    slug = str(garden).strip("/").replace("/", "-").replace(".", "-").replace("_", "-")
    transcripts = tmp_path / ".cursor" / "projects" / slug / "agent-transcripts"
    for session in ("c1", "other"):
        (transcripts / session).mkdir(parents=True)
        write_cursor_transcript(transcripts / session).rename(
            transcripts / session / f"{session}.jsonl"
        )
    write_cursor(editor)
    report = shell.json("import", "--all")
    assert (report["sources"], report["recorded"], report["skipped"]) == (["cursor"], 8, 2)
    hits = shell.json("--workspace", str(garden), "traces", "Looking")["hits"]
    assert hits


def test_a_section_of_a_note_that_was_changed_is_a_new_version_of_its_turn(
    shell: Shell, tmp_path: Path
) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    write_obsidian(vault)
    shell.json("import", vault)
    note = vault / "daily" / "2026-03-01.md"
    note.write_text(note.read_text("utf-8").replace(LIN, "林岚自己打羽毛球"), "utf-8")
    report = shell.json("import", vault)
    assert (report["recorded"], report["already_recorded"], report["new_versions"]) == (0, 1, 1)
    hit, *_ = shell.json("traces", "林岚自己打羽毛球")["hits"]
    assert hit["source"]["at"].startswith("2026-03-01")
    assert hit["text"].startswith("2026-03-01 › Evening")
    assert not any(LIN in hit["text"] for hit in shell.json("traces", LIN)["hits"])


def test_notes_of_a_folder_left_out_are_left_out(shell: Shell, tmp_path: Path) -> None:
    write_notes(tmp_path)
    (tmp_path / ".memoriaignore").write_text("")
    report = shell.json("import", tmp_path)
    assert (report["recorded"], report["skipped"]) == (0, 2)


def test_a_note_whose_front_matter_is_damaged_is_read_all_the_same(
    shell: Shell, tmp_path: Path
) -> None:
    note = tmp_path / "beds.md"
    note.write_text(f"---\ntags: [garden\n---\n{ANNA}\n", "utf-8")
    report = shell.json("import", tmp_path, code=3)
    assert (report["recorded"], report["bad"]) == (1, 1)
    assert "front matter" in report["bad_lines"][0]["problem"]
