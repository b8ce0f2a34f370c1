"""The command line.

python -m bench.peers --envs build/peers --conversations 1 --questions 100
python -m bench.peers beam --envs build/peers --conversations 4
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import anyio

from bench.command import no_data, progress, spread
from bench.data import LOCOMO, Conversation, data_folder
from bench.output import report_console, rounded
from bench.peers.client import RefusedError
from bench.peers.envs import NotInstalledError, environment, usual_pythons
from bench.peers.notes import notes
from bench.peers.report import document, tables
from bench.peers.run import Trial, asked_of, trial
from bench.peers.systems import SYSTEMS, System
from bench.recall.beam import BEAM

_BUDGETS = (500, 2000)
_NO_DATA = 2
_MOST_SAID = 300
"""Characters of a server's reason: some repeat all they were given."""
_SETS = {"locomo": LOCOMO, "beam": BEAM}


def main(argv: Sequence[str] | None = None) -> int:
    """Compare the servers and print what was found.

    Returns:
        The exit code: 0 when every server ran, 1 when one did not, 2 when there is no data.
    """
    arguments = _parser().parse_args(argv)
    folder = arguments.data or data_folder()
    data_set = _SETS[arguments.dataset]
    if folder is None or (missing := data_set.missing(folder)):
        sys.stderr.write(no_data(missing[0] if folder else str(data_set.files[0])))
        return _NO_DATA
    read = data_set.read(folder)
    conversations = sample(read, arguments.conversations, arguments.questions)
    systems = [s for s in SYSTEMS if not arguments.only or s.name in arguments.only]
    pythons = arguments.python or usual_pythons()
    found = {s.name: _try(s, arguments.envs.resolve(), pythons, conversations) for s in systems}
    if arguments.json:
        of = document(systems, found, _BUDGETS, _sizes(conversations))
        print(json.dumps(rounded(of), indent=2))
    else:
        report_console().print(*tables(systems, found, _BUDGETS), sep="\n")
    return int(any(isinstance(seen, str) for seen in found.values()))


def sample(
    conversations: Sequence[Conversation], most: int | None, questions: int | None
) -> tuple[Conversation, ...]:
    """The first conversations, each with so many of its questions, evenly spaced."""
    return tuple(replace(c, questions=spread(asked_of(c), questions)) for c in conversations[:most])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.peers")
    parser.add_argument(
        "dataset", choices=_SETS, nargs="?", default="locomo", help="what is stored and asked"
    )
    parser.add_argument("--envs", type=Path, required=True, help="where servers are installed")
    parser.add_argument("--data", type=Path, help="the folder that holds the data sets")
    parser.add_argument("--conversations", type=int, metavar="N", help="only the first N")
    parser.add_argument("--questions", type=int, metavar="N", help="only N of each, evenly spaced")
    names = [system.name for system in SYSTEMS]
    parser.add_argument("--only", nargs="+", choices=names, help="only these servers")
    parser.add_argument("--python", nargs="+", help="Pythons to make environments with, in order")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _sizes(conversations: Sequence[Conversation]) -> dict[str, object]:
    return {
        "conversations": [c.name for c in conversations],
        "turns": sum(len(c.turns) for c in conversations),
        "questions": sum(len(c.questions) for c in conversations),
    }


def _try(
    system: System, envs: Path, pythons: Sequence[str], conversations: Sequence[Conversation]
) -> Trial | str:
    """What was seen of a server, or why it does not run here: the others are still asked."""
    turns = sum(len(c.turns) for c in conversations)
    questions = sum(len(c.questions) for c in conversations)
    ways = max(len(system.list_ways(notes(each))) for each in conversations)
    with progress(system.name, turns + questions * ways) as done:
        try:
            made = environment(system.package, envs, pythons) if system.package else envs
            with tempfile.TemporaryDirectory(prefix="memoria-peers-") as homes:
                return anyio.run(trial, system, made, conversations, _BUDGETS, Path(homes), done)
        except (NotInstalledError, RefusedError, OSError, ExceptionGroup) as error:
            return _reason(error)


def _reason(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {str(error)[:_MOST_SAID]}"


if __name__ == "__main__":
    sys.exit(main())
