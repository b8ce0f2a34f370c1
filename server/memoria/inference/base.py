"""The seam between Memoria and embedding models: what an embedder does, and what its cosines mean.

Every model spreads its cosines in its own way: 0.45 is a near paraphrase to one and chance to
another. So whatever is decided by a cosine is decided by the embedder's `Calibration`, never by a
constant of the module that decides.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from memoria.inference.telling import Telling
from memoria.model import Vector


class Embedder(Protocol):
    """Texts in, unit vectors out. Calls block and may come from several threads.

    Queries and documents are embedded by different calls, because some models treat them
    differently.
    """

    @property
    def name(self) -> str:
        """The model with its version. Vectors of different names are never compared."""
        ...

    def embed_query(self, text: str) -> Vector:
        """The vector of a question, shape (dims,).

        Raises:
            EmbedderError: no vector could be made.
        """
        ...

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of documents, in order, each of shape (dims,).

        Raises:
            EmbedderError: no vectors could be made; none of the texts is to blame alone.
        """
        ...


@dataclass(frozen=True, slots=True)
class RelevanceBounds:
    """How well a text has to fit a query to answer it, by what the query asks about.

    The first two are compared with the share of the query's words that the text holds plus its
    cosine (without vectors with half of that: the share alone), the others with the cosine.
    """

    frequent_entity: float
    """Somebody or something much of the record is about: a name alone makes texts alike."""
    no_entity: float
    """Nobody in particular: texts that have nothing to do with each other mostly stay below."""
    cross_language: float
    """A text in another language than the query, with which it shares no word."""
    unknown_entity: float
    """Somebody who is nowhere on record: only a near paraphrase answers."""


@dataclass(frozen=True, slots=True)
class AnswerBounds:
    """The bounds of one kind of search."""

    memory: RelevanceBounds
    """A memory is one sentence."""
    turn: RelevanceBounds
    """A turn says more than one thing and shares a name or a topic with much."""
    ample: float | None = None
    """By how much a turn has to exceed what the record asks for to pass whatever its bounds say;
    None where that never lets one pass."""
    ample_cross_language: float = 0.0
    """How much more of a turn in another language: no word is there to doubt it by."""
    alike: float = 0.0
    """What a question and a memory are alike for because both say "the user": a memory of the user
    must exceed its bound by it where the question says so."""
    wordless: float = 0.0
    """The cosine of a sentence that rules kept of a talk, where it shares no word with the query:
    rules keep many, and of many one is always a little alike."""


@dataclass(frozen=True, slots=True)
class RecordBounds:
    """How near the best turns of the record have to be to a question that they may answer.

    All are cosines: a turn passes if its cosine, with what speaks for it, is not below what the
    question asks for. What they are made of is in `retrieval.ranking.threshold`.
    """

    words: float
    """For a turn that holds all of the question's words, in and around it."""
    cross_language: float
    """For one in another language, with which it shares no word."""
    meeting: float
    """For each word in it, after the first, that hardly any text holds; for two at most."""
    linked: float
    """For the one that the graph leads to first."""
    strange_names: float
    """Asked for where nobody and nothing that the question names is on record."""
    base: float
    """Asked for of every question, before what its size adds."""
    term: float
    """Asked for by the logarithm of how many words tell: of many, some always fit."""
    document: float
    """Asked for by the logarithm of how much is on record: of much, something is always near."""
    least: float
    """What every question asks for at least."""
    words_alone: float
    """The share of the words that a turn has to hold where no cosine is known."""
    words_alone_of_name: float
    """The same, in and around it, of a question about what much of the record is about."""
    named_day: float = 0.0
    """For one that was said on the day that the question names."""
    reply: float = 0.0
    """For one that the assistant said, where the question asks for what it has said."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What an embedder's cosines mean. Measured for a model, and brought along by it."""

    unrelated: float
    """Two sentences that have nothing to do with each other end here."""
    certain: float
    """A sentence that answers a question lies here or above."""
    paraphrase: float
    """From here on two statements may say the same."""
    neighbour: float
    """From here on two memories are linked as neighbours by meaning."""
    memories: AnswerBounds
    """Conclusions that were asked for."""
    transcript: RecordBounds
    """The verbatim record."""
    context: AnswerBounds
    """Conclusions that nobody asked for."""
    answers: float = 0.32
    """From here on what fits best is called an answer; see `retrieval.ranking.fit`. With weights
    for answers it is another figure than without."""
    alike: float = 0.4
    """From here on a statement may take the place of an earlier memory: whoever states it is asked.
    """
    about_same: float | None = None
    """From here on what was said later stands beside a memory; None where nobody has measured it.
    """
    read_answering: Callable[[], Vector] | None = None
    """Gives what each number of a vector counts for, where a text is to answer a question; None
    where all of them count alike."""
    read_telling: Callable[[], Telling] | None = None
    """Gives what tells by a vector whether a text tells something; None where nothing does."""

    @property
    def telling(self) -> Telling | None:
        """Return what tells it, read where it is first asked for."""
        return None if self.read_telling is None else self.read_telling()


@runtime_checkable
class CalibratedEmbedder(Protocol):
    """An embedder whose cosines were measured."""

    @property
    def calibration(self) -> Calibration:
        """What its cosines mean."""
        ...
