"""The figures as tables for people."""

from collections.abc import Iterator, Mapping

from rich.table import Table

from bench.ask import DEPTHS, Cost, Figures, Quality
from bench.output import table

_SHOWN_DEPTH = 10
_NOTHING = "–"
"""Where no question has an answer there is no recall."""


def tables(found: Mapping[str, Figures]) -> Iterator[Table]:
    """Quality by slice, the three kinds of recall, and the cost, systems side by side."""
    yield _quality(found)
    yield _recall(found)
    yield _cost(found)


def _quality(found: Mapping[str, Figures]) -> Table:
    depths = [f"R@{k}" for k in DEPTHS]
    filled = table(
        f"Quality: fractional recall; any hit, all evidence, NDCG at {_SHOWN_DEPTH}; no hit at all",
        2, "questions", "system", "n", *depths, "any", "all", "MRR", "NDCG", "none",
    )  # fmt: skip
    for name in next(iter(found.values())).quality:
        for i, (system, figures) in enumerate(found.items()):
            filled.add_row("" if i else name, system, *_quality_cells(figures.quality[name]))
    return filled


def _quality_cells(quality: Quality) -> Iterator[str]:
    yield str(quality.questions)
    scored = (
        *quality.recall.values(),
        quality.any_hit[_SHOWN_DEPTH],
        quality.all_evidence[_SHOWN_DEPTH],
        quality.mrr,
        quality.ndcg_at_10,
    )
    yield from (_share(value) if quality.answerable else _NOTHING for value in scored)
    yield _share(quality.silent)


def _recall(found: Mapping[str, Figures]) -> Table:
    filled = table("Recall overall", 2, "kind", "system", *(f"@{k}" for k in DEPTHS))
    overall = {system: figures.quality["overall"] for system, figures in found.items()}
    for kind in ("recall", "any_hit", "all_evidence"):
        for system, quality in overall.items():
            filled.add_row(kind, system, *map(_share, getattr(quality, kind).values()))
    return filled


def _cost(found: Mapping[str, Figures]) -> Table:
    filled = table("An answer", 1, "system", "p50 ms", "p95 ms", "tokens", "turns")
    for system, figures in found.items():
        filled.add_row(system, *_cost_cells(figures.cost))
    return filled


def _cost_cells(cost: Cost) -> Iterator[str]:
    yield from (f"{value:.1f}" for value in (cost.p50_ms, cost.p95_ms))
    yield f"{cost.tokens:.0f}"
    yield f"{cost.hits:.1f}"


def _share(value: float) -> str:
    """Such as `.484`, so that a table fits a terminal."""
    return f"{value:.3f}".removeprefix("0")[:4]
