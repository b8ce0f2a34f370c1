"""Getting a secret or a private word written down somewhere, or shown where keys are configured."""

import base64
import json
from typing import Any

from bench.attack.arena import Arena
from bench.attack.attack import attack, slow_attack
from bench.attack.endpoint import Request, serve_model
from bench.attack.remains import find_remains


def _key(prefix: str, length: int = 36) -> str:
    """A key that nobody has, put together so that no scanner takes this file for a leak."""
    letters = "a7Kq9Zx2Wm4Rt6Yp8Bn1Vc3Ls5Dh0Jf7Gk2Qe4Xu6"
    return prefix + (letters * 3)[:length]


_SHAPES = {
    "OpenAI": _key("sk-proj-", 48),
    "GitHub": _key("ghp_"),
    "DigitalOcean": "dop_v1_" + "0f1e2d3c4b5a6978" * 4,
    "Shopify": "shpat_" + "0f1e2d3c4b5a6978" * 2,
    "Linear": _key("lin_api_", 40),
    "Vault": _key("hvs.", 90),
    "Docker": _key("dckr_pat_", 27),
    "Databricks": "dapi" + "0f1e2d3c4b5a6978" * 2,
    "Replicate": _key("r8_", 37),
    "New Relic": _key("NRAK-", 27).upper(),
    "Postman": "PMAK-" + "0f1e2d3c4b5a69780f1e2d3c" + "-" + "0f1e2d3c4b5a69780f1e2d3c4b5a697812",
    "Grafana": _key("glsa_", 32) + "_0f1e2d3c",
    "Supabase": "sbp_" + "0f1e2d3c4b" * 4,
    "Airtable": _key("pat", 14) + "." + "0f1e2d3c4b5a6978" * 4,
    "Tailscale": _key("tskey-auth-", 12) + "-" + _key("", 32),
    "Atlassian": _key("ATATT3x", 60) + "=0F1E2D3C",
    "Dropbox": _key("sl.", 130),
    "age": "AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" + "QPZRY9X8GF2TVDW0S3JN54KHCE",
}
_STATED = {
    "value on the next line": "password:\n{}",
    "Markdown table": "| user | password |\n|---|---|\n| root | {} |",
    "CSV": "user,password\nroot,{}",
    "quoted passphrase": 'the passphrase is "{} horse battery"',
    "mysql": "mysql -u root -p{} shop",
    "WireGuard": "PresharedKey = {}",
    "密码": "密码：{}",
    "Kennwort": "Das Passwort ist {}",
    "mot de passe": "mot de passe : {}",
    "contraseña": "contraseña: {}",
    "пароль": "пароль: {}",
    "パスワード": "パスワードは{}",
    "URL": "postgres://root:{}@db.example/shop",
    "header": "Authorization: Bearer {}",
    "environment": "export API_SECRET={}",
    "JSON": '{{"client_secret": "{}"}}',
    "cookie": "Set-Cookie: session={}; HttpOnly",
}
_AUTH = base64.b64encode(b"root:Zq77hKw7Ux").decode()
_FORMED = {
    "Docker auth": (f'{{"auths": {{"https://r.example/v1/": {{"auth": "{_AUTH}"}}}}}}', _AUTH),
    "SAS": (f"https://x.blob.core.windows.net/a?sv=2024&sig={_key('', 43)}%3D", _key("", 43)),
    "验证码": ("验证码：839201", "839201"),
}
_GUEST = _key("ghp_")
_PRIVATE = {
    "plain": "<private>zqhush</private>",
    "capitals": "<PRIVATE>zqhush</PRIVATE>",
    "attributes": '<private reason="x">zqhush</private>',
    "spaces": "<private >zqhush</private >",
    "nested": "<private>a <private>zqhush</private> zqhush</private>",
    "new lines": "<private>\nzqhush\n\n</private>",
    "around ours": "<memoria>x</memoria><private>zqhush</private>",
    "inside ours": "<memoria><private>zqhush</private></memoria>",
}


