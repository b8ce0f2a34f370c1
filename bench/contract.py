"""schemathesis against REST: every operation of the OpenAPI document, in all phases.

A request that the document allows must be accepted, one that it does not allow refused, and each
answer must be one that the document tells. Two statuses are expected beside those that schemathesis
takes for an acceptance: 412, since a tag that somebody makes up in `If-Match` fits nothing, and 404
and 409 as by default. What no keyword of JSON Schema says is in `bench/contract_hooks.py`.

    python -m bench.contract --program .venv-schemathesis/bin/schemathesis
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
import httpx2

from bench.http.server import Place, serve
from bench.http.world import create_token

_TENANT = "contract"
_SESSION = "checkout-2026-03-02"
_HOOKS = Path(__file__).with_name("contract_hooks.py")
_STATEMENTS = ("Ben reviews the checkout.", "Carla leads billing.", "The mascot is a heron.")
_CONFIGURATION = """
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "3xx", "401", "403", "404", "409", "412"]
[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "405", "409", "412", "415", "422"]
[parameters]
"""


def fill(client: httpx2.Client) -> dict[str, str]:
    """Say, state, forget and run something; return ids by the arguments that take them."""

    def post(path: str, order: object) -> dict[str, object]:
        answer = client.post(path, json=order)
        answer.raise_for_status()
        told: dict[str, object] = answer.json()
        return told

    turn = {"role": "user", "content": "We deploy the checkout on Tuesdays only."}
    said = post("/memory/ingest", {"session_id": _SESSION, "turns": [turn]})
    pad = client.put(f"/memory/scratchpads/{_SESSION}", json={"current_focus": "Release it"})
    pad.raise_for_status()
    first, second, wrong = (post("/memory/nodes", {"content": one})["id"] for one in _STATEMENTS)
    token = post("/memory/forget/preview", {"ids": [wrong]})["token"]
    forgotten = post("/memory/forget", {"ids": [wrong], "token": token})
    return {
        "memory_id": str(first),
        "node_id": str(second),
        "turn_id": said["turn_ids"][0],  # type: ignore[index]  # a list of ids
        "session_id": _SESSION,
        "report_id": forgotten["report"]["id"],  # type: ignore[index]  # a proof
        "run_id": str(post("/memory/consolidate", {"steps": ["metrics"]})["id"]),
    }


def run(program: str, url: str, token: str, folder: Path, *options: str) -> int:
    """Run schemathesis in a folder, and return its exit code: 0 if it has found nothing."""
    shown = {"Authorization": f"Bearer {token}"}
    with httpx2.Client(base_url=url, headers=shown, timeout=30) as client:
        ids = fill(client)
        (folder / "export.jsonl").write_bytes(client.get("/memory/export").content)
    named = "".join(f'"path.{name}" = "{value}"\n' for name, value in ids.items())
    configuration = folder / "schemathesis.toml"
    configuration.write_text(f'hooks = "{_HOOKS}"\n{_CONFIGURATION}{named}')
    command = (program, "--config-file", str(configuration), "run", f"{url}/openapi.json")
    further = ("--header", f"Authorization: Bearer {token}", "--continue-on-failure", *options)
    return subprocess.run((*command, *further), cwd=folder, check=False).returncode  # noqa: S603  (the program that the caller names)


def _main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.contract", description=__doc__)
    parser.add_argument("--program", default="schemathesis", help="schemathesis 4.32 or newer")
    parser.add_argument("--max-examples", default="30", help="of each operation and phase")
    parser.add_argument("--seed", default="46")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        token = anyio.run(lambda: create_token(home, _TENANT, "off", has_home_each=False))
        with serve(Place(home, has_home_each=False)) as server:
            options = ("--max-examples", given.max_examples, "--seed", given.seed)
            program = str(Path(given.program).absolute() if "/" in given.program else given.program)
            return run(program, server.url, token, Path(folder), *options)


if __name__ == "__main__":
    sys.exit(_main())
