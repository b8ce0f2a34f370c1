"""Trains the classifier of types on the labelled sentences beside this file.

    python -m training.statements.train            # writes the weights into the package
    python -m training.statements.train --check    # says how it does on other files, writes nothing

A line of a `.tsv` file is a label, a tabulator and a sentence; where only a part of the sentence
states it, that part is in [brackets], and alone is learnt from. What states nothing is a fact to
somebody who keeps it all the same. Files whose name ends in `_dev` are never learnt from.

The model is multinomial logistic regression with an L2 penalty, fitted with L-BFGS; NumPy is all it
needs.
"""

import argparse
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from memoria.language.statements.classifier import TYPE_BITS as BITS
from memoria.language.statements.classifier import TYPES, list_places
from memoria.model.memory_types import MemoryType
from training.fitting import Floats, minimise
from training.runs import RunMatrix

FOLDER = Path(__file__).resolve().parent
PACKAGE = FOLDER.parents[1] / "server" / "memoria" / "policy" / "statements"
LANGUAGES = ("english", "chinese")
LABELS = {
    "none": MemoryType.FACT,
    "instruction": MemoryType.RULE,
    **{kind.value: kind for kind in TYPES if kind is not MemoryType.RULE},
}
"""The types of what sentences with a label state."""
_STRENGTH = 10.0
"""What the examples count against the penalty."""
_NOTHING = 0.1
"""What a sentence that states nothing counts beside others: nobody keeps many of them."""
_FOLDS = 4
_PART = re.compile(r"\[(.*)\]")


class Example(NamedTuple):
    """A labelled sentence."""

    file: str
    label: str
    text: str

    @property
    def kind(self) -> MemoryType:
        """The type that it has where somebody keeps it."""
        return LABELS[self.label]


def read_examples(language: str) -> list[Example]:
    """The labelled sentences of a language."""
    return [
        Example(file.stem, label, text)
        for file in sorted(FOLDER.glob(f"{language}_*.tsv"))
        for label, _, text in (row.partition("\t") for row in file.read_text("utf-8").splitlines())
        if label in LABELS and text.strip()
    ]


def make_matrix(texts: Sequence[str]) -> RunMatrix:
    """The runs of words of texts."""
    return RunMatrix.of_texts([list_places(text) for text in texts], 1 << BITS)


def fit(examples: Sequence[Example]) -> Floats:
    """For each type a row of a weight for each run of words, and the base."""
    matrix = make_matrix([find_part(one.text) for one in examples])
    wanted = np.array([[float(one.kind is kind) for kind in TYPES] for one in examples])
    counts = np.array([[_NOTHING if one.label == "none" else 1.0] for one in examples])

    def loss(point: Floats) -> tuple[float, Floats]:
        rows = point.reshape(len(TYPES), -1)
        scores = np.stack([matrix.score(row) for row in rows], axis=1)
        odds = scores - scores.max(axis=1, keepdims=True)
        odds -= np.log(np.exp(odds).sum(axis=1, keepdims=True))
        wrong = _STRENGTH * counts * (np.exp(odds) - wanted)
        pull = rows * (np.arange(rows.shape[1]) < 1 << BITS)
        slope = np.stack([matrix.slope(column) for column in wrong.T]) + pull
        missed = -_STRENGTH * (counts * wanted * odds).sum()
        return float(missed + (pull**2).sum() / 2), slope.ravel()

    return minimise(loss, len(TYPES) * ((1 << BITS) + 1)).reshape(len(TYPES), -1)


def find_part(text: str) -> str:
    """The part of a sentence that states what its label says."""
    part = _PART.search(text)
    return part[1] if part else text


def report(name: str, examples: Sequence[Example], rows: Floats) -> None:
    """Print of how many sentences the type is found, and how many others count as orders."""
    matrix = make_matrix([one.text.replace("[", "").replace("]", "") for one in examples])
    best = np.stack([matrix.score(row) for row in rows]).argmax(axis=0)
    found = [(one, TYPES[n]) for one, n in zip(examples, best, strict=True)]
    stated = [one.kind is kind for one, kind in found if one.label != "none"]
    orders = [kind is MemoryType.RULE for one, kind in found if one.label == "none"]
    print(f"{name}: {sum(stated)} of {len(stated)} types are right, ", end="")
    print(f"{sum(orders)} of {len(orders)} that state nothing are rules")


def cross_validate(examples: Sequence[Example], name: str) -> None:
    """Report on the sentences of some files at a time, by a model that has not learnt from them."""
    files = sorted({one.file for one in examples})
    for fold in range(_FOLDS):
        held = {*files[fold::_FOLDS]}
        rows = fit([one for one in examples if one.file not in held])
        for language in LANGUAGES:
            rest = [one for one in examples if one.file in held and one.file.startswith(language)]
            report(f"{language}, {name} {fold + 1}", rest, rows)


def write_weights(rows: Floats) -> None:
    """Write the weights as bytes, type by type, below a line of JSON."""
    runs, base = rows[:, :-1], rows[:, -1]
    scale = float(np.abs(runs).max() / 127)
    head = {"scale": scale, "base": [round(float(one), 6) for one in base]}
    packed = (np.rint(runs / scale) + 128).clip(0, 255).astype(np.uint8)
    (PACKAGE / "types.weights").write_bytes(json.dumps(head).encode() + b"\n" + packed.tobytes())


def main() -> int:
    """Train, say how the model does on sentences it has not learnt from, and write the weights."""
    parser = argparse.ArgumentParser(prog="python -m training.statements.train")
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    found = {language: read_examples(language) for language in LANGUAGES}
    learnt = [one for part in found.values() for one in part if not one.file.endswith("_dev")]
    if check:
        cross_validate(learnt, "left out")
        return 0
    rows = fit(learnt)
    for language, examples in found.items():
        report(f"{language}, dev", [one for one in examples if one.file.endswith("_dev")], rows)
    write_weights(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
