"""Access over the network: what a token allows, and a token's parts."""

import base64
import binascii
import hashlib
import hmac
import secrets
from enum import StrEnum
from typing import Annotated, NamedTuple, Self

from memoria.model.base import UNLESS_EMPTY, Value
from memoria.model.moments import Moment

TEXT_BEGINS = "mem_"
"""Beginning of the text of a token that a program shows."""
LINK_BEGINS = "memlink_"
"""Beginning of what a link to the viewer has, which opens it once."""
VISIT_BEGINS = "memvisit_"
"""Beginning of what a browser keeps while it visits the viewer."""
_SECRET_BYTES = 32


class Access(StrEnum):
    """Levels of access for a caller; each includes those before it."""

    READ = "read"
    """Search, and look at memories, turns and sessions."""
    WRITE = "write"
    """Record, remember and revise as well."""
    FORGET = "forget"
    """Erase as well."""
    ADMIN = "admin"
    """Run nights, export, import, and read the log as well."""

    def includes(self, other: "Access") -> bool:
        """Return whether a caller with this access may do what needs the other.

        >>> Access.WRITE.includes(Access.READ), Access.WRITE.includes(Access.FORGET)
        (True, False)
        """
        order = list(Access)
        return order.index(self) >= order.index(other)


class Token(Value):
    """A token as it is stored: everything but its secret, of which there is a digest only."""

    id: str
    label: Annotated[str, UNLESS_EMPTY] = ""
    """The user's own word for whoever has it."""
    access: Access
    created_at: Moment
    expires_at: Moment | None = None
    revoked_at: Moment | None = None
    last_used_day: str | None = None
    """Date in UTC, such as 2026-03-12; None if it was never used."""

    @property
    def caller(self) -> str:
        """Words for whoever shows it, such as `token 1a2b3c4d (laptop)`."""
        return f"token {self.id[-8:]}" + (f" ({self.label})" if self.label else "")

    def holds(self, at: int) -> bool:
        """Return whether a caller may use it at a moment, in UTC epoch milliseconds."""
        return self.revoked_at is None and (self.expires_at is None or at < self.expires_at)


class TokenText(NamedTuple):
    """The text that a caller shows: `mem_TENANT.ID.SECRET`, the tenant in URL-safe base64.

    The tenant stands in it so that a token is looked up among its own tenant's and no others. It
    begins as its use is: what a program shows opens no viewer, and a browser's opens nothing else.
    """

    tenant: str
    id: str
    secret: str
    begins: str = TEXT_BEGINS

    @classmethod
    def create(cls, tenant: str, token_id: str, begins: str = TEXT_BEGINS) -> Self:
        """Create the text of a new token, with 256 random bits of secret."""
        return cls(tenant, token_id, secrets.token_urlsafe(_SECRET_BYTES), begins)

    @classmethod
    def parse(cls, text: str, begins: str = TEXT_BEGINS) -> Self | None:
        """Parse a text that somebody shows for one use; None if no token is written so."""
        parts = text.removeprefix(begins).split(".")
        if not text.startswith(begins) or len(parts) != 3 or not all(parts):  # noqa: PLR2004
            return None
        tenant, token_id, secret = parts
        try:
            name = base64.urlsafe_b64decode(tenant + "=" * (-len(tenant) % 4)).decode()
        except (binascii.Error, ValueError):
            return None
        return None if "\0" in name + token_id else cls(name, token_id, secret, begins)

    def __str__(self) -> str:
        """Return the text as it is shown once, when the token is created."""
        tenant = base64.urlsafe_b64encode(self.tenant.encode()).decode().rstrip("=")
        return f"{self.begins}{tenant}.{self.id}.{self.secret}"

    @property
    def digest(self) -> bytes:
        """Digest of the secret, which is all that is stored of it; another one for each use.

        A secret of 256 random bits can't be guessed from its SHA-256, so no slower hash is needed.
        """
        use = "" if self.begins == TEXT_BEGINS else self.begins
        return hashlib.sha256(f"{use}{self.secret}".encode()).digest()

    def matches(self, digest: bytes) -> bool:
        """Compare the secret with a stored digest, in a time that tells nothing."""
        return hmac.compare_digest(self.digest, digest)