@slow_attack
async def store_keys_that_vendors_publish_the_format_of(arena: Arena) -> None:
    """Say keys of eighteen vendors in turns, tool results and statements, and search the home."""
    async with arena.connect() as caller:
        for name, secret in _SHAPES.items():
            turns = [
                {"role": "user", "content": f"Here: {secret} (that is for {name})"},
                {"role": "tool", "tool_name": "env", "tool_result": {"out": secret}},
                {"role": "tool", "tool_name": "env", "tool_args": [{"deep": [secret]}]},
            ]
            await caller.call("record_conversation", turns=turns, session_id="s")
            await caller.ask("remember", content=f"The {name} deployment uses {secret} for now")
    for name, secret in _SHAPES.items():
        left = find_remains(arena.home, secret)
        arena.check(not left, f"{name} ({secret[:8]}…) is in {left}")


@slow_attack
async def store_secrets_that_only_their_surroundings_name(arena: Arena) -> None:
    """Say passwords on the next line, in tables, CSV, commands and other languages."""
    secrets = {how: f"Zq{number}hKw7Ux{number}" for number, how in enumerate(_STATED)}
    texts = {how: form.format(secrets[how]) for how, form in _STATED.items()}
    for how, (text, secret) in _FORMED.items():
        texts[how], secrets[how] = text, secret
    async with arena.connect() as caller:
        for number, text in enumerate(texts.values()):
            await caller.say(text, session_id=f"s{number}")
            await caller.ask("remember", content=text)
    for how, secret in secrets.items():
        left = find_remains(arena.home, secret)
        arena.check(not left, f"{how}: it is in {left}")


@attack
async def put_a_key_into_every_argument_and_name(arena: Arena) -> None:
    """Put a key into ids, sessions, speakers, workspaces, tasks, subjects, tools, client names."""
    for place in ({"tenant": f"t {_GUEST}"}, {"workspace": f"w {_GUEST}"}):
        try:
            async with arena.connect(**place) as c:
                await c.say("Remember: the kiln is warm.", event="session_end")
        except Exception as error:  # noqa: BLE001  (a refusal is as good)
            arena.check(_GUEST not in str(error), f"{list(place)}: the refusal says it")
    async with arena.connect(client=f"c {_GUEST}") as c:
        turn = {
            "role": "user",
            "content": "hello",
            "speaker": f"Kim {_GUEST}",
            "message_id": f"m {_GUEST}",
            "session_id": f"s {_GUEST}",
        }
        tool = {
            "role": "tool",
            "tool_name": f"t {_GUEST}",
            "tool_args": {_GUEST: [_GUEST, {_GUEST: 1}]},
            "tool_result": f"{_GUEST}",
        }
        for one in (turn, tool):
            await c.ask(
                "record_conversation",
                turns=[one],
                session_id=f"x {_GUEST}",
                workspace=f"y {_GUEST}",
            )
        await c.ask(
            "remember",
            content="The kiln is warm",
            subject=f"kiln {_GUEST}",
            task=f"task {_GUEST}",
            entities=[f"Kiln {_GUEST}"],
            session_id=f"s {_GUEST}",
            workspace=f"v {_GUEST}",
        )
        await c.ask("update_scratchpad", current_focus=f"f {_GUEST}", session_id=f"z {_GUEST}")
        await c.ask("update_scratchpad", completed=f"done {_GUEST}", session_id="s")
        await c.ask("search_memory", query=f"kiln {_GUEST}", session_id=_GUEST, workspace=_GUEST)
        await c.ask("search_conversation_traces", query=_GUEST, tool=_GUEST)
        answer = await c.ask("search_memory", query="kiln", task=_GUEST)
        arena.check(answer.data is not None, "no answer")
    left = find_remains(arena.home, _GUEST)
    arena.check(not left, f"it is in {left}")
    names = [str(path) for path in arena.home.rglob("*") if _GUEST.lower() in str(path).lower()]
    arena.check(not names, f"a file is named after it: {names}")


@attack
async def hide_a_key_behind_invisible_characters(arena: Arena) -> None:
    """Break a key up with characters that nobody sees and that are taken out later."""
    key = _SHAPES["GitHub"]
    async with arena.connect() as caller:
        ids: list[str] = []
        for number, char in enumerate("\u200b\u200d\u2060\u00ad\ufeff\u202a\U000e0041"):
            broken = char.join((key[:6], key[6:]))
            ids += await caller.say(f"walrus key {broken}", session_id=f"s{number}")
            answer = await caller.ask("remember", content=f"The walrus key {number} is {broken}")
            ids += [answer.data["id"]] if "id" in answer.data else []
        shown = await caller.show_model("walrus key", *ids)
    tail = key[6:]
    for place, text in shown.items():
        arena.check(tail not in text, f"{place} shows all but its beginning")
    left = find_remains(arena.home, tail)
    arena.check(not left, f"all but its beginning is in {left}")


