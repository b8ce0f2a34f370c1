"""Of what type a statement is that somebody keeps."""

import pytest

from memoria.language.statements.kinds import guess_type
from memoria.model.memory_types import MemoryType

STATED = """
Always name the units when I ask about measurements. | rule
Always include version numbers when I ask about libraries. | rule
Never explain basic git to me again. | rule
Whenever I paste a stack trace, start with the line that broke. | rule
My sister Ada teaches physics in Turin. | fact
We live in a two-bedroom flat in Porto. | fact
I have two cats, Miso and Toast. | fact
I've decided to leave my job in spring. | goal
以后回答请附上出处。 | rule
以后凡是我贴报错，先问我版本号。 | rule
我更喜欢靠窗的座位。 | preference
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
