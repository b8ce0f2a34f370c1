"""A file is known by any of its items, in whatever list or line they stand."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.connectors.sources.samples import SAMPLES
from tests.connectors.sources.samples.base import ANNA, LIN, Sample
from tests.connectors.sources.samples.chats import chatgpt_conversations, claude_conversations
from tests.surface.shell import Shell

from memoria.connectors.sources.detect import SOURCES, recognise
from memoria.connectors.sources.probe import Probe

VOID: dict[str, Any] = {"title": "void", "create_time": 1, "current_node": "x", "mapping": {}}
ENTITY = {"type": "entity", "name": "Gus", "entityType": "Person", "observations": ["Has a boat"]}
OTHER = {"type": "entity", "name": "Ida", "entityType": "Person", "observations": ["Keeps bees"]}
RELATION = {"type": "relation", "from": "Gus", "to": "Ida", "relationType": "knows"}
MEMORY = {"id": "m1", "memory": "Gus has a boat"}


def write(folder: Path, name: str, content: str) -> Path:
    path = folder / name
    path.write_text(content, "utf-8")
    return path


def known_as(path: Path) -> str | None:
    source = recognise(Probe(path))
    return None if source is None else source.name


@pytest.mark.parametrize(
    "odd",
    [None, [], 7, "text", {}, {"x": 1}, VOID, {**VOID, "mapping": None}],
    ids=lambda odd: json.dumps(odd)[:12],
)
@pytest.mark.parametrize("times", [1, 30])
def test_odd_items_before_the_sound_ones_hide_nothing(
    shell: Shell, tmp_path: Path, odd: object, times: int
) -> None:
    path = write(
        tmp_path, "conversations.json", json.dumps([odd] * times + chatgpt_conversations())
    )
    assert known_as(path) == "chatgpt"
    shell("import", path)
    for words in (ANNA, LIN):
        assert words in shell("traces", words).out
    other = write(tmp_path, "c.json", json.dumps([odd] * times + claude_conversations()))
    assert known_as(other) in ("claude-ai", "chatgpt" if odd == VOID else None)


@pytest.mark.parametrize("key", ["conversations", "data", "items", "results", "chats"])
def test_a_list_of_conversations_is_known_under_whatever_key_it_stands(
    shell: Shell, tmp_path: Path, key: str
) -> None:
    for name, conversations in (
        ("chatgpt", chatgpt_conversations()),
        ("claude-ai", claude_conversations()),
    ):
        document = {"exported": "2026-01-01", "user": {"id": 1}, key: conversations, "n": 2}
        path = write(tmp_path, f"{name}.json", json.dumps(document))
        assert known_as(path) == name
        report = shell.json("import", path)
        assert report["recorded"] > 4
        nested = write(tmp_path, f"{name}2.json", json.dumps({"data": {key: conversations}}))
        again = shell.json("import", nested)
        assert (again["recorded"], again["bad"]) == (0, 0)
        assert again["already_recorded"] == report["recorded"]


def test_a_document_that_is_one_conversation_is_read(shell: Shell, tmp_path: Path) -> None:
    path = write(tmp_path, "chat.json", json.dumps(chatgpt_conversations()[1], indent=1))
    assert shell.json("import", path)["sources"] == ["chatgpt"]
    assert LIN in shell("traces", LIN).out


@pytest.mark.parametrize("without", [("create_time",), ("create_time", "title", "current_node")])
def test_conversations_need_not_say_when_they_were_held(
    shell: Shell, tmp_path: Path, without: tuple[str, ...]
) -> None:
    conversations = chatgpt_conversations()
    for one in conversations:
        for key in without:
            del one[key]
    path = write(tmp_path, "conversations.json", json.dumps(conversations))
    assert shell.json("import", path)["sources"] == ["chatgpt"]
    assert LIN in shell("traces", LIN).out


@pytest.mark.parametrize("damage", ["no parent", "circle", "no child", "no leaf"])
def test_of_a_tree_that_is_not_whole_every_message_is_read(
    shell: Shell, tmp_path: Path, damage: str
) -> None:
    (conversation,) = chatgpt_conversations()[1:]
    nodes = conversation["mapping"]
    match damage:
        case "no parent":
            nodes["reply"]["parent"] = "nowhere"
        case "circle":
            nodes["r"]["parent"] = "reply"
            nodes["reply"]["children"] = ["r"]
            conversation["current_node"] = None
        case "no child":
            nodes["photo"]["children"] = ["nowhere"]
            conversation["current_node"] = "nowhere"
        case _:
            nodes["reply"]["children"] = ["photo"]
            conversation["current_node"] = 7
    path = write(tmp_path, "conversations.json", json.dumps([conversation]))
    assert shell.json("import", path)["recorded"] == 2


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"entities": [ENTITY, OTHER], "relations": [RELATION]}),
        json.dumps({"entities": [None, ENTITY, OTHER], "relations": [RELATION]}, indent=2),
        json.dumps([ENTITY, OTHER, RELATION]),
        json.dumps([7, ENTITY, OTHER, RELATION], indent=2),
        json.dumps({"data": {"relations": [RELATION], "entities": [ENTITY, OTHER]}}),
        json.dumps(ENTITY) + json.dumps(OTHER) + json.dumps(RELATION) + "\n",
        "\n".join(map(json.dumps, (ENTITY, OTHER, RELATION))),
        "null\n" + "\n".join(map(json.dumps, (ENTITY, OTHER, RELATION))),
    ],
    ids=[
        "object",
        "indented",
        "list",
        "indented list",
        "nested",
        "one line",
        "lines",
        "null first",
    ],
)
def test_the_memory_servers_graph_is_read_in_every_form_it_is_kept_in(
    shell: Shell, tmp_path: Path, content: str
) -> None:
    path = write(tmp_path, "memory.json", content)
    named = "--format", "server-memory"
    for arguments in ((), named):
        report = shell.json(
            "import", path, *arguments, code=3 if "null" in content or "7" in content else 0
        )
        assert report["sources"] == ["server-memory"]
        assert sum(report["memories"].values()) == 3
    assert "Keeps bees" in shell("search", "bees").out


@pytest.mark.parametrize("key", [None, "results", "memories", "data", "items"])
def test_mem0s_memories_are_known_under_whatever_key_they_stand(
    shell: Shell, tmp_path: Path, key: str | None
) -> None:
    listed = [None, {"id": "m0"}, MEMORY]
    path = write(tmp_path, "x.json", json.dumps(listed if key is None else {key: listed}))
    report = shell.json("import", path, code=3)
    assert (report["sources"], report["memories"], report["bad"]) == (["mem0"], {"added": 1}, 2)


def test_memories_of_the_older_agent_are_read_from_a_list_and_from_an_object(
    shell: Shell, tmp_path: Path
) -> None:
    one = {"id": "1", "type": "FACT", "priority": "permanent", "content": "Gus has a boat"}
    path = write(tmp_path, "memories.json", json.dumps({"version": 1, "memories": [7, one]}))
    report = shell.json("import", path, code=3)
    assert (report["sources"], report["memories"]) == (["memories-json"], {"added": 1})


def test_history_lines_of_an_agent_are_turns_with_their_tools(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "conversation_history"
    folder.mkdir()
    lines = [
        {"role": "user", "content": "把车床的合同找出来", "timestamp": "2026-02-01T09:00:00"},
        {
            "role": "assistant",
            "content": "在保险柜里。",
            "timestamp": "2026-02-01T09:00:05.123456",
            "tool_calls": [
                {"id": "c1", "name": "find_file", "input": {"name": "合同"}},
                {"id": "c2", "function": {"name": "open", "arguments": '{"path": "a.pdf"}'}},
            ],
            "tool_results": [
                {"tool_use_id": "c2", "content": [{"type": "text", "text": "第一页"}]},
                {"tool_use_id": "c1", "content": "保险柜/合同.pdf"},
            ],
        },
        {"role": "user", "content": "谢谢", "timestamp": 1_769_936_410.5, "mood": "glad"},
    ]
    path = write(folder, "session_1.jsonl", "\n".join(json.dumps(line) for line in lines))
    report = shell.json("import", path)
    assert (report["sources"], report["recorded"], report["bad"]) == (["jsonl"], 5, 0)
    assert shell.json("import", path)["already_recorded"] == 5
    assert "第一页" in shell("traces", "第一页").out
    found = shell.json("traces", "保险柜 合同", "--role", "tool")["hits"]
    assert any("find_file" in json.dumps(hit, ensure_ascii=False) for hit in found)


_SHARED = ".local/share"
_NPX = ".npm/_npx/1f/node_modules"
_PLACES = {
    "write_chatgpt": "Downloads/chatgpt-2026.zip",
    "write_chatgpt_json": "Downloads/chatgpt-export/conversations.json",
    "write_claude_ai": "Downloads/data-2026.zip",
    "write_claude_json": "Downloads/data-2026/conversations.json",
    "write_server_memory": f"{_NPX}/@modelcontextprotocol/server-memory/dist/memory.json",
    "write_openmemory_export": "Downloads/memories_export_anna.zip",
    "write_openmemory_database": "Downloads/openmemory.db",
    "write_mem0_history": ".mem0/history.db",
    "write_memory_service_database": f"{_SHARED}/mcp-memory/sqlite_vec.db",
    "write_goose": f"{_SHARED}/goose/sessions/sessions.db",
    "write_goose_lines": f"{_SHARED}/goose/sessions/20250401_0900.jsonl",
    "write_opencode": f"{_SHARED}/opencode/opencode.db",
    "write_opencode_two": f"{_SHARED}/opencode/opencode.db",
    "write_opencode_both": f"{_SHARED}/opencode/opencode.db",
    "write_opencode_files": f"{_SHARED}/opencode/storage",
    "write_cursor": ".config/Cursor/User/globalStorage/state.vscdb",
    "write_cursor_transcript": ".cursor/projects/-garden/agent-transcripts/3f/3f.jsonl",
    "write_claude_mem": ".claude-mem/claude-mem.db",
    "write_basic_memory": "basic-memory",
    "write_obsidian": "Documents/vault",
}
"""Where a sample is put, below the home folder."""
_NAMED_ONLY = {"write_mem0", "write_memory_service", "write_memories_json", "write_notes"}
"""What lies wherever its owner has put it, and is imported by its path."""


def test_somebody_has_decided_of_every_sample_where_it_is_found() -> None:
    assert {one.write.__name__ for one in SAMPLES} == {*_PLACES, *_NAMED_ONLY}


@pytest.mark.parametrize(
    "sample",
    [one for one in SAMPLES if one.write.__name__ in _PLACES],
    ids=lambda one: one.write.__name__,
)
def test_what_a_program_keeps_is_found_by_itself(
    shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample: Sample
) -> None:
    home = tmp_path / "user"
    place = home / _PLACES[sample.write.__name__]
    (tmp_path / "made").mkdir()
    place.parent.mkdir(parents=True)
    shutil.move(sample.write(tmp_path / "made"), place)
    known = home / ".config" / "obsidian" / "obsidian.json"
    known.parent.mkdir(parents=True, exist_ok=True)
    known.write_text(json.dumps({"vaults": {"1": {"path": str(home / "Documents" / "vault")}}}))
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(name, raising=False)
    (count,) = shell.json("import", "--all", "--dry-run")["sources"]
    assert (count["source"], count["turns"], count["memories"]) == (
        sample.source,
        sample.turns,
        sample.memories,
    )


IDS = [f"{sample.source}-{sample.write.__name__}" for sample in SAMPLES]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "sample"
    folder.mkdir()
    return folder


def made(report: dict[str, Any]) -> int:
    """How many turns and memories came in anew."""
    statuses = ("added", "changed", "past", "waiting")
    counts: list[int] = [report["recorded"], *(report["memories"].get(one, 0) for one in statuses)]
    return sum(counts)


@pytest.mark.parametrize("sample", SAMPLES, ids=IDS)
def test_what_a_program_left_is_recognised_and_comes_in_once(
    shell: Shell, place: Path, sample: Sample
) -> None:
    path = sample.write(place)
    counted = shell.json("import", path, "--dry-run")
    (count,) = counted["sources"]
    assert (count["source"], count["turns"], count["memories"], count["bad"]) == (
        sample.source,
        sample.turns,
        sample.memories,
        0,
    )
    assert not shell.home.exists()
    first = shell.json("import", path)
    assert (first["sources"], first["bad"], first["not_understood"]) == ([sample.source], 0, [])
    assert (first["recorded"], made(first)) == (sample.turns, sample.turns + sample.memories)
    for words in sample.sayings:
        hits = [
            hit
            for command in ("search", "traces")
            for hit in shell.json("--workspace", "*", command, words)["hits"]
            if words in hit["text"]
        ]
        assert hits, words
    before = shell.json("stats")
    again = shell.json("import", path)
    assert made(again) == 0
    assert again["already_recorded"] + again["memories"].get("known", 0) == made(first)
    after = shell.json("stats")
    assert (after["turns"], after["memories"]) == (before["turns"], before["memories"])


@pytest.mark.parametrize("sample", SAMPLES, ids=IDS)
def test_a_damaged_item_is_named_and_the_rest_comes_in(
    shell: Shell, place: Path, sample: Sample
) -> None:
    path = sample.write(place)
    sample.damage(path)
    report = shell.json("import", path, code=3)
    assert report["bad"] == len(report["bad_lines"]) == 1
    assert str(path) in report["bad_lines"][0]["file"]
    assert made(report) == sample.turns + sample.memories - sample.lost


def test_every_source_has_a_sample() -> None:
    own = {
        "jsonl",
        "claude-code",
        "codex",
        "gemini",
        "copilot",
        "cline",
        "droid",
        "git",
    }  # have tests of their own
    assert {sample.source for sample in SAMPLES} | own == set(SOURCES)
