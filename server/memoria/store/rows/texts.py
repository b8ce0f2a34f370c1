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
from memoria.model.metadata import parse_metadata, write_metadata
from memoria.store.connection import Connection
from memoria.store.features import TurnMetadata
from memoria.store.sql.statements import TenantRows, as_json
from memoria.store.values import NewTurn

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
    except (StoreDamagedError, TypeError):  # the data may not be bytes
        return False


_MOST = 500
"""Number of texts that a reader caches: enough for a search."""


class Texts:
    """Texts of a tenant's turns, as one transaction sees them."""

    def __init__(self, connection: Connection, tenant: int, *, only_reads: bool = False) -> None:
        """Bind to a tenant.

        Args:
            connection: to the file.
            tenant: its number.
            only_reads: True if the transaction only reads; texts are then cached.
        """
        self._rows = TenantRows(connection, tenant, "texts")
        self._only_reads = only_reads
        self._known: dict[bytes, str] = {}

    def put(self, text: str) -> bytes:
        """Store a text, unless stored already, and return its hash."""
        return self.put_bytes(text.encode())

    def put_bytes(self, data: bytes) -> bytes:
        """Store the bytes of a file, unless stored already, and return their hash."""
        key = digest(data)
        codec, packed = pack(data)
        self._rows.send("add", hash=key, codec=codec, size=len(data), data=packed)
        return key

    def put_turn(self, turn: NewTurn) -> dict[str, Any]:
        """Store the texts of a turn, and return the values of the turn's columns."""
        return turn._asdict() | {
            "role": turn.role.value,
            "trust": turn.trust.value,
            "content_hash": self.put(turn.content),
            "args_hash": self.put_json(turn.tool_args),
            "result_hash": self.put_json(turn.tool_result),
            "file_hash": None if turn.file is None else self.put_bytes(turn.file),
            "metadata": write_metadata(turn.metadata),
        }

    def put_json(self, value: JsonValue) -> bytes | None:
        """Store a JSON value, and return its hash; None for None."""
        return None if value is None else self.put(json.dumps(value, ensure_ascii=False))

    def get(self, key: bytes) -> str:
        """Return a text by its hash.

        Raises:
            StoreDamagedError: the text is gone, or is not the text that was stored.
        """
        row = self._rows.first("chunk", hash=key)
        return self.read(key, *(row or (None, None)))

    def read(self, key: bytes, codec: str | None, data: bytes | None) -> str:
        """Return a text from its row; `codec` and `data` are None if the row is missing.

        Raises:
            StoreDamagedError: the text is gone, or is not the text that was stored.
        """
        known = self._known.get(key)
        if known is not None:
            return known
        text = self._unpack(key, codec, data).decode()
        if self._only_reads and len(self._known) < _MOST:
            self._known[key] = text
        return text

    def get_bytes(self, key: bytes) -> bytes:
        """Return the bytes of a file by their hash.

        Raises:
            StoreDamagedError: as `get` does.
        """
        row = self._rows.first("chunk", hash=key)
        return self._unpack(key, *(row or (None, None)))

    def _unpack(self, key: bytes, codec: str | None, data: bytes | None) -> bytes:
        if codec is None or data is None:
            raise StoreDamagedError.for_problem(f"the text {key.hex()} is missing")
        data = unpack(codec, data)
        if digest(data) != key:
            raise StoreDamagedError.for_problem(f"the text {key.hex()} is not what was kept")
        return data

    def defer(self, key: bytes, codec: str | None, data: bytes | None) -> Callable[[], str]:
        """Return a function that reads the text when called."""
        return partial(self.read, key, codec, data)

    def erase_unused(self, keys: Collection[bytes]) -> None:
        """Erase texts that no turn holds any more."""
        wanted = as_json(key.hex().upper() for key in keys)
        used = set(self._rows.column("in_use", hashes=wanted)) if keys else set()
        for key in sorted({*keys} - used):
            self._rows.send("erase_chunk", hash=key)


_ROLES = {role.value: role for role in Role}
_TRUST = {trust.value: trust for trust in Trust}
_PLAIN_FIELDS = tuple(StoredTurn.model_fields)[:-4]
"""Fields of a turn before its text and tool call, in the order of the statement `turns`."""


def read_turn_row(row: tuple[Any, ...], heard: TurnMetadata | None, texts: Texts) -> StoredTurn:
    """Build a turn from its row, whose values the table has checked.

    Args:
        row: a row of the statement `turns`.
        heard: the turn's metadata, whose text has been read; None if the text was not read yet.
        texts: the texts to which the row refers.
    """
    *plain, tool_name, content, args, result, codec, data = row
    fields = dict(zip(_PLAIN_FIELDS, plain, strict=True))
    for flag in ("current", "suppressed", "processed"):
        fields[flag] = bool(fields[flag])
    fields["role"], fields["trust"] = _ROLES[fields["role"]], _TRUST[fields["trust"]]
    fields["metadata"] = parse_metadata(fields["metadata"])
    fields["content"] = heard.content if heard else texts.read(content, codec, data)
    fields["tool_name"] = tool_name
    fields["tool_args"] = args and _read_json(texts, args)
    fields["tool_result"] = result and _read_json(texts, result)
    return StoredTurn.of_checked(fields)


def _read_json(texts: Texts, key: bytes) -> JsonValue:
    value: JsonValue = json.loads(texts.get(key))
    return value
