"""What was found, as one document and as a table."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

from rich.table import Table

from bench.metrics import percentile
from bench.output import table
from bench.peers.run import Asked, Trial, figures
from bench.peers.systems import System

Found = Mapping[str, Trial | str]
"""By server: what was seen of it, or why it did not run here."""


def document(
    systems: Sequence[System], found: Found, budgets: Sequence[int], of: Mapping[str, object]
) -> dict[str, object]:
    """Everything, for a file."""
    return {
        "benchmark": "bench.peers",
        **of,
        "budgets": list(budgets),
        "systems": {s.name: _one(s, found[s.name], budgets) for s in systems},
    }


def _one(system: System, seen: Trial | str, budgets: Sequence[int]) -> dict[str, object]:
    about: dict[str, object] = {"version": system.version, "embeds": system.embeds}
    if isinstance(seen, str):
        return {**about, "did_not_run": seen}
    return {
        **about,
        "stored": len(seen.stored_ms),
        "kept": seen.kept,
        "store_p50_ms": percentile(50, seen.stored_ms),
        "store_p95_ms": percentile(95, seen.stored_ms),
        "resident_mib": seen.resident_mib,
        "ways": {
            way: {budget: asdict(figures(_of(seen, way, budget))) for budget in budgets}
            for way in _ways(seen)
        },
    }


def tables(systems: Sequence[System], found: Found, budgets: Sequence[int]) -> Iterator[Table]:
    """The document as people read it."""
    for budget in budgets:
        headings = (
            "server",
            "asked",
            "marker",
            "whole",
            "told",
            "all",
            "nothing",
            "tokens",
            "p50 ms",
            "p95 ms",
        )
        filled = table(f"Answers of {budget:,} tokens", 2, *headings)
        for system in systems:
            for row in _rows(system, found[system.name], budget):
                filled.add_row(*row)
        yield filled
    kept = table("Storing", 2, "server", "embeds", "turns", "kept", "p50 ms", "p95 ms", "MiB")
    for system in systems:
        seen = found[system.name]
        if isinstance(seen, str):
            kept.add_row(system.name, f"does not run here: {seen}")
            continue
        times = (f"{percentile(q, seen.stored_ms):.1f}" for q in (50, 95))
        counts = (str(len(seen.stored_ms)), str(seen.kept))
        kept.add_row(system.name, system.embeds, *counts, *times, f"{seen.resident_mib:.0f}")
    yield kept


def _rows(system: System, seen: Trial | str, budget: int) -> Iterator[tuple[str, ...]]:
    if isinstance(seen, str):
        return
    for way in _ways(seen):
        f = figures(_of(seen, way, budget))
        shares = (
            f"{share:.3f}" for share in (f.recall, f.whole, f.told, f.all_evidence, f.nothing)
        )
        yield system.name, way, *shares, f"{f.tokens:.0f}", f"{f.p50_ms:.1f}", f"{f.p95_ms:.1f}"


def _ways(seen: Trial) -> list[str]:
    return list(dict.fromkeys(each.way for each in seen.asked))


def _of(seen: Trial, way: str, budget: int) -> Iterator[Asked]:
    return (each for each in seen.asked if (each.way, each.budget) == (way, budget))
