"""The command line of the neighbours benchmark."""

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

import anyio

from bench.data import data_folder
from bench.latency.speech import speech
from bench.neighbours.run import MOST_RATIO, Population, try_neighbours
from bench.output import rounded
from bench.postgres import run_cluster
from memoria.inference.embedder import BUNDLED, BundledEmbedder

_USUAL = Population()
_SETTINGS = {"max_connections": "300"}


def _main() -> int:
    arguments = _parser().parse_args()
    population = Population(
        arguments.small,
        arguments.small_turns,
        arguments.large_turns,
        arguments.clients,
        arguments.asked,
        arguments.rounds,
    )
    said, bundled = speech(data_folder()), BundledEmbedder(BUNDLED)
    temporary = tempfile.TemporaryDirectory(prefix="memoria-neighbours-")
    with temporary as name, run_cluster(_SETTINGS) as cluster:
        verdict = anyio.run(try_neighbours, Path(name), population, said, bundled, cluster)
    document = {**asdict(population), **asdict(verdict), "ratio": verdict.ratio}
    if arguments.json:
        print(json.dumps({"benchmark": "bench.neighbours", **document}, default=rounded, indent=2))
    else:
        print(
            f"{population.small} tenants of {population.small_turns} turns, one of "
            f"{population.large_turns:,}; {verdict.searches} searches of small ones each way:\n"
            f"it rests: p50 {verdict.resting_p50:.0f}, p95 {verdict.resting_p95:.0f} ms\n"
            f"its {population.clients} clients make {verdict.large_calls_per_s:.1f} calls/s: p50 "
            f"{verdict.busy_p50:.0f}, p95 {verdict.busy_p95:.0f} ms\n"
            f"as many processes only spin: p50 {verdict.spinning_p50:.0f}, "
            f"p95 {verdict.spinning_p95:.0f} ms; busy beside spinning {verdict.ratio:.2f} times"
        )
    return 0 if verdict.ratio <= MOST_RATIO else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.neighbours")
    parser.add_argument("--small", type=int, default=_USUAL.small, help="number of small tenants")
    parser.add_argument("--small-turns", type=int, default=_USUAL.small_turns, help="of each")
    parser.add_argument("--large-turns", type=int, default=_USUAL.large_turns)
    parser.add_argument("--clients", type=int, default=_USUAL.clients, help="of the large tenant")
    parser.add_argument("--asked", type=int, default=_USUAL.asked, help="small ones that search")
    parser.add_argument("--rounds", type=int, default=_USUAL.rounds)
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


if __name__ == "__main__":
    sys.exit(_main())
