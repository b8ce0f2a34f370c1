"""Texts of turns by their SHA-256, compressed where that saves space, and turns built with them."""

import hashlib
import json
import sys
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from pydantic import JsonValue

from memoria.errors import StoreDamagedError
from memoria.model import Role, StoredTurn, Trust
from memoria.store.connection import Connection
from memoria.store.features import TurnMetadata
from memoria.store.sql.statements import TenantRows, as_json

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd
_LEVEL = 3
_WORTH_TRYING = 512
"""Bytes. Compressing less saves a fifth at most, and makes every read 10 to 20 µs longer."""


def digest(data: bytes) -> bytes:
    """Return the chunk's address: 32 bytes of SHA-256."""
    return hashlib.sha256(data).digest()


def pack(data: bytes) -> tuple[str, bytes]:
    """Compress a text if that saves space; return (codec, bytes to store)."""
    if len(data) >= _WORTH_TRYING:
        packed = zstd.compress(data, _LEVEL)
        if len(packed) < len(data):
            return "zstd", packed
    return "plain", data


def unpack(codec: str, data: bytes) -> bytes:
    """Return the text that was given to `pack`.

    Raises:
        StoreDamagedError: the bytes are damaged.
    """
    try:
        return zstd.decompress(data) if codec == "zstd" else data
    except zstd.ZstdError as error:
        raise StoreDamagedError.for_problem("a text can't be unpacked") from error


def intact(key: bytes, codec: str, data: bytes) -> bool:
    """Check whether a chunk still holds the text with this SHA-256."""
    try:
        return digest(unpack(codec, data)) == key
    except (StoreDamagedError, TypeError):  # it may not even be bytes
        return False


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


_ROLES = {role.value: role for role in Role}
_TRUST = {trust.value: trust for trust in Trust}


def read_turn_row(row: tuple[Any, ...], heard: TurnMetadata | None, texts: Texts) -> StoredTurn:
    """Build a turn from its row; the table itself checks types and enumerations.

    Args:
        row: of the statement `turns`.
        heard: the turn's metadata with its text, if that has been read; else None.
        texts: reads texts that the row only refers to.
    """
    (n, turn_id, source, session_id, session_n, message_id, turn_index, version, current,
     suppressed, processed, role, speaker, account, at, utc_offset, ingested_at, trust,
     workspace, tool_name, content, args, result, codec, data) = row  # fmt: skip
    return StoredTurn.of_checked(
        {
            "n": n,
            "id": turn_id,
            "source": source,
            "session_id": session_id,
            "session_n": session_n,
            "message_id": message_id,
            "turn_index": turn_index,
            "version": version,
            "current": bool(current),
            "suppressed": bool(suppressed),
            "processed": bool(processed),
            "role": _ROLES[role],
            "speaker": speaker,
            "account": account,
            "at": at,
            "utc_offset": utc_offset,
            "ingested_at": ingested_at,
            "trust": _TRUST[trust],
            "workspace": workspace,
            "content": heard.content if heard else texts.read(content, codec, data),
            "tool_name": tool_name,
            "tool_args": args and _read_json(texts, args),
            "tool_result": result and _read_json(texts, result),
        }
    )


def _read_json(texts: Texts, key: bytes) -> JsonValue:
    value: JsonValue = json.loads(texts.get(key))
    return value
