"""Rerankers read question and text together, and score how well one answers the other.

There is none unless the settings name an endpoint: Jina, Cohere, vLLM, llama.cpp, Text Embeddings
Inference (TEI). A search is waiting, so a question is sent once, with a limit on the time of the
whole answer.
"""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from math import tanh
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Literal, Protocol

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from memoria.config import Settings
from memoria.errors import RerankerError

if TYPE_CHECKING:
    from memoria.inference.http import RerankClient

_ROUNDED = 1e-3
"""Amount by which rounding to half precision may put a probability outside of 0 to 1."""
_SCORE_NAMES = AliasChoices("relevance_score", "score")
_Form = Literal["documents", "texts"]
"""Name of the list of texts in a request: in most servers, and in Text Embeddings Inference."""
_OTHER: Mapping[_Form, _Form] = {"documents": "texts", "texts": "documents"}


class Reranker(Protocol):
    """Scores how well each of some texts answers a question.

    Calls block, and may come from several threads. A search waits for them.
    """

    @property
    def name(self) -> str:
        """Name of the model, for messages."""
        ...

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Score how well each text answers the question, 0 to 1, in the order of the texts.

        Raises:
            RerankerError: there are no scores; none of the texts is to blame alone.
        """
        ...


def score_texts(reranker: Reranker, query: str, texts: Sequence[str]) -> list[float]:
    """Return the scores of a reranker, and raise whatever goes wrong as a `RerankerError`.

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


class EndpointReranker:
    """Reranker behind an HTTP endpoint; its HTTP client is imported at the first request."""

    def __init__(self, base_url: str, model: str, api_key: str | None, timeout_s: float) -> None:
        self.name = f"endpoint:{model}"
        self._url = f"{base_url.rstrip('/')}/rerank"
        self._model = model
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._lock = Lock()
        self._opened: RerankClient | None = None
        self._form: _Form = "documents"

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Score how well each text answers the question, 0 to 1."""
        wire = self._open_client()
        until = monotonic() + self._timeout_s
        answer = wire.post(self._encode_body(self._form, query, texts), until)
        if answer.status == HTTPStatus.UNPROCESSABLE_ENTITY:
            other = _OTHER[self._form]
            answer = wire.post(self._encode_body(other, query, texts), until)
            self._form = other if answer.is_success else self._form
        if not answer.is_success:
            raise RerankerError(f"the rerank endpoint failed: HTTP {answer.status}")
        return read_scores(answer.body, len(texts))

    def close(self) -> None:
        """Close the connections."""
        if self._opened is not None:
            self._opened.close()

    def _open_client(self) -> "RerankClient":
        from memoria.inference.http import RerankClient  # noqa: PLC0415  (half a second, once)

        with self._lock:
            if self._opened is None:
                self._opened = RerankClient(self._url, self._api_key, self._timeout_s)
            return self._opened

    def _encode_body(self, form: _Form, query: str, texts: Sequence[str]) -> bytes:
        more = {"model": self._model, "top_n": len(texts)} if form == "documents" else {}
        return json.dumps({"query": query, form: list(texts), **more}).encode()


def choose_reranker(settings: Settings) -> EndpointReranker | None:
    """Return the configured reranker, its HTTP library not loaded yet; None without one."""
    if not (settings.rerank_base_url and settings.rerank_model):
        return None
    key = settings.rerank_api_key
    return EndpointReranker(
        base_url=settings.rerank_base_url,
        model=settings.rerank_model,
        api_key=key.get_secret_value() if key else None,
        timeout_s=settings.rerank_timeout_s,
    )
