"""A call over REST is answered as over MCP, refused with what to do next, and safe to repeat."""

import json
from http import HTTPStatus
from typing import Any

import httpx2
import pytest
from mcp.types import CallToolResult
from tests.surface.http.rest.conftest import TENANT, StartSeeded, build_request

import memoria.errors
from memoria.errors import MemoriaError
from memoria.model import DAY_MS, now_millis
from memoria.model.access import Access
from memoria.surface.http.rest import conversations
from memoria.surface.http.rest.answers import status_for, write_tag
from memoria.surface.http.rest.routes import ROUTES

UNKNOWN = "0199ffff-ffff-7fff-8fff-ffffffffffff"
PROBLEM = "application/problem+json"


def require_problem(answer: httpx2.Response, status: int) -> dict[str, Any]:
    """Return the problem that an answer is."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == PROBLEM
    assert answer.headers["cache-control"] == "no-store"
    problem: dict[str, Any] = answer.json()
    assert problem["status"] == status
    assert problem["detail"]
    return problem


@pytest.mark.anyio
async def test_an_id_that_this_tenant_has_not_is_not_found_on_any_route(
    start_seeded: StartSeeded,
) -> None:
    async with start_seeded() as seeded:
        named = [one for one in ROUTES if one.path_names and one.name != "update_scratchpad"]
        assert len(named) > 8
        for route in named:
            arguments = {**route.example, route.path_names[0]: UNKNOWN}
            answer = await seeded.admin.request(**build_request(route, arguments))
            assert require_problem(answer, 404)["kind"] == "not_found", route.name


@pytest.mark.anyio
async def test_the_answer_is_the_structured_content_of_mcp(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        token = await seeded.server.create_token(TENANT, Access.ADMIN)
        memory = seeded.ids["memory"]
        statement = {"content": "Ben reviews every change of the checkout.", "entities": ["Ben"]}
        query = {"query": "checkout deployment", "limit": 3}
        async with seeded.server.connect(token.text) as client:

            async def call(tool: str, **arguments: object) -> object:
                answer = await client.call_tool(tool, arguments)
                assert isinstance(answer, CallToolResult)
                return answer.structured_content

            post, get = seeded.admin.post, seeded.admin.get
            for path, tool in [
                ("search", "search_memory"),
                ("traces", "search_conversation_traces"),
            ]:
                answer = (await post(f"/memory/{path}", json=query)).json()
                assert answer["hits"]
                assert answer == await call(tool, **query)
            assert (await get(f"/memory/nodes/{memory}")).json() == await call(
                "get_memory", id=memory
            )
            kept = (await post("/memory/nodes", json=statement)).json()
            again = await call("remember", **statement)
            assert isinstance(again, dict)
            assert kept["status"] == "remembered"
            assert again["status"] == "already_known"
            assert (kept["id"], kept.keys()) == (again["id"], again.keys())


@pytest.mark.anyio
async def test_what_a_caller_has_read_already_is_not_sent_again(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        for route in ROUTES:
            if route.method != "GET" or isinstance(route.answer, str):
                continue
            request = seeded.example(route)
            first = await seeded.admin.request(**request)
            tag = first.headers["etag"]
            again = await seeded.admin.request(**request, headers={"If-None-Match": f'"x", {tag}'})
            assert (again.status_code, again.content) == (304, b""), route.name
            assert again.headers["etag"] == tag
            other = await seeded.admin.request(**request, headers={"If-None-Match": '"x"'})
            assert other.json() == first.json(), route.name


@pytest.mark.anyio
async def test_a_memory_that_has_changed_since_it_was_read_is_not_corrected(
    start_seeded: StartSeeded,
) -> None:
    async with start_seeded() as seeded:
        url = f"/memory/nodes/{seeded.ids['memory']}"
        tag = (await seeded.admin.get(url)).headers["etag"]
        wordings = ["The checkout is deployed on Mondays.", "The checkout is deployed on Fridays."]
        done = [
            await seeded.admin.patch(
                url, json={"action": "correct", "content": one}, headers={"If-Match": tag}
            )
            for one in wordings
        ]
        assert done[0].status_code == 200, done[0].text
        require_problem(done[1], 412)
        assert (await seeded.admin.get(url)).json()["text"] == wordings[0]


@pytest.mark.anyio
@pytest.mark.parametrize("written", ["{}", '{}, "other"', "'{}'"])
async def test_an_etag_without_its_quotes_is_told_apart_from_a_change(
    start_seeded: StartSeeded, written: str
) -> None:
    async with start_seeded() as seeded:
        url = f"/memory/nodes/{seeded.ids['memory']}"
        tag = (await seeded.admin.get(url)).headers["etag"].strip('"')
        change = {"action": "correct", "content": "The checkout is deployed on Mondays."}
        headers = {"If-Match": written.format(tag)}
        answer = await seeded.admin.patch(url, json=change, headers=headers)
        assert "in its quotes" in require_problem(answer, 400)["detail"]
        answer = await seeded.admin.patch(url, json=change, headers={"If-Match": f'"{tag}"'})
        assert answer.status_code == 200, answer.text


@pytest.mark.anyio
async def test_json_ends_with_a_line_end_and_its_etag_is_of_all_that_is_sent(
    start_seeded: StartSeeded,
) -> None:
    async with start_seeded() as seeded:
        answer = await seeded.admin.get("/memory/status")
        assert answer.content.endswith(b"}\n")
        assert answer.headers["etag"] == write_tag(answer.content)
        assert (await seeded.admin.get("/memory/nowhere")).content.endswith(b"}\n")


@pytest.mark.anyio
async def test_a_call_that_is_repeated_with_its_key_is_done_once(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        post = seeded.admin.post

        async def ingest(text: str, key: str) -> httpx2.Response:
            turns = [{"role": "user", "content": text}]
            said = {"session_id": "repeated", "turns": turns}
            return await post("/memory/ingest", json=said, headers={"Idempotency-Key": key})

        first = await ingest("The build is green again.", "one")
        await ingest("The release may begin.", "two")
        again = await ingest("The build is green again.", "one")
        assert first.json()["turn_ids"] == again.json()["turn_ids"]
        assert (first.json()["recorded"], again.json()["recorded"]) == (1, 0)
        require_problem(await ingest("The build is red.", "one"), 409)
        assert (await seeded.admin.get("/memory/sessions/repeated")).json()["total"] == 2

        vote = {"node_id": seeded.ids["memory"], "action": "upvote"}
        counts = [
            (await post("/feedback", json=vote, headers={"Idempotency-Key": key})).json()["upvotes"]
            for key in ("three", "three", "four")
        ]
        assert counts == [1, 1, 2]
        other = {**vote, "action": "downvote"}
        require_problem(
            await post("/feedback", json=other, headers={"Idempotency-Key": "three"}), 409
        )
        assert (await post("/feedback", json=vote)).json()["downvotes"] == 0


@pytest.mark.anyio
async def test_half_a_character_is_replaced_or_refused_and_never_a_failure(
    start_seeded: StartSeeded,
) -> None:
    half = "half \ud83d a character"
    async with start_seeded() as seeded:
        for path, body in [
            ("/memory/search", {"query": half, "workspace": half}),
            ("/memory/recall", {"query": half, "task": half, "session_id": half}),
            ("/memory/nodes", {"content": half}),
            ("/memory/nodes", {"content": "a", half: half}),
            ("/memory/ingest", {"session_id": "s", "turns": [{"role": "user", "content": half}]}),
            ("/memory/forget/preview", {"topic": half}),
            ("/memory/consolidate", {"steps": [half]}),
            ("/feedback", {"node_id": half, "action": "pin"}),
        ]:
            headers = {"Content-Type": "application/json", "Idempotency-Key": "k"}
            answer = await seeded.admin.post(path, content=json.dumps(body), headers=headers)
            assert answer.status_code in (200, 404, 422), (path, answer.text)


@pytest.mark.anyio
async def test_a_key_without_a_session_keeps_turns_once_also_if_it_is_repeated_on_another_day(
    start_seeded: StartSeeded, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = {"turns": [{"role": "user", "content": "The build is green again."}]}
    keyed = {"Idempotency-Key": "one"}
    async with start_seeded() as seeded:
        first = (await seeded.admin.post("/memory/ingest", json=said, headers=keyed)).json()
        monkeypatch.setattr(conversations, "now_millis", lambda: now_millis() + 2 * DAY_MS)
        again = (await seeded.admin.post("/memory/ingest", json=said, headers=keyed)).json()
        other = (await seeded.admin.post("/memory/ingest", json=said)).json()
    assert first["turn_ids"] == again["turn_ids"]
    assert (first["recorded"], again["recorded"], other["recorded"]) == (1, 0, 1)


@pytest.mark.anyio
async def test_an_empty_project_is_none_named(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        stated = {"content": "The boathouse is locked at night.", "workspace": ""}
        kept = await seeded.admin.post("/memory/nodes", json=stated)
        assert kept.status_code == 200, kept.text
        shown = await seeded.admin.get(f"/memory/nodes/{kept.json()['id']}")
    assert "workspace" not in shown.json()


@pytest.mark.anyio
async def test_a_call_that_comes_twice_without_a_key_changes_nothing_more(
    start_seeded: StartSeeded,
) -> None:
    told_twice = {"revise_memory": 409, "undo_night": 409, "remove_webhook": 404}
    async with start_seeded() as seeded:

        async def count() -> dict[str, Any]:
            held: dict[str, Any] = (await seeded.admin.get("/memory/status")).json()
            return {name: held[name] for name in ("memories", "turns", "sessions", "raw_chunks")}

        for route in ROUTES:
            if route.method == "GET" or route.name in ("give_feedback", "begin_night"):
                continue
            request = seeded.example(route)
            assert (await seeded.admin.request(**request)).status_code == route.status, route.name
            held = await count()
            again = await seeded.admin.request(**request)
            assert again.status_code == told_twice.get(route.name, route.status), again.text
            assert await count() == held, route.name


@pytest.mark.anyio
async def test_what_can_not_be_read_or_is_not_there_is_a_problem(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        request = seeded.admin.request
        json_type = {"Content-Type": "application/json"}
        for arguments, status in [
            ({"method": "GET", "url": "/memory/nothing"}, 404),
            ({"method": "GET", "url": "/memory/nodes/a/b/c"}, 404),
            ({"method": "GET", "url": "/memory/nodes?limit=many"}, 422),
            ({"method": "GET", "url": "/memory/nodes?limit=1&limit=2"}, 422),
            ({"method": "GET", "url": "/memory/nodes?colour=red"}, 422),
            ({"method": "POST", "url": "/memory/search", "json": {"query": "a", "colour": 1}}, 422),
            ({"method": "POST", "url": "/memory/search", "json": {"query": 7}}, 422),
            ({"method": "POST", "url": "/memory/search"}, 422),
            ({"method": "POST", "url": "/memory/search", "json": ["query"]}, 400),
            (
                {"method": "POST", "url": "/memory/search", "content": "{", "headers": json_type},
                400,
            ),
            (
                {
                    "method": "POST",
                    "url": "/memory/search",
                    "content": '{"query": "a", "limit": NaN}',
                    "headers": json_type,
                },
                400,
            ),
            (
                {
                    "method": "POST",
                    "url": "/memory/search",
                    "content": "[" * 100_000,
                    "headers": json_type,
                },
                400,
            ),
            ({"method": "POST", "url": "/memory/search", "content": "query=a"}, 415),
            ({"method": "POST", "url": "/memory/import", "json": {}}, 415),
            (
                {
                    "method": "POST",
                    "url": "/memory/search",
                    "content": b" " * (4 << 20) + b"{}",
                    "headers": json_type,
                },
                413,
            ),
        ]:
            require_problem(await request(**arguments), status)  # type: ignore[arg-type]
        refused = await request("DELETE", "/memory/nodes/x")
        require_problem(refused, 405)
        allowed = {one.strip() for one in refused.headers["allow"].split(",")}
        assert allowed == {"GET", "HEAD", "PATCH"}


@pytest.mark.anyio
async def test_a_body_may_name_the_tokens_tenant_and_no_other(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        query = {"query": "checkout", "tenant_id": TENANT}
        assert (await seeded.admin.post("/memory/search", json=query)).json()["hits"]
        for other in ("ben", None, 1):
            answer = await seeded.admin.post("/memory/search", json={**query, "tenant_id": other})
            require_problem(answer, 403)


@pytest.mark.anyio
async def test_no_problem_shows_a_secret_that_was_sent(start_seeded: StartSeeded) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    async with start_seeded() as seeded:
        for arguments in (
            {"method": "GET", "url": "/memory/nodes", "params": {"since": secret}},
            {"method": "GET", "url": "/memory/nodes", "params": {secret: "1"}},
            {"method": "GET", "url": f"/memory/nodes/{secret}"},
            {"method": "POST", "url": "/memory/search", "json": {"query": "a", secret: 1}},
        ):
            answer = await seeded.admin.request(**arguments)
            assert answer.status_code in (404, 422)
            assert secret not in answer.text, answer.text


@pytest.mark.anyio
async def test_only_what_a_preview_has_shown_is_forgotten_and_is_not_learnt_again(
    start_seeded: StartSeeded,
) -> None:
    async with start_seeded() as seeded:
        post = seeded.clients[Access.FORGET].post
        order = {"ids": [seeded.ids["outdated"]]}
        require_problem(await post("/memory/forget", json=order), 422)
        changed = await post("/memory/forget", json={**order, "token": "of another preview"})
        shown = require_problem(changed, 409)["preview"]
        assert [one["id"] for one in shown["items"]] == order["ids"]
        done = await post("/memory/forget", json={**order, "token": shown["token"]})
        assert (done.status_code, done.json()["memories"]) == (200, order["ids"])
        again = await post("/memory/forget", json={**order, "token": shown["token"]})
        assert (again.status_code, again.json()["memories"]) == (200, [])
        learnt = await post("/memory/nodes", json={"content": "Carla reviews the billing service."})
        assert require_problem(learnt, 409)["kind"] == "forgotten"


@pytest.mark.anyio
async def test_what_is_the_users_alone_is_refused(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        memory = seeded.ids["memory"]
        url = f"/memory/nodes/{memory}"
        await seeded.admin.patch(url, json={"action": "confirm"})
        assert (await seeded.admin.get(url)).json()["verified"] is False
        for arguments in ({"everything": True}, {"ids": [memory], "may_return": True}):
            refused = await seeded.admin.post("/memory/forget/preview", json=arguments)
            require_problem(refused, 422)
        require_problem(
            await seeded.admin.patch(url, json={"action": "type", "content": "fact"}), 422
        )


def test_every_error_of_ours_has_a_status() -> None:
    kinds = [
        one
        for one in vars(memoria.errors).values()
        if isinstance(one, type) and issubclass(one, MemoriaError)
    ]
    by_status: dict[HTTPStatus, set[str]] = {}
    for kind in kinds:
        by_status.setdefault(status_for(kind), set()).add(kind.__name__)
    assert by_status[HTTPStatus.NOT_FOUND] == {
        "NotFoundError",
        "NoMemoryError",
        "UnknownProjectError",
    }
    assert by_status[HTTPStatus.UNPROCESSABLE_ENTITY] == {
        "InvalidInputError",
        "InvalidTurnError",
        "ExportError",
    }
    assert by_status[HTTPStatus.CONFLICT] == {
        "ConflictError",
        "ForgottenError",
        "PreviewChangedError",
        "PrivateTimeError",
        "LeaseLostError",
    }
    assert "StoreUnavailableError" in by_status[HTTPStatus.SERVICE_UNAVAILABLE]


@pytest.mark.anyio
async def test_the_log_names_who_exported_who_began_a_night_and_who_asked_for_another_tenant(
    start_seeded: StartSeeded,
) -> None:
    async with start_seeded() as seeded:
        refused = await seeded.admin.post(
            "/memory/search", json={"query": "checkout", "tenant_id": "ben"}
        )
        require_problem(refused, 403)
        lines = (await seeded.admin.get("/memory/audit")).json()["actions"]
    told = {line["action"]: line for line in lines}
    assert told["begin night"]["subject"] == seeded.ids["night"]
    assert "another tenant" in told["refuse"]["detail"]
    for action in ("export", "begin night", "refuse"):
        assert told[action]["caller"].startswith("token "), action
