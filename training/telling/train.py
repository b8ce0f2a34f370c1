"""Trains the mark of texts that tell something of their author's world.

    python -m training.telling.train            # writes the weights into the package
    python -m training.telling.train --check    # cross-validates and writes nothing

A line of a `.tsv` file is 1 where the text tells something, else 0, a tabulator and the text. The
model is logistic regression over the vectors of the embedder that comes with the program, so that
what it has learnt of a few hundred texts holds in every language that the embedder knows.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from memoria.inference.base import TELLING_WEIGHTS
from memoria.inference.embedder import BUNDLED, BundledEmbedder

FOLDER = Path(__file__).resolve().parent
_RECALL = 0.95
"""Of the texts that tell something, the share that is to be marked."""
_PENALTY = 1e-4
_STEP = 0.05
_STEPS = 400
_FOLDS = 5
_SEED = 7
_BATCH = 64

Floats = NDArray[np.float64]
Bits = NDArray[np.bool_]


class Examples(NamedTuple):
    """Labelled texts as vectors, each with a last number that is 1."""

    vectors: Floats
    tell: Bits


def read_examples() -> Examples:
    """The labelled texts, as users say them."""
    rows = [
        row.split("\t", 1)
        for file in sorted(FOLDER.glob("*.tsv"))
        for row in file.read_text("utf-8").splitlines()
    ]
    vectors = embed([f"user: {text}" for _, text in rows])
    tell = np.array([label == "1" for label, _ in rows])
    return Examples(np.column_stack([vectors, np.ones(len(rows))]), tell)


def embed(texts: Sequence[str]) -> Floats:
    """A row for each text."""
    model = BundledEmbedder(BUNDLED)
    parts = [texts[start : start + _BATCH] for start in range(0, len(texts), _BATCH)]
    return np.vstack([model.embed_documents(part) for part in parts]).astype(np.float64)


def fit(known: Examples) -> Floats:
    """The weights, by Adam (D. Kingma, J. Ba, 2015); both kinds count alike."""
    counts = np.where(known.tell, 0.5 / known.tell.sum(), 0.5 / (~known.tell).sum())
    weights, mean, square = np.zeros((3, known.vectors.shape[1]))
    for step in range(1, _STEPS + 1):
        missed = counts * (1 / (1 + np.exp(-(known.vectors @ weights))) - known.tell)
        slope = known.vectors.T @ missed + _PENALTY * weights
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        ahead, spread = mean / (1 - 0.9**step), np.sqrt(square / (1 - 0.999**step))
        weights -= _STEP * ahead / (spread + 1e-8)
    return weights


def list_held_out_scores(examples: Examples) -> Floats:
    """What each text scores by weights that were learnt without it."""
    fold = np.random.default_rng(_SEED).permutation(len(examples.tell)) % _FOLDS
    scores = np.zeros(len(fold))
    for one in range(_FOLDS):
        held = fold == one
        weights = fit(Examples(examples.vectors[~held], examples.tell[~held]))
        scores[held] = examples.vectors[held] @ weights
    return scores


def main() -> int:
    """Train, say how the mark does on texts left out, and write the weights."""
    options = argparse.ArgumentParser(prog="python -m training.telling.train")
    options.add_argument("--check", action="store_true", help="write nothing")
    arguments = options.parse_args()
    examples = read_examples()
    scores = list_held_out_scores(examples)
    bound = float(np.quantile(scores[examples.tell], 1 - _RECALL))
    marked = np.mean(scores[~examples.tell] > bound)
    print(f"of those that tell {_RECALL:.2f} are marked, of the others {marked:.3f}")
    if not arguments.check:
        weights = fit(examples)
        weights[-1] -= bound
        TELLING_WEIGHTS.write_bytes(weights.astype(np.float16).tobytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
