"""Of what type a statement is that somebody keeps, and what of a sentence states something."""

import pytest

from memoria.model.memory_types import MemoryType
from memoria.policy.kinds import guess_type
from memoria.policy.own_words import own_sentences
from memoria.policy.statements.clauses import split_clauses

STATED = """
Always name the units when I ask about measurements. | rule
Always include version numbers when I ask about libraries. | rule
Never explain basic git to me again. | rule
Whenever I paste a stack trace, start with the line that broke. | rule
I prefer short functions, can you help me with this one? | preference
I'm learning to bake, and I prefer rye bread to wheat, so can you suggest a recipe? | preference
My sister Ada teaches physics in Turin. | fact
We live in a two-bedroom flat in Porto. | fact
I have two cats, Miso and Toast. | fact
I've decided to leave my job in spring. | goal
以后回答请附上出处。 | rule
以后凡是我贴报错，先问我版本号。 | rule
我更喜欢靠窗的座位，帮我看看这趟航班还有没有？ | preference
我妈妈的生日是3月8日。 | fact
我表妹的邮箱是zhang.lihua1215@example.com。 | fact
我打算明年考研。 | goal
"""
stated = [line.rpartition(" | ")[::2] for line in STATED.strip().splitlines()]


@pytest.mark.parametrize(("text", "kind"), stated)
def test_what_somebody_keeps_has_its_type_whatever_its_verb(text: str, kind: str) -> None:
    assert guess_type(text) is MemoryType(kind)


def test_a_letter_that_becomes_two_in_small_letters_keeps_no_sentence_from_being_read() -> None:
    assert guess_type("I want to move to İzmir by the sea.") is MemoryType.GOAL


def test_what_somebody_must_not_be_called_is_a_rule() -> None:
    assert guess_type("别叫我小王") is MemoryType.RULE


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
