"""The command line.

python -m bench.viewer home FOLDER     # the home that the viewer is looked at with
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.viewer.home import make_home


def main(argv: Sequence[str] | None = None) -> int:
    """Do what the command line asks for; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.viewer")
    commands = parser.add_subparsers(required=True, dest="command")
    making = commands.add_parser("home", help="make the home alone, for a look by hand")
    making.add_argument("folder", type=Path, help="an empty folder")
    arguments = parser.parse_args(argv)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    print(make_home(arguments.folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
