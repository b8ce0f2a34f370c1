"""Trains the model of standing wishes on the labelled messages beside this file.

    python -m training.standing.train            # writes the weights into the package
    python -m training.standing.train --check    # says how it does on other authors, writes nothing

A `.tsv` file holds what one author wrote in one language. A line is a label, the message before,
the message, and the user's next one, with `-` for none; what is labelled `back` takes back whatever
was said before. The sentences of `training/statements` are messages of their own: what is labelled
`instruction` there is a wish, and what states or asks something else is none. Plain talk is none,
either: it is read from the public sets in the folder `MEMORIA_DATA`, where that is there, and is no
part of this project.

The model is logistic regression with an L2 penalty, fitted with L-BFGS; NumPy is all it needs.
How much a message must score is what all but an eightieth of the messages that are no wishes score
less than, by models that have been learnt without their author.
"""

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from memoria.language.budget import estimate_tokens
from memoria.language.reading.own_words import BLOT, blot_foreign_text
from memoria.language.statements.classifier import BITS, MOST_TOKENS, list_runs, list_runs_of_next
from memoria.language.statements.plain_statements import is_literal
from memoria.language.words.characters import reads_chinese
from training.fitting import Floats, minimise
from training.runs import RunMatrix
from training.statements.train import LABELS

FOLDER = Path(__file__).resolve().parent
SENTENCES = FOLDER.parent / "statements"
PACKAGE = FOLDER.parents[1] / "server" / "memoria" / "policy" / "statements"
LANGUAGES = ("english", "chinese")
_STRENGTH = 30.0
"""What the examples count against the penalty."""
_SENTENCE = 0.25
"""What a single sentence counts beside a message in its conversation."""
_FALSE = 1 / 80
"""Of messages by other authors that are no wishes, so many may be told."""
_KEPT = 0.02
"""Of wishes that something else follows, so many may count as taken back."""
_MOST_PLAIN = 1500
"""Messages of plain talk in a language."""
_SEED = 1


class Example(NamedTuple):
    """A message, with what is said next where that is known."""

    is_wish: bool
    text: str
    after: str | None = None
    author: str = ""
    """The file that it is from; empty for what no author is left out of."""
    kind: str = "sentence"
    """`own` is a message with a label of its own, `next` one with something else said next."""

    @property
    def language(self) -> str:
        """The language that it is judged in."""
        return "chinese" if reads_chinese(self.text) else "english"


class Matrix(NamedTuple):
    """The runs of words of examples, and which of them are of what is said next."""

    runs: RunMatrix
    is_next: NDArray[np.bool_]

    def score_next(self, point: Floats) -> Floats:
        """What is said next adds to what each example scores."""
        return self.runs.weigh(point, self.is_next)

    def choose(self, chosen: NDArray[np.bool_]) -> "Matrix":
        """The examples that are chosen, in their order."""
        return Matrix(self.runs.choose(chosen), self.is_next[chosen[self.runs.of]])


def read_examples() -> list[Example]:
    """All that the model learns from."""
    draw = np.random.default_rng(_SEED)
    found = list[Example]()
    for language in LANGUAGES:
        sentences = list(_read_sentences(language))
        others = [one.text for one in sentences if not one.is_wish]
        files = sorted(FOLDER.glob(f"{language}_*.tsv"))
        rows = [(file.stem, *line.split("\t")) for file in files for line in _read_lines(file)]
        backs = [row[3] for row in rows if row[1] == "back"]
        for author, label, _, text, after in (row for row in rows if row[1] != "back"):
            told = Example(label == "wish", text, None if after == "-" else after, author, "own")
            found += [told, told._replace(after=str(draw.choice(others)), kind="next")]
            if told.is_wish:
                back = str(draw.choice(backs))
                found.append(told._replace(is_wish=False, after=back, kind="back"))
        found += sentences
    return [*found, *_read_plain_talk(draw)]


def _read_lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines()


