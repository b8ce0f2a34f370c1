"""More calls than connections, all held up: each is told within a bound that the store is busy."""

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import anyio
import httpx2

from bench.faults.verdict import Verdict
from bench.faults_postgres.writers import DATABASE, postgres_settings
from bench.http.server import Place, serve
from bench.postgres import TOMBSTONE_KEY, PostgresCluster, run_cluster
from memoria.app.compose import open_home
from memoria.app.tokens import TokenService
from memoria.model.access import Access
from memoria.model.provenance import COMMAND_LINE

_CALLS, _CONNECTIONS = 24, 4
_MOST_S = 70.0
"""A call has up to three transactions, each of which waits for a connection and for a lock."""
_TENANT = "crowded"
_Answer = tuple[httpx2.Response, float]
"""An answer, and how long it took, in seconds."""


async def exhaust_pool(home: Path) -> Verdict:
    """Hold every writer up from outside, call more often than there are connections, let go."""
    with run_cluster() as cluster:
        url = cluster.create_database(DATABASE)
        async with open_home(postgres_settings(home, url, _TENANT)) as opened:
            created = await TokenService(opened.store, _TENANT, COMMAND_LINE).create(Access.ADMIN)
        environment = {
            "MEMORIA_DATABASE_URL": url,
            "MEMORIA_DATABASE_CONNECTIONS": str(_CONNECTIONS),
            "MEMORIA_TOMBSTONE_KEY": TOMBSTONE_KEY,
        }
        place = Place(home, has_home_each=False, more=environment)
        with serve(place) as server:
            client = httpx2.AsyncClient(
                base_url=server.url,
                headers={"Authorization": f"Bearer {created.text}"},
                timeout=2 * _MOST_S,
            )
            async with client:
                before = await _record(client, "before")
                with _hold_turns(cluster):
                    answers = await _record_many(client)
                after = await _record(client, "after")
    return _judge(before, answers, after)


def _judge(
    before: httpx2.Response,
    answers: Sequence[tuple[httpx2.Response, float]],
    after: httpx2.Response,
) -> Verdict:
    wrong = [
        f"{when}: {answer.status_code} {answer.text}"
        for when, answer in (("before", before), ("after", after))
        if answer.status_code != httpx2.codes.OK
    ]
    for answer, took_s in answers:
        if answer.status_code != httpx2.codes.SERVICE_UNAVAILABLE:
            wrong.append(f"while all was held up: {answer.status_code} {answer.text}")
        elif "ry again" not in answer.text:
            wrong.append(f"the refusal does not say what to do: {answer.text}")
        if took_s > _MOST_S:
            wrong.append(f"a caller waited for {took_s:.0f} s")
    said = Counter(str(answer.json().get("detail")) for answer, _ in answers)
    figures = {
        "calls": len(answers),
        "connections": _CONNECTIONS,
        "longest wait in s": max(took_s for _, took_s in answers),
        **{f"told: {text}": count for text, count in said.items()},
    }
    return Verdict("PostgreSQL's pool exhausted, over HTTP", figures, tuple(wrong))


async def _record_many(client: httpx2.AsyncClient) -> list[_Answer]:
    answers: list[_Answer] = []

    async def call(number: int) -> None:
        began = time.monotonic()
        answer = await _record(client, f"call {number}")
        answers.append((answer, time.monotonic() - began))

    async with anyio.create_task_group() as tasks:
        for number in range(_CALLS):
            tasks.start_soon(call, number)
    return answers


async def _record(client: httpx2.AsyncClient, text: str) -> httpx2.Response:
    turns = [{"role": "user", "content": text}]
    return await client.post("/memory/ingest", json={"turns": turns, "session_id": "crowd"})


@contextmanager
def _hold_turns(cluster: PostgresCluster) -> Iterator[None]:
    """Lock the table that every capture writes to, as a careless change of tables would."""
    with cluster.connect(DATABASE) as connection, connection.transaction():
        connection.execute("LOCK TABLE turns IN ACCESS EXCLUSIVE MODE")
        yield
