"""What a cosine means is said by whoever makes it, and reaches whoever decides by one."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.retrieval.toys import ToyEmbedder, keep, texts_of

import memoria
from memoria.config import Settings
from memoria.inference import (
    DEFAULT_CALIBRATION,
    Calibration,
    LazyEmbedder,
    calibration_of,
    choose_embedder,
)
from memoria.inference.base import AnswerBounds, RelevanceBounds
from memoria.inference.bundled import BUNDLED_CALIBRATION
from memoria.model import EdgeType, Node
from memoria.retrieval.lookup.related import RelatedMemoryFinder
from memoria.store.values import Filters

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
