"""The endpoint embedder speaks the OpenAI protocol and explains itself when it can't."""

import json
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest
from tests.limits import limit_settings

import memoria
from memoria.config import Settings
from memoria.errors import EmbedderError, InvalidInputError
from memoria.inference.endpoint import EndpointEmbedder

KEY = "sk-very-" + "secret-8x5k2"
PRIVATE = "the salary is 46,000"
JSON = "application/json"


@dataclass(frozen=True)
class Answer:
    """One scripted answer. `hang` keeps the client waiting until the server is closed."""

    body: bytes
    status: int = 200
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()
    hang: bool = False


@dataclass
class Server:
    """A real HTTP server that gives scripted answers in turn, the last one for ever."""

    url: str
    script: list[Answer] = field(default_factory=list)
    requests: list[tuple[dict[str, str], dict[str, object]]] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def next(self) -> Answer:
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            scripted.requests.append(({k.lower(): v for k, v in self.headers.items()}, body))
            answer = scripted.next()
            if answer.hang:
                scripted.closing.wait()
                return
            self.send_response(answer.status)
            self.send_header("content-type", answer.content_type)
            self.send_header("content-length", str(len(answer.body)))
            for name, value in answer.headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(answer.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        scripted = Server(url=f"http://127.0.0.1:{listening.server_port}/v1")
        threading.Thread(target=listening.serve_forever, args=[0.01]).start()
        yield scripted
        scripted.closing.set()
        listening.shutdown()


def embedder(server: Server, timeout_s: float = 30) -> EndpointEmbedder:
    return EndpointEmbedder(base_url=server.url, model="m", api_key=KEY, timeout_s=timeout_s)


def vectors(*data: tuple[int, object]) -> Answer:
    """A good answer: vectors with their `index`, in this order."""
    listed = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in data]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return Answer(
        json.dumps({"object": "list", "model": "m", "data": listed, "usage": usage}).encode()
    )


def failure(status: int, **headers: str) -> Answer:
    body = json.dumps({"error": {"message": f"{KEY} was refused for {PRIVATE}"}})
    return Answer(body.encode(), status, headers=tuple(headers.items()))


def test_vectors_come_back_normalised_and_in_the_order_of_the_texts(server: Server) -> None:
    server.script = [vectors((2, [0, 5.0]), (0, [3.0, 4.0]), (1, [-2.0, 0]))]
    found = embedder(server).embed_documents(["a", "b", "c"])
    assert np.stack(found).tolist() == [pytest.approx([0.6, 0.8]), [-1, 0], [0, 1]]
    assert {vector.dtype for vector in found} == {np.dtype(np.float32)}
    headers, body = server.requests[0]
    assert headers["authorization"] == f"Bearer {KEY}"
    assert body["input"] == ["a", "b", "c"]
    assert body["model"] == "m"


def test_a_question_is_one_text(server: Server) -> None:
    server.script = [vectors((0, [0, 2.0]))]
    np.testing.assert_allclose(embedder(server).embed_query("who?"), [0, 1])


def test_an_empty_text_is_never_sent_as_such(server: Server) -> None:
    server.script = [vectors((0, [1.0]))]
    embedder(server).embed_query("")
    assert server.requests[0][1]["input"] == [" "]


