"""The command line.

python -m bench.viewer show                     # every page and every action, in a browser
python -m bench.viewer show --axe axe.min.js --pictures FOLDER
python -m bench.viewer sizes                    # how long pages take in large memories
python -m bench.viewer home FOLDER              # the home that the viewer is looked at with
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.output import report_console, table
from bench.viewer.browser import BARE, LOOKS, NO_BROWSER, NO_PLAYWRIGHT, find_browser, open_browser
from bench.viewer.deeds import do_actions
from bench.viewer.home import make_home, serve_model
from bench.viewer.served import serve_viewer
from bench.viewer.sizes import measure_sizes
from bench.viewer.tour import FEW_LOOKS, show_pages

_NOT_POSSIBLE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the command line asks for.

    Returns:
        The exit code: 1 if something is wrong with a page or an action, 2 without a browser.
    """
    arguments = _parser().parse_args(argv)
    if arguments.command == "home":
        arguments.folder.mkdir(parents=True, exist_ok=True)
        print(make_home(arguments.folder))
        return 0
    if arguments.command == "sizes":
        _print_sizes(arguments)
        return 0
    program = find_browser()
    if program is None:
        print(NO_BROWSER, file=sys.stderr)
        return _NOT_POSSIBLE
    try:
        return _show(arguments, program)
    except ModuleNotFoundError as error:
        if error.name != "playwright":
            raise
        print(NO_PLAYWRIGHT, file=sys.stderr)
        return _NOT_POSSIBLE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.viewer", description=__doc__)
    commands = parser.add_subparsers(required=True, dest="command")
    showing = commands.add_parser("show", help="open every page and do every action in a browser")
    showing.add_argument("--home", type=Path, help="what `home` has made; default: a new one")
    showing.add_argument("--axe", type=Path, help="axe.min.js of axe-core, for accessibility")
    showing.add_argument("--pictures", type=Path, help="a folder for pictures of every page")
    showing.add_argument("--few", action="store_true", help="three looks, not nine")
    showing.add_argument("--only", choices=("pages", "actions"), help="one of both alone")
    sizing = commands.add_parser("sizes", help="load every page of small and large memories")
    sizing.add_argument("--turns", type=int, nargs="+", default=[1_000, 20_000, 100_000])
    sizing.add_argument("--loads", type=int, default=20, help="times that each page is loaded")
    making = commands.add_parser("home", help="make the home alone, for a look by hand")
    making.add_argument("folder", type=Path, help="an empty folder")
    return parser


def _print_sizes(arguments: argparse.Namespace) -> None:
    shown = table("Pages by size of the memory", 1, "page", "turns", "p50-ms", "max-ms", "KiB")
    with tempfile.TemporaryDirectory(prefix="memoria-viewer-") as name, serve_model() as model_url:
        for one in measure_sizes(Path(name), model_url, arguments.turns, arguments.loads):
            figures = (one.p50, one.most, one.kib)
            shown.add_row(one.name, f"{one.turns:,}", *(f"{figure:.1f}" for figure in figures))
    report_console().print(shown)


def _show(arguments: argparse.Namespace, program: Path) -> int:
    faults: list[str] = []
    with tempfile.TemporaryDirectory(prefix="memoria-viewer-") as name, serve_model() as model_url:
        folder = Path(name)
        home = arguments.home or make_home(folder / "made")
        with open_browser(program) as browser:
            if arguments.only != "actions":
                with serve_viewer(home, folder / "pages", model_url) as viewer:
                    looks = FEW_LOOKS if arguments.few else (*LOOKS, BARE)
                    seen = show_pages(browser, viewer, arguments.axe, arguments.pictures, looks)
                print(f"pages opened: {seen.opened}", flush=True)
                faults += seen.faults
            for runs_scripts in (True, False) if arguments.only != "pages" else ():
                with serve_viewer(home, folder / f"actions-{runs_scripts}", model_url) as viewer:
                    done = do_actions(browser, viewer, runs_scripts=runs_scripts)
                print(f"actions done: {done.opened}, with scripts: {runs_scripts}", flush=True)
                faults += done.faults
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
