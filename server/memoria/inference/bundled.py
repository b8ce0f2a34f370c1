"""The model in the wheel: Universal Sentence Encoder, multilingual, version 3.

512 dimensions, sixteen languages in one space, so that an English question finds a Chinese line
(Y. Yang et al., "Multilingual Universal Sentence Encoder for Semantic Retrieval", 2019). NumPy
only; nothing is fetched at run time. Whoever only wants the figures loads neither.
"""

import threading
from collections.abc import Sequence
from dataclasses import replace

from memoria.inference.answering import read_answering
from memoria.inference.base import AnswerBounds, Calibration, RecordBounds, RelevanceBounds
from memoria.inference.telling import read_telling
from memoria.model import Vector

BUNDLED = "use-multilingual-v3/512"
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
"""Calibration of an embedder that brings no figures, such as an endpoint's, and of none.

Most sentence encoders spread their cosines about as the bundled model does. One that puts unrelated
texts higher answers where it should be silent, one that puts them lower is silent too often:
whoever embeds with such a model gives it a `calibration`.
"""

# The model reads without limit, in time that grows with the text. What a turn is about stands
# near its beginning; full text search covers all of it.
_MAX_CHARS = 1500


class BundledEmbedder:
    """USE multilingual v3 in this process."""

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