def test_an_endpoint_that_wants_no_key_gets_none_of_the_environment(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.script = [vectors((0, [1.0]))]
    EndpointEmbedder(base_url=server.url, model="m", api_key=None, timeout_s=30).embed_query("x")
    assert KEY not in server.requests[0][0]["authorization"]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_passes_is_tried_again(server: Server, status: int) -> None:
    again = failure(status, **{"retry-after-ms": "1"})
    server.script = [again, again, vectors((0, [1.0]))]
    assert embedder(server).embed_documents(["x"])[0].tolist() == [1.0]
    assert len(server.requests) == 3


BAD_ANSWERS = {
    "server error": (failure(500, **{"retry-after-ms": "1"}), "HTTP 500"),
    "refused": (failure(401), "HTTP 401"),
    "too long": (failure(400), "HTTP 400"),
    "redirect": (failure(307, location="http://127.0.0.1:9/v1/embeddings"), "HTTP 307"),
    "too few": (vectors((0, [1.0])), "1 vectors for 2 texts"),
    "too many": (vectors((0, [1.0]), (1, [1.0]), (2, [1.0])), "3 vectors for 2 texts"),
    "zero vector": (vectors((0, [1.0, 0]), (1, [0, 0])), "without a direction"),
    "not a number": (vectors((0, [1.0]), (1, [float("nan")])), "without a direction"),
    "empty vector": (vectors((0, [1.0]), (1, [])), "without a direction"),
}
UNREADABLE_ANSWERS = {
    "bad JSON": Answer(f"{{{KEY}".encode()),
    "a web page": Answer(b"<html>Welcome</html>", content_type="text/html"),
    "a list": Answer(b"[]"),
    "no data": Answer(b"{}"),
    "an error with status 200": Answer(b'{"error": {"message": "model not found"}}'),
    "vectors of words": vectors((0, ["a"]), (1, ["b"])),
    "vectors in vectors": vectors((0, [1.0, [2.0]]), (1, [1.0, 2.0])),
    "base64": vectors((0, "AACAPw=="), (1, "AACAPw==")),
    "numbers": vectors((0, 1.5), (1, 2.5)),
    "different lengths": vectors((0, [1.0]), (1, [1.0, 2.0])),
    "one text twice": vectors((0, [1.0]), (0, [2.0])),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_a_bad_answer_is_explained_without_key_or_text(
    server: Server, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answer, reason = BAD_ANSWERS[name]
    server.script = [answer]
    with pytest.raises(EmbedderError, match=reason) as caught:
        embedder(server).embed_documents([PRIVATE, "y"])
    assert KEY not in str(caught.value)
    assert PRIVATE not in str(caught.value)
    assert KEY not in caplog.text


@pytest.mark.parametrize("name", UNREADABLE_ANSWERS)
def test_an_unreadable_answer_is_an_embedder_error(server: Server, name: str) -> None:
    server.script = [UNREADABLE_ANSWERS[name]]
    with pytest.raises(EmbedderError) as caught:
        embedder(server).embed_documents([PRIVATE, "y"])
    assert KEY not in str(caught.value)


def test_an_endpoint_that_never_answers_is_given_up(server: Server) -> None:
    server.script = [Answer(b"", hang=True)]
    with pytest.raises(EmbedderError, match="no answer in time"):
        embedder(server, timeout_s=0.05).embed_query(PRIVATE)


def test_an_endpoint_that_is_not_there_is_named_as_such() -> None:
    absent = EndpointEmbedder("http://127.0.0.1:9/v1", "m", KEY, timeout_s=5)
    with pytest.raises(EmbedderError, match="no connection"):
        absent.embed_query("x")


def test_a_question_is_asked_once_because_a_search_is_waiting(server: Server) -> None:
    server.script = [Answer(b"", hang=True)]
    with pytest.raises(EmbedderError):
        embedder(server, timeout_s=0.05).embed_query("x")
    assert len(server.requests) == 1


async def test_the_key_is_in_no_log_no_note_and_no_finding(
    server: Server, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.script = [failure(401)]
    async with memoria.open(settings=endpoint_settings(server, tmp_path)) as memory:
        await memory.record_conversation([{"role": "user", "content": "the port is 8080"}])
        status = await memory.wait_until_idle(30)
        found = await memory.search_conversation_traces("port")
        health = await memory.health()
    assert status.last_error == "the embedding endpoint failed: HTTP 401"
    assert found.notes == ("searched without vectors: the embedding endpoint failed: HTTP 401",)
    assert [hit.text for hit in found.hits] == ["the port is 8080"]
    for said in (caplog.text, repr(health), repr(memory.settings), str(found)):
        assert KEY not in said


async def test_documents_and_questions_go_through_the_endpoint(
    server: Server, tmp_path: Path
) -> None:
    server.script = [vectors((0, [1.0, 1.0]))]
    async with memoria.open(settings=endpoint_settings(server, tmp_path)) as memory:
        await memory.remember("Chen Wei runs the night shift")
        await memory.wait_until_idle(30)
        found = await memory.search_memory("夜班")
        assert [hit.text for hit in found.hits] == ["Chen Wei runs the night shift"]
        assert found.notes == ()
    sent = [body["input"] for _, body in server.requests]
    assert sent == [["Chen Wei runs the night shift"], ["夜班"]]


def test_an_endpoint_without_an_address_is_refused_by_name() -> None:
    with pytest.raises(InvalidInputError, match="MEMORIA_EMBEDDING_BASE_URL"):
        Settings.load(embedder="endpoint")


def endpoint_settings(server: Server, home: Path) -> Settings:
    given: dict[str, object] = {
        "home": home,
        "embedder": "endpoint",
        "embedding_base_url": server.url,
        "embedding_model": "m",
        "embedding_api_key": KEY,
    }
    return limit_settings(embedding_attempts=1).load(**given)
