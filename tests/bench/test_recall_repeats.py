"""The world that repeats itself, the favoured memories, and the questions are what they claim."""

from collections import Counter
from itertools import pairwise

from bench.recall.favours import pairs
from bench.recall.repeats import Asked, list_wordings, read_questions, read_things

THINGS = {each.id: each for each in read_things()}
ASKED = tuple(read_questions())
PAIRS = tuple(pairs())


def of(kind: str) -> list[Asked]:
    return [each for each in ASKED if each.kind == kind]


def test_there_is_as_much_said_and_asked_as_was_promised() -> None:
    assert (len(THINGS), len(list_wordings())) == (71, 171)
    assert Counter(each.kind for each in ASKED) == {"together": 54, "repeats": 6, "plain": 12}
    assert Counter(each.language for each in ASKED) == {"en": 39, "zh": 33}
    assert len({each.question for each in ASKED}) == len({each.id for each in ASKED}) == len(ASKED)


def test_nothing_is_worded_twice_and_a_thing_is_said_once_or_again_and_again() -> None:
    assert len({each.content for each in list_wordings()}) == len(list_wordings())
    assert {len(each.said) for each in THINGS.values()} == {1, 5, 6, 7, 8}


def test_the_wordings_of_a_thing_are_said_in_their_order_a_week_apart() -> None:
    said = [each for each in list_wordings() if each.id.startswith("juniper_status/")]
    assert [each.id.partition("/")[2] for each in said] == list("12345678")
    assert {(later.at - each.at).days for each, later in pairwise(said)} == {7}


def test_all_gold_is_said() -> None:
    said = {*THINGS, *(each.id for each in list_wordings())}
    assert all(said >= set(each.gold) for each in ASKED)


def test_an_answer_together_takes_several_things_of_which_one_is_repeated() -> None:
    for each in of("together"):
        repeated = [name for name in each.gold if len(THINGS[name].said) > 1]
        assert 2 <= len(each.gold) <= 4, each.id
        assert len(repeated) == 1, each.id


def test_repeats_are_asked_for_one_by_one_and_controls_for_one_thing() -> None:
    for each in of("repeats"):
        assert len({gold.partition("/")[0] for gold in each.gold}) == 1, each.id
        assert len(each.gold) >= 5, each.id
    assert all(len(each.gold) == 1 for each in of("plain"))


def test_a_part_of_an_answer_counts_once_in_whatever_wording() -> None:
    question = of("together")[0]
    assert question.gold == ("lin_breakfast", "lin_sunday")
    assert question.count_answered(("lin_breakfast/2", "lin_breakfast/7", "rent/1")) == 1
    assert question.count_answered(("lin_sunday/1", "lin_breakfast/7")) == 2


def test_every_factor_is_asked_for_in_both_languages() -> None:
    counted = Counter(each.factor for each in PAIRS)
    assert counted.pop("answer") == 14
    assert sum(counted.values()) == 34
    assert min(counted.values()) == 4
    assert len({(each.factor, each.language) for each in PAIRS}) == 2 * (len(counted) + 1)


def test_no_memory_is_kept_and_no_question_asked_twice_of_the_pairs() -> None:
    kept = [content for each in PAIRS for content in each.memories]
    assert len(set(kept)) == len(kept)
    assert len({each.question for each in PAIRS}) == len({each.id for each in PAIRS}) == len(PAIRS)


def test_tasks_and_times_are_told_where_they_decide_and_nowhere_else() -> None:
    for each in PAIRS:
        assert bool(each.tasks) == (each.factor == "task"), each.id
        assert bool(each.times) == (each.factor == "time"), each.id
