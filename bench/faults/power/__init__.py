"""Loss of power, simulated: what a server asked of its disk, cut off at any moment.

A preloaded library writes down every write, sync, truncation, rename and removal below the home
(`recorder.c`). From that, `disk` makes what a disk may hold after a loss of power: what was synced,
and of the rest whatever chance keeps. `lose` has a server write, and looks at many such disks.
"""

from bench.faults.power.lose import lose_power

__all__ = ["lose_power"]
