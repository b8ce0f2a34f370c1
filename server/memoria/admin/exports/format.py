"""Format of an export: JSON Lines, a head first, then a record a line, and an end.

A line is an object with one member: what kind of record it is, and the record.
`docs/guide/export.md` describes it for those who read an export with a program of their own.

The head may hold the tenant's key under a passphrase: scrypt (RFC 7914) makes the key of a cipher,
and AES-256-GCM seals the tenant's. Whoever has the passphrase can test guesses at what was
forgotten; whoever has not learns nothing. The tenant's name is sealed as well, so that no list
passes for another tenant's.
"""

import base64
import hmac
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, get_args

from memoria.bare.sealing import SEAL, EncryptionKeyError, open_reader
from memoria.errors import ExportError
from memoria.model.base import Value
from memoria.store.rows.portable.records import PortableKind, PortableRecord

_SALT_BYTES = 16
_NONCE_BYTES = 12
_WORK = 1 << 17
_MOST_WORK = 1 << 20
_BLOCK = 8
_LEAST_LETTERS = 8
_ID_DIGITS = 16
HEAD = "memoria_export"
"""Name in the first line by which an export is recognised."""
END = "end"
CORE_FILE = "core_file"
FORMAT = 1
_MOST_LINE_BYTES = 64 << 20
_MOST_HEAD_BYTES = 1 << 20
KINDS: frozenset[str] = frozenset((*get_args(PortableKind), CORE_FILE))
_SURROGATE = re.compile(rb"\\u[dD]")
"""Start of one of the two halves in which JSON may write a character. Alone it is no text: what
holds it could never be written out again."""
_NO_HEAD = (ValueError, KeyError, TypeError, OverflowError, RecursionError)
"""Errors that a first line raises if it is no head of an export."""


class SealedKey(Value):
    """A key that only the passphrase opens."""

    cipher: str = "scrypt+aes-256-gcm"
    work: int
    """Effort of a guess at the passphrase, in memory and time: scrypt's N."""
    salt: str
    nonce: str
    sealed: str


def seal_key(key: bytes, passphrase: str, tenant: str) -> SealedKey:
    """Seal a key.

    Raises:
        ExportError: the passphrase is too short to protect anything.
    """
    if len(passphrase) < _LEAST_LETTERS:
        raise ExportError(f"The passphrase is too short: {_LEAST_LETTERS} letters at least.")
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415  (rarely needed)

    salt, nonce = secrets.token_bytes(_SALT_BYTES), secrets.token_bytes(_NONCE_BYTES)
    sealed = AESGCM(_derive(passphrase, salt, _WORK)).encrypt(nonce, key, tenant.encode())
    return SealedKey(work=_WORK, salt=_encode(salt), nonce=_encode(nonce), sealed=_encode(sealed))


def open_key(sealed: SealedKey, passphrase: str, tenant: str) -> bytes:
    """Open a sealed key.

    Raises:
        ExportError: the passphrase is another one, or something was changed.
    """
    from cryptography.exceptions import InvalidTag  # noqa: PLC0415
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415

    if not 1 < sealed.work <= _MOST_WORK:
        raise ExportError(
            "The key of the export is sealed in a way that this version does not know."
        )
    try:
        salt, nonce, text = map(base64.b64decode, (sealed.salt, sealed.nonce, sealed.sealed))
        return AESGCM(_derive(passphrase, salt, sealed.work)).decrypt(nonce, text, tenant.encode())
    except (InvalidTag, ValueError) as error:
        raise ExportError(
            "The passphrase does not open the key of this export. Give the one with which it was "
            "made, or none: what was forgotten is then known by its ids alone."
        ) from error


def key_id(key: bytes) -> str:
    """Return the identifier of a key; it reveals nothing about the key."""
    return hmac.digest(key, b"memoria export", "sha256").hex()[:_ID_DIGITS]


def _derive(passphrase: str, salt: bytes, work: int) -> bytes:
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt  # noqa: PLC0415

    return Scrypt(salt=salt, length=32, n=work, r=_BLOCK, p=1).derive(passphrase.encode())


def _encode(data: bytes) -> str:
    return base64.b64encode(data).decode()


