"""Texts of turns by their hash, each by itself, or packed together in a block.

The form in which a text is kept matters to this module and to `storage_tiers` alone.
"""

from collections.abc import Callable, Collection
from functools import partial

from memoria.errors import StoreDamagedError
from memoria.store.connection import Connection
from memoria.store.rows.chunks import digest, pack, pack_lightly, unpack
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
        self._open: tuple[int, bytes] = (0, b"")
        """Number and content of the last block: a conversation is read text by text."""

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
        """Return a text from its row; `codec` and `data` are None if it lies in a block.

        Raises:
            StoreDamagedError: it is gone, or is not what was kept.
        """
        known = self._known.get(key)
        if known is not None:
            return known
        data = self._read_packed(key) if codec is None or data is None else unpack(codec, data)
        if digest(data) != key:
            raise StoreDamagedError.for_problem(f"the text {key.hex()} is not what was kept")
        text = data.decode()
        if self._only_reads and len(self._known) < _MOST:
            self._known[key] = text
        return text

    def defer(self, key: bytes, codec: str | None, data: bytes | None) -> Callable[[], str]:
        """Return a function that reads a text later; one in a block is read now, with its block."""
        if codec is None:
            text = self.read(key, codec, data)
            return lambda: text
        return partial(self.read, key, codec, data)

    def erase_unused(self, keys: Collection[bytes]) -> None:
        """Erase those texts that no turn holds any more."""
        wanted = as_json(key.hex().upper() for key in keys)
        used = {row["hash"] for row in self._rows.all("in_use", hashes=wanted)} if keys else set()
        for key in sorted({*keys} - used):
            self._erase(key)

    def _erase(self, key: bytes) -> None:
        """Erase a text; in a block its place is filled with zeros."""
        self._rows.change("erase_chunk", hash=key)
        place = self._rows.first("place", hash=key)
        if place is not None:
            n, start, size = place
            block = self._read_block(key, n)
            blanked = block[:start] + bytes(size) + block[start + size :]
            self._rows.change("erase_place", hash=key)
            self._rows.change("write_block", n=n, data=pack_lightly(blanked))
            self._rows.change("erase_empty_block", n=n)
            self._open = (0, b"")

    def _read_packed(self, key: bytes) -> bytes:
        place = self._rows.first("place", hash=key)
        if place is None:
            raise _missing_text(key)
        n, start, size = place
        return self._read_block(key, n)[start : start + size]

    def _read_block(self, key: bytes, n: int) -> bytes:
        if self._open[0] != n:
            row = self._rows.first("block", n=n)
            if row is None:
                raise _missing_text(key)
            self._open = n, unpack("zstd", row["data"])
        return self._open[1]


def _missing_text(key: bytes) -> StoreDamagedError:
    return StoreDamagedError.for_problem(f"the text {key.hex()} is missing")
