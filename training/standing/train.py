"""Trains the classifier of standing wishes on the labelled messages beside this file.

    python -m training.standing.train            # writes the weights into the package
    python -m training.standing.train --check    # cross-validates and writes nothing

A line of a `.tsv` file is a label, the message before, the message, and the user's next one, with
`-` for none; what is labelled `back` takes back whatever was said before. The sentences of
`training/statements` are messages of their own: what is labelled `instruction` there is a wish, and
what states or asks something else is none. The model is logistic regression with an L2 penalty over
hashed features, fitted with L-BFGS; NumPy is all it needs.
"""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memoria.policy.statements.classifier import LABELS
from memoria.policy.statements.features import BITS
from memoria.policy.statements.standing import read_message

FOLDER = Path(__file__).resolve().parent
SENTENCES = FOLDER.parent / "statements"
PACKAGE = FOLDER.parents[1] / "server" / "memoria" / "policy" / "statements"
LANGUAGES = ("english", "chinese")
_C = 30.0
_OWN_WEIGHT = 1.0
"""What a message in one of its conversations counts against a single sentence."""
_NEXT = 2
"""Sentences that have nothing to do with a message and follow it."""
_FOLDS = 3
_SEED = 1
_STEPS = 250
_PAIRS = 10
_LEAST_GAIN = 1e-5
Floats = NDArray[np.float64]
Row = Sequence[int]
Example = tuple[bool, Row]
_Loss = Callable[[Floats], tuple[float, Floats]]


