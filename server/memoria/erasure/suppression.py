"""Suppression: the one answer to "may this be kept?", for every way in which a text comes in."""

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal

from memoria.disk.home_files import split_keys
from memoria.errors import ForgottenError, NextStep
from memoria.language.reading.recognition import (
    FORM,
    Place,
    Reading,
    find_anchor,
    list_anchors,
    place_of,
    read_statement,
    strip_markup,
)
from memoria.language.reading.statement import (
    canonical_form,
    is_distinctive,
    sentences_in,
    statements_in,
)
from memoria.model import NO_TEXT_VECTORS, TextVectors, now_millis, to_iso
from memoria.model.forgetting import HiddenRecord
from memoria.store.rows.forgotten import Tombstones
from memoria.store.values import MessageName, Tombstone

PREFIX = "w"
"""Start of an imprint as it is stored. Digests of older versions begin with a digit or a to f."""
Reach = Literal["conclusions", "record"]
"""What a restatement is kept out of: conclusions, or the record as well."""
_PLACES: dict[str, Place] = {"a": "anywhere", "e": "end", "c": "clause", "t": "text"}
_REACHES: dict[str, Reach] = {"c": "conclusions", "r": "record"}


@dataclass(frozen=True, slots=True)
class Imprint:
    """Digest of a forgotten text, and how to find the text inside of others.

    An anchor is the short digest of two neighbouring words. Where two words of an arriving text
    have a known anchor, as many words around them as the imprint has are digested and compared: one
    lookup finds a forgotten statement wherever it stands.
    """

    anchor: str
    """Anchor of two of the text's words."""
    offset: int
    """Number of the text's words before these two."""
    length: int
    """Number of words of the text."""
    place: Place
    reach: Reach
    digest: str

    def encode(self) -> str:
        """Return the imprint as it is stored."""
        place = next(code for code, place in _PLACES.items() if place == self.place)
        reach = next(code for code, reach in _REACHES.items() if reach == self.reach)
        return f"{self.anchor}:{self.offset}:{self.length}:{place}{reach}:{self.digest}"

    @classmethod
    def decode(cls, stored: str) -> "Imprint":
        """Read the imprint that was stored."""
        anchor, offset, length, codes, digest = stored.split(":")
        place, reach = _PLACES[codes[0]], _REACHES[codes[1]]
        return cls(anchor, int(offset), int(length), place, reach, digest)


_ANCHOR_BYTES = 8
_LONG_TURN = 10
"""Least number of words of a turn that is recognised inside of another one; "thanks, that helps a
lot" is said often."""
_NAME_DIGITS = 12
_MESSAGE = "m"
"""Begins the digest of a message as it is stored."""


