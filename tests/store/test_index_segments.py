"""Nightly maintenance merges segments of the full-text index, a few in each transaction."""

import random
from contextlib import closing
from pathlib import Path

import pytest

from memoria.language.reading.statement import fingerprint
from memoria.lifecycle.runner import LEASE, MOST_ROWS, hold_lease
from memoria.model import LIBRARY, MemoryType, Provenance, new_id
from memoria.store.engine import Store
from memoria.store.sqlite import SqliteJournalingStore, SqliteStore
from memoria.store.sqlite.driver import connect
from memoria.store.values import Filters, NewMemory, NewVersion

pytestmark = pytest.mark.sqlite("segments are FTS5's")

TENANT = "ann"
TRANSACTIONS = 50
A_TRANSACTION = 4
WORDS = 400
FEW = 16
"""Segments: with as many on one level FTS5 merges that level at once."""


def add(store: Store, chance: random.Random) -> None:
    """Some long memories in one transaction, each written to the index by itself."""
    provenance = Provenance(source_kind="user_said", trust="user", channel=LIBRARY.name)
    with store.write(TENANT) as tx:
        for _ in range(A_TRANSACTION):
            words = "port " + " ".join(f"{chance.randrange(1 << 40):x}" for _ in range(WORDS))
            version = NewVersion(words, fingerprint(words), 1, 1, provenance, None)
            tx.memories.add(NewMemory(new_id(), MemoryType.FACT, 0.5, 0.5), version)
            assert tx.documents.match(["memory"], ["port"], Filters(), 1)


@pytest.fixture
def night(tmp_path: Path) -> SqliteJournalingStore:
    return SqliteJournalingStore(
        tmp_path / "memoria.db",
        busy_timeout_ms=5000,
        attempts=5,
        tenant="ann",
        lease=LEASE,
        owner="night",
    )


def test_no_transaction_of_a_night_merges_much_and_yet_few_segments_are_left(
    night: SqliteJournalingStore, tmp_path: Path
) -> None:
    path, chance = tmp_path / "memoria.db", random.Random(1)  # noqa: S311  (chance, no secret)
    shared = SqliteStore(path, busy_timeout_ms=5000, readers=1)
    with closing(shared), closing(night), hold_lease(shared, "ann", "night", 60_000):
        for _ in range(TRANSACTIONS):
            add(night, chance)
        with closing(connect(path, 5000)) as connection:
            settings = dict(map(tuple, connection.execute("SELECT k, v FROM search_index_config")))
            parts = connection.execute("SELECT count(DISTINCT segid) FROM search_index_idx")
            assert parts.fetchone()[0] < FEW
            connection.execute(
                "INSERT INTO search_index (search_index, rank) VALUES ('integrity-check', 1)"
            )
        with night.read(TENANT) as tx:
            found = tx.documents.match(["memory"], ["port"], Filters(), 1000)
    assert len(found) == TRANSACTIONS * A_TRANSACTION
    assert settings.items() >= {"automerge": 4, "crisismerge": 16}.items()
    assert night.most_rows < MOST_ROWS
