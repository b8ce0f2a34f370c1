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
from memoria.text.statement import canonical, statements_in, telling


class Marks:
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

    def statement(self, text: str) -> str:
        """The mark of a statement, the same for every spelling of it."""
        return self._mark("statement", canonical(text))

    def statements(self, text: str) -> set[str]:
        """The marks of all that a text says, piece by piece."""
        return {self.statement(piece) for piece in statements_in(text)}

    def message(self, name: MessageName) -> set[str]:
        """The marks a message is known by: its number in the client, and its fingerprint there."""
        marks = {self._mark("print", name.source, name.session_id, name.fingerprint.hex())}
        if name.message_id is not None:
            marks.add(self._mark("message", name.source, name.session_id, name.message_id))
        return marks

    def whole(self, text: str) -> set[str]:
        """The mark of a whole turn's text, wherever it is said; none if it says too little."""
        return {self._mark("whole", canonical(text))} if telling(text) else set()

    def _mark(self, *parts: str) -> str:
        said = json.dumps([self._tenant, *parts], ensure_ascii=False)
        return hmac.digest(self._key, said.encode(), "sha256").hex()


class Memorial:
    """What a tenant's tombstones say of turns on their way in."""

    def __init__(self, tombstones: Tombstones, marks: Marks) -> None:
        self._tombstones = tombstones if tombstones.any() else None
        self._marks = marks

    def forbids(self, name: MessageName, whole: str) -> bool:
        """Whether the turn itself was erased: it must not be kept again."""
        if self._tombstones is None:
            return False
        marks = self._marks.message(name) | self._marks.whole(whole)
        return self._tombstones.find(marks, "turn") is not None

    def bars(self, whole: str) -> bool:
        """Whether the turn says what was forgotten: nothing may be concluded from it."""
        if self._tombstones is None:
            return False
        return buried(self._tombstones, self._marks, whole) is not None


def buried(tombstones: Tombstones, marks: Marks, text: str) -> Tombstone | None:
    """The tombstone of a forgotten memory that this text says again."""
    return tombstones.find(marks.statements(text), "memory") if tombstones.any() else None