class Digester:
    """Makes one tenant's digests."""

    def __init__(self, tenant: str, read_key: Callable[[], bytes]) -> None:
        """Create the maker of digests; the key is read with the first digest.

        Behind the home's own key may stand those of homes whose lists of what was forgotten were
        taken in (`admin/exports`): with these it recognises, with its own it makes digests.

        Raises, with the first digest:
            StoreUnavailableError: the key can't be read.
        """
        self._tenant = tenant
        self._read_key = read_key

    @cached_property
    def _key(self) -> bytes:
        return self._keys[0]

    @cached_property
    def _keys(self) -> tuple[bytes, ...]:
        return split_keys(self._read_key())

    @cached_property
    def all(self) -> "tuple[Digester, ...]":
        """Digesters for every key that the home has, its own first."""
        others = (Digester(self._tenant, partial(bytes, key)) for key in self._keys[1:])
        return (self, *others)

    def digest_statement(self, text: str, *, erases: bool = False) -> str:
        """Return the digest that is kept of a statement, the same for every spelling.

        With `erases`, sentences that say it stay out of the record too, unless it is very short.
        """
        reading = read_statement(text)
        place = place_of(reading.words)
        is_told_apart = place in ("anywhere", "end")
        reach: Reach = "record" if erases and is_told_apart else "conclusions"
        return self._make_imprint(reading, place, reach)

    def digest_turn(self, text: str, *, erases: bool = True) -> set[str]:
        """Return the digest that is kept of a whole turn's text; none if the text is too short."""
        if not is_distinctive(text):
            return set()
        reading = read_statement(text)
        place: Place = "anywhere" if len(reading.words) >= _LONG_TURN else "text"
        return {self._make_imprint(reading, place, "record" if erases else "conclusions")}

    def digest_message(self, name: MessageName) -> set[str]:
        """Return the digests of a message's id in its client, and of its fingerprint there."""
        digests = {self._digest("print", name.source, name.session_id, name.fingerprint.hex())}
        if name.message_id is not None:
            digests.add(self._digest("message", name.source, name.session_id, name.message_id))
        return {_MESSAGE + digest for digest in digests} | self.digest_likeness(name)

    def digest_likeness(self, name: MessageName) -> set[str]:
        """Return the digest that both accounts of a message share; an empty set if unknown."""
        if name.likeness is None:
            return set()
        own = self._digest("likeness", name.source, name.session_id, name.likeness.hex())
        return {_MESSAGE + own}

    def digest_anchor(self, words: str) -> str:
        """Return the anchor of two words, by which imprints are looked up."""
        key = self._anchor_key
        return (
            PREFIX + hashlib.blake2b(words.encode(), digest_size=_ANCHOR_BYTES, key=key).hexdigest()
        )

    def digest_name(self, name: str) -> str:
        """Return a stand-in for a name that must not be kept."""
        return self._digest("name", name)[:_NAME_DIGITS]

    def digest_form(self, form: str) -> str:
        """Return the digest of words in their recognised form."""
        return self._digest(FORM, form)

    def digest_older(self, text: str) -> set[str]:
        """Return the digests that earlier versions made of everything that a text states."""
        texts = dict.fromkeys((text, strip_markup(text)))
        pieces = {piece for each in texts for piece in statements_in(each)}
        return {self._digest("statement", canonical_form(piece)) for piece in pieces}

    def digest_older_turn(self, name: MessageName, text: str) -> set[str]:
        """Return the digests that earlier versions made of a turn and of its message."""
        whole = {self._digest("whole", canonical_form(text))} if is_distinctive(text) else set()
        return whole | {digest.removeprefix(_MESSAGE) for digest in self.digest_message(name)}

    def _make_imprint(self, reading: Reading, place: Place, reach: Reach) -> str:
        offset = find_anchor(reading.words)
        anchor = self.digest_anchor(" ".join(reading.words[offset : offset + 2]))
        digest = self.digest_form(reading.form)
        return Imprint(anchor, offset, len(reading.words), place, reach, digest).encode()

    @cached_property
    def _anchor_key(self) -> bytes:
        return hmac.digest(self._key, f"anchor {self._tenant}".encode(), "sha256")

    def digest_values(self, *parts: str) -> str:
        """Return the digest of some values: of a preview, or of an item in a forget's proof."""
        return self._digest("values", *parts)

    def _digest(self, *parts: str) -> str:
        message = json.dumps([self._tenant, *parts], ensure_ascii=False)
        return hmac.digest(self._key, message.encode("utf-8", "surrogatepass"), "sha256").hex()


@dataclass(frozen=True, slots=True)
class ForgottenPassage:
    """Words of a text that state something forgotten."""

    tombstone: Tombstone
    digest: str
    """Digest as it is stored."""
    start: int
    """Number of the first of the words in the text."""
    length: int
    erases: bool
    """True if such words are kept out of the record, too."""


