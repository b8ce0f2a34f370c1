"""Tombstones: knowing again what was forgotten, without having kept it.

A tombstone holds marks: HMAC-SHA256 (RFC 2104) under a key that lies beside the database, not in
it. Whoever has the database alone can't try all four-digit numbers to learn a forgotten PIN.
Marks are bound to their tenant and to what they are of, so that none can pass for another.
"""

import hmac
import json
from collections.abc import Callable
from functools import cached_property

from memoria.store.base import Tombstones
from memoria.store.values import MessageName, Tombstone
from memoria.text.statement import canonical_form, is_distinctive, statements_in


class Digester:
    """Makes one tenant's marks."""

    def __init__(self, tenant: str, read_key: Callable[[], bytes]) -> None:
        """The key is read when the first mark is made.

        Raises, then:
            StoreUnavailableError: the key can't be read.
        """
        self._tenant = tenant
        self._read_key = read_key

    @cached_property
    def _key(self) -> bytes:
        return self._read_key()

    def digest_statement(self, text: str) -> str:
        """The mark of a statement, the same for every spelling of it."""
        return self._digest("statement", canonical_form(text))

    def digest_statements(self, text: str) -> set[str]:
        """The marks of all that a text says, piece by piece."""
        return {self.digest_statement(piece) for piece in statements_in(text)}

    def digest_message(self, name: MessageName) -> set[str]:
        """The marks a message is known by: its number in the client, and its fingerprint there."""
        marks = {self._digest("print", name.source, name.session_id, name.fingerprint.hex())}
        if name.message_id is not None:
            marks.add(self._digest("message", name.source, name.session_id, name.message_id))
        return marks

    def digest_turn(self, text: str) -> set[str]:
        """The mark of a whole turn's text, wherever it is said; none if it says too little."""
        return {self._digest("whole", canonical_form(text))} if is_distinctive(text) else set()

    def _digest(self, *parts: str) -> str:
        said = json.dumps([self._tenant, *parts], ensure_ascii=False)
        return hmac.digest(self._key, said.encode(), "sha256").hex()


class SuppressionList:
    """What a tenant's tombstones say of turns on their way in."""

    def __init__(self, tombstones: Tombstones, marks: Digester) -> None:
        self._tombstones = tombstones if tombstones.any() else None
        self._marks = marks

    def forbids(self, name: MessageName, whole: str) -> bool:
        """Whether the turn itself was erased: it must not be kept again."""
        if self._tombstones is None:
            return False
        marks = self._marks.digest_message(name) | self._marks.digest_turn(whole)
        return self._tombstones.find(marks, "turn") is not None

    def suppresses(self, whole: str) -> bool:
        """Whether the turn says what was forgotten: nothing may be concluded from it."""
        if self._tombstones is None:
            return False
        return find_suppression(self._tombstones, self._marks, whole) is not None


def find_suppression(tombstones: Tombstones, marks: Digester, text: str) -> Tombstone | None:
    """The tombstone of a forgotten memory that this text says again."""
    return tombstones.find(marks.digest_statements(text), "memory") if tombstones.any() else None
