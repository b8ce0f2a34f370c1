"""Reaching another tenant's memory, or another project's: by ids, names, patterns, errors, time."""

import json
import re
import statistics
import time
import uuid
from urllib.parse import quote

from bench.attack.arena import Arena
from bench.attack.attack import attack, slow_attack
from bench.attack.caller import Caller

_WORD = "zqgrebe"
_ACTIONS = ("correct", "confirm", "archive", "restore", "pin", "upvote")
_PATTERNS = (
    "%",
    "_",
    "*",
    "%%",
    "_" * 36,
    "[0-9a-f]*",
    ".*",
    "0",
    "",
    " ",
    "' OR '1'='1",
    '" OR 1=1 --',
    "1; SELECT * FROM turns",
    "NEAR(a b)",
    'content:"x"',
    "a* OR b*",
    "NOT x",
    "^x",
    "{a b}:c",
    "x AND",
    '"',
    "(",
    ")",
    "-",
    "+x",
    "a:b:c",
    "\\",
    "\\'",
    "%27%20OR%201=1",
    "${7*7}",
    "{{7*7}}",
    "\u2028",
    "zqgreb%",
    "zqgreb*",
    "z_grebe",
)
_ROUNDS = 60


async def _make_victim(caller: Caller) -> dict[str, str]:
    """A tenant with something of every kind; gives ids by kind."""
    (turn,) = await caller.say(f"Remember: the {_WORD} nests in the mill.", session_id="victims")
    memory = await caller.remember(
        f"The {_WORD} of Odalys nests in the mill",
        entities=["Odalys"],
        task=f"watch the {_WORD}",
        workspace="aviary",
    )
    await caller.call("update_scratchpad", current_focus=f"the {_WORD}", session_id="victims")
    return {"turn": turn, "memory": memory}


@attack
async def use_another_tenants_ids(arena: Arena) -> None:
    """Read, revise, forget, cite, supersede and link another tenant's memories and turns."""
    async with arena.connect("victim") as victim, arena.connect("thief") as thief:
        ids = await _make_victim(victim)
        for kind, one in ids.items():
            answers = [
                await thief.ask("get_memory", id=one),
                await thief.ask("forget_memory", ids=[one], include_source=True),
                await thief.ask("remember", content="A fine day it is", turn_id=one),
                await thief.ask("remember", content="A finer day it is", supersedes=one),
            ]
            for action in _ACTIONS:
                more = {"content": "zqchanged"} if action == "correct" else {}
                answers.append(await thief.ask("revise_memory", id=one, action=action, **more))
            told = "".join(answer.everything for answer in answers)
            told += await thief.read(f"memory://memories/{one}")
            arena.check(_WORD not in told, f"{kind}: {told[:300]}")
            kept = await victim.ask("get_memory", id=one)
            arena.check(kept.refusal is None and _WORD in kept.text, f"{kind} is gone")
            arena.check("zqchanged" not in kept.everything, f"{kind} was changed")
            plain = "pinned" not in kept.text and " up" not in kept.text
            arena.check(plain, f"{kind} was pinned or voted for: {kept.text[:200]}")


@attack
async def tell_from_errors_whether_somebody_has_an_id(arena: Arena) -> None:
    """Compare what is said of another tenant's id with what is said of one that nobody has."""
    async with arena.connect("victim") as victim, arena.connect("thief") as thief:
        ids = await _make_victim(victim)
        await victim.forget(gone := await victim.remember(f"The {_WORD} is gone"))
        for kind, one in {**ids, "forgotten": gone}.items():
            invented = str(uuid.uuid4())
            calls: list[tuple[str, dict[str, object]]] = [
                ("get_memory", {"id": "?"}),
                ("revise_memory", {"id": "?", "action": "upvote"}),
                ("remember", {"content": "A fine day it is", "turn_id": "?"}),
                ("remember", {"content": "A finer day it is", "supersedes": "?"}),
                ("forget_memory", {"ids": ["?"]}),
            ]
            for tool, arguments in calls:
                said = []
                for asked in (one, invented):
                    given = {
                        k: [asked] if v == ["?"] else asked if v == "?" else v
                        for k, v in arguments.items()
                    }
                    answer = await thief.ask(tool, **given)
                    said.append(answer.everything.replace(asked, "ID"))
                arena.check(said[0] == said[1], f"{tool} of a {kind}: {said[0]!r} or {said[1]!r}")
            pages = [
                (await thief.read(f"memory://memories/{x}")).replace(x, "ID")
                for x in (one, invented)
            ]
            arena.check(pages[0] == pages[1], f"resource of a {kind}: {pages}")


