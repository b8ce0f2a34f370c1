"""Related memories: what is known already about the subject of a new text."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from memoria.errors import EmbedderError
from memoria.inference import LazyEmbedder, calibration_of
from memoria.language.budget import estimate_tokens
from memoria.language.names.keys import USER
from memoria.language.words.analyser import query_terms
from memoria.model import Memory, TextVectors
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Filters, Match

_MOST_TERMS = 64
_MOST = 12
_NEWEST = 12
_OWN = 12
_NEAREST = 3
_MOST_LINES = 16
_NO_WAIT_MS = 0
_MOST_BEARING = 8
_OWN_BEARING = 4
_NEWEST_BEARING = 3
_MOST_PENDING = 20
_LONGEST_QUERY = 2000
_BEARING_TOKENS = 200
"""Most tokens of the contents of known memories that a model is shown."""


class RelatedMemoryFinder:
    """Finder of memories by words, and by meaning where there is an embedder.

    Episodes and concepts are left out: they sum up, and no operation is for them.
    """

    def __init__(self, embedder: LazyEmbedder | None) -> None:
        self._embedder = embedder

    def find_related(self, tx: Transaction, text: str, workspace: str | None) -> list[Memory]:
        """Find a dozen active memories that share words or meaning with a text, nearest first.

        The newest memories, and the newest about the user, follow: "I've moved" shares no word with
        "lives in Leeds". Meaning counts only if the model is loaded already.
        """
        filters = Filters(workspace=workspace)
        found = tx.documents.match(("memory",), query_terms(text)[:_MOST_TERMS], filters, _MOST)
        near = self._search_vectors(tx, text, filters)
        ns = [match.n for pair in zip(found, near, strict=False) for match in pair]
        ns += [match.n for match in (*found[len(near) :], *near[len(found) :])]
        by_id = {memory.id: memory for memory in _read_memories(tx, ns)}
        newest = {memory.id: memory for memory in tx.memories.list_unverified(_NEWEST, workspace)}
        own = {memory.id: memory for memory in tx.memories.list_about(USER, workspace, limit=_OWN)}
        return _without_summaries({**dict([*by_id.items()][:_MOST]), **newest, **own}.values())

    def find_bearing(self, tx: Transaction, text: str, workspace: str | None) -> list[Memory]:
        """Find the memories to show to a model that reads a text, within a budget of tokens.

        The nearest by words or meaning come first, then memories that wait for the user's
        confirmation, a few about the user, and the newest: "I've moved" shares no word with "lives
        in Leeds".
        """
        filters = Filters(workspace=workspace)
        terms = query_terms(text)[:_MOST_TERMS]
        matches = tx.documents.match(("memory",), terms, filters, _MOST_BEARING)
        near = self._nearest_to_lines(tx, text[:_LONGEST_QUERY], filters)
        found = _read_memories(tx, [match.n for match in _alternate(near, matches)])
        said = frozenset(terms)
        waiting = tx.waiting.list_pending(_MOST_PENDING, filters)
        found += [one for one in waiting if not said.isdisjoint(query_terms(one.content))]
        found += tx.memories.list_about(USER, workspace, limit=_OWN_BEARING)
        found += tx.memories.list_unverified(_NEWEST_BEARING, workspace)
        by_id = {memory.id: memory for memory in found}
        return list(_within_budget(_without_summaries(by_id.values())))

    def embed_meanings(self, texts: Sequence[str], *, wait: bool) -> TextVectors:
        """Return the vectors of texts; without `wait`, none unless the model is loaded already.

        Raises:
            EmbedderError: with `wait`, no vector can be made.
        """
        if self._embedder is None or not texts or not (wait or self._embedder.state == "ready"):
            return TextVectors()
        try:
            vectors = self._embedder.embed_documents(texts)
        except EmbedderError:
            if wait:
                raise
            return TextVectors()  # words alone will do
        return TextVectors(self._embedder.name, dict(zip(texts, vectors, strict=True)))

    def find_near(
        self,
        tx: Transaction,
        meanings: TextVectors,
        text: str,
        workspace: str | None,
        least: float | None = None,
    ) -> list[Memory]:
        """Find active memories that mean nearly what a text means, nearest first.

        Args:
            tx: where to look.
            meanings: vectors of texts, among them this text.
            text: the text.
            workspace: the project that asks.
            least: the least cosine; by default that of statements that may say the same.
        """
        vector = meanings.vectors.get(text)
        if vector is None:
            return []
        least = calibration_of(self._embedder).paraphrase if least is None else least
        filters = Filters(workspace=workspace)
        found = tx.documents.nearest("memory", meanings.model, vector, filters, _NEAREST)
        return _without_summaries(
            _read_memories(tx, [match.n for match in found if match.score >= least])
        )

    def _nearest_to_lines(self, tx: Transaction, text: str, filters: Filters) -> list[Match]:
        """Find the memories nearest to each line of a text."""
        lines = [line for line in text.splitlines() if line.strip()][:_MOST_LINES]
        found = [match for line in lines for match in self._search_vectors(tx, line, filters)[:1]]
        return sorted(found, key=lambda match: -match.score)

    def _search_vectors(self, tx: Transaction, text: str, filters: Filters) -> list[Match]:
        embedder = self._embedder
        if embedder is None or embedder.state != "ready":
            return []
        try:
            vector = embedder.embed_query(text, _NO_WAIT_MS)
            return tx.documents.nearest("memory", embedder.name, vector, filters, _MOST)
        except EmbedderError:
            return []  # words alone will do


def _alternate(some: Sequence[Match], others: Sequence[Match]) -> Iterator[Match]:
    """Yield matches of two lists alternately, then the rest of the longer list."""
    for pair in zip_longest(some, others):
        yield from (match for match in pair if match is not None)


def _read_memories(tx: Transaction, ns: Sequence[int]) -> list[Memory]:
    found = tx.memories.by_version_numbers(ns)
    return [found[n] for n in ns if n in found]


def _within_budget(memories: Iterable[Memory]) -> Iterator[Memory]:
    left = _BEARING_TOKENS
    for memory in memories:
        left -= estimate_tokens(memory.content)
        if left < 0:
            return
        yield memory


def _without_summaries(memories: Iterable[Memory]) -> list[Memory]:
    return [memory for memory in memories if not memory.type.is_derived]