@attack
async def get_private_spans_written_down(arena: Arena) -> None:
    """Spell the private tag in other ways, nest it, and put it into names and tool results."""
    async with arena.connect() as caller:
        for number, span in enumerate(_PRIVATE.values()):
            turns = [
                {"role": "user", "content": f"a {span} b", "speaker": f"Kim {span}"},
                {"role": "tool", "tool_name": "x", "tool_args": {"a": span}, "tool_result": [span]},
            ]
            data = {"turns": turns, "session_id": f"s{number} {span}", "workspace": f"w {span}"}
            await caller.ask("record_conversation", **data)
            await caller.ask("remember", content=f"The kiln {number} is {span} warm", task=span)
            await caller.ask("update_scratchpad", current_focus=f"kiln {span}", session_id="s")
    left = find_remains(arena.home, "zqhush")
    arena.check(not left, f"it is in {left}")


@slow_attack
async def have_a_model_write_a_secret_down(arena: Arena) -> None:
    """Let a chat model put keys and passwords into its conclusions, summaries and names."""
    secret = _SHAPES["GitHub"]

    def play(request: Request) -> object:
        content = f"Ann uses {secret} as her key"
        operation = {
            "op": "ADD",
            "type": "fact",
            "content": content,
            "quote": "Ann moved to Leeds",
            "turn": 1,
            "subject": f"Ann {secret}",
            "predicate": secret,
        }
        summary = {
            "summary": f"{content}. Ann moved to Leeds.",
            "goal": content,
            "importance": 0.9,
            "outcome": content,
            "entities": [secret],
            "quotes": [{"turn": 1, "quote": "Ann moved to Leeds"}],
        }
        del request
        return {"operations": [operation], "episodes": [{**summary, "segment": 1}], **summary}

    with serve_model(play) as model:
        options: dict[str, Any] = {
            "llm_base_url": model.url,
            "llm_model": "hostile",
            "extraction_wait_minutes": 0,
        }
        async with arena.connect(**options) as caller:
            await caller.say(
                "My sister Ann moved to Leeds, please keep that in mind.",
                "We shall visit Ann there in the summer with the children.",
                event="session_end",
            )
            for _ in range(40):
                await caller.find("Ann Leeds key")
                if len(model.requests) > 1:
                    break
    arena.check(bool(model.requests), "no model was asked")
    left = find_remains(arena.home, secret)
    arena.check(not left, f"it is in {left}")


@slow_attack
async def import_a_transcript_full_of_keys(arena: Arena) -> None:
    """Import keys in contents, names, ids and file names, then look through the whole home."""
    name = arena.folder / f"chat {_GUEST}.jsonl"
    lines = [
        {"role": "user", "content": f"key {_GUEST}", "session_id": f"s {_GUEST}"},
        {"role": "user", "content": "hi", "speaker": _GUEST, "message_id": _GUEST},
        {"role": "tool", "tool_name": _GUEST, "tool_result": _GUEST, "session_id": "t"},
        {"role": "user", "content": "hi", _GUEST: _GUEST},
        {"role": _GUEST, "content": "hi"},
    ]
    name.write_text("\n".join(map(json.dumps, lines)) + f"\n{_GUEST} is no JSON\n", "utf-8")
    ran = await arena.run("import", name)
    stated = ran.text.replace(str(name), "").replace(name.name, "")
    arena.check(_GUEST not in stated, f"the report says it: {stated[-200:]}")
    left = find_remains(arena.home, _GUEST)
    arena.check(not left, f"it is in {left}")


