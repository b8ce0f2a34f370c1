"""The model in the wheel understands both languages and takes any text."""

import numpy as np
import pytest

from memoria.inference.bundled import BundledEmbedder

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
