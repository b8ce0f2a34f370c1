"""The tour: stops that show in half a minute what Memoria does, on a real server.

Each stop prints what it asks and what came back, and notes whether that is what it should be:
the demo fails when the product does.
"""

import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any

import anyio

from memoria.admin.findings import UNREAD
from memoria.connectors.clients.interface import find_program
from memoria.language.words.analyser import index_text
from memoria.surface.cli.console import Options, print_json
from memoria.surface.cli.demo.stage import Answer, Guest, Stage, guest
from memoria.surface.cli.serving import client_entry

NO_VARIABLES: Mapping[str, str] = {}
FORGOTTEN = "My bicycle lock opens with okapi five eight two"
SECRETS = ("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI", "Tr0ub4dor", "41,500")


def run_demo(*, as_json: bool) -> None:
    """Run the tour in a temporary home, and end with an error if a stop fails."""
    stage = Stage(quiet=as_json)
    # A server that was told to stop may still hold its files on Windows.
    with tempfile.TemporaryDirectory(prefix="memoria-demo-", ignore_cleanup_errors=True) as home:
        anyio.run(walk_through, Path(home), stage)
    entry = client_entry(Options(home=None, tenant=None))
    if as_json:
        print_json({"stops": stage.stops, "passed": stage.all_checks_hold, "configuration": entry})
    else:
        stage.begin_stop("Plug it in")
        stage.say(f"Connect the clients on this machine: {find_program()} connect")
        stage.say(UNREAD)
        stage.say("By hand, this entry works in Claude Code (.mcp.json), Cursor and others:")
        stage.print_plain(json.dumps(entry, indent=2, ensure_ascii=False))
        stage.print_verdict()
    if not stage.all_checks_hold:
        sys.exit(1)


def _files(home: Path) -> bytes:
    """Read every byte in the home, in lower case."""
    return b"".join(path.read_bytes() for path in home.rglob("*") if path.is_file()).lower()


async def walk_through(
    home: Path,
    stage: Stage,
    read_all: Callable[[Path], bytes] = _files,
    environment: Mapping[str, str] = NO_VARIABLES,
) -> None:
    """Show each stop on a server of a home.

    Args:
        home: the home's folder.
        stage: prints what is shown and notes what held.
        read_all: reads every byte that the home keeps, in lower case.
        environment: variables of the server, such as those that name a database.
    """
    async with guest(home, environment) as first:
        await _capture(first, stage)
        await _first_level(first, stage)
        await _second_level(first, stage)
        memory_id = await _provenance(first, stage)
        await _correction(first, stage, memory_id)
        await _no_answer(first, stage)
    async with guest(home, environment) as second:
        await _restart(second, stage, memory_id)
        await _forget(second, stage, lambda: read_all(home))
    _secrets(read_all(home), stage)


async def _capture(server: Guest, stage: Stage) -> None:
    stage.begin_stop("1  Record: eleven sessions over seven weeks, in Chinese and English")
    taken: Counter[str] = Counter()
    for session_id, turns in groupby(_conversation(), key=lambda turn: turn["session_id"]):
        with stage.show_activity(f"recording {session_id}"):
            receipt = await server.call(
                "record_conversation", turns=list(turns), event="session_end"
            )
        taken.update(recorded=receipt["recorded"], stripped=receipt.get("stripped", 0))
        taken.update(receipt.get("redactions", {}))
    recorded, stripped = taken.pop("recorded"), taken.pop("stripped")
    secrets = ", ".join(f"{kind} ×{count}" for kind, count in taken.items())
    stage.say(f"{recorded} turns on disk, tool calls included. Each call was acknowledged only")
    stage.say("after its commit, and is searchable from that moment.")
    stage.say(f"Left out before anything was written: {secrets}; {stripped} <private> span.")
    stage.check("a secret was pasted and not kept", bool(taken) and stripped == 1)
    with stage.show_activity("computing vectors in the background"):
        status = await server.wait_for_vectors()
    stage.say(f"{status['vectors']} vectors made in the background by the bundled model; no key,")
    stage.say("no network, no daemon.")


async def _first_level(server: Guest, stage: Stage) -> None:
    stage.begin_stop("2  First level: search_memory — conclusions, a line each, cited")
    stage.say("No chat model has read these turns yet, so they stand for themselves.")
    found = await _ask(server, stage, "search_memory", "What was decided on the balance cache?")
    decided = {hit["source"].get("session_id") for hit in found["hits"]}
    stage.check("the session that decided it is cited", "2026-03-05-cache-design" in decided)
    found = await _ask(server, stage, "search_memory", "花生")
    stage.check("a two-character Chinese word is found", "花生" in _texts(found))


async def _second_level(server: Guest, stage: Stage) -> None:
    stage.begin_stop("3  Second level: search_conversation_traces — the record, word for word")
    question = "E1437 closing balance mismatch"
    stage.ask("search_conversation_traces", f"{question}  (role=tool)")
    found = await server.call(
        "search_conversation_traces", query=question, role="tool", limit=1, max_tokens=600
    )
    stage.print_trace(found["hits"][0], around="E1437")
    stage.check("the tool's own output is there", "E1437" in _texts(found))


