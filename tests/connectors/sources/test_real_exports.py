"""What exports of today hold beside the plain case, as people who have one describe it."""

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.connectors.sources.samples.base import ANNA, LIN, dump, write_zip
from tests.connectors.sources.samples.chats import (
    chatgpt_conversations,
    claude_conversations,
    claude_split_export,
)
from tests.connectors.sources.samples.clients import write_cursor
from tests.connectors.sources.samples.servers import write_claude_mem
from tests.surface.shell import Shell

from memoria.store.sqlite.driver import sqlite3


def list_texts(shell: Shell, words: str) -> list[str]:
    """What both levels of search find, wherever it belongs."""
    return [
        hit["text"]
        for level in ("search", "traces")
        for hit in shell.json("--workspace", "*", level, words)["hits"]
    ]


def test_an_export_of_claude_ai_that_comes_in_several_archives_is_read_whole(
    shell: Shell, tmp_path: Path
) -> None:
    """Since 2026: an archive for each kind, a file for each account, project and design chat."""
    archives = claude_split_export(tmp_path)
    for path in archives:
        assert shell.json("import", path, "--dry-run")["sources"][0]["source"] == "claude-ai"
    report = shell.json("import", *archives)
    assert (report["bad"], report["not_understood"], report["memories"]) == (0, [], {"added": 5})
    assert report["recorded"] == 6 + 2 + 3
    for words in (
        "Anna has a cat",
        "Allotment plan: Anna mulches with straw",  # its name is in another archive
        "Allotment plan",
        "林岚每周三打羽毛球",
        "Answer as a gardener",
        "bed 7: garlic",
        "Draw the allotment",
    ):
        assert any(words in text for text in list_texts(shell, words)), words
    again = shell.json("import", *archives)
    assert (again["recorded"], again["memories"]) == (0, {"known": 5})


def test_what_claude_ai_knows_of_a_project_names_the_project_where_the_export_does(
    shell: Shell, tmp_path: Path
) -> None:
    projects = [{"uuid": "p-1", "name": "Allotment plan", "docs": [], "is_private": True}]
    for number, known in enumerate((projects, [])):
        memory = [{"conversations_memory": "", "project_memories": {"p-1": "Mulches with straw."}}]
        path = write_zip(
            tmp_path / f"{number}.zip",
            conversations_DOT_json=dump(claude_conversations()),
            memories_DOT_json=dump(memory),
            projects_DOT_json=dump(known),
        )
        own = Shell(shell.home / str(number))
        assert own.json("import", path)["memories"] == {"added": 1}
        (text,) = {one for one in list_texts(own, "straw") if "straw" in one}
        assert text == (
            "Allotment plan: Mulches with straw." if known else "Project p-1: Mulches with straw."
        )


def test_a_chat_that_chatgpt_was_asked_not_to_remember_is_left_out(
    shell: Shell, tmp_path: Path
) -> None:
    garden, racket = chatgpt_conversations()
    garden["is_do_not_remember"] = True
    path = write_zip(tmp_path / "export.zip", conversations_DOT_json=dump([garden, racket]))
    report = shell.json("import", path)
    assert (report["bad"], report["recorded"], report["memories"]) == (0, 2, {})
    assert report["skipped"] >= len(garden["mapping"])
    assert any(LIN in text for text in list_texts(shell, LIN))
    assert not any(ANNA in text for text in list_texts(shell, ANNA))


def test_what_chatgpt_writes_is_read_without_its_marks_of_sources(
    shell: Shell, tmp_path: Path
) -> None:
    garden, _ = chatgpt_conversations()
    marked = "Two feet apart \ue200cite\ue202turn0search1\ue202turn0search2\ue201, says the club."
    garden["mapping"]["answer"]["message"]["content"]["parts"] = [marked]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([garden]), "utf-8")
    shell.json("import", path)
    assert "Two feet apart, says the club." in list_texts(shell, "two feet apart")


