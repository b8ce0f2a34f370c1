"""Likely replaced: which memory a new statement may take the place of, by its likeness alone.

Nothing is replaced for it. Whoever has stated it is asked, and knows.
"""

from collections.abc import Iterator, Sequence

from memoria.inference import LazyEmbedder
from memoria.model import Memory, RelatedStatement, RememberResult
from memoria.retrieval.lookup.related import RelatedMemoryFinder
from memoria.store.base import Store, Transaction
from memoria.store.values import Filters
from memoria.text.analyser import query_terms

LEAST = 0.4
"""Cosine, from which on a statement may be about what a memory is about."""
_MOST = 8


def find_like(
    store: Store, tenant: str, embedder: LazyEmbedder | None, content: str, workspace: str | None
) -> Sequence[Memory]:
    """The active memories that are like a statement, the likeliest first.

    Where the embedder is not loaded words tell, for nobody waits for it.
    """
    finder = RelatedMemoryFinder(embedder)
    meanings = finder.embed_meanings([content], wait=False)
    with store.read(tenant) as tx:
        if meanings.vectors:
            return finder.find_near(tx, meanings, content, workspace, LEAST)
        return list(_find_by_words(tx, content, workspace))


def _find_by_words(tx: Transaction, content: str, workspace: str | None) -> Iterator[Memory]:
    """The active memories that share half of their words with a statement, or half of its own."""
    terms = frozenset(query_terms(content))
    matches = tx.documents.match(("memory",), sorted(terms), Filters(workspace=workspace), _MOST)
    for memory in tx.memories.by_version_numbers([one.n for one in matches]).values():
        own = frozenset(query_terms(memory.content))
        if 2 * len(own & terms) >= min(len(own), len(terms)) and not memory.type.is_derived:
            yield memory


def pick_replaced(kept: RememberResult, known: Sequence[Memory]) -> RelatedStatement | None:
    """The nearest of some memories that a statement may replace; None where that is settled."""
    if kept.status != "remembered" or kept.supersedes or kept.contradicts or kept.superseded_by:
        return None
    others = (one for one in known if one.id != kept.id and one.content != kept.content)
    nearest = next(others, None)
    return None if nearest is None else RelatedStatement(id=nearest.id, content=nearest.content)
