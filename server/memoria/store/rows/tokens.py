"""Tokens by which somebody reaches a tenant's memory over HTTP."""

from collections.abc import Iterable

from memoria.model.access import Token
from memoria.store.connection import Connection
from memoria.store.sql.statements import TenantRows, build_value


class Tokens:
    """A tenant's tokens. Of a secret only its digest is stored."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "tokens")

    def add(self, token: Token, digest: bytes) -> None:
        """Store a new token."""
        self._rows.send("add", digest=digest, **token.model_dump())

    def replace(self, tokens: Iterable[tuple[Token, bytes]]) -> None:
        """Put tokens with the digests of their secrets in place of all there are."""
        self._rows.send("drop_all")
        for token, digest in tokens:
            self.add(token, digest)

    def all(self) -> list[Token]:
        """List all tokens, those that were revoked or expired included, oldest first."""
        return [build_value(Token, dict(row)) for row in self._rows.all("list")]

    def find(self, token_id: str) -> tuple[Token, bytes] | None:
        """Return a token and the digest of its secret; None if there is no such token."""
        row = self._rows.first("find", id=token_id)
        if row is None:
            return None
        fields = dict(row)
        digest = fields.pop("digest")
        return build_value(Token, fields), digest

    def revoke(self, token_id: str, at: int) -> bool:
        """End a token at a moment; return False if it has ended already."""
        return self._rows.change("revoke", id=token_id, at=at) > 0

    def note_use(self, token_id: str, day: str) -> None:
        """Note the day of a token's last use."""
        self._rows.send("note_use", id=token_id, day=day)

    def exchange(self, token_id: str, old: bytes, new: bytes) -> bool:
        """Put the digest of another secret in place of a token's; False if it has another one."""
        return self._rows.change("exchange", id=token_id, old=old, new=new) > 0
