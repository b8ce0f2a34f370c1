"""Texts of turns by their hash."""

from collections.abc import Callable, Collection
from functools import partial

from memoria.errors import StoreDamagedError
from memoria.store.connection import Connection
from memoria.store.rows.chunks import digest, pack, unpack
from memoria.store.sql.tenant_rows import TenantRows, as_json

_MOST = 500
"""Number of texts that a reader caches: those that a question ranks and shows."""


class Texts:
    """A tenant's texts, as one transaction sees them."""

    def __init__(self, connection: Connection, tenant: int, *, only_reads: bool = False) -> None:
        """Bind to a tenant.

        Args:
            connection: to the file.
            tenant: its number.
            only_reads: True if nothing changes meanwhile; then texts that were read are cached.
        """
        self._rows = TenantRows(connection, tenant, "texts")
        self._only_reads = only_reads
        self._known: dict[bytes, str] = {}

    def put(self, text: str) -> bytes:
        """Keep a text, unless it is kept already; return its hash."""
        data = text.encode()
        key = digest(data)
        codec, packed = pack(data)
        self._rows.insert("add", hash=key, codec=codec, size=len(data), data=packed)
        return key

    def get(self, key: bytes) -> str:
        """Return a text by its hash.

        Raises:
            StoreDamagedError: it is gone, or is not what was kept.
        """
        row = self._rows.first("chunk", hash=key)
        return self.read(key, *(row or (None, None)))

    def read(self, key: bytes, codec: str | None, data: bytes | None) -> str:
        """Return a text from its row; `codec` and `data` are None if there is none.

        Raises:
            StoreDamagedError: it is gone, or is not what was kept.
        """
        known = self._known.get(key)
        if known is not None:
            return known
        if codec is None or data is None:
            raise StoreDamagedError.for_problem(f"the text {key.hex()} is missing")
        data = unpack(codec, data)
        if digest(data) != key:
            raise StoreDamagedError.for_problem(f"the text {key.hex()} is not what was kept")
        text = data.decode()
        if self._only_reads and len(self._known) < _MOST:
            self._known[key] = text
        return text

    def defer(self, key: bytes, codec: str | None, data: bytes | None) -> Callable[[], str]:
        """Return a function that reads a text later."""
        return partial(self.read, key, codec, data)

    def erase_unused(self, keys: Collection[bytes]) -> None:
        """Erase those texts that no turn holds any more."""
        wanted = as_json(key.hex().upper() for key in keys)
        used = {row["hash"] for row in self._rows.all("in_use", hashes=wanted)} if keys else set()
        for key in sorted({*keys} - used):
            self._rows.change("erase_chunk", hash=key)
