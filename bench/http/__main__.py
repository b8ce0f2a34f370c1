"""The command line of the benchmark of a server over HTTP."""

import argparse
import sys

from bench.http import burst, homes, kill, ways

_PARTS = {"load": ways, "homes": homes, "burst": burst, "kill": kill}


def main() -> int:
    """Run the part that is named.

    Returns:
        The exit code: 0; 1 where a call failed, showed another tenant's row, or was lost.
    """
    parser = argparse.ArgumentParser(prog="python -m bench.http")
    parts = parser.add_subparsers(required=True, dest="part")
    for name, module in _PARTS.items():
        one = parts.add_parser(name, help=(module.__doc__ or "").partition("\n")[0])
        one.add_argument("--json", action="store_true", help="one JSON document on stdout")
        one.add_argument("--seed", type=int, default=1, help="of all that is left to chance")
        module.add_options(one)
    arguments = parser.parse_args()
    code: int = _PARTS[arguments.part].run(arguments)
    return code


if __name__ == "__main__":
    sys.exit(main())
