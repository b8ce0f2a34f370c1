"""Packing the texts of conversations at rest.

Packing takes milliseconds, so it is done over a snapshot and written afterwards. Between the two a
text may be erased; then nothing of the page is written and it is packed anew. Short texts stay as
they are: a search reads many of them, and would have to open a block for each.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from memoria.store.connection import Connection, Row
from memoria.store.rows.chunks import WORTH_TRYING, intact, pack_tight, unpack
from memoria.store.sql.tenant_rows import TenantRows
from memoria.store.values import TextBlock, TextPage

_MAX_TEXTS = 50
_MAX_BYTES = 64 << 10
"""Largest size of a block's texts, unless a single turn has more."""
_ROW_BYTES = 40
"""Bytes that a text by itself takes beside its own, beyond those of its place in a block."""
_Chunks = dict[bytes, tuple[str, bytes]]
"""Chunks as (codec, data), by hash."""


class StorageTiers:
    """A tenant's conversations by how their texts are stored.

    Hot and warm texts lie as they were recorded, each compressed by itself where that takes less
    room. Cold texts lie together in blocks. What they say stays the same to the byte.
    """

    def __init__(self, connection: Connection, tenant: int) -> None:
        self._rows = TenantRows(connection, tenant, "storage_tiers")
        self._texts = TenantRows(connection, tenant, "texts")

    def count_unpacked(self, before: int) -> int:
        """Count the conversations without a turn since a moment that are not packed yet."""
        return self._rows.number("count_unpacked", before=before)

    def next_unpacked(self, before: int) -> int | None:
        """Return the number of a conversation to pack; None if there is none."""
        row = self._rows.first("next_unpacked", before=before)
        return None if row is None else int(row["n"])

    def pack_page(self, session_n: int, after: int) -> TextPage:
        """Pack some of a conversation's texts; nothing is written.

        Args:
            session_n: the conversation.
            after: number of a turn; only texts of later ones are packed.
        """
        found = self._rows.all(
            "loose", session_n=session_n, after=after, least=WORTH_TRYING, most=_MAX_TEXTS
        )
        page = list(_whole_turns(found))
        is_last = len(page) == len(found) < _MAX_TEXTS
        block = _pack_together(self._readable_chunks(row["hash"] for row in page))
        return TextPage(block, None if is_last else page[-1]["n"])

    def write_page(self, page: TextPage) -> bool:
        """Write a packed page.

        Returns False, and writes nothing, if one of the texts was erased since it was read.
        """
        block = page.block
        if block is None:
            return True
        if not all(self._texts.first("chunk", hash=key) for key, _, _ in block.places):
            return False
        n = self._rows.insert("add_block", texts=len(block.places), data=block.data)
        for key, start, size in block.places:
            self._rows.change("take_chunk", hash=key)
            self._rows.insert("add_place", hash=key, block_n=n, start=start, size=size)
        return True

    def mark_packed(self, session_n: int, before: int) -> None:
        """Mark a conversation as packed, unless it got a turn since the moment."""
        self._rows.change("mark_packed", session_n=session_n, before=before)

    def _readable_chunks(self, keys: Iterable[bytes]) -> _Chunks:
        """Return the chunks that can still be read; others stay untouched for a repair."""
        found = {key: self._texts.first("chunk", hash=key) for key in keys}
        return {key: (row[0], row[1]) for key, row in found.items() if row and intact(key, *row)}


def _whole_turns(found: Sequence[Row]) -> Iterator[Row]:
    """Yield the texts of whole turns, as many as are small enough together, one turn at least.

    The last turn may have more texts than were found, and is left for the next page.
    """
    turns = [list(rows) for _, rows in groupby(found, key=lambda row: row["n"])]
    whole = turns[:-1] if len(found) == _MAX_TEXTS else turns
    taken = 0
    for number, rows in enumerate(whole):
        taken += sum(row["size"] for row in rows)
        if number and taken > _MAX_BYTES:
            return
        yield from rows


def _pack_together(chunks: _Chunks) -> TextBlock | None:
    """Pack texts into one block; None if that takes no less room."""
    texts = {key: unpack(*chunk) for key, chunk in chunks.items()}
    places, start = list[tuple[bytes, int, int]](), 0
    for key, text in texts.items():
        places.append((key, start, len(text)))
        start += len(text)
    data = pack_tight(b"".join(texts.values()))
    apart = sum(len(data) + _ROW_BYTES for _, data in chunks.values())
    return TextBlock(data, tuple(places)) if len(data) < apart else None
