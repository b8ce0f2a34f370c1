"""A thousand small tenants and a large one in one database: does the large one slow the small down?

All rows are written by SQLite, which is quick, and moved. Then small tenants search, one after
another, while the large one rests, while clients of it search and write without a pause, and while
as many processes only take the processor; in turns, so that all are of the same minutes.

    python -m bench.neighbours
"""

from bench.neighbours.run import NeighboursVerdict, try_neighbours

__all__ = ["NeighboursVerdict", "try_neighbours"]