def _read_sentences(language: str) -> Iterator[Example]:
    for file in sorted(SENTENCES.glob(f"{language}_*.tsv")):
        for line in _read_lines(file) if "_dev" not in file.stem else ():
            label, _, text = line.partition("\t")
            plain = text.replace("[", "").replace("]", "").strip()
            if plain and label in LABELS and label != "preference":
                yield Example(label == "instruction", plain)


def _read_plain_talk(draw: np.random.Generator) -> list[Example]:
    """What friends told each other and users their companions, in public sets; none is a wish."""
    data = Path(os.environ.get("MEMORIA_DATA", ""))
    if not (data / "locomo").is_dir():
        print("MEMORIA_DATA is no folder with public sets: without plain talk more is told falsely")
        return []
    said = [text for text in _list_said(data) if text and estimate_tokens(text) <= MOST_TOKENS]
    by_language = {one: [text for text in said if _is_in(text, one)] for one in LANGUAGES}
    return [
        Example(is_wish=False, text=str(text), kind="plain")
        for texts in by_language.values()
        for text in draw.permutation(texts)[:_MOST_PLAIN]
    ]


def _is_in(text: str, language: str) -> bool:
    return Example(is_wish=False, text=text).language == language


def _list_said(data: Path) -> Iterator[str]:
    for talk in _read_json(data / "locomo" / "locomo_dev.json"):
        sessions = (one for one in talk["conversation"].values() if isinstance(one, list))
        yield from (turn.get("text", "") for turns in sessions for turn in turns)
    for name in ("en", "cn"):
        people = _read_json(data / "memorybank" / f"memory_bank_{name}.json").values()
        days = (day for person in people for day in person["history"].values())
        yield from (said["query"] for day in days for said in day)
    for talk in _read_json(data / "memdaily" / "memdaily_dev.json"):
        yield from (turn["content"] for turn in talk["turns"])


def _read_json(file: Path) -> Any:  # noqa: ANN401  (each set has a form of its own)
    return json.loads(file.read_text("utf-8"))


