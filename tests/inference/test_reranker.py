"""The rerank endpoint is asked once, in time and in the form it speaks; else it is one error."""

import json
import logging
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from tests.inference.conftest import KEY, PRIVATE
from tests.llm.scripted import Asked, Behaviour, ScriptedModel

from memoria.config import Settings
from memoria.errors import InvalidInputError, RerankerError
from memoria.inference.reranker import EndpointReranker, choose_reranker, score_texts

TEXTS = [PRIVATE, "tea is at five"]


def reranker(
    server: ScriptedModel, key: str | None = KEY, timeout_s: float = 30
) -> EndpointReranker:
    return EndpointReranker(server.url, "tiny", key, timeout_s)


def gives(body: object) -> Behaviour:
    return Behaviour(json.dumps(body).encode())


def results(*scored: tuple[object, object]) -> Behaviour:
    """The form of Jina, Cohere, vLLM and llama.cpp, with what they add to it."""
    listed = [{"index": i, "relevance_score": score, "document": {"text": "…"}}
              for i, score in scored]  # fmt: skip
    return gives({"id": "r1", "results": listed, "usage": {"total_tokens": 7}})


def test_a_question_goes_out_as_documented(server: ScriptedModel) -> None:
    server.script.append(results((0, 0.2), (1, 0.9)))
    assert reranker(server).score("when is tea?", TEXTS) == [0.2, 0.9]
    (asked,) = server.requests
    assert asked.path == "/v1/rerank"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["content-type"] == "application/json"
    assert asked.body == {"model": "tiny", "query": "when is tea?", "documents": TEXTS, "top_n": 2}


def test_without_a_key_none_is_sent(server: ScriptedModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.script.append(results((0, 0.2), (1, 0.9)))
    reranker(server, key=None).score("tea?", TEXTS)
    assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    "answer",
    [
        results((1, 0.9), (0, 0.2)),
        gives([{"index": 1, "score": 0.9, "text": "…"}, {"index": 0, "score": 0.2}]),
        gives({"results": [{"index": 1, "score": 0.9}, {"index": 0, "score": 0.2}]}),
    ],
)
def test_each_form_is_read_and_put_in_the_order_of_the_texts(
    server: ScriptedModel, answer: Behaviour
) -> None:
    server.script.append(answer)
    assert reranker(server).score("tea?", TEXTS) == [0.2, 0.9]


def test_logits_become_probabilities_all_of_them_however_large(server: ScriptedModel) -> None:
    server.script.append(results((0, 0.5), (1, -3), (2, 2000), (3, -2000.0)))
    found = reranker(server).score("tea?", ["a", "b", "c", "d"])
    assert found == [1 / (1 + math.exp(-0.5)), pytest.approx(1 / (1 + math.exp(3))), 1, 0]


def test_a_probability_that_was_rounded_is_no_logit(server: ScriptedModel) -> None:
    server.script.append(results((0, 1.0000002), (1, -0.0000001)))
    assert reranker(server).score("tea?", TEXTS) == [1, 0]


def test_a_server_that_calls_them_texts_is_asked_so_from_then_on(server: ScriptedModel) -> None:
    def tei(asked: Asked) -> Behaviour:
        listed = [{"index": 0, "score": 0.2}, {"index": 1, "score": 0.9}]
        return gives(listed) if "texts" in asked.body else replace(gives({}), status=422)

    server.answer = tei
    asking = reranker(server)
    assert [asking.score("tea?", TEXTS) for _ in range(2)] == [[0.2, 0.9]] * 2
    assert ["texts" in asked.body for asked in server.requests] == [False, True, True]


def test_a_server_that_takes_neither_form_is_asked_in_both_and_no_more(
    server: ScriptedModel,
) -> None:
    server.answer = lambda _: Behaviour(status=422)
    with pytest.raises(RerankerError, match="HTTP 422"):
        reranker(server).score("tea?", TEXTS)
    assert ["texts" in asked.body for asked in server.requests] == [False, True]


