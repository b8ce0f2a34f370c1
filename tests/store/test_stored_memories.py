"""A memory that is read would pass every check of its model, though few are made as it is read."""

import pytest

from memoria.errors import StoreDamagedError
from memoria.model import Memory
from memoria.store.rows.memory_rows import read_memory
from memoria.store.sqlite import SqliteStore


def test_what_is_read_is_what_its_model_would_make_of_it(two: SqliteStore) -> None:
    with two.read("ann") as tx:
        memories = tx.memories.by_version_numbers(tx.documents.page("memory", 0, 100)).values()
    assert any(memory.workspace for memory in memories)
    assert any(memory.current.provenance.turn_id for memory in memories)
    for memory in memories:
        checked = Memory.model_validate(memory.model_dump(), strict=True)
        assert checked == memory
        assert checked.model_dump_json() == memory.model_dump_json()


def test_a_type_that_no_memory_has_is_damage() -> None:
    row = ("mem_1", "hunch", "active", 0.5, 0.5, *[0] * 6, None, "everywhere", *[None] * 4, 1, 0)
    with pytest.raises(StoreDamagedError, match="'hunch' is no MemoryType"):
        read_memory((*row, None, None), ())
