"""A `/rerank` endpoint: Jina, Cohere, vLLM, llama.cpp, Text Embeddings Inference.

A search is waiting, so a question is put once, within a time that holds for the whole answer.
"""

import json
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Literal

from memoria.errors import RerankerError
from memoria.inference.rerank.answers import read_scores

if TYPE_CHECKING:
    from memoria.inference.rerank.client import RerankClient

_Form = Literal["documents", "texts"]
"""Name of the texts in a request: everywhere, and in Text Embeddings Inference (TEI)."""
_OTHER: Mapping[_Form, _Form] = {"documents": "texts", "texts": "documents"}


class EndpointReranker:
    """Asks over HTTP. Its client is imported when it is first asked."""

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
        """Let go of the connections."""
        if self._opened is not None:
            self._opened.close()

    def _open_client(self) -> "RerankClient":
        from memoria.inference.rerank.client import RerankClient  # noqa: PLC0415  (half a second, once)

        with self._lock:
            if self._opened is None:
                self._opened = RerankClient(self._url, self._api_key, self._timeout_s)
            return self._opened

    def _encode_body(self, form: _Form, query: str, texts: Sequence[str]) -> bytes:
        more = {"model": self._model, "top_n": len(texts)} if form == "documents" else {}
        return json.dumps({"query": query, form: list(texts), **more}).encode()
