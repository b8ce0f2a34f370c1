"""Every route of the REST table as a call, for tenants that have something and for their twins."""

import json
from collections.abc import Mapping
from typing import Any

import httpx2
from tests.surface.http.attack.conftest import SAID, Served
from tests.surface.http.attack.known_ids import IdKind, compare_form

from memoria.model.access import Access
from memoria.surface.http.rest.routes import ROUTES
from memoria.surface.http.rest.table import EXAMPLE_IDS, RestRoute

Arguments = Mapping[str, Any]
ROUTES_BY_NAME = {route.name: route for route in ROUTES}
ENDPOINT = "https://127.0.0.1:9/nobody-listens"
"""Address of an example's webhook."""


class RestTenant:
    """One tenant's client, and how it calls the routes."""

    def __init__(self, served: Served, name: str, access: Access | None = Access.ADMIN) -> None:
        token = "" if access is None else served.create_token(name, access).text
        self.http = served.client(token)
        self.own = {"tenant": name, "session of": token.split(".")[1][-8:] if token else "none"}
        """What its answers may have of its own: its name, and the session it is seen in."""

    def send(self, route: RestRoute[Any], arguments: Arguments, **shown: str) -> httpx2.Response:
        """Call a route with arguments of its order, and with further headers."""
        headers = {name.encode(): one.encode("latin-1") for name, one in shown.items()}
        named = {name: str(arguments[name]) for name in route.path_names}
        rest = {name: one for name, one in arguments.items() if name not in named}
        path = route.open_path.format(**{name: quote(one) for name, one in named.items()})
        if route.reads_json:
            return self.http.request(route.method, path, json=rest, headers=headers)
        if route.method == "GET":
            return self.http.request(route.method, path, params=rest, headers=headers)
        sent = {b"Content-Type": route.body_type.encode(), **headers}
        return self.http.request(route.method, path, content=b"", headers=sent)

    def fill(self) -> dict[IdKind, str]:
        """Have it keep something of every kind that an example names; return the ids."""
        ids = {
            "session": "ann-session-7f3a91",
            "workspace": "/srv/ann-project-2c41d8",
            "task": "ann-task-9b03f7",
            "entity": "Xochipilli-4410aa",
            "key": "ann-key-12ab90",
        }
        where = {"session_id": ids["session"], "workspace": ids["workspace"]}
        turn: dict[str, Any] = {"role": "user", "content": SAID, "message_id": "ann-message-1"}
        turn["attachments"] = [{"name": "ann-plan.txt", "data": "VHVlc2RheQ=="}]
        said = self.do("record_conversation", turns=[turn], **where)
        ids["turn"] = said["turn_ids"][0]
        pad = {"session_id": ids["session"], "current_focus": ids["task"]}
        self.do("update_scratchpad", **pad)
        for kind in ("memory", "outdated", "wrong"):
            content = f"{ids['entity']} {kind}: {SAID}"
            stated = {"content": content, "entities": [ids["entity"]], "task": ids["task"]}
            ids[kind] = self.do("remember", **stated, **where)["id"]
        tokens = {
            kind: self.do("preview_forget", ids=[ids[kind]])["token"]
            for kind in ("wrong", "outdated")
        }
        order = {"ids": [ids["wrong"]], "token": tokens["wrong"]}
        ids["report"] = self.do("forget_memory", **order)["report"]["id"]
        ids["forget_token"] = tokens["outdated"]
        ids["webhook"] = self.do("add_webhook", url=ENDPOINT)["webhook"]["id"]
        ids["night"] = self.do("begin_night", steps=["metrics"])["id"]
        while self.do("get_night", run_id=ids["night"])["run"]["state"] == "running":
            pass
        return ids

    def do(self, name: str, **arguments: Any) -> dict[str, Any]:  # noqa: ANN401  (JSON)
        """Call an operation that must not fail."""
        answer = self.send(ROUTES_BY_NAME[name], arguments)
        assert answer.status_code < 300, answer.text
        content: dict[str, Any] = answer.json()
        return content


def quote(text: str) -> str:
    """Write an argument into a path, its slashes included."""
    return "".join(one if one.isalnum() or one in "-._~" else _escape(one) for one in text)


def _escape(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))


def build_example(route: RestRoute[Any], ids: Mapping[IdKind, str]) -> dict[str, Any]:
    """Return a route's example with ids in their places."""
    text = json.dumps(dict(route.example))
    for kind, stands_for in EXAMPLE_IDS.items():
        text = text.replace(stands_for, ENDPOINT if kind == "endpoint" else ids[kind])
    arguments: dict[str, Any] = json.loads(text)
    return arguments


def compare_answer(answer: httpx2.Response, ids: Mapping[IdKind, str]) -> str:
    """Write an answer so that two which tell the same are equal: its status and its text."""
    form = answer.headers.get("content-type", "").partition(";")[0]
    if form in ("application/json", "application/problem+json"):
        return f"{answer.status_code} {compare_form({'body': answer.json()}, ids)}"
    lines = {"body": answer.text, "type": form}
    return f"{answer.status_code} {compare_form(lines, ids)}"