BAD_ANSWERS = {
    "refused": (Behaviour(f"{KEY} {PRIVATE}".encode(), 401), "HTTP 401"),
    "too many": (Behaviour(status=429, headers={"retry-after": "1"}), "HTTP 429"),
    "server error": (Behaviour(PRIVATE.encode(), 500), "HTTP 500"),
    "elsewhere": (Behaviour(status=307, headers={"location": "/v1/rerank"}), "HTTP 307"),
    "created": (replace(results((0, 0.1), (1, 0.1)), status=201), "HTTP 201"),
    "nothing": (Behaviour(), "unreadable"),
    "bad JSON": (Behaviour(f"{{{KEY}".encode()), "unreadable"),
    "bad UTF-8": (Behaviour(b'[{"index": 0, "score": "\xff"}]'), "unreadable"),
    "a web page": (Behaviour(b"<html>", content_type="text/html"), "unreadable"),
    "deep": (Behaviour(b"[" * 100_000), "unreadable"),
    "compressed": (Behaviour(b"\x1f\x8b\x08", headers={"content-encoding": "gzip"}), "unreadable"),
    "an error with status 200": (gives({"error": {"message": PRIVATE}}), "unreadable"),
    "null": (gives(None), "unreadable"),
    "numbers": (gives([0.1, 0.2]), "unreadable"),
    "no scores": (gives([{"index": 0}, {"index": 1}]), "unreadable"),
    "scores of words": (results((0, "0.1"), (1, "0.2")), "unreadable"),
    "no number": (results((0, float("nan")), (1, 0.2)), "unreadable"),
    "no end of number": (Behaviour(b'[{"index":0,"score":1e999}]'), "unreadable"),
    "true": (results((0, True), (1, 0.2)), "unreadable"),
    "an index of words": (results(("0", 0.1), (1, 0.2)), "unreadable"),
    "half an index": (results((0.5, 0.1), (1, 0.2)), "unreadable"),
    "too few": (results((0, 0.1)), "1 scores for 2 texts"),
    "none": (gives([]), "0 scores for 2 texts"),
    "more than were asked about": (results((0, 0.1), (1, 0.2), (2, 0.3)), "3 scores for 2 texts"),
    "one twice": (results((0, 0.1), (0, 0.2)), "do not belong"),
    "one twice beside all": (results((0, 0.1), (1, 0.2), (1, 0.3)), "3 scores for 2 texts"),
    "counted from one": (results((1, 0.1), (2, 0.2)), "do not belong"),
    "counted from the end": (results((-1, 0.1), (0, 0.2)), "do not belong"),
    "cut short": (replace(results((0, 0.1), (1, 0.2)), cut=True), "RemoteProtocolError"),
    "without end": (Behaviour(b" " * 1_100_000), "without end"),
}


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_a_bad_answer_is_one_error_without_key_or_text_and_is_not_asked_for_again(
    server: ScriptedModel, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    answer, reason = BAD_ANSWERS[name]
    server.answer = lambda _: answer
    with pytest.raises(RerankerError, match=reason) as caught:
        reranker(server).score(PRIVATE, TEXTS)
    assert len(server.requests) == 1
    for said in (str(caught.value), caplog.text):
        assert KEY not in said
        assert PRIVATE not in said


@pytest.mark.parametrize("behaviour", [Behaviour(hang=True), Behaviour(b" " * 999, drip=True)])
def test_an_answer_that_does_not_come_in_time_is_given_up(
    server: ScriptedModel, behaviour: Behaviour
) -> None:
    server.script.append(behaviour)
    with pytest.raises(RerankerError, match="no answer in time"):
        reranker(server, timeout_s=0.2).score("tea?", TEXTS)
    assert len(server.requests) == 1


def test_an_endpoint_that_is_not_there_is_named_as_such() -> None:
    absent = EndpointReranker("http://127.0.0.1:9/v1", "tiny", KEY, timeout_s=5)
    with pytest.raises(RerankerError, match="no connection"):
        absent.score("tea?", TEXTS)


@pytest.mark.parametrize("key", ["schlüssel-" + KEY, "two\nlines" + KEY])
def test_a_key_that_cannot_be_one_is_an_error_that_does_not_show_it(
    server: ScriptedModel, key: str
) -> None:
    with pytest.raises(RerankerError) as caught:
        reranker(server, key).score("tea?", TEXTS)
    assert KEY not in str(caught.value)
    assert server.requests == []


def test_half_a_character_in_a_text_does_no_harm(server: ScriptedModel) -> None:
    server.script.append(results((0, 0.1)))
    assert reranker(server).score("\ud83d", ["tea \udc00"]) == [0.1]


class Own:
    """A reranker of a program's own."""

    name = "own"

    def __init__(self, scores: Callable[[Sequence[str]], Any]) -> None:
        self._scores = scores

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        del query
        scores: list[float] = self._scores(texts)
        return scores


OWN_FAULTS: dict[str, Callable[[Sequence[str]], Any]] = {
    "too few": lambda _: [0.5],
    "too much": lambda _: [0.5, 1.5],
    "not a number": lambda _: [0.5, float("nan")],
    "words": list,
    "nothing": lambda _: None,
    "a fault": lambda texts: [1 / (len(text) * 0) for text in texts],
}


@pytest.mark.parametrize("name", OWN_FAULTS)
def test_a_reranker_of_somebody_elses_fails_in_one_way_and_quotes_nothing(name: str) -> None:
    with pytest.raises(RerankerError, match=r"^own ") as caught:
        score_texts(Own(OWN_FAULTS[name]), "tea?", TEXTS)
    assert PRIVATE not in str(caught.value)


def test_there_is_no_reranker_unless_one_is_named() -> None:
    assert choose_reranker(Settings()) is None
    named = Settings.load(rerank_base_url="http://127.0.0.1:9/v1", rerank_model="tiny")
    chosen = choose_reranker(named)
    assert chosen is not None
    assert chosen.name == "endpoint:tiny"
    chosen.close()


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"rerank_model": "tiny"}, "MEMORIA_RERANK_BASE_URL"),
        ({"rerank_base_url": "http://127.0.0.1:9/v1"}, "MEMORIA_RERANK_MODEL"),
        ({"rerank_api_key": KEY}, "MEMORIA_RERANK_BASE_URL"),
        ({"rerank_base_url": "127.0.0.1:9", "rerank_model": "t"}, "MEMORIA_RERANK_BASE_URL"),
        ({"rerank_timeout_s": 0}, "MEMORIA_RERANK_TIMEOUT_S"),
    ],
)
def test_a_setting_that_is_missing_or_wrong_is_named(given: dict[str, object], named: str) -> None:
    with pytest.raises(InvalidInputError, match=named) as caught:
        Settings.load(**given)
    assert KEY not in str(caught.value)
