"""Everything: a tenant forgets all that it holds, with a fixed number of statements.

What it held stays forgotten all the same: each wording and each turn gets its tombstone, in pages.
"""

import json
from collections.abc import Iterator
from itertools import groupby, islice

from memoria.erasure.draft import make_token
from memoria.erasure.files import TextFileEraser
from memoria.erasure.restatements import derive_restatements
from memoria.erasure.suppression import Digester
from memoria.language.words.document import full_text
from memoria.model.forgetting import ForgetItem, ForgetPreview
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Tombstone, TombstoneRecord

_PAGE = 500


def describe_everything(
    tx: Transaction, files: TextFileEraser, digester: Digester
) -> ForgetPreview:
    """Describe a tenant's holdings: the files by name, memories and turns by number."""
    held, places = tx.erasures.get_holdings(), files.list_files()
    notes = len(tx.scratchpads.list_notes())
    counts = {"memory": held.memories, "turn": held.turns, "note": notes, "file": len(places)}
    meant = json.dumps([counts, held.newest, places])
    return ForgetPreview(
        items=tuple(ForgetItem(kind="file", id=place, text="") for place in places),
        counts={kind: count for kind, count in counts.items() if count},
        token=make_token(digester, meant),
        include_source=True,
    )


def erase_everything(
    tx: Transaction, digester: Digester, at: int, reason: str, *, keeps_places: bool
) -> list[str]:
    """Set up the tombstones and erase every row; return a digest of each memory and turn.

    Args:
        tx: the transaction that forgets.
        digester: makes what tombstones recognise texts by.
        at: when, UTC epoch ms.
        reason: who wants it and why, for the tombstones.
        keeps_places: whether it may be put back, among what was said since.
    """
    digests: list[str] = []
    for list_stones in (_list_memory_stones, _list_turn_stones):
        records = list_stones(tx, digester, at, reason)
        while page := [*islice(records, _PAGE)]:
            tx.tombstones.add_all(page)
            digests += (
                digester.digest_values("proof", one.tombstone.subject, *sorted(one.digests))
                for one in page
            )
    tx.erasures.erase_all(keeps_places=keeps_places)
    return digests


def _list_memory_stones(
    tx: Transaction, digester: Digester, at: int, reason: str
) -> Iterator[TombstoneRecord]:
    for memory_id, versions in groupby(tx.erasures.iterate_wordings(), key=lambda each: each[0]):
        rows = [*versions]
        quotes = filter(None, (quote for _, _, quote in rows))
        stated = derive_restatements([content for _, content, _ in rows], quotes)
        digests = dict.fromkeys(digester.digest_statement(text, erases=True) for text in stated)
        yield TombstoneRecord(Tombstone("memory", memory_id, at, reason), tuple(digests))


def _list_turn_stones(
    tx: Transaction, digester: Digester, at: int, reason: str
) -> Iterator[TombstoneRecord]:
    messages = tx.erasures.iterate_messages()
    while page := [*islice(messages, _PAGE)]:
        turns = tx.conversations.turns([n for n, _, _ in page])
        for n, turn_id, name in page:
            digests = digester.digest_turn(full_text(turns[n])) | digester.digest_message(name)
            yield TombstoneRecord(Tombstone("turn", turn_id, at, reason), tuple(sorted(digests)))
