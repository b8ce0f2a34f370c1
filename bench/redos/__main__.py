"""What a text costs every rule that reads it: 16 KB at most five times the CPU of 4 KB.

    python -m bench.redos                       # 200 texts, each for every entry
    python -m bench.redos --texts 20 --seed 7 --only "plain statements" --size 16384

A text repeats one fragment: words of a rule and signs, drawn at random, and the fragments that were
slow once. It fails where a text costs a rule more, and names the rule and the fragment.
"""

import argparse
import sys
from collections.abc import Sequence

from bench.command import progress
from bench.redos.entries import ENTRIES, Entry
from bench.redos.fragments import draw_fragments
from bench.redos.known import KNOWN
from bench.redos.measure import FLOOR_S, Cost, measure


def main() -> int:
    """Measure, print the worst of every entry, and tell by the exit code whether all held."""
    parser = argparse.ArgumentParser(description="CPU of texts that repeat a fragment.")
    parser.add_argument("--texts", type=int, default=200, help="fragments to draw (200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=4096, help="of the shorter text (4096)")
    parser.add_argument("--only", choices=ENTRIES, help="one entry")
    options = parser.parse_args()
    fragments = [*KNOWN, *draw_fragments(options.texts, options.seed)]
    chosen = {options.only: ENTRIES[options.only]} if options.only else ENTRIES
    slow = 0
    with progress("entries", len(chosen)) as advance:
        for name, entry in chosen.items():
            warm_up(entry)
            slow += _report(name, [measure(entry, one, options.size) for one in fragments])
            advance()
    print(f"{len(fragments)} texts, {len(chosen)} entries: {slow} too slow")
    return 1 if slow else 0


def _report(name: str, costs: Sequence[Cost]) -> int:
    """Print what an entry's texts cost, and return how many cost too much."""
    slow = [cost for cost in costs if cost.is_too_slow]
    counted = [cost.times for cost in costs if cost.long_s >= FLOOR_S]
    longest = max(cost.long_s for cost in costs) * 1000
    ratio = f"{max(counted):4.1f}" if counted else "   –"
    print(f"{name:18} worst ratio {ratio}, longest {longest:8.1f} ms, {len(slow)} too slow")
    for cost in slow:
        print(f"    {cost.times:5.1f} times, {cost.long_s * 1000:.0f} ms: {cost.fragment!r}")
    return len(slow)


def warm_up(entry: Entry) -> None:
    """Let an entry load and compile what it needs, in both languages."""
    measure(entry, "I like my tea at 5 pm, says Anna. 我喜欢喝茶，", 256)


if __name__ == "__main__":
    sys.exit(main())
