"""Protocol of embedding models, and the meaning of their vectors.

Every model spreads its cosines in its own way: 0.45 is a near paraphrase to one and chance to
another. So whatever is decided by a cosine is decided by the embedder's `Calibration`, never by a
constant of the module that decides.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

from memoria.model import Vector

TELLING_WEIGHTS = Path(__file__).with_name("telling.weights")
"""File with a weight for each number of a vector, and a constant to add, as half floats."""
_STRENGTH = 0.5
"""Strength with which a vector is turned: it must not drown what is asked for."""


class Telling(NamedTuple):
    """Linear model that separates texts that tell something from others."""

    weights: Vector
    base: float

    def marks(self, vector: Vector, least: float = 0.0) -> bool:
        """Check whether the text with this vector tells something, by more than the least score."""
        return bool(vector @ self.weights + self.base > least)

    def turn(self, vector: Vector) -> Vector:
        """Return the vector turned towards texts that tell something."""
        import numpy as np  # noqa: PLC0415  (who searches nothing does not wait for it)

        turned = vector + _STRENGTH * self.weights / np.linalg.norm(self.weights)
        unit: Vector = (turned / np.linalg.norm(turned)).astype(np.float32)
        return unit


@cache
def read_telling() -> Telling:
    """Read the model for vectors of the bundled embedder."""
    import numpy as np  # noqa: PLC0415  (who searches nothing does not wait for it)

    stored = np.frombuffer(TELLING_WEIGHTS.read_bytes(), np.float16).astype(np.float32)
    return Telling(stored[:-1], float(stored[-1]))


class Embedder(Protocol):
    """Turns texts into unit vectors. Calls block and may come from several threads.

    Queries and documents are embedded by different calls, because some models treat them
    differently.
    """

    @property
    def name(self) -> str:
        """Name and version of the model: vectors of different models are never compared."""
        ...

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question, shape (dims,).

        Raises:
            EmbedderError: no vector could be made.
        """
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of documents, in order, each of shape (dims,).

        Raises:
            EmbedderError: no vectors could be made; none of the texts is to blame alone.
        """
        ...


@dataclass(frozen=True, slots=True)
class RelevanceBounds:
    """Least fit of a text that answers a query, by what the query asks about.

    The first two are compared with the share of the query's words in the text plus the text's
    cosine (without vectors, half of each with the share alone), the others with the cosine.
    """

    frequent_entity: float
    """Bound for an entity that much of the record is about: a name alone makes texts alike."""
    no_entity: float
    """Bound for a query about nobody in particular: unrelated texts mostly stay below."""
    cross_language: float
    """Bound for a text in another language than the query, with which it shares no word."""
    unknown_entity: float
    """Bound for somebody who is nowhere on record: only a near paraphrase answers."""


@dataclass(frozen=True, slots=True)
class AnswerBounds:
    """The bounds of one kind of search."""

    memory: RelevanceBounds
    """Bounds of a memory, which is one sentence."""
    turn: RelevanceBounds
    """Bounds of a turn: it says several things, and shares a name or a topic with many texts."""
    ample: float | None = None
    """Excess over the record's bound at which a turn passes whatever its own bounds say; None for
    never."""
    ample_cross_language: float = 0.0
    """Further excess for a turn in another language: its words can tell nothing against it."""
    alike: float = 0.0
    """Likeness of a question and a memory that comes from "the user" in both: a memory of the user
    must exceed its bound by this much where the question is about the user."""
    wordless: float = 0.0
    """Least cosine of a sentence that rules kept of a talk and that shares no word with the query:
    rules keep many, and of many one is always a little alike."""


@dataclass(frozen=True, slots=True)
class RecordBounds:
    """Least nearness to a question of the turns of the record that may answer it.

    All are cosines: a turn passes if its cosine and its bonuses together are not below what the
    question asks for. Both are put together in `retrieval.ranking.threshold`.
    """

    words: float
    """Bonus of a turn that holds all of the question's words, in and around it."""
    cross_language: float
    """Bonus of a turn in another language than the question, with which it shares no word."""
    meeting: float
    """Bonus for each rare word that turn and question share, after the first; for two at most."""
    linked: float
    """Bonus of the turn that the graph leads to first."""
    strange_names: float
    """Demand where nobody and nothing that the question names is on record."""
    base: float
    """Demand of every question, before what its size adds."""
    term: float
    """Demand by the logarithm of the number of telling words: of many, some always fit."""
    document: float
    """Demand by the logarithm of the record's size: in a large one, something is always near."""
    least: float
    """Least demand of any question."""
    words_alone: float
    """Share of the words that a turn has to hold where no cosine is known."""
    words_alone_of_name: float
    """Share of the words in and around a turn, for a question about what much of the record is
    about."""
    named_day: float = 0.0
    """Bonus of a turn from the day that the question names."""
    reply: float = 0.0
    """Bonus of an assistant's turn, where the question asks for what the assistant said."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Meanings of an embedder's cosines, measured for one model."""

    unrelated: float
    """Upper end for two sentences that have nothing to do with each other."""
    certain: float
    """Lower end for a sentence that answers a question."""
    paraphrase: float
    """Least cosine of two statements that may say the same."""
    neighbour: float
    """Least cosine of two memories that are linked as neighbours by meaning."""
    memories: AnswerBounds
    """Bounds for memories that answer a question."""
    transcript: RecordBounds
    """Bounds for turns of the verbatim record that answer a question."""
    context: AnswerBounds
    """Bounds for memories that are shown without a question."""
    answers: float = 0.32
    """Least fit that is called an answer (`retrieval.ranking.fit`): with `read_answering` another
    figure than without."""
    alike: float = 0.4
    """Least cosine of a statement that may replace an earlier memory; its author is then asked."""
    about_same: float | None = None
    """Least cosine of a later statement that stands beside a memory; None if never measured."""
    read_answering: Callable[[], Vector] | None = None
    """Reads the weights of a vector's numbers for how well a text answers a question; None if the
    numbers count alike."""
    read_telling: Callable[[], Telling] | None = None
    """Reads the model that judges by a vector whether a text tells something; None without one."""

    @property
    def telling(self) -> Telling | None:
        """Model that judges by a vector whether a text tells something, read at its first use."""
        return None if self.read_telling is None else self.read_telling()


@runtime_checkable
class CalibratedEmbedder(Protocol):
    """Embedder whose cosines were measured."""

    @property
    def calibration(self) -> Calibration:
        """Meanings of its cosines."""
        ...
