"""The invented world and the questions about it are what they claim to be."""

from collections import Counter

from bench.recall.world import read_questions, read_statements

from memoria.language.words.analyser import name_key

WORLD = {each.id: each for each in read_statements()}
ASKED = tuple(read_questions())


def test_there_are_as_many_memories_and_questions_as_were_promised() -> None:
    assert len(WORLD) == 74
    assert Counter(each.kind for each in ASKED) == {
        "alias": 22,
        "two_steps": 23,
        "shared_name": 12,
        "plain": 18,
        "no_answer": 14,
    }
    assert Counter(each.language for each in ASKED) == {"en": 51, "zh": 38}


def test_no_memory_is_told_and_no_question_asked_twice() -> None:
    assert len({each.content for each in WORLD.values()}) == len(WORLD)
    assert len({each.question for each in ASKED}) == len({each.id for each in ASKED}) == len(ASKED)


def test_all_gold_is_in_the_world_and_only_questions_without_an_answer_have_none() -> None:
    for each in ASKED:
        assert WORLD.keys() >= set(each.gold), each.id
        assert bool(each.gold) == (each.kind != "no_answer"), each.id


def test_everything_that_a_model_reads_in_a_memory_is_named_there() -> None:
    for each in WORLD.values():
        for mention in each.entities:
            names = (mention.name, *mention.aliases)
            assert any(name_key(name) in name_key(each.content) for name in names), each.id