def make_matrix(examples: Sequence[Example]) -> Matrix:
    """The runs of words of examples."""
    parts = RunMatrix.of_texts(
        [
            part
            for one in examples
            for part in (list_runs(one.text), list_runs_of_next(one.after) if one.after else [])
        ],
        1 << BITS,
    )
    return Matrix(parts._replace(length=len(examples), of=parts.of // 2), parts.of % 2 == 1)


def fit(examples: Sequence[Example], matrix: Matrix) -> Floats:
    """A weight for each run of words, and the base."""
    labels = np.array([float(one.is_wish) for one in examples])
    counts = np.array([_SENTENCE if one.kind == "sentence" else 1.0 for one in examples])

    def loss(point: Floats) -> tuple[float, Floats]:
        scores = matrix.runs.score(point)
        wrong = _STRENGTH * counts * (1 / (1 + np.exp(-np.clip(scores, -500, 500))) - labels)
        told = _STRENGTH * counts @ (np.logaddexp(0, scores) - labels * scores)
        pull = np.append(point[:-1], 0.0)
        return float(told + pull @ pull / 2), matrix.runs.slope(wrong) + pull

    return minimise(loss, (1 << BITS) + 1)


class LeftOut(NamedTuple):
    """What messages score by models that have been learnt without their author."""

    scores: Floats
    next_scores: Floats


def score_left_out(examples: Sequence[Example], matrix: Matrix) -> LeftOut:
    """What each message scores; of plain talk, which has no author, a share is left out at a time.

    A sentence is never left out, and scores nothing.
    """
    authors = sorted({_author_of(one) for one in examples if one.author})
    draw = np.random.default_rng(_SEED).choice(authors, len(examples))
    folds = np.array(
        [
            "" if one.kind == "sentence" else _author_of(one) or str(drawn)
            for one, drawn in zip(examples, draw, strict=True)
        ]
    )
    found = LeftOut(*np.full((2, len(examples)), np.nan))
    for author in authors:
        held = folds == author
        rest = [one for one, is_held in zip(examples, held, strict=True) if not is_held]
        point = fit(rest, matrix.choose(~held))
        found.scores[held] = matrix.choose(held).runs.score(point)
        found.next_scores[held] = matrix.choose(held).score_next(point)
    return found


def _author_of(example: Example) -> str:
    return example.author.partition("_")[2]


def find_bounds(examples: Sequence[Example], left_out: LeftOut) -> dict[str, float]:
    """What a message must score to be a wish, by language."""
    scores = _score_alone(examples, left_out)
    own = {one: _are(examples, is_wish=False, kind="own", language=one) for one in LANGUAGES}
    return {
        language: round(float(np.quantile(scores[none], 1 - _FALSE)), 4)
        for language, none in own.items()
    }


def _score_alone(examples: Sequence[Example], left_out: LeftOut) -> Floats:
    """What each message scores by itself; nothing where the program says anyhow that it is none."""
    bound = find_taken_back(examples, left_out)
    blotted = [blot_foreign_text(one.text) for one in examples]
    may_be = [
        added >= bound and BLOT not in text and is_literal(text)
        for added, text in zip(left_out.next_scores, blotted, strict=True)
    ]
    return np.where(may_be, left_out.scores - left_out.next_scores, -np.inf)


def find_taken_back(examples: Sequence[Example], left_out: LeftOut) -> float:
    """What is said next takes a wish back where it scores less."""
    followed = np.array([one.is_wish and one.kind == "next" for one in examples])
    return round(float(np.quantile(left_out.next_scores[followed], _KEPT)), 4)


def _are(
    examples: Sequence[Example], *, is_wish: bool, kind: str, language: str
) -> NDArray[np.bool_]:
    wanted = (is_wish, kind, language)
    return np.array([(one.is_wish, one.kind, one.language) == wanted for one in examples])


def report(examples: Sequence[Example], left_out: LeftOut) -> None:
    """Print how many wishes and others are told, of authors the model has not learnt from."""
    bounds = find_bounds(examples, left_out)
    for language, bound in bounds.items():
        told = _score_alone(examples, left_out) >= bound
        for author in sorted({_author_of(one) for one in examples if one.author}):
            by = np.array([_author_of(one) == author for one in examples])
            wishes = _are(examples, is_wish=True, kind="own", language=language) & by
            others = _are(examples, is_wish=False, kind="own", language=language) & by
            print(f"{language} {author}: told {told[wishes].mean():.2f}, ", end="")
            print(f"false {told[others].mean():.3f}")
        plain = _are(examples, is_wish=False, kind="plain", language=language)
        print(f"{language}: of plain talk {told[plain].mean():.4f} are told")


def write_weights(examples: Sequence[Example], matrix: Matrix, left_out: LeftOut) -> None:
    """Train on everything, and write the weights below a line of JSON."""
    point = fit(examples, matrix)
    runs = point[:-1]
    scale = float(np.abs(runs).max() / 127)
    head = {
        "scale": scale,
        "base": round(float(point[-1]), 6),
        "bounds": find_bounds(examples, left_out),
        "taken_back": find_taken_back(examples, left_out),
    }
    row = (np.rint(runs / scale) + 128).clip(0, 255).astype(np.uint8)
    packed = json.dumps(head).encode() + b"\n" + row.tobytes()
    (PACKAGE / "standing.weights").write_bytes(packed)


def main() -> int:
    """Train, say how the model does on other authors, and write the weights."""
    parser = argparse.ArgumentParser(prog="python -m training.standing.train")
    parser.add_argument("--check", action="store_true", help="write nothing")
    check = parser.parse_args().check
    examples = read_examples()
    matrix = make_matrix(examples)
    left_out = score_left_out(examples, matrix)
    report(examples, left_out)
    if not check:
        write_weights(examples, matrix, left_out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
