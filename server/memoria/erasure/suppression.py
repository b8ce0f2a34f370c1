"""Suppression: the one answer to "may this be kept?", for every way a text comes in.

Explicit statements, conclusions of rules and of a model, derived memories, edits by hand, captured
and imported turns all ask here, inside the transaction that would write them.

What was forgotten is recognised without having been kept. A tombstone holds digests: HMAC-SHA256
(RFC 2104) under a key that lies beside the database, not in it. Whoever has the database alone
can't try all four-digit numbers to learn a forgotten PIN. A digest is bound to its tenant and to
what it is of, so that none can pass for another. Where the user allows it, a tombstone also holds a
vector, by which paraphrases are recognised.
"""

import hmac
import json
from collections.abc import Callable
from functools import cached_property

from memoria.errors import ForgottenError
from memoria.model import NO_TEXT_VECTORS, TextVectors
from memoria.store.base import Tombstones
from memoria.store.values import MessageName, Tombstone
from memoria.text.statement import canonical_form, is_distinctive, sentences_in, statements_in


class Digester:
    """Makes one tenant's digests."""

    def __init__(self, tenant: str, read_key: Callable[[], bytes]) -> None:
        """The key is read when the first digest is made.

        Raises, then:
            StoreUnavailableError: the key can't be read.
        """
        self._tenant = tenant
        self._read_key = read_key

    @cached_property
    def _key(self) -> bytes:
        return self._read_key()

    def digest_statement(self, text: str) -> str:
        """The digest of a statement, the same for every spelling of it."""
        return self._digest("statement", canonical_form(text))

    def digest_statements(self, text: str) -> set[str]:
        """The digests of everything that a text states, piece by piece."""
        return {self.digest_statement(piece) for piece in statements_in(text)}

    def digest_message(self, name: MessageName) -> set[str]:
        """The digests of a message's id in its client, and of its fingerprint there."""
        digests = {self._digest("print", name.source, name.session_id, name.fingerprint.hex())}
        if name.message_id is not None:
            digests.add(self._digest("message", name.source, name.session_id, name.message_id))
        return digests

    def digest_turn(self, text: str) -> set[str]:
        """The digest of a whole turn's text, whoever says it; none if the text is too short."""
        return {self._digest("whole", canonical_form(text))} if is_distinctive(text) else set()

    def _digest(self, *parts: str) -> str:
        message = json.dumps([self._tenant, *parts], ensure_ascii=False)
        return hmac.digest(self._key, message.encode(), "sha256").hex()


class SuppressionList:
    """What a tenant has forgotten, as one transaction sees it."""

    def __init__(
        self, tombstones: Tombstones, digester: Digester, meanings: TextVectors = NO_TEXT_VECTORS
    ) -> None:
        """Nothing is read yet.

        Args:
            tombstones: of the tenant.
            digester: makes the digests that are looked up.
            meanings: vectors of the texts that will be asked about, where paraphrases count too.
        """
        self._tombstones = tombstones
        self._digester = digester
        self._meanings = meanings

    @cached_property
    def _is_empty(self) -> bool:
        return not self._tombstones.any()

    def find_tombstone(self, text: str) -> Tombstone | None:
        """The tombstone of a forgotten memory that a text states again, word for word."""
        if self._is_empty:
            return None
        return self._tombstones.find(self._digester.digest_statements(text), "memory")

    def may_keep(self, text: str) -> bool:
        """Whether neither the text nor a sentence of it states or means what was forgotten."""
        return self.find_tombstone(text) is None and not self._resembles_forgotten(text)

    def check_statement(self, text: str) -> None:
        """See that a statement may be kept.

        Raises:
            ForgottenError: it was forgotten.
        """
        tombstone = self.find_tombstone(text)
        if tombstone is not None:
            raise ForgottenError(
                f"This {tombstone.epitaph}. If the user wants it back, remember it with "
                "again=true (in a shell: memoria remember --again)."
            )

    def lift(self, text: str) -> Tombstone | None:
        """Let memories state this text again. Gives the tombstone that stood against it."""
        tombstone = self.find_tombstone(text)
        if tombstone is not None:
            self._tombstones.lift(self._digester.digest_statements(text))
        return tombstone

    def may_record(self, name: MessageName, text: str) -> bool:
        """Whether a turn may be recorded: not if the turn itself was erased.

        Args:
            name: what the message is known by in its client.
            text: the whole of it.
        """
        if self._is_empty:
            return True
        digests = self._digester.digest_message(name) | self._digester.digest_turn(text)
        return self._tombstones.find(digests, "turn") is None

    def may_conclude_from(self, text: str) -> bool:
        """Whether memories may be drawn from a turn: not if it states what was forgotten."""
        return self.find_tombstone(text) is None

    def _resembles_forgotten(self, text: str) -> bool:
        """Whether a sentence of a text means what was forgotten, where vectors can tell."""
        model, known = self._meanings.model, self._meanings.vectors
        vectors = [known[piece] for piece in sentences_in(text) if piece in known]
        return any(
            self._tombstones.find_by_meaning(model, vector) is not None for vector in vectors
        )
