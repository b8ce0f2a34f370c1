"""Round trips to PostgreSQL: a capture waits for few, and what is sent unasked tells its errors."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.store.insides import any_connection_of
from tests.store.shared_database import Database

from memoria.erasure.suppression import Digester
from memoria.errors import StoreUnavailableError
from memoria.ingest.capture import Capture, CaptureLimits
from memoria.model import LIBRARY, Role, Turn
from memoria.store.postgres.driver import PostgresConnection
from memoria.store.postgres.store import PostgresStore

TENANT = "ann"
WARM_UP = 8
"""Calls after which every statement is prepared."""


@contextmanager
def count_round_trips(store: PostgresStore) -> Iterator[list[int]]:
    """Count how often the server says that it is done, and whoever asked goes on."""
    with store.read(TENANT) as tx:  # the store has one connection
        connection = any_connection_of(tx)
    assert isinstance(connection, PostgresConnection)
    raw = connection.raw
    counts: list[int] = []
    with tempfile.TemporaryFile("w+") as log:
        raw.pgconn.trace(log.fileno())
        yield counts
        raw.pgconn.untrace()
        log.seek(0)
        counts.append(sum("ReadyForQuery" in line for line in log))


def record(store: PostgresStore, *said: str) -> None:
    limits = CaptureLimits(1_000_000, 30)
    marks = Digester(TENANT, lambda: b"a key")
    capture = Capture(store, TENANT, LIBRARY, limits, marks, links_names=False)
    turns = [Turn(role=Role.USER, content=one, message_id=one) for one in said]
    statuses = {turn.status for turn in capture.record(turns, "s", None).turns}
    assert statuses == {"recorded"}


def send(store: PostgresStore, *keys: str) -> None:
    with store.open_home(writes=True) as connection:
        for key in keys:
            connection.send("INSERT INTO settings (key, value) VALUES (:key, 'kept')", {"key": key})


@pytest.mark.parametrize("turns", [1, 10])
def test_a_capture_of_some_turns_waits_four_times_for_the_server(
    database: Database, turns: int
) -> None:
    store = database.open(connections=1)
    for call in range(WARM_UP):
        record(store, *(f"call {call} says {turn}" for turn in range(turns)))
    with count_round_trips(store) as counted:
        record(store, *(f"the last call says {turn}" for turn in range(turns)))
    assert counted == [4]


def test_what_was_sent_unasked_and_is_refused_is_told_at_the_end_and_nothing_is_kept(
    database: Database,
) -> None:
    store = database.open(connections=1)
    for call in range(WARM_UP):
        with pytest.raises(StoreUnavailableError, match="duplicate key"):
            send(store, f"call {call}", "twice", "twice")
        send(store, f"kept {call}")
    with store.open_home(writes=False) as connection:
        rows = connection.execute("SELECT key FROM settings WHERE value = 'kept' ORDER BY key")
        assert [row["key"] for row in rows] == [f"kept {call}" for call in range(WARM_UP)]


def test_what_was_sent_unasked_is_seen_by_the_next_question(database: Database) -> None:
    store = database.open()
    with store.open_home(writes=True) as connection:
        connection.send("INSERT INTO settings (key, value) VALUES ('a', :value)", {"value": "b"})
        found = connection.execute("SELECT value FROM settings WHERE key = 'a'").fetchone()
    assert found["value"] == "b"


def test_a_question_asked_ahead_is_answered_once(database: Database) -> None:
    store = database.open()
    asked = "SELECT value FROM settings WHERE key = :key", {"key": "a"}
    with store.open_home(writes=True) as connection:
        connection.ask_ahead(*asked)
        assert connection.execute(*asked).fetchone() is None
        connection.send("INSERT INTO settings (key, value) VALUES ('a', 'b')", {})
        assert connection.execute(*asked).fetchone()["value"] == "b"
