"""The seam between Memoria and rerankers."""

from collections.abc import Sequence
from typing import Protocol

from memoria.errors import RerankerError


class Reranker(Protocol):
    """A question and texts in, a score for each text out.

    Calls block, and may come from several threads. A search waits for them.
    """

    @property
    def name(self) -> str:
        """The model, for messages."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Score how well each text answers the question, 0 to 1, in the order of the texts.

        Raises:
            RerankerError: there are no scores; none of the texts is to blame alone.
        """
        ...


def score_texts(reranker: Reranker, query: str, texts: Sequence[str]) -> list[float]:
    """Score with a reranker that nobody vouches for: a program's own may do anything.

    Raises:
        RerankerError: it gave none that are of use.
    """
    try:
        scores = [float(score) for score in reranker.score(query, texts)]
    except RerankerError:
        raise
    except Exception as error:
        raise RerankerError(f"{reranker.name} failed: {type(error).__name__}") from error
    if len(scores) != len(texts) or not all(0 <= score <= 1 for score in scores):
        raise RerankerError(f"{reranker.name} gave no score from 0 to 1 for each text")
    return scores
