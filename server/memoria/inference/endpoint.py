"""An OpenAI-compatible `/embeddings` endpoint: Ollama, vLLM, llama.cpp, OpenAI."""

from collections.abc import Sequence

import numpy as np
import openai

from memoria.errors import EmbedderError
from memoria.model import Vector

_NO_KEY = "none"  # the client insists on a key; local servers ignore it
_QUERY_TIMEOUT_S = 3.0
"""A question waits for nobody long: text search answers it meanwhile."""


class EndpointEmbedder:
    """Embeds over HTTP. Retries with backoff are the client's own."""

    def __init__(self, base_url: str, model: str, api_key: str | None, timeout_s: float) -> None:
        self.name = f"endpoint:{model}"
        self._model = model
        self._documents = openai.OpenAI(
            base_url=base_url, api_key=api_key or _NO_KEY, timeout=timeout_s, max_retries=2
        )
        self._queries = self._documents.with_options(
            timeout=min(timeout_s, _QUERY_TIMEOUT_S), max_retries=0
        )

    def embed_query(self, text: str) -> Vector:
        """The vector of a question."""
        return self._embed(self._queries, [text])[0]

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        """The vectors of documents, in order."""
        return self._embed(self._documents, texts)

    def _embed(self, client: openai.OpenAI, texts: Sequence[str]) -> list[Vector]:
        try:
            answer = client.embeddings.create(
                model=self._model, input=[text or " " for text in texts], encoding_format="float"
            )
        except openai.OpenAIError as error:
            raise EmbedderError(f"the embedding endpoint failed: {_brief(error)}") from error
        if len(answer.data) != len(texts):
            raise EmbedderError(
                f"the embedding endpoint gave {len(answer.data)} vectors for {len(texts)} texts"
            )
        ordered = sorted(answer.data, key=lambda item: item.index)
        return [_unit(np.asarray(item.embedding, dtype=np.float32)) for item in ordered]


def _brief(error: openai.OpenAIError) -> str:
    """What went wrong, without the request or the key."""
    match error:
        case openai.APIStatusError():
            return f"HTTP {error.status_code}"
        case openai.APITimeoutError():
            return "no answer in time"
        case openai.APIConnectionError():
            return "no connection"
        case _:
            return type(error).__name__


def _unit(vector: Vector) -> Vector:
    length = float(np.linalg.norm(vector))
    if not np.isfinite(length) or length == 0:
        raise EmbedderError("the embedding endpoint gave a vector without a direction")
    return vector / np.float32(length)
