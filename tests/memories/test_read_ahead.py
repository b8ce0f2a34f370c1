"""What is compared with a new statement is read before the home is kept from all others."""

from pathlib import Path

import pytest

import memoria
from memoria import Settings
from memoria.memories.verdicts import read_ahead
from memoria.policy.properties.read import read_statement

KNOWN = {
    "The user's desk is in room 12.": "The user's desk is in room 14.",
    "用户的工位在三楼。": "用户的工位在五楼。",
}


@pytest.mark.parametrize(("known", "new"), KNOWN.items())
async def test_nothing_is_left_to_be_read_in_the_transaction_that_writes(
    home: Path, known: str, new: str
) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off"), tenant="t") as m:
        await m.remember(known)
        read_statement.cache_clear()
        with m._store.read("t") as tx:  # noqa: SLF001  (as the extractor does)
            read_ahead(tx, [new], None)
        read = read_statement.cache_info().misses
        assert read >= 2
        await m.remember(new)
        assert read_statement.cache_info().misses == read
