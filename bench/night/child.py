"""A process that runs a night by a given clock: `bench.night.child HOME AT LEASE_MS WAY`.

Its moment and its ids are the caller's, so that two homes can be compared row by row; leases go by
the machine's time as always. It says on standard output when it begins, and then a line a
transaction: the step, how much of it is done, and of how much. Ctrl-C ends it with 130.
"""

import json
import sys
from pathlib import Path

import memoria.app.nightly as nights
from bench.night.homes import Way, settings
from memoria.model import derive_ids, use_clock

READY = "ready"
INTERRUPTED = 130


def main() -> int:
    """Run it, or finish the one that was begun."""
    home, at, lease_ms = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    way = Way(**json.loads(sys.argv[4]))
    _say(READY)
    try:
        with use_clock(lambda: at), derive_ids(at, "night"):
            nights.run_nightly(settings(home, way), way.steps, progress=_report, lease_ms=lease_ms)
    except KeyboardInterrupt:
        return INTERRUPTED
    return 0


def _report(step: str, done: int, of: int) -> None:
    _say(f"{step} {done} {of}")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
