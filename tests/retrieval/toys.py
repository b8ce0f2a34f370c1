"""Small things to search with: an embedder whose meanings are listed, and memories by hand."""

from collections.abc import Sequence
from typing import Any
from zlib import crc32

import numpy as np

from memoria import Memoria, SearchResult
from memoria.language.reading.statement import fingerprint
from memoria.language.words.analyser import query_terms
from memoria.memories.links import link_memory
from memoria.memories.wordings import Interpretation
from memoria.model import (
    Hit,
    MemoryType,
    Mention,
    Provenance,
    SourceKind,
    Trust,
    Vector,
    new_id,
    parse_instant,
)
from memoria.store.values import NewMemory, NewVersion

MEANINGS = (
    ("car", "automobile", "vehicle", "汽车", "轿车"),
    ("doctor", "physician", "医生", "大夫"),
    ("live", "reside", "home", "居住", "住在"),
    ("buy", "purchase", "购买"),
)
_LISTED = 16
_DIMS = 2048


class ToyEmbedder:
    """Texts that use words of one meaning are alike; those that share none are not."""

    name = "toy/1"

    def embed_query(self, text: str) -> Vector:
        """The vector of a question."""
        return _vector(text)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of documents."""
        return [_vector(text) for text in texts]


class FailingEmbedder(ToyEmbedder):
    """Knows documents and fails at questions."""

    def embed_query(self, text: str) -> Vector:
        """Fail, as a program of somebody else's may."""
        raise RuntimeError(f"no vector for {len(text)} characters")


def _vector(text: str) -> Vector:
    vector = np.zeros(_DIMS, dtype=np.float32)
    for term in query_terms(text):
        vector[_MEANT.get(term, _LISTED + crc32(term.encode()) % (_DIMS - _LISTED))] += 1
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


_MEANT = {term: n for n, words in enumerate(MEANINGS) for word in words
          for term in query_terms(word) if term.isascii() or len(term) > 1}  # fmt: skip


def keep(
    m: Memoria,
    content: str,
    at: str,
    *,
    kind: MemoryType = MemoryType.FACT,
    trust: Trust = Trust.REPORTED,
    event_at: str | None = None,
    about: Sequence[Mention] = (),
    expires_at: int | None = None,
    **fields: Any,  # noqa: ANN401  (those of `NewMemory`)
) -> str:
    """Write a memory that speaks of these people and things. Gives its id."""
    origin = Provenance(source_kind=SourceKind.USER_SAID, trust=trust, channel="test")
    since = parse_instant(at)
    told = None if event_at is None else parse_instant(event_at)
    given = {"importance": 0.5, "confidence": 0.8, **fields}
    memory = NewMemory(new_id(), kind, **given)
    version = NewVersion(
        content, fingerprint(content), since, since, origin, None,
        event_at=told, expires_at=expires_at,
    )  # fmt: skip
    with m._store.write(m.tenant) as tx:  # noqa: SLF001  (no channel sets these fields)
        tx.memories.add(memory, version)
        stored = tx.memories.get(memory.id)
        assert stored is not None
        link_memory(tx, stored, Interpretation(mentions=tuple(about)), now=since)
    return memory.id


def texts_of(result: SearchResult) -> list[str]:
    """What the hits say, best first, then what is nearest, then what was said later."""
    shown = (None, "nearest", "later")
    return [hit.text for hit in sorted(result.hits, key=lambda hit: shown.index(hit.shown_as))]


def hits_of(result: SearchResult) -> list[Hit]:
    """The hits proper, without what is shown beside them."""
    return [hit for hit in result.hits if hit.shown_as is None]
