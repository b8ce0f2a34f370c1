"""The command line: the cases with their own script, or with the configured chat model.

python -m bench.conflicts             # what a good model proposes, and every write path
python -m bench.conflicts --model     # what the configured model and policy make of the former
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

import anyio
from rich.console import Console
from rich.progress import track

from bench.command import progress
from bench.conflicts import Case, cases
from bench.conflicts.path_cases import path_cases
from bench.conflicts.path_play import PlayedPath
from bench.conflicts.path_run import path_tables, play_paths
from bench.conflicts.play import NO_ANSWER, Played, play
from bench.extraction.run import outcomes
from bench.output import table
from bench.tenants import Embedding
from memoria.config import Settings
from memoria.errors import ModelMisconfiguredError
from memoria.inference.chat.base import ChatModel
from memoria.inference.chat.choose import choose_chat_model

CaseT = TypeVar("CaseT")
_EMBEDDINGS: Mapping[str, Embedding] = {"as installed": "bundled", "without an embedder": "off"}
_NO_MODEL = (
    "No chat model is configured. Set MEMORIA_LLM_BASE_URL and MEMORIA_LLM_MODEL, or "
    "MEMORIA_LLM_COMMAND."
)


def main(argv: Sequence[str] | None = None) -> int:
    """Play every case and print how each kind came out. 1 if the script's cases went wrong."""
    arguments = _parser().parse_args(argv)
    settings = Settings.load() if arguments.model else None
    model = choose_chat_model(settings) if settings else None
    if arguments.model and model is None:
        print(_NO_MODEL, file=sys.stderr)
        return 2
    try:
        played = _play(_some([*cases()], arguments.cases), model, settings)
    except ModelMisconfiguredError as error:
        print(error, file=sys.stderr)
        return 2
    by_path = _play_paths(arguments) if model is None else {}
    if arguments.json:
        plain = [_plain(one) for one in played]
        plain += [_plain_path(one, title) for title, each in by_path.items() for one in each]
        print(json.dumps(plain, ensure_ascii=False, indent=2))
    else:
        _print(played, is_scripted=model is None)
        for title, each in by_path.items():
            _print_paths(each, title)
    wrong = [one.wrong for one in played]
    wrong += [one.wrong for each in by_path.values() for one in each]
    return 1 if model is None and any(wrong) else 0


def _play_paths(arguments: argparse.Namespace) -> dict[str, list[PlayedPath]]:
    """The cases of every write path, with the product's embedder and without one.

    A night finds by their vectors what may belong together: it is played with them only.
    """
    every = _some([*path_cases()], arguments.cases)
    played = {}
    for title, embedding in _EMBEDDINGS.items():
        chosen = [case for case in every if embedding != "off" or case.path != "night"]
        with progress(title, len(chosen)) as done:
            played[title] = anyio.run(play_paths, chosen, embedding, done)
    return played


def _play(
    chosen: Sequence[Case], model: ChatModel | None, settings: Settings | None
) -> list[Played]:
    console = Console(stderr=True)
    shown = track(chosen, "Playing", console=console, disable=not console.is_terminal)
    return [play(case, model, settings) for case in shown]


def _some(every: Sequence[CaseT], most: int | None) -> Sequence[CaseT]:
    """So many of them, evenly spaced; all without a number."""
    if most is None or most >= len(every):
        return every
    return [every[i * len(every) // most] for i in range(most)]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.conflicts")
    parser.add_argument("--model", action="store_true", help="ask the configured chat model")
    parser.add_argument("--cases", type=int, metavar="N", help="only N of them, evenly spaced")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _plain(one: Played) -> dict[str, object]:
    return {
        "id": one.case.id,
        "kind": one.case.kind,
        "wrong": one.wrong,
        "unanswered": one.turns_without_answer,
        "outcomes": one.outcomes,
    }


def _plain_path(one: PlayedPath, title: str) -> dict[str, object]:
    case = one.case
    return {"id": case.id, "path": case.path, "kind": case.kind, "run": title, "wrong": one.wrong}


def _print_paths(played: Sequence[PlayedPath], title: str) -> None:
    Console().print(*path_tables(played, title), sep="\n")
    print(f"{sum(not one.wrong for one in played)} of {len(played)} right, {title}.")
    for one in played:
        for line in one.wrong:
            print(f"{one.case.id}: {line}")


def _print(played: Sequence[Played], *, is_scripted: bool) -> None:
    kinds = defaultdict[str, list[Played]](list)
    for one in played:
        kinds[one.case.kind].append(one)
    headings = (
        ("cases", "right") if is_scripted else ("cases", "as a good model would", "no answer")
    )
    found = table("How statements meet", 1, "kind", *headings)
    for kind, own in kinds.items():
        row = [
            len(own),
            sum(not one.wrong for one in own),
            sum(one.turns_without_answer for one in own),
        ]
        found.add_row(kind, *map(str, row[: len(headings)]))
    Console().print(found)
    for line in _verdict(played) if is_scripted else _quality(played):
        print(line)
    for one in played:
        for line in one.wrong:
            print(f"{one.case.id}: {line}")


def _verdict(played: Sequence[Played]) -> Iterator[str]:
    yield f"{sum(not one.wrong for one in played)} of {len(played)} right."


def _quality(played: Sequence[Played]) -> Iterator[str]:
    """What the model did. Whoever keeps nothing is right where nothing was to be kept."""
    every = [outcome for one in played for outcome in one.outcomes]
    applied, rejected = outcomes([one for one in every if not one.startswith(NO_ANSWER)])
    unanswered = sum(one.turns_without_answer for one in played)
    expected = sum(not one.wrong for one in played)
    yield f"{expected} of {len(played)} cases as a good model would have them."
    yield f"{len(every)} turns read, {unanswered} of them without an answer."
    for reason, count in Counter(one for one in every if one.startswith(NO_ANSWER)).items():
        yield f"{count} × {reason}"
    yield f"applied: {_counts(applied)}"
    yield f"rejected: {_counts(rejected)}"


def _counts(counted: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counted.items())) or "nothing"


if __name__ == "__main__":
    sys.exit(main())
