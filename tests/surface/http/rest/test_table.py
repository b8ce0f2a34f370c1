"""Every route of the table keeps what the OpenAPI document promises of it."""

from typing import Any

import jsonschema  # type: ignore[import-untyped]  # it has no type information
import pytest
from inline_snapshot import snapshot
from openapi_spec_validator import OpenAPIV31SpecValidator
from tests.surface.http.conftest import StartServer
from tests.surface.http.rest.conftest import StartSeeded

from memoria.model.access import Access
from memoria.surface.http.rest.openapi import build_openapi
from memoria.surface.http.rest.routes import ROUTES


def answer_schema(open_path: str, method: str, status: int) -> dict[str, Any]:
    """Return the JSON schema of an answer, with the definitions that it refers to."""
    document = build_openapi()
    told = document["paths"][open_path][method.lower()]["responses"][str(status)]
    schema = told["content"]["application/json"]["schema"]
    return {**schema, "components": document["components"]}


@pytest.mark.anyio
async def test_every_example_is_answered_as_the_document_says(start_seeded: StartSeeded) -> None:
    async with start_seeded() as seeded:
        for route in ROUTES:
            answer = await seeded.clients[route.access].request(**seeded.example(route))
            assert answer.status_code == route.status, (route.name, answer.text)
            assert answer.headers["cache-control"] == "no-store", route.name
            if route.name == "begin_night":
                await seeded.wait_for_night(answer.json()["id"])
            if isinstance(route.answer, str):
                form = answer.headers["content-type"].partition(";")[0]
                assert form == route.answer, route.name
            else:
                schema = answer_schema(route.open_path, route.method, route.status)
                jsonschema.validate(answer.json(), schema, jsonschema.Draft202012Validator)


@pytest.mark.anyio
async def test_no_route_answers_without_a_token_or_to_one_that_allows_less(
    start_seeded: StartSeeded,
) -> None:
    async with start_seeded() as seeded:
        for route in ROUTES:
            request = seeded.example(route)
            answer = await seeded.clients[None].request(**request)
            assert answer.status_code == 401, route.name
            for access in (one for one in Access if not one.includes(route.access)):
                answer = await seeded.clients[access].request(**request)
                assert answer.status_code == 403, (route.name, access)
                assert f"`{route.access}`" in answer.json()["detail"], route.name


@pytest.mark.anyio
async def test_the_document_is_valid_and_served_to_anybody(start_server: StartServer) -> None:
    async with start_server() as server, server.client("") as client:
        served = await client.get("/openapi.json")
    assert served.json() == build_openapi()
    OpenAPIV31SpecValidator(served.json()).validate()


def test_every_operation_has_a_name_and_an_example_of_its_own() -> None:
    names = [one.name for one in ROUTES]
    assert len({*names}) == len(names)
    for route in ROUTES:
        assert {*route.path_names} <= {*route.example}, route.name
        assert {*route.example} <= {*route.order.model_fields}, route.name


def test_the_routes_are_these() -> None:
    listed = "\n".join(f"{one.method} {one.path} {one.access}" for one in ROUTES)
    assert listed == snapshot("""\
POST /memory/ingest write
GET /memory/sessions read
GET /memory/sessions/{session_id:path} read
GET /memory/turns/{turn_id} read
GET /memory/turns/{turn_id}/attachment read
GET /memory/scratchpads read
GET /memory/scratchpads/{session_id:path} read
PUT /memory/scratchpads/{session_id:path} write
POST /memory/recall read
POST /memory/search read
POST /memory/traces read
GET /memory/nodes read
POST /memory/nodes write
POST /memory/nodes/batch write
GET /memory/nodes/{memory_id} read
PATCH /memory/nodes/{memory_id} write
POST /feedback write
GET /memory/nodes/{memory_id}/history read
GET /memory/nodes/{node_id}/origin read
GET /memory/graph read
GET /memory/review read
GET /memory/core read
POST /memory/forget/preview forget
POST /memory/forget forget
GET /memory/forgotten read
GET /memory/forgotten/{report_id} read
GET /memory/status read
GET /memory/queue read
GET /memory/audit admin
POST /memory/consolidate admin
GET /memory/nights admin
GET /memory/nights/{run_id} admin
POST /memory/nights/{run_id}/undo admin
GET /memory/export admin
POST /memory/import admin
GET /memory/events read
GET /memory/webhooks admin
POST /memory/webhooks admin
POST /memory/webhooks/{webhook_id}/test admin
POST /memory/webhooks/{webhook_id}/remove admin\
""")
