"""Nearest statements by meaning alone: to a question, and, said later, to an earlier statement.

Where somebody asks for help, or tells something, what bears on it may share no word with it. And a
question resembles what was said first, and what corrects that resembles what it corrects: so a
correction is looked for from there. Both are found by the vectors that are kept, among what people
said themselves and what is remembered, and there first among what tells something of the speaker's
world, as far as the embedder can tell; no word of any language is looked at. Nothing is concluded:
whoever reads both, with their days, does that.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Self

from memoria.inference.base import Calibration
from memoria.model import Role, Vector
from memoria.retrieval.query.plan import SearchPlan
from memoria.retrieval.ranking.candidates import FusedCandidate, MemoryWording, ScoredCandidate
from memoria.retrieval.sources.vectors import QueryVector
from memoria.store.rows.transaction import Transaction
from memoria.store.values import DocumentKind, Filters, Match

_LOOKED_AT = 60
"""Number of documents of each kind that are looked at for each wording."""


def find_nearest(
    tx: Transaction, plan: SearchPlan, asked: Sequence[QueryVector], known: Collection[int]
) -> list[FusedCandidate]:
    """Find the documents nearest to any wording of a question, best first, without known ones."""
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
    """Map each document to a sum over its places in the order by each wording's cosines."""
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
    """Keep the turns of persons, and memories."""
    if not ns:
        return []
    remarks = tx.turn_columns.remarks(ns)
    is_of_person = remarks.is_user | (remarks.is_assistant & (remarks.speakers > 0))
    is_kept = (is_of_person | ~remarks.is_turn).tolist()
    return [n for n, keep in zip(ns, is_kept, strict=True) if keep]


MOST_LATER = 1
"""Number of later statements that are found for each statement by default."""
_LOOKED_AT_FOR_LATER: Mapping[DocumentKind, int] = {"turn": 100, "memory": 20}
"""Number of the nearest of each kind: most were said earlier, by others, or tell nothing."""
_SURELY = 1.5
"""Certainty with which a statement that may be out of date has to tell of the speaker's world."""
_ASKED = 0.3
"""Weight of nearness to a wording of the question, beside nearness to the earlier statement."""
Speaker = tuple[Role, str | None]
_USER: Speaker = (Role.USER, None)


class Said(NamedTuple):
    """A statement with its time and speaker."""

    n: int
    """Number of the document, which is a turn or a wording of a memory."""
    at: int
    speaker: Speaker

    @classmethod
    def of_candidate(cls, each: ScoredCandidate) -> Self | None:
        """Return a candidate's statement; None for one of an assistant, a tool or a page."""
        document, n = each.document, each.n
        if isinstance(document, MemoryWording):
            return cls(n, document.version.valid_from, _USER)
        is_of_person = document.role is Role.USER or document.speaker is not None
        return cls(n, document.at, (document.role, document.speaker)) if is_of_person else None


class LaterSearch:
    """Search for later statements of the same speaker, in one snapshot."""

    def __init__(
        self, tx: Transaction, model: str, calibration: Calibration, filters: Filters
    ) -> None:
        """Create a search of one snapshot.

        Args:
            tx: where to look.
            model: the model whose vectors are compared.
            calibration: the meaning of that model's cosines.
            filters: what may be seen.
        """
        self._tx = tx
        self._model = model
        self._filters = filters
        self._telling = calibration.telling

    def keep_telling(self, said: Sequence[Said]) -> list[Said]:
        """Keep the statements that surely tell something of the speaker's world."""
        vectors = self._tx.documents.vectors([each.n for each in said], self._model)
        telling = self._telling
        return [
            each
            for each in said
            if each.n in vectors and (telling is None or telling.marks(vectors[each.n], _SURELY))
        ]

    def find(
        self, told: Sequence[Said], most: int = MOST_LATER, asked: Sequence[Vector] = ()
    ) -> dict[int, tuple[Match, ...]]:
        """Map each statement's document to what its speaker said later, nearest first.

        What a model has ruled to be another matter is left out.

        Args:
            told: the earlier statements.
            most: the most later statements of each.
            asked: vectors of a question's wordings; what is near to one of these comes first.
        """
        vectors = self._tx.documents.vectors([each.n for each in told], self._model)
        told = [each for each in told if each.n in vectors]
        near = {each.n: self._list_near(vectors[each.n]) for each in told}
        ns = sorted(set().union(*near.values()))
        known = {each.n: each for each in self._read(ns)}
        vectors |= self._tx.documents.vectors(list(known), self._model)
        answering = {n: _weigh_nearness(vectors[n], asked) for n in known}
        apart = self._tx.pairs.list_distinct([one.n for one in told])
        found: dict[int, tuple[Match, ...]] = {}
        for one in told:
            others = [known[n] for n in near[one.n] if n in known and (one.n, n) not in apart]
            later = self._list_later(one, others, vectors)
            later.sort(key=lambda match: (-match.score - answering[match.n], match.n))
            found[one.n] = tuple(later[:most])
        return found

    def _list_near(self, vector: Vector) -> list[int]:
        """List the documents near to a vector turned towards what tells something."""
        turned = vector if self._telling is None else self._telling.turn(vector)
        return [
            match.n
            for kind, most in _LOOKED_AT_FOR_LATER.items()
            for match in self._tx.documents.nearest(kind, self._model, turned, self._filters, most)
        ]

    def _read(self, ns: Sequence[int]) -> Iterator[Said]:
        """Yield the statements of documents, without those of assistants and tools."""
        if not ns:
            return
        remarks = self._tx.turn_columns.remarks(ns)
        for n, at, is_user, is_assistant, speaker in zip(
            ns,
            remarks.ats.tolist(),
            remarks.is_user.tolist(),
            remarks.is_assistant.tolist(),
            remarks.speakers.tolist(),
            strict=True,
        ):
            if is_user or (is_assistant and speaker):
                role = Role.USER if is_user else Role.ASSISTANT
                yield Said(n, at, (role, remarks.names[speaker] or None))
        others = [n for n, is_turn in zip(ns, remarks.is_turn.tolist(), strict=True) if not is_turn]
        for n, memory in self._tx.memories.by_version_numbers(others).items() if others else ():
            yield Said(n, memory.current.valid_from, _USER)

    def _list_later(
        self, one: Said, others: Sequence[Said], vectors: Mapping[int, Vector]
    ) -> list[Match]:
        """List the statements among others that tell something and are later, of one speaker."""
        telling = self._telling
        return [
            Match(each.n, float(vectors[each.n] @ vectors[one.n]))
            for each in others
            if each.speaker == one.speaker
            and (each.at, each.n) > (one.at, one.n)
            and (telling is None or telling.marks(vectors[each.n]))
        ]


def _weigh_nearness(vector: Vector, asked: Sequence[Vector]) -> float:
    """Return a weight for a text's nearness to the nearest wording of a question."""
    return _ASKED * max((float(vector @ each) for each in asked), default=0.0)
