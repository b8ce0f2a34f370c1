"""Who did what to which memory is written down for good, and never what it says."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import memoria
from memoria import Memoria, Settings
from memoria.errors import InvalidInputError
from memoria.memories.changes import ACTION as NOTE_TO_UNDO
from memoria.model import COMMAND_LINE
from memoria.store.sqlite.driver import sqlite3


@pytest.fixture
async def plain(home: Path) -> AsyncIterator[Memoria]:
    """A memory without vectors."""
    settings = Settings.load(home=home, tenant="ann", embedder="off")
    async with memoria.open(settings=settings) as opened:
        yield opened


def log(home: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(home / "memoria.db")
    rows = connection.execute("SELECT channel, action, subject, detail FROM audit_log ORDER BY n")
    found = [tuple(row) for row in rows]
    connection.close()
    return found


async def test_every_change_of_a_memory_is_a_line_without_its_words(
    plain: Memoria, home: Path
) -> None:
    kept = await plain.remember("Ann likes oolong")
    await plain.revise_memory(kept.id, "correct", "Ann likes sencha")
    await plain.with_channel(COMMAND_LINE).revise_memory(kept.id, "confirm")
    await plain.revise_memory(kept.id, "archive")
    await plain.remember("Ann likes sencha")
    lines = log(home)
    deeds = [line for line in lines if line[1] != NOTE_TO_UNDO]
    assert [(channel, action) for channel, action, _, _ in deeds] == [
        ("library", "remember"),
        ("library", "correct"),
        ("cli", "confirm"),
        ("library", "archive"),
        ("library", "restore"),
    ]
    assert {subject for _, _, subject, _ in deeds} == {kept.id}
    assert len(lines) == 2 * len(deeds)
    assert "oolong" not in str(lines)
    assert "sencha" not in str(lines)


async def test_what_was_refused_is_not_written_down(plain: Memoria, home: Path) -> None:
    with pytest.raises(InvalidInputError):
        await plain.remember("   ")
    assert log(home) == []


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM audit_log",
        "UPDATE audit_log SET action = 'nothing'",
        pytest.param(
            "REPLACE INTO audit_log SELECT n, tenant_id, at, channel, client, 'x', subject, detail "
            "FROM audit_log"
        ),
    ],
    ids=["delete", "update", "replace"],
)
async def test_a_line_can_be_neither_changed_nor_taken_out(
    plain: Memoria, home: Path, change: str
) -> None:
    await plain.remember("Ann likes oolong")
    before = log(home)
    connection = sqlite3.connect(home / "memoria.db")
    with pytest.raises(sqlite3.IntegrityError, match="append-only"):
        connection.execute(change)
    connection.close()
    assert log(home) == before
