"""A user of clients on a machine of their own, for `memoria connect` and `disconnect`."""

import hashlib
import json
import re
import sys
from pathlib import Path

import pytest
from tests.surface.shell import Output, Shell

from memoria.connectors.clients.interface import ClientPlace


class ClientBox:
    """A user with a home folder of their own, in a project."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.user = folder / "家 of a user"
        self.project = folder / "shop"
        for one in (self.user, self.project / ".git"):
            one.mkdir(parents=True)
        for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HOME", str(self.user))
        monkeypatch.setenv("PATH", "/usr/bin:/bin")
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.chdir(self.project)
        self.shell = Shell(folder / "memory")

    def __call__(self, *words: str, **environment: str) -> Output:
        return self.shell(*words, **environment)

    def write(self, place: str, content: str | bytes) -> Path:
        file = self.user / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def place(self) -> ClientPlace:
        """Where clients look for their files."""
        return ClientPlace.here()

    def files(self) -> dict[str, bytes]:
        """Every file and folder there is, and what the files hold."""
        return {
            str(path.relative_to(top)): path.read_bytes() if path.is_file() else b""
            for top in (self.user, self.project)
            for path in sorted(top.rglob("*"))
        }

    def trust_codex(self) -> None:
        """Write into Codex's configuration what it writes when its user trusts all hooks."""
        file = self.user / ".codex/hooks.json"
        lines = []
        for event, groups in json.loads(file.read_text())["hooks"].items():
            name = re.sub("(?<=[a-z])(?=[A-Z])", "_", event).lower()
            for number, group in enumerate(groups):
                hook = {"async": False, **group["hooks"][0]}
                known = {"event_name": name, "hooks": [dict(sorted(hook.items()))]}
                said = json.dumps(known, separators=(",", ":"), ensure_ascii=False).encode()
                digest = hashlib.sha256(said).hexdigest()
                lines.append(f'[hooks.state."{file}:{name}:{number}:0"]')
                lines.append(f'trusted_hash = "sha256:{digest}"')
        with (self.user / ".codex/config.toml").open("a", encoding="utf-8") as config:
            config.write("\n" + "\n".join(lines) + "\n")
