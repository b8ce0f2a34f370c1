"""A benchmark with its memory in PostgreSQL, on a server of its own.

    python -m bench.postgres bench.locomo --conversations 2

One database has all tenants: a benchmark whose tenants have different names runs as it stands.
"""

import runpy
import sys

from bench.postgres.engines import use_engine


def main() -> None:
    """Run the module that is named, with the rest of the arguments."""
    if len(sys.argv) < 2:  # noqa: PLR2004  (the module)
        sys.exit(__doc__)
    sys.argv.pop(0)
    with use_engine("postgres"):
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