@slow_attack
async def tell_from_time_whether_somebody_has_an_id(arena: Arena) -> None:
    """Measure how long refusals take for another tenant's id and for one that nobody has."""
    async with arena.connect("victim") as victim, arena.connect("thief") as thief:
        ids = await _make_victim(victim)
        for kind, one in ids.items():
            took: dict[str, list[float]] = {one: [], str(uuid.uuid4()): []}
            for _ in range(_ROUNDS):
                for asked, times in took.items():
                    began = time.perf_counter()
                    await thief.ask("get_memory", id=asked)
                    times.append(time.perf_counter() - began)
            theirs, nobodys = (statistics.median(times) * 1000 for times in took.values())
            arena.note(f"ms for another's {kind}", theirs)
            arena.note(f"ms for nobody's {kind}", nobodys)
            ratio = max(theirs, nobodys) / min(theirs, nobodys)
            arena.check(ratio < 1.5, f"{kind}: {theirs:.2f} ms or {nobodys:.2f} ms")  # noqa: PLR2004


@slow_attack
async def search_another_tenants_words_with_every_filter(arena: Arena) -> None:
    """Search for another tenant's words with its sessions, workspaces, tasks, dates and kinds."""
    filters: tuple[dict[str, object], ...] = (
        {},
        {"session_id": "victims"},
        {"workspace": "aviary"},
        {"workspace": "*"},
        {"include_history": True},
        {"since": "1970-01-01"},
        {"until": "2999-01-01"},
        {"limit": 200, "max_tokens": 100_000},
        {"task": f"watch the {_WORD}"},
        {"as_of": "2999-01-01"},
        {"types": ["fact", "rule", "goal"]},
        {"role": "user"},
    )
    async with arena.connect("victim") as victim, arena.connect("thief") as thief:
        await _make_victim(victim)
        await thief.remember("The mill of the village grinds oats", entities=["Odalys"])
        for tool in ("search_memory", "search_conversation_traces"):
            for more in filters:
                for query in (f"Where does the {_WORD} nest?", "Odalys", "mill"):
                    answer = await thief.ask(tool, query=query, **more)
                    told = answer.everything.replace(query, "").replace(f"watch the {_WORD}", "")
                    arena.check(_WORD not in told, f"{tool} {more}: {told[:200]}")
        for place in ("status", "scratchpad", "core/MEMORY.md", "sessions/victims"):
            told = await thief.read(f"memory://{place}")
            arena.check(_WORD not in told, f"{place}: {told[:200]}")
        status = await thief.read("memory://status")
        arena.check(json.loads(status)["memories"] == {"active": 1}, f"it counts: {status}")


