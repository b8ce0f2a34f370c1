"""What a conclusion has from elsewhere is found by the words that tell something."""

import pytest

from memoria.language.reading.literal import find_borrowed

TURN = "400 rows make 401 queries. A join would do."
OTHERS = [
    "212 tests passed.",
    "Shall I make tea?",
    "This one is LRD-31.",
    "On 12 October we saw rows.",
    "the stock endpoint is slow, look why",
]


@pytest.mark.parametrize(
    ("statement", "places"),
    [
        ("The slow stock endpoint made 401 queries.", [4]),
        ("401 queries were cured with LRD-31, and 212 tests passed.", [0, 2]),
        ("400 rows made 401 queries on 12 October 2026.", []),
        ("A join would do.", []),
    ],
)
def test_few_texts_are_found_whose_words_a_statement_has_beside_its_own(
    statement: str, places: list[int]
) -> None:
    assert find_borrowed(statement, TURN, OTHERS, 2) == places


def test_chinese_words_are_borrowed_as_english_ones_are() -> None:
    others = ["天气不错", "我12号去木槿家居报到，做采购"]
    statement, own = "木槿家居的露营灯2026年11月12日上线。", "露营灯，11月12号上线"
    assert find_borrowed(statement, own, others, 3) == [1]
    assert find_borrowed("露营灯2026年11月12日上线。", own, others, 3) == []
