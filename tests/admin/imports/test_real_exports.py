"""What exports of today hold beside the plain case, as people who have one describe it."""

import json
from pathlib import Path

from tests.admin.imports.samples.base import ANNA, LIN, dump, write_zip
from tests.admin.imports.samples.chats import (
    chatgpt_conversations,
    claude_conversations,
    claude_split_export,
)
from tests.surface.shell import Shell


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
        "mulches with straw",
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
