"""What a call does to the memory, beside others that come at the same time."""

import json

import anyio
import httpx2
import pytest
from mcp.types import CallToolResult
from tests.surface.http.conftest import StartServer
from tests.surface.http.rest.conftest import TENANT, StartSeeded
from tests.surface.http.rest.test_calls import require_problem

from memoria.app import Memoria
from memoria.model.access import Access
from memoria.model.provenance import COMMAND_LINE
from memoria.surface.http.app import HttpOptions


@pytest.mark.anyio
async def test_of_two_corrections_of_one_reading_one_is_done(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        url = f"/memory/nodes/{seeded.ids['memory']}"
        tag = (await seeded.admin.get(url)).headers["etag"]
        statuses = list[int]()

        async def correct(day: str) -> None:
            change = {"action": "correct", "content": f"The checkout is deployed on {day}."}
            answer = await seeded.admin.patch(url, json=change, headers={"If-Match": tag})
            statuses.append(answer.status_code)

        async with anyio.create_task_group() as tasks:
            for day in ("Mondays", "Wednesdays", "Fridays"):
                tasks.start_soon(correct, day)
        assert sorted(statuses) == [200, 412, 412]
        assert len((await seeded.admin.get(url)).json()["versions"]) == 2


@pytest.mark.anyio
async def test_an_import_brings_back_nothing_forgotten_and_no_other_tenants_memory(
    start_seeded: StartSeeded,
) -> None:
    async with start_seeded() as seeded:
        lines = (await seeded.admin.get("/memory/export")).content
        listed = (await seeded.admin.get("/memory/nodes")).json()["memories"]
        other = await seeded.server.create_token("ben", Access.ADMIN)
        async with seeded.server.client(other.text) as client:

            async def bring_in() -> httpx2.Response:
                headers = {"Content-Type": "application/jsonl"}
                return await client.post("/memory/import", content=lines, headers=headers)

            refused = require_problem(await bring_in(), 422)
            assert "two tenants'" in refused["detail"]
            assert "The body has the memory" in refused["detail"]
        forget = {"topic": "checkout", "include_source": True}
        token = (await seeded.admin.post("/memory/forget/preview", json=forget)).json()["token"]
        await seeded.admin.post("/memory/forget", json={**forget, "token": token})
        back = await seeded.admin.post(
            "/memory/import", content=lines, headers={"Content-Type": "application/jsonl"}
        )
        assert back.json()["forgotten"] > 0
        held = (await seeded.admin.get("/memory/nodes")).json()["memories"]
        assert {one["id"] for one in held} < {one["id"] for one in listed}


@pytest.mark.anyio
async def test_an_import_may_be_larger_than_other_bodies(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        long_line = b"x" * (5 << 20) + b"\n"
        answer = await seeded.admin.post(
            "/memory/import",
            content=seeded.export + long_line,
            headers={"Content-Type": "application/jsonl"},
        )
        assert answer.status_code == 200, answer.text
        assert (answer.json()["added"], answer.json()["bad"]) == ({}, 1)


@pytest.mark.anyio
async def test_in_private_time_nothing_is_kept_and_what_is_known_is_found(
    start_seeded: StartSeeded,
) -> None:
    async with start_seeded() as seeded:
        user = Memoria(seeded.server.home.for_tenant(TENANT), COMMAND_LINE)
        await user.private.turn_on()
        said = {"session_id": "s", "turns": [{"role": "user", "content": "The vault is open."}]}
        receipt = (await seeded.admin.post("/memory/ingest", json=said)).json()
        assert (receipt["recorded"], receipt["private"]) == (0, 1)
        stated = await seeded.admin.post("/memory/nodes", json={"content": "The vault is open."})
        assert require_problem(stated, 409)["kind"] == "private_time"
        found = await seeded.admin.post("/memory/search", json={"query": "checkout"})
        assert found.json()["hits"]


@pytest.mark.anyio
async def test_a_large_forget_is_the_users(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        turns = [{"role": "user", "content": f"Parcel {n} has arrived."} for n in range(12)]
        await seeded.admin.post("/memory/ingest", json={"session_id": "many", "turns": turns})
        order = {"session_id": "many", "include_source": True}
        shown = (await seeded.admin.post("/memory/forget/preview", json=order)).json()
        assert "token" not in shown
        assert shown["command"].startswith("memoria --tenant ann forget --session-id many")
        refused = await seeded.admin.post("/memory/forget", json={**order, "token": "any"})
        assert shown["command"] in require_problem(refused, 403)["detail"]
        assert (await seeded.admin.get("/memory/sessions/many")).json()["total"] == 12


@pytest.mark.anyio
async def test_a_server_that_only_reads_changes_nothing(start_server: StartServer) -> None:
    async with start_server(HttpOptions(most=Access.READ)) as server:
        token = await server.create_token(TENANT, Access.ADMIN)
        async with server.client(token.text) as client:
            statement = {"content": "The vault is open."}
            require_problem(await client.post("/memory/nodes", json=statement), 403)
            require_problem(await client.get("/memory/export"), 403)
            assert (await client.get("/memory/nodes")).json()["total"] == 0


@pytest.mark.anyio
async def test_a_store_that_does_not_serve_is_told_as_503(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        seeded.server.home.store.close()
        require_problem(await seeded.admin.get("/memory/nodes"), 503)


@pytest.mark.anyio
async def test_a_statement_is_filed_under_the_task_of_its_own_session_alone(
    start_server: StartServer,
) -> None:
    async with start_server() as server:
        token = await server.create_token(TENANT, Access.WRITE)
        async with server.client(token.text) as client:
            pad = {"current_focus": "Release the checkout"}
            await client.put("/memory/scratchpads/chat-17", json=pad)

            async def state(**statement: str) -> str | None:
                kept = (await client.post("/memory/nodes", json=statement)).json()
                task: str | None = kept.get("task")
                return task

            assert await state(content="The staging server runs Debian.") is None
            assert await state(content="The gateway runs nginx.", session_id="chat-18") is None
            own = await state(content="The release branch is cut.", session_id="chat-17")
        assert own == "Release the checkout"
        async with server.connect(token.text) as agent:
            given = {"content": "The build server runs Fedora."}
            answer = await agent.call_tool("remember", given)
            assert isinstance(answer, CallToolResult)
            assert "task" not in (answer.structured_content or {})


FIELDS = {"ticket": "T-12", "count": 3, "tags": ["a", "b"]}


@pytest.mark.anyio
async def test_a_program_over_rest_gives_metadata_filters_by_it_and_hands_in_an_episode(
    start_seeded: StartSeeded,
) -> None:
    async with start_seeded() as seeded:
        rest = seeded.admin
        turn = {"role": "user", "content": "The harbour closes at six.", "metadata": FIELDS}
        await rest.post("/memory/ingest", json={"turns": [turn], "session_id": "harbour"})
        episode = {"content": "The harbour's hours were told.", "covers": ["harbour"]}
        kept = (await rest.post("/memory/nodes", json={**episode, "metadata": FIELDS})).json()
        query = {"metadata": json.dumps({"tags": "b"})}
        listed = (await rest.get("/memory/nodes", params=query)).json()["memories"]
        asked = {"query": "harbour", "metadata": {"ticket": "T-12"}}
        traces = (await rest.post("/memory/traces", json=asked)).json()["hits"]
        session = (await rest.get("/memory/sessions/harbour")).json()["turns"]
        refused = await rest.get("/memory/nodes", params={"metadata": "T-12"})
    assert [(one["id"], one["type"]) for one in listed] == [(kept["id"], "episode")]
    assert listed[0]["metadata"].items() >= FIELDS.items()
    assert listed[0]["metadata"].keys() - FIELDS.keys() == {"started_at", "ended_at"}
    assert [one["metadata"] for one in (*traces, *session)] == [FIELDS] * 2
    assert (refused.status_code, "give an object" in refused.json()["detail"]) == (422, True)