@slow_attack
async def pass_patterns_and_query_syntax_for_text(arena: Arena) -> None:
    """Pass LIKE and GLOB patterns, SQL and full-text syntax as queries, ids, names and filters."""
    async with arena.connect("victim") as victim, arena.connect("thief") as thief:
        await _make_victim(victim)
        await thief.remember("The kiln is warm", task="fire the kiln")
        await thief.say("Nothing much.", session_id="mine")
        for pattern in _PATTERNS:
            calls: tuple[tuple[str, dict[str, object]], ...] = (
                ("search_memory", {"query": pattern}),
                (
                    "search_memory",
                    {"query": "kiln", "session_id": pattern, "task": pattern, "workspace": pattern},
                ),
                ("search_conversation_traces", {"query": pattern, "tool": pattern}),
                ("search_conversation_traces", {"query": "x", "session_id": pattern}),
                ("get_memory", {"id": pattern}),
                ("revise_memory", {"id": pattern, "action": "archive"}),
                ("forget_memory", {"ids": [pattern]}),
            )
            for tool, arguments in calls:
                answer = await thief.ask(tool, **arguments)
                told = answer.everything.replace(pattern, "")
                arena.check(_WORD not in told, f"{tool} {pattern!r}: {told[:200]}")
                said = f"{answer.refusal or ''}".lower()
                arena.check("sql" not in said and "fts5" not in said, f"{pattern!r}: {said}")
        kept = await thief.texts("Is the kiln warm?")
        arena.check(bool(kept), "a pattern has archived or forgotten something")


@attack
async def read_files_and_tenants_through_resource_uris(arena: Arena) -> None:
    """Ask for resources with .., encoded slashes, other schemes, hosts and tenants' ids."""
    async with arena.connect("victim") as victim, arena.connect("thief") as thief:
        ids = await _make_victim(victim)
        (arena.home / "MEMORY.md").write_text(f"# MEMORY.md\n- {_WORD}\n", "utf-8")
        paths = (
            "../MEMORY.md",
            "../../home/MEMORY.md",
            "../tombstone.key",
            "../memoria.db",
            "/etc/passwd",
            "....//MEMORY.md",
            "MEMORY.md/../../MEMORY.md",
            "./MEMORY.md",
            "..\\MEMORY.md",
            "MEMORY.md\x00.txt",
            "victims",
            ids["memory"],
            ids["turn"],
            "%",
            "*",
        )
        uris = [
            f"memory://{base}/{one}"
            for base in ("core", "memories", "sessions", "")
            for path in paths
            for one in (path, quote(path, safe=""), quote(quote(path, safe=""), safe=""))
        ]
        uris += [
            "file:///etc/passwd",
            "memory://victim@core/MEMORY.md",
            "memory://core:victim/x",
            "MEMORY://core/MEMORY.md",
            "memory:core/MEMORY.md",
            "memory://core/MEMORY.md?tenant=x",
            "memory://core/MEMORY.md#victim",
            "http://127.0.0.1/",
            "",
            "memory://",
            "a" * 100_000,
        ]
        for uri in uris:
            told = await thief.read(uri)
            for sign in (_WORD, "root:x:", "SQLite format"):
                arena.check(sign not in told.replace(uri, ""), f"{uri[:80]}: {told[:200]}")


@slow_attack
async def share_a_folder_with_a_tenant_of_a_similar_name(arena: Arena) -> None:
    """Take names that fold, normalise or shorten to another tenant's, and read its files."""
    names = (
        "Café",
        "Café",
        "cafe",
        "CAFÉ",
        "café ",
        "default",
        "Default",
        "DEFAULT",
        "default ",
        "tenants",
        "a" * 60,
        "a" * 61,
        "x/y",
        "x-y",
        "x y",
        "ｄｅｆａｕｌｔ",
        "defau\u200blt",
    )
    for number, name in enumerate(names):
        async with arena.connect(name) as caller:
            await caller.remember(f"The user prefers mark{number:02} of {_WORD}", type="preference")
    seen: dict[str, set[str]] = {}
    for name in names:
        async with arena.connect(name) as caller:
            texts = "\n".join((await caller.show_model(f"mark {_WORD} user prefers")).values())
            seen[name] = set(re.findall(r"mark\d\d", texts))
    for number, name in enumerate(names):
        others = seen[name] - {f"mark{number:02}"}
        same = {f"mark{i:02}" for i, other in enumerate(names) if other.strip() == name.strip()}
        arena.check(not others - same, f"{name!r} sees {sorted(others - same)}")


