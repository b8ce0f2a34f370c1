"""Keys for tombstones of a database: one for all servers, and of no use to who has a copy of it."""

import base64
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from tests.store.shared_database import KEY, Database

from memoria.config import Settings
from memoria.errors import InvalidInputError, StoreError, StoreUnavailableError
from memoria.store.postgres.tombstone_keys import require_key

OTHER, THIRD = b"\xaa" * 32, b"\xbb" * 32


@pytest.fixture
def new_database(database: Database) -> Database:
    """A database that no server has opened."""
    database.forget_keys()
    return database


def list_values(database: Database) -> str:
    with psycopg.connect(database.address) as raw:
        return repr(raw.execute("SELECT key, value FROM settings").fetchall())


@pytest.mark.parametrize(
    "written",
    [KEY.hex(), KEY.hex().upper(), f" {KEY.hex()}\n", base64.b64encode(KEY).decode()],
    ids=["hexadecimal", "upper case", "with blanks", "base64"],
)
def test_a_key_is_written_in_hexadecimal_or_base64(written: str) -> None:
    assert Settings.from_values(tombstone_key=written).tombstone_key_bytes == KEY


@pytest.mark.parametrize(
    "written",
    ["secretsecret", KEY.hex()[:-2], KEY.hex() + "00", base64.b64encode(KEY[1:]).decode()],
    ids=["words", "short", "long", "short in base64"],
)
def test_what_is_no_key_is_refused_with_the_way_to_make_one_and_not_quoted(written: str) -> None:
    with pytest.raises(InvalidInputError, match="openssl rand -hex 32") as caught:
        Settings.from_values(tombstone_key=written)
    assert "MEMORIA_TOMBSTONE_KEY" in str(caught.value)
    assert written not in str(caught.value)


def test_a_database_without_a_key_says_how_to_make_one() -> None:
    assert require_key(KEY) == KEY
    with pytest.raises(StoreUnavailableError, match=r"MEMORIA_TOMBSTONE_KEY.*openssl rand -hex 32"):
        require_key(None)


def test_a_database_is_opened_with_the_key_alone_with_which_it_was_begun(
    new_database: Database,
) -> None:
    assert new_database.open().files.tombstone_key() == KEY
    assert new_database.open().files.list_tombstone_keys() == (KEY,)
    with pytest.raises(StoreUnavailableError, match="not the key with which this database was"):
        new_database.open(OTHER)


def test_of_servers_that_begin_a_database_at_once_one_decides_on_the_key(
    new_database: Database,
) -> None:
    def is_opened(key: bytes) -> bool:
        try:
            new_database.open(key)
        except StoreError:
            return False
        return True

    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(is_opened, [KEY, OTHER])) == [False, True]


def test_keys_of_other_homes_are_known_to_every_server_and_sealed_in_the_database(
    database: Database,
) -> None:
    files, elsewhere = database.open().files, database.open().files
    assert files.adopt_tombstone_keys(OTHER + THIRD + OTHER + KEY)
    assert not elsewhere.adopt_tombstone_keys(THIRD)
    assert elsewhere.list_tombstone_keys() == (KEY, OTHER, THIRD)
    assert elsewhere.tombstone_key() == KEY + OTHER + THIRD
    stored = list_values(database)
    assert all(key.hex() not in stored for key in (KEY, OTHER, THIRD))


def test_keys_that_two_servers_take_in_at_once_are_all_kept(database: Database) -> None:
    servers = [database.open().files for _ in range(2)]
    keys = [bytes([n]) * 32 for n in range(20)]
    with ThreadPoolExecutor(2) as threads:
        done = threads.map(lambda n: servers[n % 2].adopt_tombstone_keys(keys[n]), range(20))
    assert all(done)
    assert sorted(servers[0].list_tombstone_keys()) == sorted([KEY, *keys])


def test_a_sealed_key_that_was_changed_is_not_used(database: Database) -> None:
    files = database.open().files
    files.adopt_tombstone_keys(OTHER)
    with psycopg.connect(database.address) as raw:
        raw.execute(
            "UPDATE settings SET value = overlay(value placing '00' from 40)"
            " WHERE key = 'adopted_keys'"
        )
    with pytest.raises(StoreUnavailableError, match="is damaged in the database"):
        files.tombstone_key()
