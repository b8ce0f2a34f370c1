"""Every source is found where its program keeps it on this machine."""

import json
import shutil
from pathlib import Path

import pytest
from tests.connectors.sources.samples import SAMPLES
from tests.connectors.sources.samples.base import Sample
from tests.surface.shell import Shell

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
