"""Ids of one tenant, ids that never were, and every call over MCP into which an id can be put."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from tests.surface.http.attack.agent import McpAgent
from tests.surface.http.attack.conftest import SAID

IdKind = str
Call = tuple[str, dict[str, Any]]
"""A method and its parameters; `{memory}` and other names in braces stand for ids."""
_MADE = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_SHORT = re.compile(r"\b[0-9a-f]{8,64}\b")
_SECRET = re.compile(r"whsec_[\w+/]+=*")
_EVENT = re.compile(r"\b\d+-\d{13}\b")
_LENGTH = re.compile(r'"tokens": \d+')
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?")
REVISIONS = (
    "correct", "confirm", "archive", "restore", "pin", "unpin", "upvote", "downvote",
    "everywhere", "project",
)  # fmt: skip


def fill(agent: McpAgent) -> dict[IdKind, str]:
    """Have an agent keep something of every kind; return an id of each.

    Args:
        agent: one that may erase.
    """
    ids = {
        "session": "ann-session-7f3a91",
        "message": "ann-message-55e0c2",
        "workspace": "/srv/ann-project-2c41d8",
        "task": "ann-task-9b03f7",
        "entity": "Xochipilli-4410aa",
    }
    unread = {"role": "user", "content": "I am allergic to nuts, and so is Quetzalcoatl."}
    agent.do("record_conversation", turns=[unread], session_id="ann-second-31f")
    page = agent.request("resources/read", uri="memory://unread")
    text = page["result"]["contents"][0]["text"]
    ids["page"] = _find(r'"([0-9a-f]{8}-\d+-[0-9a-f]{8})"', text)
    turn = {"role": "user", "content": SAID, "message_id": ids["message"]}
    where = {"session_id": ids["session"], "workspace": ids["workspace"]}
    agent.do("update_scratchpad", current_focus=ids["task"], session_id=ids["session"])
    agent.do("record_conversation", turns=[turn], **where)
    kept = agent.do(
        "remember",
        content=f"{ids['entity']}: {SAID}",
        entities=[ids["entity"]],
        task=ids["task"],
        **where,
    )
    ids["memory"] = kept["id"]
    found = agent.do("search_conversation_traces", query="opens the vault", workspace="*")
    ids["turn"] = found["hits"][0]["id"]
    ids["token"] = agent.do("forget_memory", ids=[ids["memory"]])["token"]
    return ids


def _find(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    assert found is not None, text
    return found[1]


def make_up(ids: Mapping[IdKind, str]) -> dict[IdKind, str]:
    """Return ids of the same form and length that never were."""
    turned = str.maketrans("0123456789abcdef", "9876543210fedcba")
    made: dict[IdKind, str] = {}
    for kind, known in ids.items():
        head, tail = known[: -len(known) // 3], known[-len(known) // 3 :]
        made[kind] = head + tail.translate(turned)
        assert made[kind] != known
    return made


def put_in(params: Any, ids: Mapping[IdKind, str]) -> Any:  # noqa: ANN401  (JSON)
    """Put ids into the places of a call that are left for them."""
    match params:
        case str():
            for kind, known in ids.items():
                params = params.replace(f"{{{kind}}}", known)
            return params
        case list():
            return [put_in(one, ids) for one in params]
        case dict():
            return {key: put_in(value, ids) for key, value in params.items()}
        case _:
            return params


def compare_form(answer: Mapping[str, Any], ids: Mapping[IdKind, str]) -> str:
    """Write an answer so that two which tell the same are equal.

    Ids that were sent are replaced by their kinds, ids that the server made and moments by words.
    """
    told = {key: value for key, value in answer.items() if key != "id"}
    text = json.dumps(told, sort_keys=True, ensure_ascii=False)
    longest_first = sorted(ids.items(), key=lambda one: -len(one[1]))
    for kind, known in longest_first:
        text = text.replace(known, f"<{kind}>") if len(known) > 8 else text
    text = _EVENT.sub("<event>", _SECRET.sub("<secret>", _MADE.sub("<made>", text)))
    for kind, known in longest_first:
        text = text.replace(known[-8:], f"<end of {kind}>")
    text = _LENGTH.sub('"tokens": <some>', text)  # an id may be a token longer than another
    return _MOMENT.sub("<moment>", _SHORT.sub("<made>", text))


_AGREED = {"token": "{token}"}


def _tool(name: str, **arguments: Any) -> Call:  # noqa: ANN401  (JSON)
    return "tools/call", {"name": name, "arguments": arguments}


def _completion(ref: dict[str, str], name: str, value: str) -> Call:
    return "completion/complete", {"ref": ref, "argument": {"name": name, "value": value}}


def list_calls() -> Iterator[Call]:
    """List every call over MCP into which an id can be put, and those that answer without one."""
    yield from _list_by_id()
    yield from _list_by_place()
    yield from _list_erasing()
    yield from _list_reading()


def _list_by_id() -> Iterator[Call]:
    for one in ("memory", "turn"):
        for action in REVISIONS:
            given = {"content": "The vault has no word."} if action == "correct" else {}
            yield _tool("revise_memory", id=f"{{{one}}}", action=action, **given)
    for one in ("memory", "turn", "session", "page"):
        yield _tool("get_memory", id=f"{{{one}}}")
        yield _tool("forget_memory", ids=[f"{{{one}}}"])
        yield _tool("forget_memory", ids=[f"{{{one}}}"], include_source=True, **_AGREED)
        for template in ("memories", "sessions", "unread"):
            yield "resources/read", {"uri": f"memory://{template}/{{{one}}}"}
        yield _tool("remember", content=f"Ben likes tea, says {one}.", supersedes=f"{{{one}}}")
        yield _tool("remember", content=f"Ben has tea with {one}.", turn_id=f"{{{one}}}")


def _list_by_place() -> Iterator[Call]:
    said = {"role": "user", "content": "Hello from the other side."}
    several = [{"content": "The vault has a word.", "quote": "opens the vault", "turn_id": 1}]
    by_turn = [{**several[0], "turn_id": "{turn}"}]
    yield _tool("remember", memories=several, page="{page}")
    yield _tool("remember", memories=several, page="memory://unread/{page}")
    yield _tool("remember", memories=[], page="{page}")
    yield _tool("remember", memories=by_turn)
    place = {"session_id": "{session}", "workspace": "{workspace}"}
    yield _tool(
        "remember", content="Ben keeps bees.", task="{task}", entities=["{entity}"], **place
    )
    yield _tool("record_conversation", turns=[{**said, "message_id": "{message}"}], **place)
    yield _tool("record_conversation", turns=[said], event="session_end", **place)
    yield _tool("update_scratchpad", completed="{task}", session_id="{session}")
    yield _tool("update_scratchpad", current_focus="Mend.", session_id="{session}")
    for tool in ("search_memory", "search_conversation_traces"):
        for narrowed in ({"session_id": "{session}"}, {"workspace": "{workspace}"}):
            yield _tool(tool, query="sister vault", include_history=True, **narrowed)
        yield _tool(tool, query="sister vault", queries=["{entity}", "{memory}"], workspace="*")
    yield _tool("search_memory", query="sister vault", task="{task}")
    yield _tool("search_conversation_traces", query="sister vault", role="user", context=5)


def _list_erasing() -> Iterator[Call]:
    for wide in (
        {"session_id": "{session}"}, {"workspace": "{workspace}"}, {"topic": "{entity}"},
        {"query": "sister vault"}, {"speaker": "user", "keep": ["{memory}"]},
        {"since": "2001-01-01"},
    ):  # fmt: skip
        yield _tool("forget_memory", **wide)
        yield _tool("forget_memory", include_source=True, **wide, **_AGREED)


def _list_reading() -> Iterator[Call]:
    for name in ("scratchpad", "core/MEMORY.md", "core/USER.md", "core/PERSONA.md", "unread"):
        yield "resources/read", {"uri": f"memory://{name}"}

    yield "resources/read", {"uri": "memory://core/../../{memory}"}
    yield "resources/read", {"uri": "memory://sessions/..%2F{session}"}
    yield "resources/list", {"cursor": "{memory}"}
    yield "tools/list", {"cursor": "{page}"}
    for prompt in ("briefing", "review"):
        yield "prompts/get", {"name": prompt}
    yield "prompts/get", {"name": "recall", "arguments": {"query": "{entity} vault"}}
    for name in ("recall", "context"):
        given = {"query": "sister vault", "workspace": "{workspace}"}
        extra = {"session_id": "{session}", "short_term_turns": "9"} if name == "context" else {}
        yield "prompts/get", {"name": name, "arguments": given | extra}
    for typed in ("{memory}", "{session}", ""):
        for one in ("memory", "session", "page"):
            family = {"memory": "memories", "session": "sessions", "page": "unread"}[one]
            uri = f"memory://{family}/{{{one}_id}}"
            yield _completion({"type": "ref/resource", "uri": uri}, f"{one}_id", typed)
    for typed in ("{workspace}", "/srv/a", ""):
        yield _completion({"type": "ref/prompt", "name": "recall"}, "workspace", typed)
