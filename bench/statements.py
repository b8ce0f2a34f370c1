"""What rules find in plain words without a model: precision and recall, by label and language.

    python -m bench.statements                      # the labelled sentences nothing is trained on
    python -m bench.statements --file sentences.tsv --show
    python -m bench.statements --beam beam1,beam3   # messages of BEAM, seen in the briefing

A line of a file is a label, a tabulator and a sentence; where only a part of it states something,
that part is in [brackets]. A line counts as caught when a statement quotes some of that part. A
statement from a line labelled `none` is false. Lines labelled `arguable` count for neither figure.
In BEAM's chats the messages are those that its questions on instructions and preferences name;
one is caught when `briefing` has a rule or a preference from it after the call that records it.
"""

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import anyio

import memoria
from bench.command import no_data, progress
from bench.data import data_folder
from memoria import Memoria, Settings, Turn
from memoria.model.memory_types import MemoryType
from memoria.model.turn import Role
from memoria.policy.plain_statements import find_plain_statements
from memoria.surface.mcp.prompts import briefing
from memoria.text.script import is_cjk

POSITIVE = ("instruction", "preference", "fact", "relationship", "goal")
TRAINING = Path(__file__).resolve().parent.parent / "training" / "statements"
_BEAM = Path("beam") / "beam_dev.json"
_KINDS = ("instruction_following", "preference_following")
_TELL_HOW = (MemoryType.RULE, MemoryType.PREFERENCE)
"""The types of a memory that tells how to answer, whichever of them a message was written as."""
_NO_DATA = 2


