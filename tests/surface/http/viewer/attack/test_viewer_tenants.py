"""In the viewer, no id of one tenant tells another anything or lets it in."""

from itertools import count

import pytest
from tests.surface.http.attack.known_ids import make_up
from tests.surface.http.conftest import StartServer
from tests.surface.http.viewer.attack.stage import (
    ROWS,
    SAID_WORD,
    build_example,
    call,
    compare_page,
    enter,
    fill,
    open_memory,
    summarise,
)

pytestmark = pytest.mark.anyio


async def test_ids_of_another_tenant_answer_as_ids_that_never_were(
    start_server: StartServer,
) -> None:
    async with (
        start_server() as server,
        enter(server, "ben0001") as ben,
        enter(server, "cat0001") as cat,
    ):
        memory = open_memory(server)
        ids = await fill(memory)
        made_up = make_up(ids)
        before = await summarise(memory)
        turns = count()
        for row in ROWS:
            examples = [build_example(row, known) for known in (ids, made_up)]
            names = [*row.wish.model_fields][next(turns) % 2 :: 2]  # each second, in turns
            drawn = [{}, *({name: [*ids][next(turns) % len(ids)]} for name in names)]
            for kinds in drawn:
                told = []
                for guest, known, example in zip((ben, cat), (ids, made_up), examples, strict=True):
                    put = {name: known[kind] for name, kind in kinds.items()}
                    answer = await call(guest, row, {**example, **put})
                    assert answer.status_code < 500, (row.name, kinds, answer.text[:300])
                    told.append(compare_page(answer, known, guest))
                assert told[0] == told[1], (row.name, kinds)
                assert SAID_WORD not in told[0], row.name
        assert await summarise(memory) == before


async def test_a_tenant_that_a_form_or_an_address_names_is_the_visitors_or_nobody(
    start_server: StartServer,
) -> None:
    async with start_server() as server, enter(server, "ben0001") as ben:
        memory = open_memory(server)
        ids = await fill(memory)
        before = await summarise(memory)
        for row in ROWS:
            example = build_example(row, ids)
            for name in ("tenant", "tenant_id", "home"):
                if name in row.wish.model_fields:
                    continue
                answer = await call(ben, row, {**example, name: "ann"})
                assert answer.status_code in (400, 403, 404, 409, 422), (row.name, name)
                assert SAID_WORD not in answer.text
        assert await summarise(memory) == before
