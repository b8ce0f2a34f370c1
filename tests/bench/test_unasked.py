"""Which prompts `bench.unasked` gives."""

from bench.data import Conversation, Question
from bench.unasked import add_prompts


def test_the_prompts_of_a_sort_do_not_depend_on_what_else_is_asked() -> None:
    own = [Question(f"own {n}", "own", frozenset()) for n in range(120)]
    foreign = [Question(f"foreign {n}", "foreign", frozenset()) for n in range(30)]
    drawn = [
        {each.text for each in add_prompts(Conversation("c", (), questions)).questions
         if each.category == "own"}
        for questions in ((*own, *foreign), (*foreign, *own[::-1]), tuple(own))
    ]  # fmt: skip
    assert drawn[0] == drawn[1] == drawn[2]
    assert 0 < len(drawn[0]) < len(own)
