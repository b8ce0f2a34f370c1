"""Keys for tombstones of a database: its own comes from the settings, others' are kept in rows.

Whoever has the database alone can't find out what was forgotten: of the own key there is a digest,
by which another key is noticed, and the keys of other homes are sealed with it.
"""

import hmac
import secrets

from memoria.disk.home_files import KEY_BYTES, split_keys
from memoria.errors import StoreUnavailableError
from memoria.store.postgres.joined import JoinedTransactions

MAKE_A_KEY = (
    "Make one with `openssl rand -hex 32`, give it to every server of this database, and keep it "
    "where you keep your passwords: without it what was forgotten can't be recognised."
)
_NAME = b"Memoria's key for tombstones"
_NONCE_BYTES = 16


def require_key(key: bytes | None) -> bytes:
    """Return the key that the settings name.

    Raises:
        StoreUnavailableError: they name none.
    """
    if key is None:
        raise StoreUnavailableError(
            "A memory in a PostgreSQL database needs MEMORIA_TOMBSTONE_KEY: a secret of 32 random "
            f"bytes by which it recognises what was forgotten. {MAKE_A_KEY}"
        )
    return key


class TombstoneKeys:
    """The keys of a database, its own first."""

    def __init__(self, own: bytes, transactions: JoinedTransactions) -> None:
        """Bind the key of the settings to the database in which these transactions are."""
        self._own = own
        self._transactions = transactions

    def check(self) -> None:
        """Check that the key is the one with which the database was begun, or begin it with this.

        Raises:
            StoreUnavailableError: it is another.
        """
        digest = hmac.digest(self._own, _NAME, "sha256").hex()
        known = self._read_value("key_digest")
        if known is None:
            with self._transactions.join_any(writes=True) as connection:
                connection.execute(connection.statements("files")["begin_key"], {"digest": digest})
            known = self._read_value("key_digest")
        if known is None or not hmac.compare_digest(known, digest):
            raise StoreUnavailableError(
                "MEMORIA_TOMBSTONE_KEY is not the key with which this database was begun: what was "
                "forgotten would not be recognised. Set the key that its other servers have."
            )

    def list_all(self) -> tuple[bytes, ...]:
        """Return the keys, each by itself.

        Raises:
            StoreUnavailableError: a key in the database is damaged.
        """
        sealed = (self._read_value("adopted_keys") or "").split()
        return (self._own, *(self._open(one) for one in sealed))

    def adopt(self, content: bytes) -> bool:
        """Add the keys of another home; return True if any key was new."""
        with self._transactions.join_any(writes=True) as connection:
            sql = connection.statements("files")
            connection.execute(sql["hold_keys"]).fetchone()
            row = connection.execute(sql["adopted_keys"]).fetchone()
            sealed = [] if row is None else str(row[0]).split()
            known = {self._own, *(self._open(one) for one in sealed)}
            new = [key for key in dict.fromkeys(split_keys(content)) if key not in known]
            if new:
                value = " ".join((*sealed, *map(self._seal, new)))
                connection.execute(sql["put_adopted_keys"], {"value": value})
        return bool(new)

    def _read_value(self, name: str) -> str | None:
        with self._transactions.join_any() as connection:
            row = connection.execute(connection.statements("files")[name]).fetchone()
        return None if row is None else str(row[0])

    def _seal(self, key: bytes) -> str:
        nonce = secrets.token_bytes(_NONCE_BYTES)
        sealed = nonce + _mask(key, self._digest(b"mask", nonce))
        return (sealed + self._digest(b"proof", sealed)).hex()

    def _open(self, sealed: str) -> bytes:
        data = bytes.fromhex(sealed)
        nonce, masked = data[:_NONCE_BYTES], data[_NONCE_BYTES : _NONCE_BYTES + KEY_BYTES]
        proof = data[_NONCE_BYTES + KEY_BYTES :]
        if not hmac.compare_digest(proof, self._digest(b"proof", nonce + masked)):
            raise StoreUnavailableError(
                "A key of what was forgotten elsewhere is damaged in the database. Restore the "
                "database from a backup."
            )
        return _mask(masked, self._digest(b"mask", nonce))

    def _digest(self, purpose: bytes, data: bytes) -> bytes:
        return hmac.digest(self._own, b" ".join((_NAME, purpose, data)), "sha256")


def _mask(content: bytes, mask: bytes) -> bytes:
    """Return a content whose bits are flipped where a mask of the same length has ones."""
    return bytes(one ^ other for one, other in zip(content, mask, strict=True))
