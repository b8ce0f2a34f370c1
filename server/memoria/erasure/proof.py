"""Proof of a forget: counts of how much of it left which index, and digests under a key.

Every index is counted before and after the deletion, in the transaction that deletes. A report
holds numbers, kinds and HMACs, and no word of what was forgotten.
"""

from collections.abc import Mapping, Sequence

from memoria.erasure.suppression import Digester
from memoria.model.forgetting import ForgetItem, ForgetReport, ForgetSelection


def make_report(
    report_id: str,
    selection: ForgetSelection,
    by: str,
    at: int,
    counts: Mapping[str, int],
    digests: Sequence[str],
    before: Mapping[str, int],
    after: Mapping[str, int],
    purge_at: int | None = None,
) -> ForgetReport:
    """Make a report on what was erased.

    Args:
        report_id: its id.
        selection: what was meant; only how it was selected is noted.
        by: the way in, in words.
        at: when, UTC epoch ms.
        counts: how much of each kind.
        digests: of its items.
        before: how many rows of it each index had.
        after: how many it has now.
        purge_at: when what is hidden until then is erased; None where it is erased.
    """
    removed = {place: before[place] - after.get(place, 0) for place in before}
    return ForgetReport(
        id=report_id,
        at=at,
        by=by,
        selected_by=selection.names,
        state="erased" if purge_at is None else "hidden",
        purge_at=purge_at,
        items=dict(counts),
        removed={place: count for place, count in removed.items() if count},
        remaining={place: count for place, count in after.items() if count},
        digests=tuple(digests),
    )


def digest_items(items: Sequence[ForgetItem], digester: Digester) -> list[str]:
    """Return a digest of each item, which can be made again only with the key and the words."""
    return [digester.digest_values("proof", item.kind, item.id, item.text) for item in items]
