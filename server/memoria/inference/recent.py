"""The vectors of the last questions.

An agent asks the same of both levels, and a prompt is recalled for before it is searched for. No
question is kept for that: a vector is found by a digest of the question, under a key that this
process has drawn and nobody else knows.
"""

import secrets
import threading
from collections import OrderedDict
from hashlib import blake2b

from memoria.model import Vector

_MOST = 64
_KEY_BYTES = 32
_DIGEST_BYTES = 16


class RecentVectors:
    """Vectors of so many questions at most, the oldest given up first. Thread-safe."""

    def __init__(self) -> None:
        self._key = secrets.token_bytes(_KEY_BYTES)
        self._vectors: OrderedDict[bytes, Vector] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, question: str) -> Vector | None:
        """Return the vector of a question, if it was asked lately; else None."""
        digest = self._digest(question)
        with self._lock:
            vector = self._vectors.get(digest)
            if vector is not None:
                self._vectors.move_to_end(digest)
        return vector

    def put(self, question: str, vector: Vector) -> None:
        """Keep a copy of a vector, which nobody can change."""
        kept, digest = vector.copy(), self._digest(question)
        kept.setflags(write=False)
        with self._lock:
            self._vectors[digest] = kept
            if len(self._vectors) > _MOST:
                self._vectors.popitem(last=False)

    def clear(self) -> None:
        """Forget all vectors."""
        with self._lock:
            self._vectors.clear()

    def _digest(self, question: str) -> bytes:
        text = question.encode("utf-8", "surrogatepass")
        return blake2b(text, key=self._key, digest_size=_DIGEST_BYTES).digest()