class SuppressionList:
    """Statements and turns that a tenant has forgotten, as one transaction sees them."""

    def __init__(
        self, tombstones: Tombstones, digester: Digester, meanings: TextVectors = NO_TEXT_VECTORS
    ) -> None:
        self._tombstones = tombstones
        self._digester = digester
        self._meanings = meanings

    @cached_property
    def _is_empty(self) -> bool:
        return not self._tombstones.any()

    @cached_property
    def _has_older(self) -> bool:
        return self._tombstones.has_older()

    def find_tombstone(self, text: str) -> Tombstone | None:
        """Find the newest tombstone of a forgotten memory that a text states again."""
        found = (match.tombstone for match in self.find_matches(text))
        stones = [stone for stone in found if stone.kind == "memory"]
        older = self._find_older(text)
        return max(filter(None, (*stones, older)), key=lambda stone: stone.at, default=None)

    def find_matches(self, text: str) -> list[ForgottenPassage]:
        """Find the words of a text that state what was forgotten, or repeat an erased turn."""
        return [] if self._is_empty else self.match_reading(read_statement(text))

    def match_reading(self, reading: Reading) -> list[ForgottenPassage]:
        """Find the forgotten statements in a text that is split into words already."""
        places = dict[str, list[int]]()
        for start, words in list_anchors(reading):
            places.setdefault(words, []).append(start)
        return [
            match
            for digester in self._digester.all
            for match in self._match(reading, places, digester)
        ]

    def _match(
        self, reading: Reading, places: Mapping[str, Iterable[int]], digester: Digester
    ) -> Iterator[ForgottenPassage]:
        """Yield the matches that a digester recognises, with the positions of each word pair."""
        starts = {digester.digest_anchor(words): found for words, found in places.items()}
        for stored, tombstone in self._tombstones.find_anchored(starts):
            imprint = Imprint.decode(stored)
            for start in _list_starts(imprint, reading, starts[imprint.anchor], digester):
                yield ForgottenPassage(
                    tombstone, stored, start, imprint.length, imprint.reach == "record"
                )

    def _find_older(self, text: str) -> Tombstone | None:
        if self._is_empty or not self._has_older:
            return None
        return self._tombstones.find(self._digest_older(text), "memory")

    def _digest_older(self, text: str) -> set[str]:
        return {one for each in self._digester.all for one in each.digest_older(text)}

    def may_keep(self, text: str) -> bool:
        """Check that neither the text nor a sentence of it states or means what was forgotten."""
        return self.find_tombstone(text) is None and not self._resembles_forgotten(text)

    def check_statement(self, text: str) -> None:
        """Check that a statement may be kept.

        Raises:
            ForgottenError: it was forgotten.
        """
        tombstone = self.find_tombstone(text)
        if tombstone is not None:
            hiding = self._tombstones.find_hiding(tombstone.subject, now_millis())
            raise _make_error(tombstone, hiding)

    def lift(self, text: str) -> Tombstone | None:
        """Allow memories to state a text again; return the tombstone that forbade the text."""
        tombstone = self.find_tombstone(text)
        if tombstone is not None:
            found = [match.digest for match in self.find_matches(text)]
            self._tombstones.lift([*found, *self._digest_older(text)])
        return tombstone

    def is_erased_message(self, name: MessageName, text: str, said_at: int | None = None) -> bool:
        """Check whether a turn was erased, by its message's name in its client.

        A turn of the same likeness that was said after the forget is another one.
        """
        if self._is_empty:
            return False
        keys = self._digester.all
        alike = {one for each in keys for one in each.digest_likeness(name)}
        if alike:
            stone = self._tombstones.find(alike, "turn")
            if stone is not None and (said_at is None or said_at <= stone.at):
                return True
        digests = {one for each in keys for one in each.digest_message(name)} - alike
        if self._has_older:
            digests |= {one for each in keys for one in each.digest_older_turn(name, text)}
        return self._tombstones.find(digests, "turn") is not None

    def may_record(self, name: MessageName, text: str) -> bool:
        """Check that a turn may be recorded, as it repeats nothing that was erased."""
        return not (self.is_erased_message(name, text) or self.repeats_erased(text))

    def repeats_erased(self, text: str) -> bool:
        """Check whether a text says what was erased from the record with its source."""
        return any(match.erases for match in self.find_matches(text))

    def may_conclude_from(self, text: str) -> bool:
        """Check that memories may be drawn from a turn, as it states nothing that was forgotten."""
        return not self.find_matches(text) and self._find_older(text) is None

    def _resembles_forgotten(self, text: str) -> bool:
        """Check by vectors whether a sentence of a text means what was forgotten."""
        model, known = self._meanings.model, self._meanings.vectors
        vectors = [known[piece] for piece in sentences_in(text) if piece in known]
        return any(
            self._tombstones.find_by_meaning(model, vector) is not None for vector in vectors
        )


def _make_error(tombstone: Tombstone, hiding: HiddenRecord | None) -> ForgottenError:
    """Return the error for a forgotten statement: since when, and how the user gets it back."""
    if hiding is None:
        step = NextStep(
            "If the user wants it back, remember it",
            "again=true",
            'memoria remember --again "…"',
            "If you want it back, remember it",
        )
        return ForgottenError(f"This {tombstone.epitaph}.", step=step)
    told = f"This {tombstone.epitaph}, and is hidden until {to_iso(hiding.until)}"
    step = NextStep(
        "If the user wants it back as it was, they put it back",
        f"`{hiding.undo_command}`",
        hiding.undo_command,
        "If you want it back as it was, put it back",
    )
    return ForgottenError(
        f"{told}; again=true keeps it anew.",
        step=step,
        for_person=f'{told}; `memoria remember --again "…"` keeps it anew.',
    )


def _list_starts(
    imprint: Imprint, reading: Reading, anchors: Iterable[int], digester: Digester
) -> Iterator[int]:
    """Yield the positions at which a text has the words of an imprint, by those of its anchor."""
    for anchor in anchors:
        start, end = anchor - imprint.offset, anchor - imprint.offset + imprint.length
        if start < 0 or end > len(reading.words):
            continue
        if reading.is_at(imprint.place, start, imprint.length):
            form = " ".join(reading.words[start:end])
            if hmac.compare_digest(digester.digest_form(form), imprint.digest):
                yield start
