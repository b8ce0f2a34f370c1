"""Scores from the body of a `/rerank` answer.

Servers have two forms:

    {"results": [{"index": 1, "relevance_score": 0.9}, …], …}    Jina, Cohere, vLLM, llama.cpp
    [{"index": 1, "score": 0.9}, …]                              Text Embeddings Inference (TEI)

Some give probabilities and some the logits they are made of; a logistic function makes the ones of
the others. Which they are is told by each answer for itself, so that the same answer always means
the same: one logit outside 0 to 1 gives them all away.
"""

from collections.abc import Sequence
from math import tanh
from typing import Annotated

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from memoria.errors import RerankerError

_ROUNDED = 1e-3
"""Error of a probability outside of 0 to 1: half precision rounds that far."""
_SCORE_NAMES = AliasChoices("relevance_score", "score")


class _Result(BaseModel):
    model_config = ConfigDict(strict=True)

    index: int
    score: Annotated[float, Field(validation_alias=_SCORE_NAMES, allow_inf_nan=False)]


class _Results(BaseModel):
    results: list[_Result]


_ANSWER: TypeAdapter[_Results | list[_Result]] = TypeAdapter(_Results | list[_Result])


def read_scores(body: bytes, count: int) -> list[float]:
    """Return a score from 0 to 1 for each of the texts that were sent, in their order.

    Args:
        body: the answer.
        count: how many texts were sent.

    Raises:
        RerankerError: the answer is something else.
    """
    try:
        answer = _ANSWER.validate_json(body)
    except ValidationError:
        raise RerankerError("the rerank endpoint gave an unreadable answer") from None
    results = answer.results if isinstance(answer, _Results) else answer
    by_index = {result.index: result.score for result in results}
    if len(results) != count or by_index.keys() != set(range(count)):
        raise RerankerError(
            f"the rerank endpoint gave {len(results)} scores for {count} texts, "
            "or scores that do not belong to them"
        )
    return _to_probabilities([by_index[i] for i in range(count)])


def _to_probabilities(scores: Sequence[float]) -> list[float]:
    if all(-_ROUNDED <= score <= 1 + _ROUNDED for score in scores):
        return [min(max(score, 0.0), 1.0) for score in scores]
    return [(1 + tanh(score / 2)) / 2 for score in scores]  # the logistic function, never too large
