"""Encryption at rest: the key, the mark of an encrypted home, and sealed files.

The key is the environment's, and of a home that is encrypted the home has a digest: whoever comes
without the key, or with another, is told so before anything is read or written.

A sealed file has a first line of its own, a random name, and then blocks under AES-256-GCM (NIST SP
800-38D), each with its length and a random nonce. The name, a block's number and whether it is the
last are proved with it: no block can be left out, moved, added or taken from another file. The
database encrypts itself (`store/sqlite/library.py`).
"""

import io
import os

from memoria.bare.home import open_new, read_regular, write_all

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from typing import BinaryIO
VARIABLE = "MEMORIA_ENCRYPTION_KEY"
MARK = "encrypted"
"""File of a home, or of a backup, that is encrypted: a digest of its key."""
SEAL = b"memoria sealed 1\n"
_KEY_BYTES, _NAME_BYTES, _NONCE_BYTES, _HEAD_BYTES = 32, 16, 12, 5
_LAST, _MORE = b".", b","
_MOST_MARK_BYTES, _MOST_KEY_TEXT = 64, 200
_BLOCK_BYTES = 1 << 20
_LARGEST_BLOCK = 2 << 20
_FOR_FILES, _FOR_MARK = b"memoria files", b"memoria mark"


class EncryptionKeyError(OSError):
    """A key is missing, is another one or is none, or what it should open was changed."""


def find_key() -> bytes | None:
    """Return the key that the environment names, itself or by the path of its file; None if none.

    Raises:
        EncryptionKeyError: what it names is no key. The message does not quote it.
    """
    given = os.environ.get(VARIABLE, "").strip()
    if not given:
        return None
    try:
        is_path = os.path.isabs(given)
        text = read_regular(given, _MOST_KEY_TEXT).decode("ascii") if is_path else given
        key = bytes.fromhex(text.strip())
    except FileNotFoundError as error:
        raise EncryptionKeyError(f"There is no file {given}, which {VARIABLE} names.") from error
    except ValueError:
        key = b""
    if len(key) != _KEY_BYTES:
        raise EncryptionKeyError(
            f"{VARIABLE} is no key. Write 64 hexadecimal digits, as `openssl rand -hex 32` makes "
            "them, or the whole path of a file that holds them."
        )
    return key


def key_of(home: str) -> bytes | None:
    """Return the key of a home; None where nothing is encrypted.

    Raises:
        EncryptionKeyError: the home is encrypted, and the environment does not name its key.
    """
    key, mark = find_key(), _read_mark(home)
    if mark is None or (key is not None and mark == digest_of(key)):
        return key
    what = "names no key" if key is None else f"names another key ({digest_of(key)})"
    raise EncryptionKeyError(
        f"{home} is encrypted with the key {mark}, and {VARIABLE} {what}. Set it to that key, or "
        "to the path of its file, for this program and for every client. Without the key nobody "
        "can read this home; what you have elsewhere, such as an export that is not encrypted, can "
        "be brought into a new one. Nothing was opened, written or deleted."
    )


def is_sealed(home: str) -> bool:
    """Check whether what is written into a home is encrypted, or would be if the key were there."""
    return bool(os.environ.get(VARIABLE)) or has_mark(home)


def has_mark(home: str) -> bool:
    """Check whether a folder has the mark of an encrypted home."""
    return os.path.lexists(os.path.join(home, MARK))


def write_mark(home: str, key: bytes) -> None:
    """Mark a home as encrypted with a key. The mark is on disk on return.

    Raises:
        OSError: it can't be written.
    """
    draft = os.path.join(home, f".{MARK}.{os.urandom(8).hex()}")
    descriptor = open_new(draft)
    try:
        write_all(descriptor, f"{digest_of(key)}\n".encode("ascii"))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(draft, os.path.join(home, MARK))


def digest_of(key: bytes) -> str:
    """Return a name by which a key is known again, and which tells nothing of the key."""
    from hashlib import blake2b

    return blake2b(key=key, person=_FOR_MARK, digest_size=8).hexdigest()


def seal(home: str, content: bytes) -> bytes:
    """Return a file's content as it is to stand in a home: sealed where the home is encrypted.

    Raises:
        EncryptionKeyError: the home is encrypted, and its key is not here.
    """
    if content.startswith(SEAL):
        return content
    file = io.BytesIO()
    with open_writer(home, file) as opened:
        opened.write(content)
    return file.getvalue()


def unseal(content: bytes) -> bytes:
    """Return what was sealed; any other content as it is.

    Raises:
        EncryptionKeyError: the key is not here or another, or the content was changed or cut off.
    """
    return b"".join(_open_blocks(io.BytesIO(content))) if content.startswith(SEAL) else content


