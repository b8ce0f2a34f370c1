"""Embedder of a home: the bundled one or an endpoint, loaded when it is first wanted.

A server must answer its handshake before it loads a model; ten windows that only write must not
load ten models. So loading begins with the first request, in the background, and each caller sets
how long it waits. The calibration can be read without loading NumPy or a model.

The bundled embedder is the Universal Sentence Encoder, multilingual, version 3: 512 dimensions,
sixteen languages in one space, so that an English question finds a Chinese line (Y. Yang et al.,
"Multilingual Universal Sentence Encoder for Semantic Retrieval", 2019).
"""

import logging
import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from hashlib import blake2b
from pathlib import Path
from time import perf_counter
from typing import TypeVar

from memoria.bare.spans import spans
from memoria.config import Settings
from memoria.errors import EmbedderError
from memoria.inference.base import (
    AnswerBounds,
    CalibratedEmbedder,
    Calibration,
    Embedder,
    RecordBounds,
    RelevanceBounds,
    read_telling,
)
from memoria.model import Vector

ANSWERING_WEIGHTS = Path(__file__).with_name("answering.weights")
"""File with a weight for each number of a vector, as half floats; in a cosine each weight is 1."""
BUNDLED = "use-multilingual-v3/512"
# The model reads without limit, in time that grows with the text. What a turn is about stands
# near its beginning; full text search covers all of it.
_MAX_CHARS = 1500
_MOST_QUESTIONS = 64
_KEY_BYTES = 32
_DIGEST_BYTES = 16
_LOG = logging.getLogger(__name__)
_T = TypeVar("_T")
_QUICK_S = 0.02
"""Seconds within which a model in this process answers; another machine takes longer."""
_TIMEOUT_S = 20.0
"""Seconds that a request to an endpoint may take before text search goes on alone."""


@cache
def read_answering() -> Vector:
    """Read the weight of each number of a vector of the bundled embedder."""
    import numpy as np  # noqa: PLC0415  (who searches nothing does not wait for it)

    return np.frombuffer(ANSWERING_WEIGHTS.read_bytes(), np.float16).astype(np.float32)


BUNDLED_CALIBRATION = Calibration(
    unrelated=0.1,
    certain=0.65,
    # Paraphrases in one language lie between 0.45 and 0.85, statements about other things under
    # 0.4, two texts about the same person at 0.35 to 0.45 for the name alone.
    paraphrase=0.6,
    neighbour=0.75,
    # A word in another's place (Beijing, Shanghai; mother, father) lies under 0.9, an "is" more
    # or less at 0.99.
    memories=AnswerBounds(
        memory=RelevanceBounds(
            frequent_entity=0.42, no_entity=0.22, cross_language=0.22, unknown_entity=0.50
        ),
        turn=RelevanceBounds(
            frequent_entity=0.66, no_entity=0.45, cross_language=0.35, unknown_entity=0.60
        ),
        ample=0.09,
        ample_cross_language=0.11,
        alike=0.12,
        wordless=0.30,
    ),
    # A logistic regression over LoCoMo, BEAM, MemoryBank and MemDaily, each with questions that can
    # be answered there and questions of the others, divided by what it gives the cosine. The last
    # was chosen by itself: more of it silences answers. docs/benchmarks.md has how they do on sets
    # left out.
    transcript=RecordBounds(
        words=0.37,
        cross_language=0.26,
        meeting=0.1,
        linked=0.1,
        strange_names=0.29,
        base=-0.08,
        term=0.058,
        document=0.06,
        least=0.28,
        words_alone=0.14,
        words_alone_of_name=0.33,
        named_day=0.07,
        reply=0.03,
    ),
    context=AnswerBounds(
        memory=RelevanceBounds(
            frequent_entity=0.65, no_entity=0.42, cross_language=0.32, unknown_entity=0.60
        ),
        turn=RelevanceBounds(
            frequent_entity=0.80, no_entity=0.60, cross_language=0.45, unknown_entity=0.70
        ),
    ),
    alike=0.4,
    # Of 40 memories that the user corrects later, 37 get the correction beside them among 400 other
    # turns; of 40 that nobody corrects, 3 get something else. At 0.25 it is 37 and 8, at 0.35 34
    # and 2.
    about_same=0.3,
    # Below it fall .04 (Chinese) and .12 of MemoryBank's questions of whom they are about.
    answers=0.42,
    read_answering=read_answering,
    read_telling=read_telling,
)
DEFAULT_CALIBRATION = replace(
    BUNDLED_CALIBRATION, about_same=None, answers=0.32, read_answering=None, read_telling=None
)
"""Calibration for an embedder that brings none, such as an endpoint's, and for no embedder.

Most sentence encoders spread their cosines about as the bundled model does. One that puts unrelated
texts higher answers where it should be silent, one that puts them lower is silent too often:
whoever embeds with such a model gives it a `calibration`.
"""


