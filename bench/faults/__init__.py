"""What can go wrong under a memory, done to it on purpose: is every promise kept?

Kills, full disks, foreign homes, damage, a clock that runs backwards, two versions at once. Each
fault has a module; each gives a verdict: what was done, how often, and which promises broke.

    python -m bench.faults
"""

from bench.faults.verdict import Verdict

__all__ = ["Verdict"]
