"""Which words make a memory of what follows them, as the guarantees list them."""

import pytest

from memoria.language.statements.plain_statements import find_plain_statements
from memoria.model.turn import Role

FACT, FACT_ZH = "I live in Porto", "我对花生过敏"
ASKS = [
    *("Remember that", "Remember:", "memorize:", "keep in mind that", "Bear in mind that"),
    *("Don't forget:", "never forget that", "Make a note:", "Please remember that", "remember"),
]
ASKS_ZH = ["记住：", "记一下，", "记下：", "牢记：", "别忘了", "不要忘了", "记得", "请记住，"]
ASKS_NOT = [
    *("Please remember this:", "Can you remember that", "Note that", "Save this:"),
    *("Add to memory:", "Save this to memory:"),
]


@pytest.mark.parametrize("words", [*ASKS, *ASKS_ZH, *ASKS_NOT])
def test_these_words_and_no_others_make_a_memory_of_what_follows(words: str) -> None:
    fact = FACT if words.isascii() else FACT_ZH
    said = f"{words} {fact}." if words.isascii() else f"{words}{fact}。"
    if words.startswith("Can"):
        said = said.replace(".", "?")
    asked = find_plain_statements(Role.USER, said).request
    told = None if asked is None else asked.quote.rstrip(".。")
    assert told == (None if words in ASKS_NOT else fact)


def test_of_what_stands_before_the_request_the_whole_message_is_kept() -> None:
    message = f"{FACT}. Remember that."
    asked = find_plain_statements(Role.USER, message).request
    assert asked is not None
    assert asked.quote == message
