"""Embedder behind an OpenAI-compatible endpoint: Ollama, vLLM, llama.cpp, OpenAI."""

import weakref
from collections.abc import Sequence
from operator import attrgetter

import numpy as np
import openai

from memoria.errors import EmbedderError
from memoria.inference.http import restrict_client
from memoria.model import Vector

_NO_KEY = "none"  # the client insists on a key; local servers ignore it
_MOST_BYTES = 64_000_000
"""Most bytes of an answer: a batch of long vectors, written as digits, takes a tenth."""
_QUERY_TIMEOUT_S = 3.0
"""Longest time that a search waits for its vector: text search answers without it."""


class EndpointEmbedder:
    """Embeds over HTTP. Retries with backoff are the client's own."""

    def __init__(self, base_url: str, model: str, api_key: str | None, timeout_s: float) -> None:
        self.name = f"endpoint:{model}"
        self._model = model
        http = openai.DefaultHttpxClient(**restrict_client(_MOST_BYTES))
        weakref.finalize(self, http.close)
        self._documents = openai.OpenAI(
            base_url=base_url,
            api_key=api_key or _NO_KEY,
            timeout=timeout_s,
            max_retries=2,
            http_client=http,
        )
        self._queries = self._documents.with_options(
            timeout=min(timeout_s, _QUERY_TIMEOUT_S), max_retries=0
        )

    def embed_query(self, text: str) -> Vector:
        """Return the vector of a question."""
        return self._embed(self._queries, [text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """Return the vectors of documents, in order."""
        return self._embed(self._documents, texts)

    def _embed(self, client: openai.OpenAI, texts: Sequence[str]) -> list[Vector]:
        try:
            answer = client.embeddings.create(
                model=self._model, input=[text or " " for text in texts], encoding_format="float"
            )
            items = sorted(answer.data, key=attrgetter("index"))
            vectors = [_unit_vector(item.embedding) for item in items]
            places = [item.index for item in items]
        except openai.OpenAIError as error:
            raise EmbedderError(
                f"the embedding endpoint failed: {_describe_failure(error)}"
            ) from error
        except (AttributeError, TypeError, ValueError) as error:
            # The client hands on what it could not parse.
            raise EmbedderError("the embedding endpoint gave an unreadable answer") from error
        if places != list(range(len(texts))) or len(set(map(len, vectors))) > 1:
            raise EmbedderError(
                f"the embedding endpoint gave {len(vectors)} vectors for {len(texts)} texts, "
                "or vectors that do not belong together"
            )
        return vectors


def _describe_failure(error: openai.OpenAIError) -> str:
    """Describe an error without the request or the key."""
    match error:
        case openai.APIStatusError():
            return f"HTTP {error.status_code}"
        case openai.APITimeoutError():
            return "no answer in time"
        case openai.APIConnectionError():
            return "no connection"
        case _:
            return type(error).__name__


def _unit_vector(numbers: Sequence[float]) -> Vector:
    """Return a unit vector of the numbers."""
    vector = np.asarray(numbers, dtype=np.float64)
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0:
        raise EmbedderError("the embedding endpoint gave a vector without a direction")
    if vector.ndim != 1:
        raise EmbedderError("the embedding endpoint gave something that is no list of numbers")
    return (vector / length).astype(np.float32)
