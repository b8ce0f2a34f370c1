"""The embedder: bundled, loaded when it is first wanted, and what its cosines mean."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.retrieval.toys import ToyEmbedder, keep, texts_of

import memoria
from memoria.config import Settings
from memoria.errors import EmbedderError
from memoria.inference import (
    DEFAULT_CALIBRATION,
    Calibration,
    LazyEmbedder,
    calibration_of,
    choose_embedder,
)
from memoria.inference.base import AnswerBounds, RelevanceBounds
from memoria.inference.embedder import BUNDLED_CALIBRATION, BundledEmbedder
from memoria.model import EdgeType, Node, Vector
from memoria.retrieval.lookup.related import RelatedMemoryFinder
from memoria.store.values import Filters

PAIRS = [
    ("What time does the train leave tomorrow?", "明天的火车几点出发？"),
    ("My daughter is allergic to peanuts.", "我女儿对花生过敏。"),
    ("The database migration failed last night.", "昨晚的数据库迁移失败了。"),
    ("He prefers tea to coffee.", "比起咖啡，他更喜欢喝茶。"),
    ("We will move to Shanghai in May.", "我们五月份要搬到上海。"),
    ("Please answer in short sentences.", "请用短句回答。"),
]


@pytest.mark.parametrize("i", range(len(PAIRS)), ids=[english for english, _ in PAIRS])
def test_a_sentence_is_nearest_to_its_translation(embedder: BundledEmbedder, i: int) -> None:
    english = embedder.embed_documents([english for english, _ in PAIRS])
    chinese = np.stack(embedder.embed_documents([chinese for _, chinese in PAIRS]))
    assert int(np.argmax(chinese @ english[i])) == i
    assert int(np.argmax(np.stack(english) @ chinese[i])) == i


@pytest.mark.parametrize(
    "text",
    ["", " ", "\n", "。", "\x00", "😀", "\U000e0001", "x" * 1_000_000, "长" * 1_000_000],
    ids=["empty", "space", "line", "stop", "null", "emoji", "tag", "huge", "huge in Chinese"],
)
def test_any_text_has_a_unit_vector(embedder: BundledEmbedder, text: str) -> None:
    vector = embedder.embed_query(text)
    assert vector.shape == (512,)
    assert vector.dtype == np.float32
    assert float(np.linalg.norm(vector)) == pytest.approx(1, abs=1e-5)


def test_a_text_has_the_same_vector_alone_and_among_others(embedder: BundledEmbedder) -> None:
    texts = [sentence for pair in PAIRS for sentence in pair]
    together = embedder.embed_documents(texts)
    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_allclose(embedder.embed_query(text), vector, atol=1e-5)


def test_no_texts_have_no_vectors(embedder: BundledEmbedder) -> None:
    assert embedder.embed_documents([]) == []


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


NEVER = RelevanceBounds(frequent_entity=3, no_entity=3, cross_language=3, unknown_entity=3)


class SternEmbedder(ToyEmbedder):
    """The toy, whose makers say that no cosine of its means anything."""

    name = "stern/1"
    calibration = replace(
        DEFAULT_CALIBRATION,
        neighbour=1.1,
        memories=AnswerBounds(memory=NEVER, turn=NEVER),
        answers=9.0,
    )


@pytest.fixture(scope="module")
def anyio_backend() -> str:
    return "asyncio"


def test_the_bundled_model_brings_its_figures_before_it_is_loaded() -> None:
    bundled = choose_embedder(Settings())
    assert bundled is not None
    assert bundled.calibration == BUNDLED_CALIBRATION
    assert bundled.state == "not loaded"


@pytest.mark.parametrize(
    "embedder",
    [
        None,
        ToyEmbedder(),
        choose_embedder(
            Settings(
                embedder="endpoint",
                embedding_base_url="http://localhost:1/v1",
                embedding_model="any",
            )
        ),
    ],
)
def test_whoever_brings_no_figures_gets_the_default_ones(embedder: ToyEmbedder | None) -> None:
    assert calibration_of(embedder) == DEFAULT_CALIBRATION


@pytest.mark.parametrize(
    ("embedder", "answers", "neighbours"), [(ToyEmbedder(), 2, 1), (SternEmbedder(), 0, 0)]
)
async def test_an_embedders_own_figures_decide_what_answers_and_what_is_linked(
    tmp_path: Path, embedder: ToyEmbedder, answers: int, neighbours: int
) -> None:
    async with memoria.open(home=tmp_path, tenant="t", embedder=embedder) as m:
        first = keep(m, "The car is red", "2023-01-01")
        keep(m, "The automobile is red", "2023-01-02")
        await m.wait_until_idle(60)
        found = await m.search_memory("Which vehicle is red?")
        assert len(texts_of(found)) == 2
        assert found.answered is bool(answers)
        with m._store.read("t") as tx:  # noqa: SLF001  (the plain edges)
            edges = tx.graph.list_edges(Node("memory", first), Filters(everywhere=True))
        assert sum(edge.type is EdgeType.SIMILAR_TO for edge in edges) == neighbours


@pytest.mark.parametrize("calibration", [BUNDLED_CALIBRATION, DEFAULT_CALIBRATION])
def test_figures_rise_from_chance_to_identity(calibration: Calibration) -> None:
    cosines: Sequence[float] = [
        calibration.unrelated,
        calibration.paraphrase,
        calibration.neighbour,
    ]
    assert cosines == sorted(cosines)
    for kind in ("memory", "turn"):
        asked: RelevanceBounds = getattr(calibration.memories, kind)
        unasked: RelevanceBounds = getattr(calibration.context, kind)
        assert unasked.no_entity > asked.no_entity
        assert unasked.frequent_entity > asked.frequent_entity


async def test_a_paraphrase_is_what_the_embedder_takes_for_one(tmp_path: Path) -> None:
    strict = replace(DEFAULT_CALIBRATION, paraphrase=1.1)
    async with memoria.open(home=tmp_path, tenant="t", embedder=ToyEmbedder()) as m:
        keep(m, "The car is red", "2023-01-01")
        await m.wait_until_idle(60)
        for calibration, expected in ((DEFAULT_CALIBRATION, 1), (strict, 0)):
            embedder = LazyEmbedder(ToyEmbedder.name, ToyEmbedder, calibration)
            finder = RelatedMemoryFinder(embedder)
            meanings = finder.embed_meanings(["The automobile is red"], wait=True)
            with m._store.read("t") as tx:  # noqa: SLF001  (finders are given a transaction)
                near = finder.find_near(tx, meanings, "The automobile is red", None)
            assert len(near) == expected
