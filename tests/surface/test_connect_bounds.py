"""What `connect` writes beside the file it was asked to change, and through links."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.surface.client_box import ClientBox

from memoria.connectors.clients.config_file import ConfigFile
from memoria.connectors.clients.table import CLIENTS

KEY = "sk-proj-Zk3Qw9Lm2Xv7Bn4Tc8Yh5Rd1"
OUTSIDE = json.dumps({"mcpServers": {"x": {"command": "y", "env": {"KEY": KEY}}}})
PROJECT_FILES = {
    "claude-code": (".mcp.json", ".claude/settings.json"),
    "codex": (".codex/config.toml", ".codex/hooks.json"),
    "gemini": (".gemini/settings.json",),
    "cursor": (".cursor/mcp.json", ".cursor/hooks.json"),
    "vscode": (".vscode/mcp.json", ".github/hooks/memoria.json"),
    "opencode": ("opencode.json", "opencode.jsonc", ".opencode/plugins/memoria.js"),
    "zed": (".zed/settings.json",),
    "qwen": (".qwen/settings.json",),
    "kilo": ("kilo.json", "kilo.jsonc", ".kilo/plugins/memoria.js"),
    "antigravity": (".agents/mcp_config.json", ".agents/rules/memoria.md"),
    "kiro": (".kiro/settings/mcp.json", ".kiro/steering/memoria.md"),
    "droid": (".factory/mcp.json",),
    "roo": (".roo/mcp.json", ".roo/rules/memoria.md"),
    "crush": ("crush.json",),
    "junie": (".junie/mcp/mcp.json",),
    "warp": (".warp/.mcp.json",),
}
LINKS = sorted(
    {
        (client, "/".join(file.split("/")[:depth]))
        for client, files in PROJECT_FILES.items()
        for file in files
        for depth in range(1, file.count("/") + 2)
    }
)


def _link(box: ClientBox, place: str, target: Path) -> Path:
    link = box.project / place
    link.parent.mkdir(parents=True, exist_ok=True)
    if "." in place.rsplit("/", maxsplit=1)[-1][1:]:
        target.write_text("" if place.endswith("toml") else OUTSIDE)
    else:
        target.mkdir()
    link.symlink_to(target)
    return link


@pytest.mark.parametrize(("client", "place"), LINKS)
def test_a_project_s_file_or_folder_that_is_a_link_out_of_it_is_named_and_not_followed(
    box: ClientBox, client: str, place: str
) -> None:
    link = _link(box, place, box.user / "outside")
    before = box.files()
    for words in (("connect", client), ("disconnect", client)):
        done = box(*words, "--yes", "--scope", "project")
        assert done.code == 1
        assert f"{link} is a link that leads out of the project" in done.err
    assert box.files() == before
    assert str(link) in box("connect", client, "--status").out


def test_a_link_that_stays_in_the_project_is_followed(box: ClientBox) -> None:
    (box.project / "settings").mkdir()
    (box.project / ".cursor").symlink_to("settings")
    assert box("connect", "cursor", "--yes", "--scope", "project").code == 0
    assert (box.project / "settings" / "mcp.json").is_file()


def test_no_copy_of_a_file_lies_in_a_repository(box: ClientBox) -> None:
    (box.project / ".mcp.json").write_text(OUTSIDE)
    settings = box.project / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{}")
    before = box.files()
    assert box("connect", "claude-code", "--yes", "--scope", "project").code == 0
    assert not [place for place in box.files() if "backup" in place]
    assert box("disconnect", "claude-code", "--yes", "--scope", "project").code == 0
    assert box.files() == before


def test_every_client_with_files_of_a_project_is_among_those_tried(box: ClientBox) -> None:
    place = box.place()
    known = {one.name for one in CLIENTS if one.config(place, "project") is not None}
    assert known == set(PROJECT_FILES)


_LIMITED = """
import resource, signal, sys
from memoria.surface.cli.main import run
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv.pop(1)),) * 2)
run()
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limits of a process")
def test_a_copy_is_written_whole_or_not_at_all(box: ClientBox) -> None:
    file = box.write(".cursor/mcp.json", json.dumps({"a": "x" * 20_000}))
    before = box.files()
    words = ["8192", "connect", "cursor", "--yes", "--no-hooks"]
    environment = {"HOME": str(box.user), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(  # noqa: S603  (our own program)
        [sys.executable, "-c", _LIMITED, *words], env=environment, capture_output=True, check=False
    )
    assert (done.returncode, b"File too large" in done.stderr) == (1, True)
    assert box.files() == before
    assert box("connect", "cursor", "--yes", "--no-hooks").code == 0
    assert ConfigFile(file).backup.read_bytes() == before[".cursor/mcp.json"]


@pytest.mark.parametrize("cut", [b"", b'{"numStartups": 41, "a"', b'{"numStartups": 40, "mcpS'])
def test_a_copy_that_was_cut_short_does_not_count(box: ClientBox, cut: bytes) -> None:
    file = box.write(".cursor/mcp.json", '{"numStartups": 41, "a": 1}')
    before = file.read_bytes()
    backup = box.write(".cursor/mcp.json.memoria-backup", cut)
    assert box("connect", "cursor", "--yes", "--no-hooks").code == 0
    assert backup.read_bytes() == before


def test_a_whole_copy_of_before_stays(box: ClientBox) -> None:
    box.write(".codex/config.toml", "a = 2\n")
    backup = box.write(".codex/config.toml.memoria-backup", "a = 1\n")
    assert box("connect", "codex", "--yes", "--no-hooks").code == 0
    assert backup.read_text() == "a = 1\n"
