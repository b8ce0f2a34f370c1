"""Where pysqlite3 has no wheel, Python's own SQLite serves, whatever it lacks."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import memoria
from memoria.inference.embedder import BundledEmbedder
from memoria.store.sqlite.driver import sqlite3

Run = Callable[..., str]
pytestmark = [
    pytest.mark.sqlite("which SQLite opens the file"),
    pytest.mark.skipif(
        sqlite3.__name__ == "sqlite3", reason="this machine has no other SQLite to compare with"
    ),
]

PROGRAM = """
    import json, sys
    sys.modules["pysqlite3"] = None

    import anyio
    import memoria
    from memoria.store.sqlite import driver

    async def main(home, action):
        async with memoria.open(home=home, tenant="ann") as m:
            if action == "write":
                turn = {"session_id": "s", "role": "user"}
                await m.record_conversation(
                    [
                        {**turn, "content": "我们团队星期四在杭州开会"},
                        {**turn, "content": "the port is 8080", "message_id": "m"},
                        {**turn, "content": "the port is 9090", "message_id": "m"},
                    ]
                )
                await m.remember("My daughter is allergic to peanuts.")
                await m.remember("The first one is archived")
            (first,) = [x for x in await m.list_unverified() if "archived" in x.content]
            await m.revise_memory(first.id, "archive" if action == "write" else "restore")
            await m.wait_until_idle(60)

            async def answers():
                return [
                    [hit.text for hit in found.hits]
                    for found in (
                        await m.search_memory("我女儿对什么过敏？"),
                        await m.search_conversation_traces("port"),
                        await m.search_conversation_traces("port", include_history=True),
                        await m.search_conversation_traces("杭州", session_id="s"),
                    )
                ]

            before = await answers()
            await m.rebuild_indexes()
            with m._store.read("ann") as tx:
                exact = not tx.documents._vectors.in_file
            print(json.dumps({
                "module": driver.sqlite3.__name__,
                "exact": exact,
                "answers": before,
                "same": before == await answers(),
                "states": {f.check: f.state for f in (await m.health()).findings},
                "vectors": (await m.statistics()).vectors,
            }))

    anyio.run(main, *sys.argv[1:])
"""


def test_the_standard_module_captures_searches_and_rebuilds(home: Path, run_python: Run) -> None:
    said = json.loads(run_python(PROGRAM, home, "write"))
    assert (said["module"], said["exact"], said["same"]) == ("sqlite3", True, True)
    meaning, port, history, chinese = said["answers"]
    assert meaning[0] == "My daughter is allergic to peanuts."
    assert port[0] == "the port is 9090"
    assert {"the port is 8080", "the port is 9090"} <= set(history)
    assert chinese[0] == "我们团队星期四在杭州开会"
    assert {state for check, state in said["states"].items() if check != "vectors"} == {"ok"}
    assert said["states"]["vectors"] == "warning"


async def test_a_home_made_with_a_newer_sqlite_is_served_by_the_standard_one(
    home: Path, embedder: BundledEmbedder, run_python: Run
) -> None:
    async with memoria.open(home=home, tenant="ann", embedder=embedder) as memory:
        turn = {"session_id": "s", "role": "user"}
        await memory.record_conversation([{**turn, "content": "the port is 9090"}])
        await memory.remember("My daughter is allergic to peanuts.")
        await memory.remember("The first one is archived")
        await memory.wait_until_idle(60)
    said = json.loads(run_python(PROGRAM, home, "restore"))
    assert said["answers"][0][0] == "My daughter is allergic to peanuts."
    assert said["answers"][1] == ["the port is 9090"]
    assert said["states"]["integrity"] == "ok"
    assert said["same"]
    assert said["vectors"] == 3


async def test_what_a_process_without_the_extension_embedded_is_found_by_one_with_it(
    home: Path, embedder: BundledEmbedder, run_python: Run
) -> None:
    run_python(PROGRAM, home, "write")
    async with memoria.open(home=home, tenant="ann", embedder=embedder) as memory:
        await memory.wait_until_idle(60)
        found = await memory.search_memory("我女儿对什么过敏？")
        assert found.answered
        assert found.hits[0].text == "My daughter is allergic to peanuts."