@slow_attack
async def have_configured_keys_printed(arena: Arena) -> None:
    """Configure keys, also within URLs and commands, and read everything the program prints."""
    keys = {
        "MEMORIA_LLM_API_KEY": _key("zq-llm-"),
        "MEMORIA_EMBEDDING_API_KEY": _key("zq-emb-"),
        "MEMORIA_RERANK_API_KEY": _key("zq-rer-"),
    }
    within = _key("zqurl", 20)
    environment = {
        **keys,
        "MEMORIA_LLM_BASE_URL": f"http://user:{within}@127.0.0.1:9/v1?key={within}",
        "MEMORIA_LLM_MODEL": "m",
        "MEMORIA_RERANK_BASE_URL": f"http://user:{within}@127.0.0.1:9/v1?key={within}",
        "MEMORIA_RERANK_MODEL": "m",
        "MEMORIA_EMBEDDING_BASE_URL": f"http://user:{within}@127.0.0.1:9/v1?key={within}",
        "MEMORIA_EMBEDDING_MODEL": "m",
        "MEMORIA_EMBEDDER": "endpoint",
        "MEMORIA_LLM_ATTEMPTS": "1",
        "MEMORIA_LLM_TIMEOUT_S": "2",
    }
    async with arena.connect() as caller:
        await caller.say("My sister Ann lives in Leeds, and she likes it.", event="session_end")
    commands = (
        ("doctor",),
        ("doctor", "--json"),
        ("stats",),
        ("stats", "--json"),
        ("search", "Ann", "--explain"),
        ("model", "queue", "fill"),
        ("model", "queue", "run"),
        ("model", "queue", "list"),
        ("nightly", "--json"),
        ("nightly", "runs", "--json"),
        ("nightly", "schedule", "show"),
        ("context", "Ann"),
    )
    secrets = (*keys.values(), within)
    for command in commands:
        ran = await arena.run(*command, **environment)
        told = [secret[:7] for secret in secrets if secret in ran.text]
        arena.check(not told, f"{command} prints {told}: {ran.text[-300:]}")
    async with arena.serve(**environment) as caller:
        await caller.find("Ann")
        texts = {"status": await caller.read("memory://status"), "stderr": caller.stderr}
        for place, text in texts.items():
            told = [secret[:7] for secret in secrets if secret in text]
            arena.check(not told, f"{place} says {told}")
    left = find_remains(arena.home, *secrets)
    arena.check(not left, f"they are in {left}")
    bad = {
        "MEMORIA_LLM_BASE_URL": f"ftp://{within}",
        "MEMORIA_LLM_TIMEOUT_S": within,
        "MEMORIA_PERSONAL_DATA": within,
        "MEMORIA_RETENTION": within,
        "MEMORIA_EMBEDDER": within,
        "MEMORIA_TIME_ZONE": within,
        "MEMORIA_LLM_COMMAND": f"x '{within}",
    }
    for name, value in bad.items():
        ran = await arena.run("stats", **{name: value})
        arena.check(within not in ran.text, f"{name}: {ran.text[-200:]}")
        arena.check("Traceback" not in ran.text, f"{name}: a traceback")


@slow_attack
async def capture_what_is_said_in_private(arena: Arena) -> None:
    """Switch a workspace's sessions to private, and look for what was said meanwhile."""
    ran = await arena.run("--workspace", "den", "private", "on")
    arena.check(ran.code == 0, f"private on: {ran.text[-200:]}")
    async with arena.serve("--workspace", "den") as caller:
        turn = {"role": "user", "content": "Remember: zqhush is our word."}
        await caller.ask("record_conversation", turns=[turn], session_id="s", event="session_end")
        await caller.ask("record_conversation", turns=[turn], session_id="s", workspace="den")
        await caller.ask("remember", content="The zqhush is kept in the den", session_id="s")
        await caller.ask("update_scratchpad", current_focus="zqhush", session_id="s")
    file = arena.folder / "chat.jsonl"
    file.write_text(json.dumps({**turn, "session_id": "s", "workspace": "den"}) + "\n", "utf-8")
    left = find_remains(arena.home, "zqhush")
    arena.check(not left, f"it is in {left}")
    ran = await arena.run("--workspace", "den", "private", "off")
    arena.check(ran.code == 0, f"private off: {ran.text[-200:]}")
    async with arena.serve("--workspace", "den") as caller:
        await caller.say("The kiln is warm today.")
        found = await caller.find("kiln", "search_conversation_traces")
        arena.check(bool(found), "nothing is captured after it was switched off")