class ExportHead(Value):
    """The first line: what the file holds, and who made it."""

    format: int = FORMAT
    memoria: str
    """Version of Memoria that made the file."""
    schema_number: int
    made_at: datetime
    tenant: str
    workspace: str | None = None
    """The only project in the export; None for all projects."""
    since: int | None = None
    until: int | None = None
    counts: dict[str, int]
    keys: tuple[str, ...] = ()
    """Ids of the keys that recognise the words that were forgotten."""
    sealed_keys: SealedKey | None = None
    """The keys that recognise the words that were forgotten, under a passphrase."""


@dataclass(frozen=True, slots=True)
class ExportLine:
    """A record as it stands in the file."""

    number: int
    """Number of the line, from 1."""
    kind: str
    record: PortableRecord
    position: int
    """Number of bytes of the file up to the end of this line."""


@dataclass(frozen=True, slots=True)
class UnreadableLine:
    """A line that is no record."""

    number: int
    problem: str
    position: int


def encode_line(kind: str, record: Mapping[str, object]) -> bytes:
    """Encode a record as a line."""
    return json.dumps({kind: record}, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def encode_head(head: ExportHead) -> bytes:
    """Encode the first line."""
    return encode_line(HEAD, head.model_dump(mode="json", exclude_none=True))


def is_export(path: Path) -> bool:
    """Check whether a file begins as an export does."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return False
        with path.open("rb") as file:
            begin = file.read(max(len(SEAL), len(HEAD) + 4))
            return begin.startswith((SEAL, f'{{"{HEAD}"'.encode()))  # nothing else is sealed
    except OSError:
        return False


def read_head(path: Path) -> ExportHead:
    """Read the first line of an export.

    Raises:
        ExportError: the file is none, can't be read, or a newer Memoria made it.
    """
    with _open(path) as file:
        return _read_head(file, path)


def read_lines(path: Path) -> Iterator[ExportLine | UnreadableLine]:
    """Yield the lines between head and end; for a file that was cut off, an unreadable line last.

    Raises:
        ExportError: as `read_head` does.
    """
    with _open(path) as file:
        _read_head(file, path)
        number, ended = 1, False
        while line := file.readline(_MOST_LINE_BYTES):
            number += 1
            if ended:
                yield UnreadableLine(number, "stands behind the end", file.tell())
            elif not line.endswith(b"\n") and len(line) == _MOST_LINE_BYTES:
                _skip_line(file)
                yield UnreadableLine(number, "is longer than any line of ours", file.tell())
            else:
                found = _read_line(number, line, file.tell())
                ended = isinstance(found, ExportLine) and found.kind == END
                if not ended:
                    yield found
        if not ended:
            yield UnreadableLine(number + 1, "is missing: the file ends too early", file.tell())


@contextmanager
def _open(path: Path) -> Iterator[BinaryIO]:
    """Open an export, sealed or not."""
    try:
        with open_reader(_open_regular(path)) as file:
            yield file
    except EncryptionKeyError as error:
        raise ExportError(f"{path} can't be read. {error}") from error


def _open_regular(path: Path) -> BinaryIO:
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise ExportError(f"{path} can't be read: {error.strerror}.") from error
    file = os.fdopen(descriptor, "rb")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        raise ExportError(f"{path} is no file. Give one that `memoria export` made.")
    return file


def _read_head(file: BinaryIO, path: Path) -> ExportHead:
    try:
        document = json.loads(file.readline(_MOST_HEAD_BYTES))
        told = document[HEAD]
        if int(told["format"]) > FORMAT:
            raise ExportError.for_newer(path, str(told.get("memoria", "unknown")))
        return ExportHead.model_validate(told)
    except _NO_HEAD as error:
        raise ExportError(
            f"{path} does not begin as an export does. Give a file that `memoria export` made, or "
            "name its format with --format."
        ) from error


def _read_line(number: int, line: bytes, position: int) -> ExportLine | UnreadableLine:
    try:
        document = json.loads(line)
        if _SURROGATE.search(line):
            json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return UnreadableLine(number, "holds half a character", position)
    except (ValueError, RecursionError):
        return UnreadableLine(number, "is no JSON", position)
    match document:
        case dict() if len(document) == 1:
            ((kind, record),) = document.items()
        case _:
            return UnreadableLine(number, "is no record", position)
    if not isinstance(record, dict) or (kind not in KINDS and kind != END):
        return UnreadableLine(number, "is of no kind that this version knows", position)
    return ExportLine(number, kind, record, position)


def _skip_line(file: BinaryIO) -> None:
    while (line := file.readline(_MOST_LINE_BYTES)) and not line.endswith(b"\n"):
        pass
