"""Related: the memories that something new may have to do with."""

from memoria.errors import EmbedderError
from memoria.inference import LazyEmbedder
from memoria.model import Memory
from memoria.policy.conflict import USER
from memoria.store.base import Transaction
from memoria.store.values import Filters, Match
from memoria.text.analyser import query_terms

_MOST_TERMS = 64
_MOST = 12
_NEWEST = 12
_OWN = 12
_NO_WAIT_MS = 0


def related(
    tx: Transaction, embedder: LazyEmbedder | None, text: str, workspace: str | None
) -> list[Memory]:
    """Up to a dozen active memories that share words or meaning with a text, nearest first.

    The newest, and the newest of the user's own, follow: "I've moved" shares no word with "lives
    in Leeds".

    Meaning counts where the model is loaded already: nobody waits for it here.
    """
    filters = Filters(workspace=workspace)
    found = tx.documents.match(("memory",), query_terms(text)[:_MOST_TERMS], filters, _MOST)
    near = _near(tx, embedder, text, filters)
    ns = [match.n for pair in zip(found, near, strict=False) for match in pair]
    ns += [match.n for match in (*found[len(near) :], *near[len(found) :])]
    memories = tx.memories.by_versions(ns)
    near_by = {memories[n].id: memories[n] for n in ns if n in memories}
    newest = {memory.id: memory for memory in tx.memories.unverified(_NEWEST, workspace)}
    own = {memory.id: memory for memory in tx.memories.about(USER, workspace, limit=_OWN)}
    return list({**dict([*near_by.items()][:_MOST]), **newest, **own}.values())


def _near(
    tx: Transaction, embedder: LazyEmbedder | None, text: str, filters: Filters
) -> list[Match]:
    if embedder is None or embedder.state != "ready":
        return []
    try:
        vector = embedder.embed_query(text, _NO_WAIT_MS)
        return tx.documents.nearest("memory", embedder.name, vector, filters, _MOST)
    except EmbedderError:
        return []  # words alone will do
