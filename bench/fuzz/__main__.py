"""The command line of the fuzzer."""

import argparse
import faulthandler
import json
import sys
import time
from dataclasses import asdict

from bench.fuzz.campaign import Campaign, Tally, shown

_STUCK_S = 600


def _main() -> int:
    arguments = _parser().parse_args()
    seed = int(time.time()) if arguments.seed is None else arguments.seed
    campaign = Campaign(seed)
    faulthandler.dump_traceback_later(arguments.minutes * 60 + _STUCK_S, exit=True)
    try:
        campaign.run(seconds=arguments.minutes * 60)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
    _print(seed, campaign.tally, as_json=arguments.json)
    return 1 if campaign.tally.finds else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.fuzz")
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--seed", type=int, help="of the first round; the clock's by default")
    parser.add_argument("--json", action="store_true", help="one JSON document on stdout")
    return parser


def _print(seed: int, tally: Tally, *, as_json: bool) -> None:
    outcomes = {" ".join(filter(None, key)): count for key, count in sorted(tally.outcomes.items())}
    if as_json:
        figures = {
            name: getattr(tally, name) for name in ("seconds", "rounds", "sequences", "calls")
        }
        finds = [asdict(found) for found in tally.finds.values()]
        document = {"benchmark": "bench.fuzz", "seed": seed, **figures, "outcomes": outcomes}
        print(json.dumps({**document, "finds": finds}, indent=2))
        return
    print(f"{tally.calls:,} calls in {tally.sequences:,} sequences and {tally.rounds} rounds, ")
    print(f"{tally.seconds:.0f} s, seed {seed}: {len(tally.finds)} finds.")
    for name, count in outcomes.items():
        print(f"  {count:8,}  {name}")
    for found in tally.finds.values():
        print(f"\n{found.seen} × {shown(found)}")


if __name__ == "__main__":
    sys.exit(_main())
