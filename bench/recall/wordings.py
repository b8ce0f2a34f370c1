"""What do other wordings of a question bring, or cost, where the one who asks gives them?

Wordings are written beforehand by somebody who sees the questions alone, two further ones of each.
Ours, of LoCoMo, BEAM and MemDaily, are in `wordings.jsonl` beside this module. A model wrote
them that was to name nothing that a question does not name. It knew some of LoCoMo's conversations,
which are public, so what they bring there is rather too much than too little. Every question that
has some is asked by itself and with them (`queries=[…]`), at both levels, and the two are compared
question by question.

python -m bench.recall queries --keep FOLDER           # --wordings FILE for others

A line of the file: `{"set": "beam", "question_sha": "…", "queries": ["…", "…"]}`. It is made of two
lists, `index|question` and `index|wording|wording`, by

python -m bench.recall.wordings beam QUESTIONS WORDINGS >> FILE
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from pathlib import Path

import anyio

from bench.ask import Outcome
from bench.command import Asker, limit_questions, no_data, progress
from bench.data import Conversation, data_folder
from bench.output import Sheet, report_console
from bench.product import Product, RawFirstLevel, ask_memoria
from bench.recall.sets import RECORDS
from bench.sheets import compare_systems
from memoria.model.base import Value

_OURS = Path(__file__).with_name("wordings.jsonl")
_NO_DATA = 2
_ALONE, _WITH = "one wording", "with two more"


class Wordings(Value):
    """Other wordings of one question of a set."""

    set: str
    question_sha: str
    """SHA-256 of the question's text, in hexadecimal: a data set's words are not repeated."""
    queries: tuple[str, ...]


def read_wordings(path: Path) -> Iterator[Wordings]:
    """The lines of a file.

    Raises:
        pydantic.ValidationError: a line is no wordings.
    """
    for line in path.read_text("utf-8").splitlines():
        yield Wordings.model_validate_json(line)


def identify(question: str) -> str:
    """What a question is known by in a file of wordings."""
    return sha256(question.encode()).hexdigest()


def join_lists(data_set: str, questions: str, wordings: str) -> Iterator[Wordings]:
    """The wordings of the questions that have the same index.

    Args:
        data_set: the set's name.
        questions: `index|question` a line.
        wordings: `index|wording|wording` a line.
    """
    asked = dict(line.split("|", 1) for line in questions.splitlines())
    for line in wordings.splitlines():
        index, *queries = line.split("|")
        yield Wordings(
            set=data_set,
            question_sha=identify(asked[index]),
            queries=tuple(map(str.strip, queries)),
        )


def measure_wordings(arguments: argparse.Namespace) -> int:
    """Ask what has wordings without and with them, and print what they bring; 2 without data."""
    folder = arguments.data or data_folder()
    path = arguments.wordings or _OURS
    if not path.is_file():
        sys.stderr.write(f"There is no {path}. Name a file of wordings with --wordings.\n")
        return _NO_DATA
    known = [*read_wordings(path)]
    sheets: list[Sheet] = []
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as temporary:
        keep = arguments.keep or Path(temporary)
        for name in dict.fromkeys(each.set for each in known):
            data_set = RECORDS[name]
            if missing := data_set.missing(folder):
                sys.stderr.write(no_data(missing[0]))
                return _NO_DATA
            own = {each.question_sha: each.queries for each in known if each.set == name}
            read = _choose_questions(data_set.read(folder or Path()), own)
            conversations = limit_questions(read, arguments.limit_questions)
            for level, asked in _ask_levels(name, conversations, own, keep).items():
                (sheet,) = compare_systems(
                    conversations, asked, slices=data_set.slices, ours=_WITH, beside=_ALONE
                )
                sheets.append(replace(sheet, title=f"{name}, {level}: {sheet.title}"))
    if arguments.json:
        print(json.dumps({sheet.title: sheet.to_document() for sheet in sheets}, indent=2))
    else:
        report_console().print(*(sheet.to_table() for sheet in sheets), sep="\n")
    return 0


def _choose_questions(
    conversations: Sequence[Conversation], known: Mapping[str, Sequence[str]]
) -> list[Conversation]:
    """Only questions that have wordings."""
    return [
        replace(each, questions=tuple(q for q in each.questions if identify(q.text) in known))
        for each in conversations
    ]


def _ask_levels(
    name: str, conversations: Sequence[Conversation], known: Mapping[str, Sequence[str]], keep: Path
) -> dict[str, dict[str, list[Outcome]]]:
    """By level, what came of each question alone and with its wordings."""
    texts = {q.text: known[identify(q.text)] for each in conversations for q in each.questions}
    found: dict[str, dict[str, list[Outcome]]] = {}
    rankers: Mapping[str, type[Product | RawFirstLevel]] = {
        "second level": Product,
        "first level": RawFirstLevel,
    }
    for level, ranker in rankers.items():
        askers: dict[str, Asker] = {
            _WITH: partial(ask_memoria, keep=keep, level=partial(ranker, wordings=texts)),
            _ALONE: partial(ask_memoria, keep=keep, level=ranker),
        }
        for system, asker in askers.items():
            with progress(f"{name}, {level}, {system}", len(texts)) as done:
                outcomes: list[Outcome] = anyio.run(asker, conversations, done)
            found.setdefault(level, {})[system] = outcomes
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Print the lines of a file of wordings."""
    options = argparse.ArgumentParser(prog="python -m bench.recall.wordings")
    options.add_argument("dataset", choices=RECORDS, help="the set the questions are of")
    options.add_argument("questions", type=Path, help="index|question a line")
    options.add_argument("wordings", type=Path, help="index|wording|wording a line")
    arguments = options.parse_args(argv)
    lists = (arguments.questions.read_text("utf-8"), arguments.wordings.read_text("utf-8"))
    for each in join_lists(arguments.dataset, *lists):
        print(each.model_dump_json())
    return 0


if __name__ == "__main__":
    sys.exit(main())
