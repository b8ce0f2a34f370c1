"""An embedder that loads when it is first wanted, in the background.

A server must answer its handshake before it loads a model; ten windows that only write must not
load ten models. So loading begins with the first request, and each caller sets how long it waits.
"""

import logging
import threading
from collections.abc import Callable, Sequence
from functools import partial
from time import perf_counter
from typing import TypeVar

from memoria.errors import EmbedderError
from memoria.inference.base import CalibratedEmbedder, Calibration, Embedder
from memoria.inference.bundled import DEFAULT_CALIBRATION
from memoria.inference.recent import RecentVectors
from memoria.model import Vector

_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")
_QUICK_S = 0.02
"""Time within which a model in this process answers; another machine takes longer."""


class LazyEmbedder:
    """Holds how to build an embedder, and the embedder once it is built. Thread-safe."""

    def __init__(
        self,
        name: str,
        build: Callable[[], Embedder],
        calibration: Calibration = DEFAULT_CALIBRATION,
        most_texts: int | None = None,
    ) -> None:
        """Create the holder; nothing is loaded yet.

        Args:
            name: the name the embedder will have.
            build: blocks while it loads; may raise anything.
            calibration: the meanings of its cosines.
            most_texts: how many documents it is given at once; None for all there are.
        """
        self.name = name
        self.calibration = calibration
        self._build = build
        self._most_texts = most_texts
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._started = False
        self._embedder: Embedder | None = None
        self._failure: str | None = None
        self._asked = RecentVectors()
        self.is_quick = False
        """True if the last question had its vector so soon that others may wait for it."""

    def start_loading(self) -> None:
        """Begin to load in the background, unless that has begun."""
        with self._lock:
            if self._started:
                return
            self._started = True
        threading.Thread(target=self._load, name="memoria-load-embedder", daemon=True).start()

    def wait_for_embedder(self, wait_ms: int | None) -> Embedder:
        """Return the embedder; load it if need be.

        Args:
            wait_ms: how long to wait for it, in milliseconds; None for as long as it takes.

        Raises:
            EmbedderError: it is not ready in time, or can't be built at all.
        """
        self.start_loading()
        if not self._done.wait(None if wait_ms is None else wait_ms / 1000):
            raise EmbedderError(f"the embedding model {self.name} is still loading")
        if self._embedder is None:
            raise EmbedderError(f"the embedding model {self.name} can't be loaded: {self._failure}")
        return self._embedder

    def embed_query(self, text: str, wait_ms: int | None) -> Vector:
        """Return the vector of a question.

        Raises:
            EmbedderError: none could be made, for whatever reason.
        """
        embedder = self.wait_for_embedder(wait_ms)
        vector = self._asked.get(text)
        if vector is None:
            began = perf_counter()
            vector = _run_embedder(lambda: embedder.embed_query(text))
            self.is_quick = perf_counter() - began < _QUICK_S
            self._asked.put(text, vector)
        return vector

    def forget_questions(self) -> None:
        """Forget the vectors of all questions."""
        self._asked.clear()

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of documents, in order; wait for the embedder as long as it takes.

        Raises:
            EmbedderError: none could be made, for whatever reason.
        """
        embedder = self.wait_for_embedder(wait_ms=None)
        step = self._most_texts or max(len(texts), 1)
        vectors: list[Vector] = []
        for first in range(0, len(texts), step):
            vectors += _run_embedder(partial(embedder.embed_documents, texts[first : first + step]))
        if len(vectors) != len(texts):
            raise EmbedderError(f"the embedder gave {len(vectors)} vectors for {len(texts)} texts")
        return vectors

    @property
    def state(self) -> str:
        """`not loaded`, `loading`, `ready`, or `failed: …`."""
        if self._failure is not None:
            return f"failed: {self._failure}"
        if self._embedder is not None:
            return "ready"
        return "loading" if self._started else "not loaded"

    def _load(self) -> None:
        try:
            self._embedder = self._build()
        except Exception as error:  # noqa: BLE001  (whatever a model library raises, text goes on)
            self._failure = f"{type(error).__name__}: {error}"
            _LOG.exception("The embedding model %s can't be loaded", self.name)
        finally:
            self._done.set()


def calibration_of(embedder: Embedder | LazyEmbedder | None) -> Calibration:
    """Return the calibration of an embedder: its own figures, else the default ones."""
    if isinstance(embedder, CalibratedEmbedder):
        return embedder.calibration
    return DEFAULT_CALIBRATION


def _run_embedder(embed: Callable[[], _T]) -> _T:
    """Run an embedder of the caller's own, which may raise anything; we know one way to fail."""
    try:
        return embed()
    except EmbedderError:
        raise
    except Exception as error:
        raise EmbedderError(f"the embedder failed: {type(error).__name__}: {error}") from error
