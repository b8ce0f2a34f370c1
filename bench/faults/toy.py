"""An embedder that costs nothing."""

import threading
from collections.abc import Callable, Sequence

import numpy as np

from memoria.model import Vector

_DIMS = 8


class ToyEmbedder:
    """Vectors at once, or never."""

    name = "toy"

    def __init__(self, stuck: Callable[[], None] | None = None) -> None:
        """Told when it is wanted, if it is one that is never done."""
        self._stuck = stuck

    def embed_query(self, text: str) -> Vector:
        """A vector of the text's length."""
        vector = np.ones(_DIMS, np.float32)
        vector[len(text) % _DIMS] += 1
        return vector / np.float32(np.linalg.norm(vector))

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """One for each; one that is stuck says so and never comes back."""
        if self._stuck is not None:
            self._stuck()
            threading.Event().wait()
        return [self.embed_query(text) for text in texts]