@dataclass(frozen=True, slots=True)
class Outcome:
    """A labelled sentence, and what was found in it."""

    label: str
    language: str
    text: str
    found: tuple[str, ...]
    is_caught: bool


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a chat that tells how to answer."""

    chat: str
    kind: str
    text: str
    found: tuple[str, ...]
    """What the briefing says of it."""


def read_file(file: Path) -> Iterator[tuple[str, str]]:
    """The lines of a file: label and sentence."""
    for row in file.read_text("utf-8").splitlines():
        label, tab, text = row.strip("\ufeff\n").partition("\t")
        if tab and text.strip() and not label.startswith("#"):
            yield label.strip().lower(), text.strip()


def judge_line(label: str, text: str) -> Outcome:
    """What is found in a labelled sentence."""
    start, end = text.find("["), text.rfind("]")
    is_part = label in POSITIVE and 0 <= start < end
    plain = text[:start] + text[start + 1 : end] + text[end + 1 :] if is_part else text
    first, last = (start, end - 1) if is_part else (0, len(plain))
    statements = find_plain_statements(Role.USER, plain).statements
    caught = any(one.start < last and first < one.start + len(one.quote) for one in statements)
    language = "chinese" if is_cjk(plain) else "english"
    return Outcome(label, language, plain, tuple(one.quote for one in statements), caught)


def sum_up(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float | int]]:
    """The figures of each language, and the recall of each label in it."""
    figures: dict[str, dict[str, float | int]] = {}
    for language in sorted({one.language for one in outcomes}):
        here = [one for one in outcomes if one.language == language]
        positive = [one for one in here if one.label in POSITIVE]
        false = sum(bool(one.found) for one in here if one.label == "none")
        caught = sum(one.is_caught for one in positive)
        row: dict[str, float | int] = {
            "sentences": len(here),
            "positive": len(positive),
            "caught": caught,
            "false": false,
            "precision": caught / (caught + false) if caught + false else 1.0,
            "recall": caught / len(positive) if positive else 1.0,
        }
        for label in POSITIVE:
            own = [one.is_caught for one in positive if one.label == label]
            if own:
                row[f"recall of {label}"] = sum(own) / len(own)
        figures[language] = row
    return figures


async def ask_chats(data: Path, chats: Sequence[str], done: Callable[[], None]) -> list[Message]:
    """What the briefing has of the messages of some chats that tell how to answer."""
    known = {chat["chat"]: chat for chat in json.loads((data / _BEAM).read_text("utf-8"))}
    messages = []
    for name in chats:
        messages += await _ask_chat(known[name])
        done()
    return messages


async def _ask_chat(chat: dict[str, list[dict[str, str]]]) -> list[Message]:
    wanted = {
        (gold, str(question["type"]))
        for question in chat["questions"]
        if question["type"] in _KINDS
        for gold in question["gold"]
    }
    kinds = dict(sorted(wanted))
    messages = []
    with tempfile.TemporaryDirectory(prefix="memoria-bench-") as home:
        settings = Settings(home=Path(home), embedder="off")
        async with memoria.open(settings=settings) as memory:
            waiting: list[Turn] = []
            for raw in chat["turns"]:
                waiting.append(_turn(raw))
                if raw["message_id"] in kinds and raw["role"] == "user":
                    await memory.record_conversation(waiting)
                    waiting = []
                    kind = kinds[raw["message_id"]]
                    found = await _find_in_briefing(memory, raw["content"])
                    messages.append(Message(str(chat["chat"]), kind, raw["content"], found))
    return messages


async def _find_in_briefing(memory: Memoria, text: str) -> tuple[str, ...]:
    """The statements of a message that stand in the briefing."""
    said = _letters(await briefing(memory))
    statements = find_plain_statements(Role.USER, text).statements
    return tuple(
        one.quote for one in statements if one.type in _TELL_HOW and _letters(one.quote) in said
    )


def _letters(text: str) -> str:
    return re.sub(r"\W+", " ", text).casefold()


def _turn(raw: dict[str, str]) -> Turn:
    return Turn(**{key: raw[key] for key in ("session_id", "message_id", "role", "content", "at")})


def _print_lines(outcomes: Sequence[Outcome]) -> None:
    for one in outcomes:
        if one.label in POSITIVE and not one.is_caught:
            print(f"missed\t{one.label}\t{one.text}")
        elif one.found and one.label not in POSITIVE:
            print(f"{'arguable' if one.label == 'arguable' else 'false'}\t{one.found}\t{one.text}")


def _report_files(files: Sequence[Path], *, as_json: bool, show: bool) -> None:
    lines = [line for file in files for line in read_file(file)]
    with progress("sentences", len(lines)) as done:
        outcomes = []
        for label, text in lines:
            outcomes.append(judge_line(label, text))
            done()
    figures = sum_up(outcomes)
    if show:
        _print_lines(outcomes)
    if as_json:
        print(json.dumps(figures, indent=2))
        return
    for language, row in figures.items():
        told = ", ".join(
            f"{key} {value:.3f}" if isinstance(value, float) else f"{key} {value}"
            for key, value in row.items()
        )
        print(f"{language}: {told}")
    print("labels:", dict(Counter(one.label for one in outcomes)))


def _report_chats(data: Path, chats: Sequence[str], *, as_json: bool, show: bool) -> None:
    with progress("chats", len(chats)) as done:
        messages = anyio.run(ask_chats, data, chats, done)
    if show:
        for one in messages:
            print(f"{one.chat}\t{one.kind}\t{one.found or 'MISSED'}\t{one.text[:300]!r}")
    figures = {
        kind: {
            "messages": sum(one.kind == kind for one in messages),
            "in the briefing": sum(one.kind == kind and bool(one.found) for one in messages),
        }
        for kind in _KINDS
    }
    print(json.dumps(figures, indent=2) if as_json else figures)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m bench.statements")
    parser.add_argument("--file", type=Path, action="append", help="a file of labelled sentences")
    parser.add_argument("--beam", metavar="CHATS", help="names of BEAM's chats, with commas")
    parser.add_argument("--data", type=Path, help="the folder that holds the data sets")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    parser.add_argument("--show", action="store_true", help="print misses and what is false")
    arguments = parser.parse_args(argv)
    if arguments.beam:
        folder = arguments.data or data_folder()
        if folder is None or not (folder / _BEAM).is_file():
            sys.stderr.write(no_data(str(_BEAM)))
            return _NO_DATA
        chats = arguments.beam.split(",")
        _report_chats(folder, chats, as_json=arguments.json, show=arguments.show)
    if arguments.file or not arguments.beam:
        files = arguments.file or sorted(TRAINING.glob("*_dev.tsv"))
        _report_files(files, as_json=arguments.json, show=arguments.show)
    return 0


if __name__ == "__main__":
    sys.exit(main())
