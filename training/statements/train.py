"""Trains the classifier of plain statements on the labelled sentences beside this file.

    python -m training.statements.train            # writes the weights into the package
    python -m training.statements.train --check    # cross-validates and writes nothing

A line of a `.tsv` file is a label, a tabulator and a sentence; where only a part of the sentence
makes the statement, that part is in [brackets]. Files whose name ends in `_dev` are never trained
on. The model is multinomial logistic regression with an L2 penalty over hashed features, the mean
of several fits; that takes some minutes. It needs the extra `training`; the program itself only
adds the weights up.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from memoria.policy.own_words import own_sentences
from memoria.policy.statements.classifier import LABELS, Label
from memoria.policy.statements.features import read_features
from training.statements import longmemeval, memorybank
from training.statements.clauses import split_clauses

FOLDER = Path(__file__).resolve().parent
PACKAGE = FOLDER.parents[1] / "server" / "memoria" / "policy" / "statements"
LANGUAGES = ("english", "chinese")
_BITS = 15
_C = 10.0
_REAL_WEIGHT = 3.0
"""What a sentence of a real user counts against a written one."""
_THRESHOLDS = {"english": 0.55, "chinese": 0.65}
_FOLDS = 5
_FITS = 8
_SEED = 17
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Line:
    """A labelled sentence."""

    file: str
    label: Label
    text: str
    start: int
    """Where the part that makes the statement begins."""
    end: int


@dataclass(frozen=True, slots=True)
class Unit:
    """A clause of a labelled sentence."""

    line: int
    label: int
    features: Ints
    is_real: bool


def read_lines(file: Path) -> Iterator[Line]:
    """The labelled sentences of a file."""
    for row in file.read_text("utf-8").splitlines():
        label, _, text = row.partition("\t")
        if label not in LABELS or not text.strip():
            continue
        yield parse_line(file.name, label, text)


def parse_line(file: str, label: str, text: str) -> Line:
    """A labelled sentence, with the brackets around the part that states something taken off."""
    start, end = text.find("["), text.rfind("]")
    if 0 <= start < end and label != Label.NONE:
        plain = text[:start] + text[start + 1 : end] + text[end + 1 :]
        return Line(file, Label(label), plain, start, end - 1)
    return Line(file, Label(label), text, 0, len(text))


def _read_real_lines(language: str) -> list[Line]:
    """Sentences of real users, where their data sets are; in parts of neighbours."""
    found = list(memorybank.labelled_sentences(language))
    if language == "english":
        found += longmemeval.labelled_sentences()
    return [
        parse_line(f"real_{_FOLDS * n // len(found)}", label, text)
        for n, (label, text) in enumerate(found)
    ]


def read_units(lines: Sequence[Line]) -> list[Unit]:
    """The clauses of sentences, each with its label."""
    return [
        Unit(n, label, place_features(names), line.file.startswith("real"))
        for n, line in enumerate(lines)
        for label, names in _clauses(line)
    ]


def _clauses(line: Line) -> Iterator[tuple[int, set[int]]]:
    for sentence in own_sentences(line.text):
        for clause in split_clauses(sentence):
            start = sentence.start + clause.start
            shared = min(start + len(clause.text), line.end) - max(start, line.start)
            is_part = shared > min(len(clause.text), line.end - line.start) / 2
            label = line.label if is_part else Label.NONE
            yield LABELS.index(label), read_features(clause.text, sentence.end)


def place_features(found: Collection[int]) -> Ints:
    """The rows of the table of weights that features stand for."""
    return np.array(sorted(found), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Model:
    """Weights for each hash and label."""

    weights: Floats
    bias: Floats

    def find_positives(self, units: Sequence[Unit]) -> Floats:
        """How likely each clause states anything."""
        scores = np.array(
            [
                self.weights[unit.features].sum(0) / np.sqrt(max(len(unit.features), 1)) + self.bias
                for unit in units
            ]
        )
        return np.asarray(1 - _softmax(scores)[:, 0], dtype=np.float64)


def train_model(units: Sequence[Unit], fits: int = _FITS) -> Model:
    """The mean of several fits, each to the sentences weighed anew at random.

    A single fit turns with every few sentences that are added; the mean of a bootstrap does so less
    (D. Rubin, "The Bayesian Bootstrap", 1981; L. Breiman, "Bagging Predictors", 1996), and the mean
    of linear models is one.
    """
    labels = np.array([unit.label for unit in units])
    lengths = np.array([len(unit.features) for unit in units])
    columns = np.concatenate([unit.features for unit in units])
    values = np.repeat(1 / np.sqrt(np.maximum(lengths, 1)), lengths)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    table = csr_matrix((values, columns, starts), shape=(len(units), 1 << _BITS))
    importance = np.array([_REAL_WEIGHT if unit.is_real else 1.0 for unit in units])
    sentences = np.array([unit.line for unit in units])
    random = np.random.default_rng(_SEED)
    found = []
    for _ in range(fits):
        drawn = random.exponential(size=sentences.max() + 1)[sentences]
        regression = LogisticRegression(C=_C, max_iter=200, tol=1e-3)
        found.append(regression.fit(table, labels, importance * drawn))
    return Model(
        np.mean([one.coef_.T for one in found], axis=0),
        np.mean([one.intercept_ for one in found], axis=0),
    )


def _softmax(scores: Floats) -> Floats:
    exponents = np.exp(scores - scores.max(1, keepdims=True))
    return np.asarray(exponents / exponents.sum(1, keepdims=True), dtype=np.float64)


def cross_validate(lines: Sequence[Line], units: Sequence[Unit]) -> Floats:
    """How likely each sentence states anything, by models that have not seen its file."""
    files = sorted({line.file for line in lines})
    fold_of = {file: n % _FOLDS for n, file in enumerate(files)}
    certainty = np.zeros(len(lines))
    for fold in sorted(set(fold_of.values())):
        held = [unit for unit in units if fold_of[lines[unit.line].file] == fold]
        rest = [unit for unit in units if fold_of[lines[unit.line].file] != fold]
        if rest:
            _note(certainty, held, train_model(rest, fits=1).find_positives(held))
    return certainty


def _note(certainty: Floats, units: Sequence[Unit], found: Floats) -> None:
    for unit, value in zip(units, found, strict=True):
        certainty[unit.line] = max(certainty[unit.line], value)


def report(name: str, lines: Sequence[Line], certainty: Floats) -> None:
    """Print precision and recall at some thresholds."""
    states = np.array([line.label != Label.NONE for line in lines])
    print(f"{name}: {len(lines)} sentences, {states.sum()} of them state something")
    for threshold in (0.5, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95):
        taken = certainty >= threshold
        if taken.any():
            precision, recall = states[taken].mean(), taken[states].mean()
            print(f"  {threshold:.2f}: precision {precision:.3f}, recall {recall:.3f}")


def write_weights(file: Path, model: Model, threshold: float, digest: str) -> None:
    """Write weights as bytes, label by label, below a line of JSON."""
    scale = float(np.abs(model.weights).max() / 127)
    head = {
        "bits": _BITS,
        "scale": scale,
        "bias": [round(float(bias), 6) for bias in model.bias],
        "threshold": round(threshold, 4),
        "data": digest,
    }
    columns = (np.rint(model.weights / scale) + 128).clip(0, 255).astype(np.uint8).T
    file.write_bytes(json.dumps(head).encode() + b"\n" + columns.tobytes())


def digest_data(language: str) -> str:
    """A digest of the sentences that the weights of a language are made of."""
    files = sorted(FOLDER.glob(f"{language}_*.tsv"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def main() -> int:
    """Train, say what was found, and write the weights."""
    parser = argparse.ArgumentParser(prog="python -m training.statements.train")
    parser.add_argument("--check", action="store_true", help="cross-validate and write nothing")
    parser.add_argument("--show", type=int, default=0, help="so many of the worst mistakes")
    arguments = parser.parse_args()
    for language in LANGUAGES:
        _train_language(language, check=arguments.check, show=arguments.show)
    return 0


def _train_language(language: str, *, check: bool, show: int) -> None:
    files = sorted(FOLDER.glob(f"{language}_*.tsv"))
    lines = [line for file in files if "_dev" not in file.stem for line in read_lines(file)]
    unseen = [line for file in files if "_dev" in file.stem for line in read_lines(file)]
    lines += _read_real_lines(language)
    units, unseen_units = read_units(lines), read_units(unseen)
    model = train_model(units)
    if not check:
        write_weights(
            PACKAGE / f"{language}.weights", model, _THRESHOLDS[language], digest_data(language)
        )
    if unseen:
        found = np.zeros(len(unseen))
        _note(found, unseen_units, model.find_positives(unseen_units))
        report(f"{language}, unseen", unseen, found)
        _show(unseen, found, show)
    if check:
        found = cross_validate(lines, units)
        report(f"{language}, cross-validated", lines, found)
        real = [n for n, line in enumerate(lines) if line.file.startswith("real")]
        if real:
            report(f"{language}, real", [lines[n] for n in real], found[real])
        _show(lines, found, show)


def _show(lines: Sequence[Line], certainty: Floats, count: int) -> None:
    """Print the worst mistakes of both kinds."""
    order = [int(n) for n in np.argsort(-certainty)]
    wrong = [n for n in order if lines[n].label is Label.NONE][:count]
    lost = [n for n in reversed(order) if lines[n].label is not Label.NONE][:count]
    for n in (*wrong, *lost):
        print(f"  {certainty[n]:.2f} {lines[n].label} {lines[n].text}")


if __name__ == "__main__":
    sys.exit(main())
