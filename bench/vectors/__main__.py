"""The command line of the vector benchmark."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import Progress

from bench.data import data_folder
from bench.output import rounded, table
from bench.vectors.embedded import embedded
from bench.vectors.run import DEPTHS, Found, compare
from bench.vectors.texts import texts
from memoria.inference.embedder import BUNDLED, BundledEmbedder

LEAST_RECALL = 0.99


def main(argv: Sequence[str] | None = None) -> int:
    """Compare codes with an exact search on real vectors and print what was found.

    Returns:
        The exit code: 0, or 1 when codes find too little; 2 without data or faiss.
    """
    arguments = _parser().parse_args(argv)
    folder = arguments.data or data_folder()
    if folder is None:
        print("There is no data: set MEMORIA_DATA to the folder of the shared data sets.")
        return 2
    said = texts(folder, arguments.texts + arguments.questions)
    with TemporaryDirectory(prefix="memoria-vectors-") as own, _progress() as progress:
        task = progress.add_task("embedding", total=len(said))
        done = partial(progress.advance, task)
        rows = embedded(said, BundledEmbedder(BUNDLED), arguments.keep or Path(own), done)
    found = compare(rows, arguments.questions)
    if arguments.json:
        print(json.dumps(rounded({"benchmark": "bench.vectors", **asdict(found)}), indent=2))
    else:
        _print(found)
    return 0 if min(found.recall.values()) >= LEAST_RECALL else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.vectors")
    parser.add_argument("--texts", type=int, default=100_000, help="how many are searched")
    parser.add_argument("--questions", type=int, default=500, help="how many are asked")
    parser.add_argument("--data", type=Path, help="the folder of the shared data sets")
    parser.add_argument("--keep", type=Path, help="a folder in which to keep the vectors")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _progress() -> Progress:
    console = Console(stderr=True)
    return Progress(console=console, transient=True, disable=not console.is_terminal)


def _print(found: Found) -> None:
    title = f"{found.texts:,} real vectors, {found.questions} questions, milliseconds"
    filled = table(title, 1, "", *(f"recall@{k}" for k in DEPTHS), "p50", "p95", "MiB")
    for name, way in (("codes", found.codes), ("matrix", found.matrix)):
        shown = [f"{found.recall[k]:.4f}" for k in DEPTHS] if name == "codes" else ["1"] * 3
        filled.add_row(name, *shown, f"{way.p50:.2f}", f"{way.p95:.2f}", f"{way.mib:.0f}")
    Console().print(filled)


if __name__ == "__main__":
    sys.exit(main())