def test_a_message_of_chatgpt_without_a_time_stands_where_it_was_said(
    shell: Shell, tmp_path: Path
) -> None:
    garden, _ = chatgpt_conversations()
    for node in garden["mapping"].values():
        if node["message"]:
            node["message"]["create_time"] = None
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([garden]), "utf-8")
    assert shell.json("import", path)["recorded"] == 3
    turns = shell.json("show", "garden")["turns"]
    assert [turn["role"] for turn in turns] == ["user", "tool", "assistant"]
    assert {turn["at"][:10] for turn in turns} == {"2026-01-01"}


def make_project(folder: Path, name: str) -> Path:
    project = folder / name
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return project


def test_a_conversation_of_cursor_belongs_to_the_folder_it_names_and_subagents_stay_out(
    shell: Shell, tmp_path: Path
) -> None:
    project = make_project(tmp_path, "garden")
    path = write_cursor(tmp_path)
    bubble = {"type": 1, "text": "Count the canes, agent", "bubbleId": "s"}
    place = {"workspaceIdentifier": {"id": "w", "uri": {"fsPath": str(project), "scheme": "file"}}}
    with closing(sqlite3.connect(path)) as cursor, cursor:
        (value,) = cursor.execute(
            "SELECT value FROM cursorDiskKV WHERE key = 'composerData:c1'"
        ).fetchone()
        headers = [*json.loads(value)["fullConversationHeadersOnly"], {"bubbleId": "gone"}]
        known = {**json.loads(value), **place, "fullConversationHeadersOnly": headers}
        agent = {"conversation": [bubble], "subagentInfo": {"parentComposerId": "c1"}}
        cursor.executemany(
            "INSERT INTO cursorDiskKV VALUES (?, ?)",
            [
                ("composerData:c1", dump(known)),
                ("composerData:c2", dump(agent)),
                ("composerData:c3", "null"),
                ("bubbleId:c1:gone", "null"),  # as of messages that were deleted
            ],
        )
    report = shell.json("import", path)
    assert (report["bad"], report["recorded"]) == (0, 4)
    assert any(ANNA in text for text in list_texts(shell, ANNA))
    here = shell.json("--workspace", str(project), "traces", ANNA)["hits"]
    elsewhere = shell.json("--workspace", "none", "traces", ANNA)["hits"]
    assert any(ANNA in hit["text"] for hit in here)
    assert not any(ANNA in hit["text"] for hit in elsewhere)
    assert not any("agent" in text for text in list_texts(shell, "Count the canes, agent"))