def open_reader(file: "BinaryIO") -> "BinaryIO":
    """Return a reader of a file, sealed or not, from its beginning; it closes the file.

    Raises:
        EncryptionKeyError: as `unseal` does, also while it is read.
    """
    is_ours = file.read(len(SEAL)) == SEAL
    file.seek(0)
    return io.BufferedReader(_Unsealed(file), _BLOCK_BYTES) if is_ours else file


def open_writer(home: str, file: "BinaryIO") -> "AbstractContextManager[BinaryIO]":
    """Return a block in which a file is written, sealed where the home is encrypted.

    The file stays open.

    Raises:
        EncryptionKeyError: the home is encrypted, and its key is not here.
    """
    from contextlib import nullcontext

    key = key_of(home)
    return nullcontext(file) if key is None else _Sealing(file, key)  # type: ignore[return-value]


class _BlockCipher:
    """The cipher of a file's blocks, which are sealed and opened in their order."""

    def __init__(self, key: bytes, name: bytes) -> None:
        """Bind to a key, and to the random name of the file, whose blocks no other file takes."""
        from hashlib import blake2b

        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # no hook waits for it

        self._cipher = AESGCM(blake2b(key=key, person=_FOR_FILES, digest_size=_KEY_BYTES).digest())
        self._name, self._number = name, 0

    def seal(self, content: bytes, kind: bytes) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        sealed = nonce + self._cipher.encrypt(nonce, content, self._place(kind))
        return kind + len(sealed).to_bytes(_HEAD_BYTES - 1, "big") + sealed

    def open(self, sealed: bytes, kind: bytes) -> bytes:
        nonce, content = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
        return self._cipher.decrypt(nonce, content, self._place(kind))

    def _place(self, kind: bytes) -> bytes:
        self._number += 1
        return self._name + b"%d" % self._number + kind


class _Sealing(io.RawIOBase):
    """A file that is sealed as it is written, and whole once this is closed."""

    def __init__(self, file: "BinaryIO", key: bytes) -> None:
        name = os.urandom(_NAME_BYTES)
        self._file, self._cipher, self._held = file, _BlockCipher(key, name), bytearray()
        file.write(SEAL + name)

    def write(self, content: "bytes | bytearray | memoryview", /) -> int:  # type: ignore[override]
        self._held += content
        while len(self._held) > _BLOCK_BYTES:
            self._file.write(self._cipher.seal(bytes(self._held[:_BLOCK_BYTES]), _MORE))
            del self._held[:_BLOCK_BYTES]
        return len(content)

    def close(self) -> None:
        if not self.closed:
            self._file.write(self._cipher.seal(bytes(self._held), _LAST))
        super().close()


class _Unsealed(io.RawIOBase):
    """The content of a sealed file, read block by block."""

    def __init__(self, file: "BinaryIO") -> None:
        self._file, self._blocks = file, _open_blocks(file)
        self._block, self._at = b"", 0

    def readable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: memoryview, /) -> int:  # type: ignore[override]
        while not self._block:
            try:
                self._block = next(self._blocks)
            except StopIteration:
                return 0
        size = min(len(buffer), len(self._block))
        buffer[:size], self._block = self._block[:size], self._block[size:]
        self._at += size
        return size

    def close(self) -> None:
        self._file.close()
        super().close()


def _open_blocks(file: "BinaryIO") -> "Iterator[bytes]":
    from cryptography.exceptions import InvalidTag

    key = find_key()
    if key is None:
        raise EncryptionKeyError(
            f"It is encrypted, and {VARIABLE} names no key: set it to its key."
        )
    cipher, kind = _BlockCipher(key, file.read(len(SEAL) + _NAME_BYTES)[len(SEAL) :]), _MORE
    while kind == _MORE:
        head = file.read(_HEAD_BYTES)
        kind = head[:1]
        sealed = file.read(min(int.from_bytes(head[1:], "big"), _LARGEST_BLOCK))
        try:
            block = cipher.open(sealed, kind)
        except (InvalidTag, ValueError) as error:
            raise EncryptionKeyError(
                f"It can't be opened with the key {digest_of(key)}: it was sealed with another, or "
                "was changed or cut off since."
            ) from error
        yield block
    if file.read(1):
        raise EncryptionKeyError("Something was added to it since it was sealed.")


def _read_mark(home: str) -> str | None:
    try:
        return read_regular(os.path.join(home, MARK), _MOST_MARK_BYTES).decode("ascii").strip()
    except FileNotFoundError:
        return None
