"""Indexes are derived: doctor sees when they drift, and a rebuild makes them what they were."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import memoria
from memoria import Memoria, SearchResult
from memoria.model import Finding
from memoria.store.sqlite.driver import SqliteConnection, connect
from memoria.store.sqlite.vec0 import load_vectors

QUESTIONS = [
    "Where does the team meet?",
    "8080",
    "团队在哪里开会",
    "Momo the cat",
    "deploy",
    "port",
]
TIMEOUT_S = 60


async def fill(memory: Memoria) -> None:
    """Turns, an edited one, a tool call; memories, a corrected and an archived one."""
    turn = {"session_id": "s", "role": "user"}
    await memory.record_conversation(
        [
            {**turn, "content": "The team meets in Hangzhou", "at": "2026-03-02T09:00:00Z"},
            {**turn, "content": "我们的团队在杭州开会", "speaker": "小陈"},
            {**turn, "message_id": "m", "content": "the port is 8080"},
            {**turn, "role": "tool", "tool_name": "deploy", "tool_args": {"port": 8080}},
        ]
    )
    await memory.record_conversation([{**turn, "message_id": "m", "content": "the port is 9090"}])
    await memory.remember("The team meets in Hangzhou on Thursdays")
    corrected = await memory.remember("The cat is called Mimi")
    await memory.revise_memory(corrected.id, "correct", "The cat is called Momo")
    archived = await memory.remember("The deploy port is 8080")
    await memory.revise_memory(archived.id, "archive")
    await memory.wait_until_idle(TIMEOUT_S)


async def answers(memory: Memoria) -> list[SearchResult]:
    found = []
    for question in QUESTIONS:
        for history in (False, True):
            found.append(await memory.search_memory(question, include_history=history))
            found.append(await memory.search_conversation_traces(question, include_history=history))
    return found


def behind_its_back(memory: Memoria, *statements: str) -> None:
    connection: SqliteConnection = connect(memory.settings.home_path / "memoria.db", 10_000)
    load_vectors(connection)
    for statement in statements:
        connection.execute(statement)
    connection.close()


async def finding(memory: Memoria, check: str) -> Finding:
    (found,) = [f for f in (await memory.health()).findings if f.check == check]
    return found


@pytest.mark.sqlite("reads what integrity_check found")
async def test_a_sound_home_is_found_sound(memory: Memoria) -> None:
    await fill(memory)
    health = await memory.health()
    assert health.is_sound
    assert [f.check for f in health.findings if f.state != "ok"] == []
    assert (await finding(memory, "integrity")).detail == "integrity_check found nothing wrong"


async def test_a_rebuild_changes_no_answer(memory: Memoria) -> None:
    await fill(memory)
    before = await answers(memory)
    assert any(result.hits for result in before)
    seen: list[tuple[int, int]] = []
    await memory.rebuild_indexes(lambda done, total: seen.append((done, total)))
    assert await answers(memory) == before
    assert seen == [(n, 9) for n in range(1, 10)]


@pytest.mark.sqlite("damages tables of the file")
async def test_a_rebuild_restores_indexes_that_were_lost(memory: Memoria) -> None:
    await fill(memory)
    before = await answers(memory)
    behind_its_back(memory, "DELETE FROM search_index", "DROP TABLE vectors_1")
    assert await answers(memory) != before
    assert not (await memory.health()).is_sound
    await memory.rebuild_indexes()
    assert await answers(memory) == before
    assert (await memory.health()).is_sound


@pytest.mark.sqlite("damages tables of the file")
@pytest.mark.parametrize(
    ("check", "damage", "detail"),
    [
        (
            "full text",
            ["DELETE FROM search_index WHERE rowid = 1"],
            "1 of 9 are not indexed, 0 are indexed but gone",
        ),
        (
            "full text",
            ["INSERT INTO search_index (rowid, scope, words) VALUES (99, 'turn1', 'ghost')"],
            "0 of 9 are not indexed, 1 are indexed but gone",
        ),
        (
            "vectors",
            ["DELETE FROM vectors_1 WHERE rowid = 1"],
            "1 of 6 are not indexed, 0 are indexed but gone",
        ),
        (
            "vectors",
            [
                "INSERT INTO vectors_1 (rowid, standing, embedding) "
                "SELECT 99, standing, embedding FROM vectors_1 WHERE rowid = 1"
            ],
            "0 of 6 are not indexed, 1 are indexed but gone",
        ),
        pytest.param(
            "vectors",
            [
                "INSERT INTO vectors_1 (rowid, standing, embedding) "
                "SELECT 99, standing, embedding FROM vectors_1 WHERE rowid = 1",
                "DELETE FROM vectors_1 WHERE rowid = 1",
            ],
            "1 of 6 are not indexed, 1 are indexed but gone",
        ),
    ],
    ids=["text missing", "text extra", "vector missing", "vector extra", "vector swapped"],
)
async def test_doctor_sees_an_index_that_drifted_and_a_rebuild_cures_it(
    memory: Memoria, check: str, damage: Sequence[str], detail: str
) -> None:
    await fill(memory)
    behind_its_back(memory, *damage)
    found = await finding(memory, check)
    assert (found.state, found.detail) == ("error", detail)
    assert found.cure == "memoria doctor --fix"
    await memory.rebuild_indexes()
    assert (await finding(memory, check)).state == "ok"
    assert (await memory.health()).is_sound


@pytest.mark.sqlite("damages tables of the file")
async def test_a_vector_that_was_lost_is_made_again_by_a_rebuild(memory: Memoria) -> None:
    await fill(memory)
    behind_its_back(memory, "DELETE FROM embeddings", "DROP TABLE vectors_1")
    await memory.rebuild_indexes()
    await memory.wait_until_idle(TIMEOUT_S)
    # Six texts are present; a former wording has a vector if it was embedded before it changed.
    assert 6 <= (await memory.statistics()).vectors <= 9


async def test_doctor_sees_a_home_that_others_can_read(memory: Memoria) -> None:
    memory.settings.home_path.chmod(0o755)
    found = await finding(memory, "privacy")
    assert found.state == "warning"
    assert found.cure == "memoria doctor --fix"


@pytest.mark.sqlite("damages tables of the file")
async def test_doctor_sees_a_reference_that_leads_nowhere(memory: Memoria) -> None:
    await fill(memory)
    behind_its_back(
        memory, "PRAGMA foreign_keys = OFF", "DELETE FROM sessions", "DELETE FROM scratchpads"
    )
    found = await finding(memory, "integrity")
    assert (found.state, "broken reference" in found.detail) == ("error", True)


async def test_doctor_does_not_cry_wolf_after_more_was_written(home: Path) -> None:
    settings = memoria.Settings(embedder="off")
    async with memoria.open(home=home, tenant="t", settings=settings) as plain:
        for call in range(4):
            await plain.record_conversation(
                {"role": "user", "session_id": "s", "content": f"turn {call} {i} on {i % 97} 杭州"}
                for i in range(1000)
            )
            assert [f for f in (await plain.health()).findings if f.state == "error"] == []
