"""Packing what nobody has added to for long, in SQLite.

Packing takes milliseconds, so it is done over a snapshot and written afterwards. Between the two a
text may be erased; then nothing of the page is written and it is packed anew. What is short stays
as it is: a search reads many such texts, and would have to open a block for each.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from memoria.store.sqlite.chunks import WORTH_TRYING, intact, pack_tight, unpack
from memoria.store.sqlite.driver import Connection, Row
from memoria.store.sqlite.rows import TenantRows
from memoria.store.values import AgedSession, RepackedTexts, StorageTier, TextBlock, TierAges

_MOST_TEXTS = 50
_MOST_BYTES = {StorageTier.WARM: 4 << 20, StorageTier.COLD: 64 << 10}
_ROW_BYTES = 40
"""What a text by itself takes beside its own bytes, beyond what its place in a block does."""
_Chunks = dict[bytes, tuple[str, bytes]]
"""(codec, data) by hash."""


class SqliteStorageTiers:
    """How a tenant's texts are packed."""

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "storage_tiers")
        self._texts = TenantRows(connection, tenant, "texts")

    def count_aged(self, ages: TierAges) -> int:
        """How many conversations are old enough for another tier."""
        return self._rows.number("count_aged", **ages._asdict())

    def next_aged(self, ages: TierAges) -> AgedSession | None:
        """One of them."""
        row = self._rows.first("next_aged", **ages._asdict())
        return None if row is None else AgedSession(row["n"], StorageTier(row["tier"]))

    def repack(self, aged: AgedSession, after: int) -> RepackedTexts:
        """Some of a conversation's texts, packed for its tier; nothing is written."""
        found = self._rows.all(
            "loose",
            session_n=aged.session_n,
            after=after,
            least=WORTH_TRYING,
            most=_MOST_TEXTS,
        )
        page = list(_whole_turns(found, _MOST_BYTES[aged.tier]))
        chunks = self._readable_chunks(row["hash"] for row in page)
        block = _pack_together(chunks) if aged.tier is StorageTier.COLD else None
        apart = chunks.keys() - {key for key, _, _ in block.places} if block else chunks.keys()
        rest = len(page) < len(found) or len(found) == _MOST_TEXTS
        return RepackedTexts(
            tuple(_pack_each(chunks, sorted(apart))), block, page[-1]["n"] if rest else None
        )

    def write_packed(self, repacked: RepackedTexts) -> bool:
        """Write what was packed; whether nothing of it was erased meanwhile."""
        if repacked.block is not None and not self._put_block(repacked.block):
            return False
        for key, data in repacked.apart:
            self._rows.change("pack", hash=key, data=data)
        return True

    def set_tier(self, aged: AgedSession, ages: TierAges) -> None:
        """Note that a conversation is in its tier, unless somebody has added to it since."""
        before = ages.cold if aged.tier is StorageTier.COLD else ages.warm
        self._rows.change("settle", session_n=aged.session_n, tier=aged.tier, before=before)

    def _put_block(self, block: TextBlock) -> bool:
        if not all(self._texts.first("chunk", hash=key) for key, _, _ in block.places):
            return False
        n = self._rows.insert("add_block", texts=len(block.places), data=block.data)
        for key, start, size in block.places:
            self._rows.change("take_chunk", hash=key)
            self._rows.insert("add_place", hash=key, block_n=n, start=start, size=size)
        return True

    def _readable_chunks(self, keys: Iterable[bytes]) -> _Chunks:
        """Those that can still be read: of the others nothing must be lost that may help."""
        found = {key: self._texts.first("chunk", hash=key) for key in keys}
        return {key: (row[0], row[1]) for key, row in found.items() if row and intact(key, *row)}


def _whole_turns(found: Sequence[Row], most_bytes: int) -> Iterator[Row]:
    """Whole turns, as many as are small enough together, and one at least.

    The last turn may have more texts than were found, and is left for the next page.
    """
    turns = [list(rows) for _, rows in groupby(found, key=lambda row: row["n"])]
    whole = turns[:-1] if len(found) == _MOST_TEXTS else turns
    taken = 0
    for number, rows in enumerate(whole):
        taken += sum(row["size"] for row in rows)
        if number and taken > most_bytes:
            return
        yield from rows


def _pack_together(chunks: _Chunks) -> TextBlock | None:
    """The small ones in one block, where that takes less room."""
    texts = {key: unpack(*chunk) for key, chunk in chunks.items()}
    small = {key: text for key, text in texts.items() if len(text) < _MOST_BYTES[StorageTier.COLD]}
    places, start = list[tuple[bytes, int, int]](), 0
    for key, text in small.items():
        places.append((key, start, len(text)))
        start += len(text)
    data = pack_tight(b"".join(small.values()))
    apart = sum(len(chunks[key][1]) + _ROW_BYTES for key in small)
    return TextBlock(data, tuple(places)) if len(small) > 1 and len(data) < apart else None


def _pack_each(chunks: _Chunks, keys: Iterable[bytes]) -> Iterator[tuple[bytes, bytes]]:
    """Those that take less room packed more tightly."""
    for key in keys:
        data = pack_tight(unpack(*chunks[key]))
        if len(data) < len(chunks[key][1]):
            yield key, data