def test_an_observation_of_claude_mem_belongs_to_the_session_it_was_made_in(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """claude-mem gives its own agent's session an id of its own, and knows which is whose."""
    project = make_project(tmp_path, "garden")
    transcript = tmp_path / "claude" / "projects" / "-garden" / "s1.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text(dump({"type": "user", "cwd": str(project), "sessionId": "s1"}) + "\n")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    path = write_claude_mem(tmp_path)
    with closing(sqlite3.connect(path)) as program, program:
        program.execute("INSERT INTO sdk_sessions VALUES (1, 's1', 'own-1', 'garden')")
        program.execute("UPDATE observations SET memory_session_id = 'own-1'")
        program.execute("UPDATE session_summaries SET memory_session_id = 'own-1'")
    shell.json("import", path)
    assert not any("bed 4" in hit["text"] for hit in shell.json("search", "bed 4")["hits"])
    hits = shell.json("--workspace", str(project), "search", "bed 4")["hits"]
    assert any("bed 4" in hit["text"] for hit in hits)
    turns = shell.json("--workspace", str(project), "show", "s1")["turns"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "assistant"]


def test_of_basic_memory_no_clock_is_an_observation_and_no_sentence_a_relation(
    shell: Shell, tmp_path: Path
) -> None:
    (tmp_path / "talk.md").write_text(
        f"""---
title: Allotment talk
permalink: talk
---
- [00:00:11] So how many canes are there
- [x] water the leeks
- [fact] {ANNA} #berries
- led_by [[Anna Berg]] (in spring)
- We met [[Anna Berg]] at the gate and [[林岚]] came later
""",
        "utf-8",
    )
    report = shell.json("import", tmp_path)
    assert (report["recorded"], report["memories"]) == (1, {"added": 2})
    assert "Allotment talk led by Anna Berg (in spring)" in list_texts(shell, "led by Anna Berg")
    text = next(one for one in list_texts(shell, "at the gate") if "at the gate" in one)
    for words in ("So how many canes", "water the leeks", "We met Anna Berg at the gate and 林岚"):
        assert words in text


def test_a_note_of_basic_memory_with_damaged_front_matter_is_read_once_and_named(
    shell: Shell, tmp_path: Path
) -> None:
    note = tmp_path / "beds.md"
    for fields, bad, made in (("", 0, "added"), ("tags: [garden\n", 1, "known")):
        front = f"title: Beds\npermalink: beds\n{fields}"
        note.write_text(f"---\n{front}---\n- [fact] {ANNA}\n", "utf-8")
        report = shell.json("import", tmp_path, code=3 * bad)
        assert (report["bad"], report["memories"]) == (bad, {made: 1})


def test_what_openmemory_calls_a_preference_is_one(shell: Shell, tmp_path: Path) -> None:
    memory = {
        "id": "1",
        "app_id": None,
        "content": "Anna likes rye bread",
        "state": "active",
        "created_at": "2026-03-01T10:00:00+00:00",
        "category_ids": ["c"],
    }
    payload = {
        "apps": [],
        "categories": [{"id": "c", "name": "preferences"}],
        "memories": [memory],
        "export_meta": {"version": "1"},
    }
    shell.json(
        "import", write_zip(tmp_path / "memories_export.zip", memories_DOT_json=dump(payload))
    )
    (hit,) = shell.json("search", "rye bread")["hits"]
    assert hit["type"] == "preference"


def test_an_export_that_was_unpacked_is_read_without_a_word_on_what_lies_beside_it(
    shell: Shell, tmp_path: Path
) -> None:
    beside: dict[str, Any] = {
        "user.json": {"id": "user-1", "email": "anna@example.org"},
        "message_feedback.json": [{"id": "m", "rating": "thumbs_up", "conversation_id": "garden"}],
        "shared_conversations.json": [{"id": "s", "conversation_id": "garden", "title": "t"}],
        "users.json": [{"uuid": "a", "full_name": "Anna"}],
    }
    for folder, conversations in (
        ("ChatGPT", chatgpt_conversations()),
        ("claude", claude_conversations()),
    ):
        (tmp_path / folder).mkdir()
        for name, value in {"conversations.json": conversations, **beside}.items():
            (tmp_path / folder / name).write_text(dump(value), "utf-8")
        (tmp_path / folder / "prices.json").write_text('[{"sku": 1}]')
    report = shell.json("import", tmp_path, code=3)
    assert report["recorded"] == 5 + 6
    named = {str(Path(one).relative_to(tmp_path)) for one in report["not_understood"]}
    others = {"claude/user.json", "claude/message_feedback.json", "ChatGPT/users.json"}
    assert named == {
        "ChatGPT/prices.json",
        "claude/prices.json",
        "claude/shared_conversations.json",
        *others,
    }


def test_what_is_said_aloud_to_chatgpt_is_read_as_its_words(shell: Shell, tmp_path: Path) -> None:
    garden, _ = chatgpt_conversations()
    garden["mapping"]["answer"]["message"]["content"] = {
        "content_type": "multimodal_text",
        "parts": [
            {
                "content_type": "audio_transcription",
                "text": "Water them on Sunday",
                "direction": "out",
            },
            {
                "content_type": "real_time_user_audio_video_asset_pointer",
                "frames_asset_pointers": [],
            },
        ],
    }
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([garden]), "utf-8")
    shell.json("import", path)
    assert "Water them on Sunday" in list_texts(shell, "water them on Sunday")
