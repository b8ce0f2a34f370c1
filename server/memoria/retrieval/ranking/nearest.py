"""Nearest: documents nearest to a question by meaning alone, whatever words they share.

Where somebody asks for help, or tells something, what bears on it may share no word with it. It is
looked for among what people said themselves and what is remembered, and there first among what
tells something of their world: an assistant, a tool or a page speaks for nobody.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence

from memoria.model import Vector
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.fusion import FusedCandidate
from memoria.retrieval.sources.vectors import QueryVector
from memoria.store.rows.transaction import Transaction

_LOOKED_AT = 60
"""Number of documents of each kind and wording: those that tell something come first among them."""


def find_nearest(
    tx: Transaction, plan: SearchPlan, asked: Sequence[QueryVector], known: Collection[int]
) -> list[FusedCandidate]:
    """Find what is nearest to any wording of a question, best first, without what is known."""
    if not asked:
        return []
    telling = plan.calibration.telling
    vectors = [each.vector for each in asked]
    turned = vectors if telling is None else [telling.turn(each) for each in vectors]
    model = asked[0].model
    found = tx.documents.vectors(_list_found(tx, plan, model, turned), model)
    new = _keep_peoples(tx, [n for n in found if n not in known])
    by_wording = [{n: float(found[n] @ each) for n in new} for each in vectors]
    cosines = {n: max(one[n] for one in by_wording) for n in new}
    is_marked = {n: telling is None or telling.marks(found[n]) for n in new}
    gains = _add_places([n for n in new if is_marked[n]], by_wording)
    best = sorted(new, key=lambda n: (not is_marked[n], -gains.get(n, 0.0), -cosines[n], n))
    return [FusedCandidate(n, cosines[n], cosine=cosines[n]) for n in best]


def _add_places(ns: Sequence[int], by_wording: Iterable[Mapping[int, float]]) -> dict[int, float]:
    """Return each document's gain by its places: each wording has a nearest one of its own.

    Args:
        ns: the documents.
        by_wording: for each wording the cosine of every document.
    """
    gains = dict.fromkeys(ns, 0.0)
    for cosines in by_wording:
        for place, n in enumerate(sorted(ns, key=lambda n: (-cosines[n], n))):
            gains[n] += 1 / (1 + place)
    return gains


def _list_found(
    tx: Transaction, plan: SearchPlan, model: str, vectors: Iterable[Vector]
) -> list[int]:
    matches = (
        match.n
        for vector in vectors
        for kind in plan.kinds
        for match in tx.documents.nearest(kind, model, vector, plan.filters, _LOOKED_AT)
    )
    return list(dict.fromkeys(matches))


def _keep_peoples(tx: Transaction, ns: Sequence[int]) -> list[int]:
    """Keep what a person said, and memories."""
    if not ns:
        return []
    remarks = tx.turn_columns.remarks(ns)
    is_of_person = remarks.is_user | (remarks.is_assistant & (remarks.speakers > 0))
    is_kept = (is_of_person | ~remarks.is_turn).tolist()
    return [n for n, keep in zip(ns, is_kept, strict=True) if keep]
