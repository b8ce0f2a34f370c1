"""The command line: python -m bench.scope. 1 where a bar is missed.

Bars: 57 of 60 statements are seen where they should be, and none of a project's is shown elsewhere.
"""

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Sequence

import anyio
from rich.console import Console

from bench.command import progress
from bench.output import table
from bench.scope import scope_cases
from bench.scope.play import Sighting, look

_WRONG_AT_MOST = 3


def main(argv: Sequence[str] | None = None) -> int:
    """State everything in a project, look from another one, and print what was seen."""
    parser = argparse.ArgumentParser(prog="python -m bench.scope")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    arguments = parser.parse_args(argv)
    cases = [*scope_cases()]
    with progress("scope", len(cases)) as done:
        seen = anyio.run(look, cases, done)
    if arguments.json:
        print(json.dumps([_plain(one) for one in seen], ensure_ascii=False, indent=2))
    else:
        _print(seen)
    wrong = sum(not one.is_right for one in seen)
    return 1 if wrong > _WRONG_AT_MOST or any(one.is_leak for one in seen) else 0


def _plain(one: Sighting) -> dict[str, object]:
    return {
        "id": one.case.id,
        "expected": one.case.expected,
        "here": one.here,
        "elsewhere": one.elsewhere,
        "unasked": one.unasked,
        "right": one.is_right,
    }


def _print(seen: Sequence[Sighting]) -> None:
    groups = defaultdict[tuple[str, str], list[Sighting]](list)
    for one in seen:
        groups[one.case.expected, one.case.language].append(one)
    shown = table("Yours or the project's", 2, "belongs", "language", "cases", "right", "leaks")
    for (expected, language), own in groups.items():
        right, leaks = sum(one.is_right for one in own), sum(one.is_leak for one in own)
        shown.add_row(expected, language, *map(str, (len(own), right, leaks)))
    Console().print(shown)
    shares = {group: sum(one.is_right for one in own) / len(own) for group, own in groups.items()}
    worst = min(shares, key=lambda group: shares[group])
    right = sum(one.is_right for one in seen)
    print(
        f"{right} of {len(seen)} right; the worst group: {' '.join(worst)}, {shares[worst]:.0%}; "
        f"{sum(one.is_leak for one in seen)} of a project's statements shown elsewhere."
    )
    for one in seen:
        if not one.is_right or one.is_leak:
            places = {"here": one.here, "elsewhere": one.elsewhere, "unasked": one.unasked}
            where = ", ".join(place for place, is_there in places.items() if is_there)
            print(f"{one.case.id}: {one.case.statement} ({where or 'nowhere'})")


if __name__ == "__main__":
    sys.exit(main())
