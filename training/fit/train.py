"""Trains the weights that tell a text that answers a question from one that only comes near it.

    python -m training.fit.train            # writes the weights into the package
    python -m training.fit.train --check    # trains without each life and writes nothing

A file is a life: what somebody told (`fact`), what of it answers a question (`answered`, with the
number of the fact, from 0), and questions that none of it answers, `near` and `far`. The model is
logistic regression over the products of the numbers of two vectors, of which the cosine is the sum.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from memoria.inference.embedder import ANSWERING_WEIGHTS
from training.telling.train import Examples, Floats, embed, fit

FOLDER = Path(__file__).resolve().parent
_REFUSED = (0.1, 0.4)
"""Of the questions with an answer, the shares that a bound turns away where it is described. Half
of these ask in other words than what was told, so that a bound by which a tenth of plain questions
is turned away turns away some .4 of them."""
_NEAREST = 2
"""Of the facts, so many are shown with a question that none of them answers: the best."""
_ROUNDS = 2
"""What fits best is looked for by the cosine first, then by what was learnt."""
_FREEDOM = 6.0
"""How much more easily single numbers are weighed than the cosine."""


class Question(NamedTuple):
    """A question to a life."""

    kind: str
    vector: Floats
    answer: int | None
    """The fact that answers it."""


class Life(NamedTuple):
    """What somebody told, as vectors, and what is asked."""

    facts: Floats
    questions: tuple[Question, ...]


def read_life(file: Path) -> Life:
    """A life of a file."""
    rows = [line.split("\t") for line in file.read_text("utf-8").splitlines()]
    facts = embed([f"user: {row[1]}" for row in rows if row[0] == "fact"])
    asked = [row for row in rows if row[0] != "fact"]
    vectors = embed([row[1] for row in asked])
    return Life(
        facts,
        tuple(
            Question(row[0], vector, int(row[2]) if row[0] == "answered" else None)
            for row, vector in zip(asked, vectors, strict=True)
        ),
    )


def learn(lives: Sequence[Life]) -> Floats:
    """What each number of a vector counts for, where those of the cosine count 1."""
    weights = np.ones(lives[0].facts.shape[1])
    for _ in range(_ROUNDS):
        pairs = [pair for life in lives for pair in _list_pairs(life, weights)]
        products = np.array([product for product, _ in pairs])
        known = [products.sum(axis=1), _FREEDOM * products, np.ones(len(pairs))]
        answers = np.array([is_answer for _, is_answer in pairs])
        cosine, *single = fit(Examples(np.column_stack(known), answers))[:-1]
        weights = 1 + _FREEDOM * np.array(single) / cosine
    return weights


def _list_pairs(life: Life, weights: Floats) -> Iterator[tuple[Floats, bool]]:
    """Each question with its answer; one that has none with what fits it best."""
    for asked in life.questions:
        products = life.facts * asked.vector
        if asked.answer is not None:
            yield products[asked.answer], True
            continue
        for n in np.argsort(-(products @ weights))[:_NEAREST]:
            yield products[n], False


def score(life: Life, weights: Floats) -> Iterator[tuple[str, float]]:
    """How well the best of a life fits each question, with the kind of the question."""
    for asked in life.questions:
        yield asked.kind, float(np.max(life.facts @ (weights * asked.vector)))


def describe(found: Sequence[tuple[str, float]]) -> Iterator[str]:
    """What is turned away with so many of those that have an answer, a line for each bound."""
    kinds = {kind: np.array([fit for one, fit in found if one == kind]) for kind, _ in found}
    for share in _REFUSED:
        bound = np.quantile(kinds["answered"], share)
        near, far = (np.mean(kinds[kind] < bound) for kind in ("near", "far"))
        yield f"answered {share:.2f}: near {near:.2f}, far {far:.2f}"


def main() -> int:
    """Write the weights, or say how such do on lives left out, beside the cosine alone."""
    options = argparse.ArgumentParser(prog="python -m training.fit.train")
    options.add_argument("--check", action="store_true", help="say it, and write nothing")
    arguments = options.parse_args()
    lives = [read_life(file) for file in sorted(FOLDER.glob("*.tsv"))]
    if not arguments.check:
        ANSWERING_WEIGHTS.write_bytes(learn(lives).astype(np.float16).tobytes())
        return 0
    learnt: list[tuple[str, float]] = []
    plain: list[tuple[str, float]] = []
    for left_out in range(len(lives)):
        weights = learn([*lives[:left_out], *lives[left_out + 1 :]])
        learnt += score(lives[left_out], weights)
        plain += score(lives[left_out], np.ones_like(weights))
    print("cosine alone", *describe(plain), "learnt", *describe(learnt), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
