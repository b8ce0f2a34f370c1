"""A key under a passphrase: scrypt (RFC 7914) makes the key of a cipher, AES-256-GCM keeps ours.

Whoever has the passphrase of an export learns with it which of their guesses was forgotten; whoever
has not learns nothing. The tenant is part of what is sealed, so that no list passes for another's.
"""

import base64
import hmac
import secrets

from memoria.errors import ExportError
from memoria.model.base import Value

_SALT_BYTES = 16
_NONCE_BYTES = 12
_WORK = 1 << 17
_MOST_WORK = 1 << 20
_BLOCK = 8
_LEAST_LETTERS = 8
_ID_DIGITS = 16


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
