"""The workers go by the clock of whoever opened the home."""

import sqlite3
from pathlib import Path

import pytest
from tests.ingest.play import add, answers, opened, reader, said
from tests.llm.scripted import ScriptedModel

from memoria.model import use_clock

pytestmark = pytest.mark.anyio
_AT = 1_700_000_000_000
_WRITTEN = """
SELECT ingested_at FROM memory_versions UNION SELECT created_at FROM edges
UNION SELECT created_at FROM memories UNION SELECT at FROM model_calls
UNION SELECT finished_at FROM extraction_queue
"""


async def test_what_is_read_at_another_time_is_written_down_as_of_then(tmp_path: Path) -> None:
    reads = reader(lambda n, who, text, _: [add(text, n)] if who == "user" else [])
    with ScriptedModel(answer=answers(extract=reads)) as model, use_clock(lambda: _AT):
        async with opened(tmp_path, model) as m:
            await said(m, "Marta works as a nurse.")
    with sqlite3.connect(tmp_path / "memoria.db") as connection:
        assert connection.execute(_WRITTEN).fetchall() == [(_AT,)]
    connection.close()
