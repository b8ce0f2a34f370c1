"""How evenly a router by tenant spreads a million tenants over databases, by simulation.

    python -m bench.shards

A tenant goes to the database with the highest hash of both names (rendezvous hashing), so that a
further database takes its share from all others and nothing else moves. Sizes are drawn from a
log-normal law: most tenants are small, and the largest of a million has thousands of times the
median. The seed is fixed.
"""

import numpy as np

_TENANTS = 1_000_000
_SPREAD = 2.0
"""Standard deviation of the logarithm of a tenant's size: one in six has more than seven times the
median."""
_SHARDS = (16, 64, 256)
_SEED = 48
_MIX = np.uint64(0x9E3779B97F4A7C15)


def main() -> None:
    """Print the load of the fullest database, and what moves when one is added."""
    sizes = np.random.default_rng(_SEED).lognormal(0.0, _SPREAD, _TENANTS)
    print(f"{_TENANTS:,} tenants; the largest has {sizes.max() / np.median(sizes):,.0f} medians")
    print("databases  fullest/mean by tenants  by size  moved for one more  least possible")
    for many in _SHARDS:
        chosen = choose_shards(many)
        by_tenants = np.bincount(chosen, minlength=many)
        by_size = np.bincount(chosen, weights=sizes, minlength=many)
        moved = float((choose_shards(many + 1) != chosen).mean())
        print(
            f"{many:9} {by_tenants.max() / by_tenants.mean():24.3f}"
            f" {by_size.max() / by_size.mean():8.3f} {moved:19.4f} {1 / (many + 1):15.4f}"
        )


def choose_shards(many: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Choose a database for each tenant, of so many databases."""
    tenants = _mix(np.arange(_TENANTS, dtype=np.uint64))
    best = np.zeros(_TENANTS, np.uint64)
    chosen = np.zeros(_TENANTS, np.int64)
    for shard in range(many):
        score = _mix(tenants ^ _mix(np.array([shard], np.uint64)))
        chosen[score > best] = shard
        best = np.maximum(best, score)
    return chosen


def _mix(
    values: "np.ndarray[tuple[int], np.dtype[np.uint64]]",
) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    """Return well mixed hashes of numbers (SplitMix64's last steps)."""
    mixed = values + _MIX
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


if __name__ == "__main__":
    main()