@slow_attack
async def name_a_memory_by_a_few_letters_of_its_id(arena: Arena) -> None:
    """Use short ids on the command line: never another tenant's, and never one of several."""
    first = (await arena.run("remember", "The", "kiln", "is", "warm", "--json")).document["id"]
    second = (await arena.run("remember", "The", "barn", "is", "red", "--json")).document["id"]
    theirs = await arena.run("--tenant", "victim", "remember", f"The {_WORD} nests", "--json")
    prefix = theirs.document["id"]
    for short in (prefix[:4], prefix[:8], prefix[:13], prefix[:-1], first[:3], "0", "-", "%"):
        for command in (("show", short), ("forget", short, "--yes")):
            ran = await arena.run(*command)
            arena.check(_WORD not in ran.text, f"{command}: {ran.text[:200]}")
    found = await arena.run("search", "kiln", "barn", "--json")
    kept = {hit["id"] for hit in found.document["hits"]}
    arena.check(kept == {first, second}, f"of two memories {len(kept)} are left")
    found = await arena.run("--tenant", "victim", "search", _WORD, "--json")
    arena.check(bool(found.document["hits"]), "another tenant's memory went")


@attack
async def learn_of_private_projects_from_outside(arena: Arena) -> None:
    """Ask from another project for a private one: by search, count, topic, session and star."""
    private = {"private_workspaces": "vault"}
    try:
        async with arena.connect(workspace="vault", **private) as inside:
            await inside.say(
                f"The {_WORD} project needs gcc 12.", session_id="inside", workspace="vault"
            )
            await inside.remember(f"The build of {_WORD} needs gcc 12", workspace="vault")
    except Exception:  # noqa: BLE001  (the setting takes another form)
        private = {"private_workspaces": ("vault",)}  # type: ignore[dict-item]
        async with arena.connect(workspace="vault", **private) as inside:
            await inside.say(
                f"The {_WORD} project needs gcc 12.", session_id="inside", workspace="vault"
            )
            await inside.remember(f"The build of {_WORD} needs gcc 12", workspace="vault")
    async with arena.connect(workspace="den", **private) as outside:
        for more in ({}, {"workspace": "*"}, {"session_id": "inside"}, {"workspace": "den"}):
            for tool in ("search_memory", "search_conversation_traces"):
                told = (
                    await outside.ask(tool, query="What does the build need?", **more)
                ).everything
                arena.check(
                    _WORD not in told and "vault" not in told, f"{tool} {more}: {told[:200]}"
                )
        shown = await outside.show_model("build gcc")
        for place, text in shown.items():
            arena.check(_WORD not in text, f"{place}: {text[:200]}")


@slow_attack
async def share_a_folder_with_a_tenant_of_another_name(arena: Arena) -> None:
    """Use two names whose short digests are equal: neither is served the other's core files."""
    names = ("用户二七一二九", "用户二七五四二")
    for name, word in zip(names, ("zqplover", "zqheron"), strict=True):
        said = await arena.run("--tenant", name, "remember", f"Always greet the {word} first")
        arena.check(said.code == 0, f"{name}: {said.text[-200:]}")
        await arena.run("--tenant", name, "nightly")
    for name, word in zip(names, ("zqheron", "zqplover"), strict=True):
        await arena.run("--tenant", name, "nightly")
        async with arena.connect(name) as caller:
            shown = await caller.show_model("greet first")
        told = [place for place, text in shown.items() if word in text]
        arena.check(not told, f"{name} is told the other's rule in {told}")
        found = await arena.run("--tenant", name, "search", word)
        arena.check(word not in found.out, f"{name} has learnt the other's rule")
    folders = [path for path in (arena.home / "tenants").iterdir() if (path / "MEMORY.md").exists()]
    arena.check(len(folders) == len(names), f"the two have {len(folders)} folders")
