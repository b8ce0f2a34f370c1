"""What the classifier of types learns of labelled sentences."""

import numpy as np
from training.statements.train import (
    LABELS,
    LANGUAGES,
    Example,
    find_part,
    fit,
    make_matrix,
    read_examples,
)

from memoria.language.statements.classifier import TYPES
from memoria.model.memory_types import MemoryType


def test_only_the_part_in_brackets_is_learnt_from() -> None:
    assert find_part("[I keep bees], and which honey is best?") == "I keep bees"
    assert find_part("I keep bees.") == "I keep bees."


def test_what_is_learnt_tells_an_order_from_a_plan() -> None:
    orders = [Example("one", "instruction", f"Always {verb} the units.") for verb in "abcdef"]
    plans = [Example("one", "goal", f"I plan to {verb} next year.") for verb in "abcdef"]
    rows = fit([*orders, *plans])
    asked = make_matrix(["Always name the units.", "I plan to move next year."])
    best = np.stack([asked.score(row) for row in rows]).argmax(axis=0)
    assert [TYPES[n] for n in best] == [MemoryType.RULE, MemoryType.GOAL]


def test_every_labelled_sentence_has_a_type() -> None:
    examples = [one for language in LANGUAGES for one in read_examples(language)]
    assert {one.label for one in examples} == {*LABELS}
    assert {one.kind for one in examples} == {*TYPES}
