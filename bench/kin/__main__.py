"""The command line: python -m bench.kin. 1 where a bar is missed.

Bars, with the product's embedder: 36 of 40 questions are answered right at both levels, and none
with somebody else's fact while the right one is on record.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence

import anyio
from rich.console import Console

from bench.command import progress
from bench.kin import kin_cases
from bench.kin.play import KinAnswer, ask_kin
from bench.output import table
from bench.tenants import Embedding

_WRONG_AT_MOST = 4
_RUNS: Mapping[str, Embedding] = {"as installed": "bundled", "without an embedder": "off"}


def main(argv: Sequence[str] | None = None) -> int:
    """Ask every question and print whose facts were found."""
    parser = argparse.ArgumentParser(prog="python -m bench.kin")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    arguments = parser.parse_args(argv)
    cases = [*kin_cases()]
    answered = {}
    for title, embedding in _RUNS.items():
        with progress(title, len(cases)) as done:
            answered[title] = anyio.run(ask_kin, cases, embedding, done)
    if arguments.json:
        plain = {title: [*map(_plain, each)] for title, each in answered.items()}
        print(json.dumps(plain, ensure_ascii=False, indent=2))
    else:
        for title, each in answered.items():
            _print(each, title)
    judged = answered["as installed"]
    wrong = sum(not one.is_right for one in judged)
    return 1 if wrong > _WRONG_AT_MOST or any(one.is_somebody_else for one in judged) else 0


def _plain(one: KinAnswer) -> dict[str, object]:
    return {
        "id": one.case.id,
        "wanted": one.case.right,
        "memories": one.memories,
        "turns": one.turns,
        "right": one.is_right,
        "somebody_else": one.is_somebody_else,
    }


def _print(answers: Sequence[KinAnswer], title: str) -> None:
    groups = defaultdict[tuple[str, str], list[KinAnswer]](list)
    for one in answers:
        groups["on record" if one.case.right else "not on record", one.case.language].append(one)
    headings = ("cases", "right", "first level", "second level", "somebody else's")
    shown = table(f"Who is meant, {title}", 2, "the answer is", "language", *headings)
    for group, own in groups.items():
        levels = [sum(_is_first(one, level) for one in own) for level in (0, 1)]
        right, other = (sum(one.is_right for one in own), sum(one.is_somebody_else for one in own))
        shown.add_row(*group, *map(str, (len(own), right, *levels, other)))
    Console().print(shown)
    shares = {group: sum(one.is_right for one in own) / len(own) for group, own in groups.items()}
    worst = min(shares, key=lambda group: shares[group])
    print(
        f"{sum(one.is_right for one in answers)} of {len(answers)} right, {title}; "
        f"the worst group: {', '.join(worst)}, {shares[worst]:.0%}; "
        f"{sum(one.is_somebody_else for one in answers)} answered with somebody else's fact."
    )
    for one in answers:
        if not one.is_right:
            print(f"{one.case.id}: memories {list(one.memories)}, turns {list(one.turns)}")


def _is_first(one: KinAnswer, level: int) -> bool:
    wanted = one.case.right
    return one.levels[level][:1] == (() if wanted is None else (wanted,))


if __name__ == "__main__":
    sys.exit(main())
