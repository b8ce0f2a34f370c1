"""The command line of the campaign."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

import anyio
from rich.console import Console

from bench.attack.attack import Attack
from bench.attack.campaign import Result, list_attacks, run_campaign
from bench.command import progress
from bench.output import rounded, table

_UNKNOWN = 2
_SHOWN = 10


def _main() -> int:
    arguments = _parser().parse_args()
    attacks = _choose(list_attacks(), arguments.only, fast=arguments.fast)
    if not attacks:
        sys.stderr.write("There is no such attack; --list names them all.\n")
        return _UNKNOWN
    if arguments.list:
        for attack in attacks:
            print(f"{attack.theme:11} {attack.name}\n{'':11} {attack.tried}")
        print(f"{len(attacks)} attacks")
        return 0
    results = anyio.run(_run, attacks)
    if arguments.json:
        document = {"benchmark": "bench.attack", "attacks": list(map(_document, results))}
        print(json.dumps(document, indent=2, ensure_ascii=False))
    else:
        _print(results)
    return 1 if any(result.verdict.broken for result in results) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.attack")
    parser.add_argument("--list", action="store_true", help="name the attacks and try none")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="this attack or theme; may be repeated"
    )
    parser.add_argument("--fast", action="store_true", help="only those that take a moment")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _choose(attacks: Sequence[Attack], only: Sequence[str] | None, *, fast: bool) -> list[Attack]:
    return [
        attack
        for attack in attacks
        if (not only or attack.name in only or attack.theme in only) and not (fast and attack.slow)
    ]


async def _run(attacks: Sequence[Attack]) -> list[Result]:
    results = []
    with progress("attacks", len(attacks)) as done:
        async for result in run_campaign(attacks):
            results.append(result)
            done()
    return results


def _print(results: Sequence[Result]) -> None:
    filled = table(f"{len(results)} attacks", 3, "theme", "attack", "result", "checks", "seconds")
    for result in results:
        attack, checks = result.attack, result.verdict.figures["checks"]
        row = (attack.theme, attack.name, result.state, f"{checks}", f"{result.seconds:.1f}")
        filled.add_row(*row)
    Console(width=None if sys.stdout.isatty() else 120).print(filled)
    for result in results:
        _print_details(result)
    broken = sum(bool(result.verdict.broken) for result in results)
    took = sum(result.seconds for result in results)
    print(f"\n{len(results)} attacks in {took:.0f} s, {broken} of them broke something.")


def _print_details(result: Result) -> None:
    verdict = result.verdict
    figures = {name: figure for name, figure in verdict.figures.items() if name != "checks"}
    if not (verdict.broken or verdict.skipped or figures):
        return
    print(f"\n{result.attack.name}: {result.attack.tried}")
    for name, figure in figures.items():
        print(f"  {name}: {figure:,.0f}" if figure >= _SHOWN else f"  {name}: {figure:.2f}")
    if verdict.skipped:
        print(f"  skipped: {verdict.skipped}")
    for line in verdict.broken[:_SHOWN]:
        print(f"  BROKEN: {line!r}")
    if len(verdict.broken) > _SHOWN:
        print(f"  … and {len(verdict.broken) - _SHOWN} more; --json shows all")


def _document(result: Result) -> dict[str, object]:
    return {
        "theme": result.attack.theme,
        "tried": result.attack.tried,
        "result": result.state,
        "seconds": rounded(result.seconds),
        **{key: rounded(value) for key, value in asdict(result.verdict).items()},
    }


if __name__ == "__main__":
    sys.exit(_main())