class BundledEmbedder:
    """Universal Sentence Encoder, multilingual, version 3, in this process."""

    def __init__(self, name: str) -> None:
        from memoria.inference.mapped.cache import load_encoder  # noqa: PLC0415  (loads NumPy)

        self.name = name
        self.calibration = BUNDLED_CALIBRATION
        self._model = load_encoder()
        self._one_at_a_time = threading.Lock()

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question, shape (512,)."""
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of documents, in order, each of shape (512,)."""
        import numpy as np  # noqa: PLC0415  (loaded with the model)

        with self._one_at_a_time:
            rows = self._model.encode([text[:_MAX_CHARS] or " " for text in texts])
        return list(np.ascontiguousarray(rows, dtype=np.float32))


class RecentVectors:
    """Vectors of the last questions; the oldest is dropped first. Thread-safe."""

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
        """Keep a read-only copy of a question's vector."""
        kept, digest = vector.copy(), self._digest(question)
        kept.setflags(write=False)
        with self._lock:
            self._vectors[digest] = kept
            if len(self._vectors) > _MOST_QUESTIONS:
                self._vectors.popitem(last=False)

    def clear(self) -> None:
        """Forget all vectors."""
        with self._lock:
            self._vectors.clear()

    def _digest(self, question: str) -> bytes:
        text = question.encode("utf-8", "surrogatepass")
        return blake2b(text, key=self._key, digest_size=_DIGEST_BYTES).digest()


class LazyEmbedder:
    """Embedder that is built in the background when it is first wanted. Thread-safe."""

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
        """True if the last question's vector came so fast that a search may wait for one."""

    def start_loading(self) -> None:
        """Begin to load the embedder in the background, unless loading has begun."""
        with self._lock:
            if self._started:
                return
            self._started = True
        threading.Thread(target=self._load, name="memoria-load-embedder", daemon=True).start()

    def wait_for_embedder(self, wait_ms: int | None) -> Embedder:
        """Return the embedder, loading it if need be.

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
            with spans.time("embed", texts=1):
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
        with spans.time("embed", texts=len(texts)):
            for first in range(0, len(texts), step):
                some = texts[first : first + step]
                vectors += _run_embedder(partial(embedder.embed_documents, some))
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
    """Run an embedder, and raise whatever it raises as an `EmbedderError`."""
    try:
        return embed()
    except EmbedderError:
        raise
    except Exception as error:
        raise EmbedderError(f"the embedder failed: {type(error).__name__}: {error}") from error


def choose_embedder(settings: Settings) -> LazyEmbedder | None:
    """Return the configured embedder, not loaded yet; None when vectors are switched off."""
    match settings.embedder:
        case "bundled":
            return LazyEmbedder(BUNDLED, lambda: BundledEmbedder(BUNDLED), BUNDLED_CALIBRATION)
        case "endpoint":
            return LazyEmbedder(
                f"endpoint:{settings.embedding_model}",
                lambda: _connect_endpoint(settings),
                most_texts=settings.embedding_batch,
            )
        case "off":
            return None


def _connect_endpoint(settings: Settings) -> Embedder:
    from memoria.inference.endpoint import EndpointEmbedder  # noqa: PLC0415

    key = settings.embedding_api_key
    return EndpointEmbedder(
        base_url=settings.embedding_base_url or "",
        model=settings.embedding_model or "",
        api_key=key.get_secret_value() if key else None,
        timeout_s=_TIMEOUT_S,
    )