async def _provenance(server: Guest, stage: Stage) -> str:
    stage.begin_stop("4  Remember, and prove where it came from")
    said = await server.call(
        "search_conversation_traces", query="以后 commit message 一律用中文写", limit=1, context=0
    )
    turn = said["hits"][0]
    stage.ask("remember", "林岚的 commit message 一律用中文写  (type=preference, turn_id=…)")
    kept = await server.call(
        "remember",
        content="林岚的 commit message 一律用中文写",
        type="preference",
        valid_from=turn["source"]["at"],
        turn_id=turn["id"],
    )
    stage.ask("get_memory", kept["id"])
    memory = await server.call("get_memory", id=kept["id"])
    stage.print_memory(memory)
    stage.say("It rests on this turn, as it was said:")
    stage.print_quote(turn)
    stage.check("the memory names its turn", memory["source"].get("turn_id") == turn["id"])
    with stage.show_activity("computing its vector"):
        await server.wait_for_vectors()
    found = await _ask(
        server, stage, "search_memory", "Which language for commit messages?", types=["preference"]
    )
    stage.check("an English question finds the Chinese memory", _ids(found) == [kept["id"]])
    return str(kept["id"])


async def _correction(server: Guest, stage: Stage, memory_id: str) -> None:
    stage.begin_stop("5  A preference changes: the correction comes first, history stays")
    said = await server.call(
        "search_conversation_traces",
        query="From today commit messages are in English",
        limit=1,
        context=0,
    )
    turn = said["hits"][0]
    stage.print_quote(turn)
    wording = "Lin Lan writes commit messages in English since 8 April (was Chinese)"
    stage.ask("revise_memory", f"correct → {wording}  (turn_id=…)")
    await server.call(
        "revise_memory",
        id=memory_id,
        action="correct",
        content=wording,
        valid_from=turn["source"]["at"],
        turn_id=turn["id"],
    )
    memory = await server.call("get_memory", id=memory_id)
    stage.print_memory(memory)
    with stage.show_activity("computing its vector"):
        await server.wait_for_vectors()
    found = await _ask(
        server, stage, "search_memory", "commit message 用什么语言写？", types=["preference"]
    )
    stage.check("only the present wording is found", _texts(found) == wording)
    stage.check("the old wording keeps its window", bool(memory["versions"][1].get("valid_to")))


async def _no_answer(server: Guest, stage: Stage) -> None:
    stage.begin_stop("6  A question with no answer: what is nearest, and that it does not fit")
    for question in ("林岚是什么血型？", "What rate does she pay on her mortgage?"):
        found = await _ask(server, stage, "search_memory", question)
        stage.check("nothing is called an answer", found["answered"] is False)


async def _restart(server: Guest, stage: Stage, memory_id: str) -> None:
    stage.begin_stop("7  Restart: the server was stopped; a new process opens the same home")
    found = await _ask(
        server, stage, "search_memory", "Which language for commit messages?", types=["preference"]
    )
    stage.check("the same memory, the same id", _ids(found) == [memory_id])


async def _forget(server: Guest, stage: Stage, read_all: Callable[[], bytes]) -> None:
    stage.begin_stop("8  Forget: erased from every place, and not learnt again")
    turn = {"role": "user", "content": f"{FORGOTTEN}.", "session_id": "s", "message_id": "m"}
    said = await server.call("record_conversation", turns=[turn])
    kept = await server.call("remember", content=FORGOTTEN, turn_id=said["turn_ids"][0])
    stage.ask("forget_memory", f"{FORGOTTEN}  (include_source=true)")
    stage.check("before, the files hold it", _holds(read_all(), FORGOTTEN))
    meant: dict[str, Any] = {"ids": [kept["id"]], "include_source": True}
    shown = await server.call("forget_memory", **meant)
    stage.check("the first call shows all that would go, and erases nothing", "token" in shown)
    await server.call("forget_memory", **meant, token=shown["token"])
    stage.check("afterwards no file holds a trace of it", not _holds(read_all(), "okapi"))
    again = await server.call("record_conversation", turns=[turn])
    stage.check("the same turn, imported again, is refused", again.get("forgotten") == 1)


def _secrets(content: bytes, stage: Stage) -> None:
    stage.begin_stop("9  And the secrets? Every file of the home is read, byte by byte")
    stage.check("what was kept is found that way (E1437)", _holds(content, "E1437"))
    found = [secret for secret in SECRETS if _holds(content, secret)]
    stage.check(f"none of {len(SECRETS)} secrets in {len(content):,} bytes", not found)


def _holds(content: bytes, text: str) -> bool:
    """Check whether files hold a text: as it is, or as the search index would have written it.

    Stored texts may be compressed; the index's tokens never are.
    """
    return any(form.encode() in content for form in (text.lower(), index_text(text)))


async def _ask(server: Guest, stage: Stage, tool: str, question: str, **filters: object) -> Answer:
    stage.ask(tool, question)
    found = await server.call(tool, query=question, limit=3, **filters)
    stage.print_hits(found)
    return found


def _conversation() -> list[dict[str, Any]]:
    text = resources.files(__package__).joinpath("conversation.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def _texts(found: Answer) -> str:
    return "\n".join(
        hit["text"] + str(hit.get("tool", {}).get("result", "")) for hit in found["hits"]
    )


def _ids(found: Answer) -> list[str]:
    return [hit["id"] for hit in found["hits"]]
