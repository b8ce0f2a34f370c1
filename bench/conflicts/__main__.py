"""The command line: the cases with their own script, or with the configured chat model.

python -m bench.conflicts             # what policy makes of what a good model proposes
python -m bench.conflicts --model     # what the configured model and policy make of them
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence

from rich.console import Console
from rich.progress import track

from bench.conflicts import cases
from bench.conflicts.play import Played, play
from bench.output import table
from memoria.config import Settings
from memoria.inference.chat.choose import choose_chat_model

_NO_MODEL = (
    "No chat model is configured. Set MEMORIA_LLM_BASE_URL and MEMORIA_LLM_MODEL, or "
    "MEMORIA_LLM_COMMAND."
)


def main(argv: Sequence[str] | None = None) -> int:
    """Play every case and print how each kind came out. 1 if the script's cases went wrong."""
    arguments = _parser().parse_args(argv)
    model = choose_chat_model(Settings.load()) if arguments.model else None
    if arguments.model and model is None:
        print(_NO_MODEL, file=sys.stderr)
        return 2
    console = Console(stderr=True)
    silent = not console.is_terminal
    played = [play(c, model) for c in track([*cases()], "Playing", console=console, disable=silent)]
    if arguments.json:
        print(json.dumps([_plain(one) for one in played], ensure_ascii=False, indent=2))
    else:
        _print(played)
    return 1 if model is None and any(one.wrong for one in played) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.conflicts")
    parser.add_argument("--model", action="store_true", help="ask the configured chat model")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _plain(one: Played) -> dict[str, object]:
    return {"id": one.case.id, "kind": one.case.kind, "wrong": one.wrong, "outcomes": one.outcomes}


def _print(played: Sequence[Played]) -> None:
    kinds = defaultdict[str, list[Played]](list)
    for one in played:
        kinds[one.case.kind].append(one)
    found = table("How statements meet", 1, "kind", "cases", "right")
    for kind, own in kinds.items():
        found.add_row(kind, str(len(own)), str(sum(not one.wrong for one in own)))
    right = sum(not one.wrong for one in played)
    Console().print(found)
    print(f"{right} of {len(played)} right.")
    for one in played:
        for line in one.wrong:
            print(f"{one.case.id}: {line}")


if __name__ == "__main__":
    sys.exit(main())
