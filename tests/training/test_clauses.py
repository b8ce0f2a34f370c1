"""What of a labelled sentence states something, and what asks."""

import pytest
from training.statements.clauses import split_clauses

from memoria.policy.own_words import own_sentences


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("I prefer tea, can you suggest a shop?", ["I prefer tea"]),
        ("Can you suggest a shop, I prefer tea", ["I prefer tea"]),
        ("I'm allergic to nuts, right?", []),
        (
            "When I ask for a book, tell me who wrote it",
            ["When I ask for a book, tell me who wrote it"],
        ),
        ("我喜欢喝茶，你能推荐一家店吗？", ["我喜欢喝茶"]),
        ("你好，我叫林浩，很高兴认识你", ["我叫林浩"]),
    ],
)
def test_what_a_sentence_asks_is_no_part_of_what_it_states(text: str, clauses: list[str]) -> None:
    (sentence,) = own_sentences(text)
    assert [clause.text for clause in split_clauses(sentence)] == clauses