def read_messages(language: str) -> list[list[Example]]:
    """The labelled messages of a language, each in several conversations, with their features.

    What follows a message is by itself a sign of nothing: each is met with nothing, with a sentence
    that has to do with something else, and each wish with one that takes it back.
    """
    lines = (FOLDER / f"{language}.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    backs = [message for label, _, message, _ in rows if label == "back"]
    others = [text for label, text in _list_sentences(language) if label == "none"]
    draw = np.random.default_rng(_SEED).choice
    found = []
    for label, _, message, after in (row for row in rows if row[0] != "back"):
        is_wish = label == "standing"
        nexts = [None, *draw(others, _NEXT), None if after == "-" else after]
        told: list[Example] = [(is_wish, read_message(message, one)) for one in nexts]
        taken = draw(backs, 2) if is_wish else ()
        found.append([*told, *((False, read_message(message, one)) for one in taken)])
    return found


def read_sentences(language: str) -> Iterator[Example]:
    """The labelled sentences of a language, each as a message of its own."""
    for label, text in _list_sentences(language):
        if label != "preference":
            yield label == "instruction", read_message(text, None)


def _list_sentences(language: str) -> Iterator[tuple[str, str]]:
    for file in sorted(SENTENCES.glob(f"{language}_*.tsv")):
        for line in file.read_text("utf-8").splitlines() if "_dev" not in file.stem else ():
            label, _, text = line.partition("\t")
            plain = text.replace("[", "").replace("]", "").strip()
            if plain and label in LABELS:
                yield label, plain


def fit(examples: Sequence[Example], weights: Floats) -> tuple[Floats, float]:
    """The weights of all features, and the bias."""
    loss = _make_loss(examples, weights)
    point = np.zeros((1 << BITS) + 1)
    value, slope = loss(point)
    steps, turns = list[Floats](), list[Floats]()
    for _ in range(_STEPS):
        direction = -_precondition(slope, steps, turns)
        length = 1.0
        after, bent = loss(point + length * direction)
        while after > value + 1e-4 * length * (slope @ direction) and length > 1e-8:  # noqa: PLR2004
            length /= 2
            after, bent = loss(point + length * direction)
        step, turn = length * direction, bent - slope
        point = point + step
        if step @ turn > 0:
            steps, turns = [*steps, step][-_PAIRS:], [*turns, turn][-_PAIRS:]
        if abs(value - after) < _LEAST_GAIN * abs(value):
            break
        value, slope = after, bent
    return point[:-1], float(point[-1])


def _precondition(slope: Floats, steps: Sequence[Floats], turns: Sequence[Floats]) -> Floats:
    """The slope as the last steps say that the loss is curved (J. Nocedal, 1980)."""
    found, shares = slope.copy(), list[float]()
    for step, turn in zip(reversed(steps), reversed(turns), strict=True):
        shares.append(float(step @ found) / float(step @ turn))
        found -= shares[-1] * turn
    if steps:
        found *= (steps[-1] @ turns[-1]) / (turns[-1] @ turns[-1])
    else:
        found /= max(1.0, float(np.linalg.norm(found)))
    for step, turn, share in zip(steps, turns, reversed(shares), strict=True):
        found += (share - float(turn @ found) / float(step @ turn)) * step
    return np.asarray(found)


def _make_loss(examples: Sequence[Example], weights: Floats) -> _Loss:
    lengths = np.array([len(row) for _, row in examples])
    columns = np.concatenate([np.array(row, np.int64) for _, row in examples])
    of = np.repeat(np.arange(len(examples)), lengths)
    values = np.repeat(1 / np.sqrt(np.maximum(lengths, 1)), lengths)
    labels = np.array([float(label) for label, _ in examples])

    def loss(point: Floats) -> tuple[float, Floats]:
        model = point[:-1]
        scores = np.bincount(of, values * model[columns], minlength=len(examples)) + point[-1]
        wrong = _C * weights * (1 / (1 + np.exp(-scores)) - labels)
        slope = np.bincount(columns, values * wrong[of], minlength=len(model)) + model
        told = _C * weights @ (np.logaddexp(0, scores) - labels * scores)
        return float(told + model @ model / 2), np.append(slope, wrong.sum())

    return loss


def predict(rows: Sequence[Row], model: tuple[Floats, float]) -> Floats:
    """How likely each message is a standing wish."""
    scores = [model[0][list(row)].sum() / np.sqrt(max(len(row), 1)) + model[1] for row in rows]
    return np.asarray(1 / (1 + np.exp(-np.array(scores))))


def _weigh(own: int, others: int) -> Floats:
    return np.concatenate([np.full(own, _OWN_WEIGHT), np.ones(others)])


def cross_validate(language: str) -> None:
    """Print how many wishes are told, and how many others, at some thresholds."""
    messages, others = read_messages(language), list(read_sentences(language))
    own = [one for several in messages for one in several]
    places = [n for n, several in enumerate(messages) for _ in several]
    folds = np.random.default_rng(_SEED).integers(0, _FOLDS, len(messages))[places]
    certainty = np.zeros(len(own))
    for fold in range(_FOLDS):
        rest = [one for one, of in zip(own, folds, strict=True) if of != fold]
        model = fit([*rest, *others], _weigh(len(rest), len(others)))
        held = [row for (_, row), of in zip(own, folds, strict=True) if of == fold]
        certainty[folds == fold] = predict(held, model)
    wishes = np.array([label for label, _ in own])
    print(f"{language}: {wishes.sum()} wishes, {(~wishes).sum()} others")
    for threshold in (0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
        told = certainty >= threshold
        print(f"  {threshold}: told {told[wishes].mean():.2f}, false {told[~wishes].mean():.2f}")


def write_weights(language: str) -> None:
    """Train on all messages, and write the weights as bytes below a line of JSON."""
    own = [one for several in read_messages(language) for one in several]
    others = list(read_sentences(language))
    model, bias = fit([*own, *others], _weigh(len(own), len(others)))
    scale = float(np.abs(model).max() / 127)
    head = json.dumps({"scale": scale, "bias": round(bias, 6)}).encode()
    row = (np.rint(model / scale) + 128).clip(0, 255).astype(np.uint8)
    (PACKAGE / f"standing_{language}.weights").write_bytes(head + b"\n" + row.tobytes())


def main() -> int:
    """Train and write the weights, or say how good they would be."""
    parser = argparse.ArgumentParser(prog="python -m training.standing.train")
    parser.add_argument("--check", action="store_true", help="cross-validate and write nothing")
    check = parser.parse_args().check
    for language in LANGUAGES:
        (cross_validate if check else write_weights)(language)
    return 0


if __name__ == "__main__":
    sys.exit(main())
