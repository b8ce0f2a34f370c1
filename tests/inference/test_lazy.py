"""A model is loaded once, in the background, and whoever waits is told how it goes."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from memoria.config import Settings
from memoria.errors import EmbedderError
from memoria.inference import LazyEmbedder
from memoria.inference.choose import choose_embedder
from memoria.model import Vector

TIMEOUT_S = 30


class Constant:
    """An embedder that says the same of everything."""

    name = "constant/2"

    def embed_query(self, text: str) -> Vector:
        del text
        return np.array([1, 0], np.float32)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        return [self.embed_query(text) for text in texts]


class Loading:
    """A build that takes until it is released, and counts how often it began."""

    def __init__(self) -> None:
        self.begun: list[str] = []
        self.release = threading.Event()

    def __call__(self) -> Constant:
        self.begun.append(threading.current_thread().name)
        assert self.release.wait(TIMEOUT_S)
        return Constant()


def test_nothing_is_loaded_before_somebody_asks() -> None:
    loading = Loading()
    lazy = LazyEmbedder("constant/2", loading)
    assert lazy.state == "not loaded"
    assert loading.begun == []


def test_many_threads_share_one_load() -> None:
    loading = Loading()
    lazy = LazyEmbedder("constant/2", loading)
    with ThreadPoolExecutor(16) as threads:
        got = [threads.submit(lazy.wait_for_embedder, None) for _ in range(16)]
        assert lazy.state in {"not loaded", "loading"}
        loading.release.set()
        embedders = {id(future.result(TIMEOUT_S)) for future in got}
    assert len(embedders) == 1
    assert loading.begun == ["memoria-load-embedder"]
    assert lazy.state == "ready"


def test_whoever_is_in_a_hurry_is_told_that_it_is_still_loading() -> None:
    loading = Loading()
    lazy = LazyEmbedder("constant/2", loading)
    with pytest.raises(EmbedderError, match="constant/2 is still loading"):
        lazy.wait_for_embedder(wait_ms=0)
    assert lazy.state == "loading"
    loading.release.set()
    assert isinstance(lazy.wait_for_embedder(wait_ms=TIMEOUT_S * 1000), Constant)


def test_a_failure_is_remembered_and_explained(caplog: pytest.LogCaptureFixture) -> None:
    tries: list[int] = []

    def build() -> Constant:
        tries.append(1)
        raise OSError("weights.npz is missing")

    lazy = LazyEmbedder("broken/1", build)
    for _ in range(3):
        with pytest.raises(EmbedderError, match=r"broken/1 can't be loaded: .*weights\.npz"):
            lazy.wait_for_embedder(None)
    assert len(tries) == 1
    assert lazy.state == "failed: OSError: weights.npz is missing"
    assert "broken/1 can't be loaded" in caplog.text


def test_starting_to_load_returns_at_once_and_may_be_repeated() -> None:
    loading = Loading()
    lazy = LazyEmbedder("constant/2", loading)
    for _ in range(3):
        lazy.start_loading()
    loading.release.set()
    lazy.wait_for_embedder(None)
    assert len(loading.begun) == 1


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({}, "use-multilingual-v3/512"),
        (
            {
                "embedder": "endpoint",
                "embedding_base_url": "http://127.0.0.1:9/v1",
                "embedding_model": "bge-m3",
            },
            "endpoint:bge-m3",
        ),
    ],
)
def test_choosing_an_embedder_loads_nothing(given: dict[str, str], name: str) -> None:
    chosen = choose_embedder(Settings.load(**given))
    assert chosen is not None
    assert (chosen.name, chosen.state) == (name, "not loaded")


class Numbering:
    """Gives each text the number it is written as, and keeps how many came at once."""

    name = "numbering/1"

    def __init__(self, *, lost: int = 0) -> None:
        self.sizes: list[int] = []
        self._lost = lost

    def embed_query(self, text: str) -> Vector:
        return np.array([float(text)], np.float32)

    def embed_documents(self, texts: Sequence[str]) -> list[Vector]:
        self.sizes.append(len(texts))
        return [self.embed_query(text) for text in texts[self._lost :]]


@pytest.mark.parametrize(("most", "sizes"), [(None, [5]), (2, [2, 2, 1]), (5, [5])])
def test_documents_are_given_so_many_at_once_and_come_back_in_order(
    most: int | None, sizes: list[int]
) -> None:
    embedder = Numbering()
    lazy = LazyEmbedder(embedder.name, lambda: embedder, most_texts=most)
    vectors = lazy.embed_documents(["4", "0", "3", "1", "2"])
    assert [float(one[0]) for one in vectors] == [4, 0, 3, 1, 2]
    assert embedder.sizes == sizes
    assert lazy.embed_documents([]) == []


def test_an_embedder_that_loses_a_text_has_failed() -> None:
    lazy = LazyEmbedder("numbering/1", lambda: Numbering(lost=1))
    with pytest.raises(EmbedderError, match="gave 2 vectors for 3 texts"):
        lazy.embed_documents(["1", "2", "3"])


def test_vectors_can_be_switched_off() -> None:
    assert choose_embedder(Settings.load(embedder="off")) is None


def test_what_was_asked_lately_is_embedded_once_and_no_word_of_it_stays() -> None:
    asked: list[str] = []

    class Counting(Constant):
        def embed_query(self, text: str) -> Vector:
            asked.append(text)
            return super().embed_query(text)

    lazy = LazyEmbedder("constant/2", Counting)
    first = lazy.embed_query("Where is Hedwig?", None)
    first[:] = 7
    again = lazy.embed_query("Where is Hedwig?", None)
    assert (asked, again.tolist()) == (["Where is Hedwig?"], Constant().embed_query("").tolist())
    with pytest.raises(ValueError, match="read-only"):
        again[0] = 7
    (kept,) = lazy._asked._vectors  # noqa: SLF001
    assert (len(kept), b"Hedwig" in kept) == (16, False)
    lazy.forget_questions()
    lazy.embed_query("Where is Hedwig?", None)
    assert asked == ["Where is Hedwig?"] * 2
    for i in range(100):
        lazy.embed_query(f"猫 {i}", None)
    lazy.embed_query("Where is Hedwig?", None)
    assert len(lazy._asked._vectors) == 64  # noqa: SLF001
    assert asked.count("Where is Hedwig?") == 3
