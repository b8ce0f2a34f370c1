"""Figures as tables for people and as plain values for JSON."""

from collections.abc import Iterator, Mapping

from rich.table import Table

from bench.ask import DEPTHS, Figures, Quality

_DIGITS = 4
_SHOWN_DEPTH = 10


def tables(found: Mapping[str, Figures]) -> Iterator[Table]:
    """Quality by slice, the three kinds of recall, and the cost, systems side by side."""
    yield _quality(found)
    yield _recall(found)
    yield _cost(found)


def rounded(value: object) -> object:
    """The value with every number in it to four decimals and every key as text."""
    match value:
        case dict():
            return {str(key): rounded(item) for key, item in value.items()}
        case float():
            return round(value, _DIGITS)
        case _:
            return value


def _quality(found: Mapping[str, Figures]) -> Table:
    table = Table("slice", "system", title="Quality by category (recall is fractional)")
    for heading in ("n", *(f"R@{k}" for k in DEPTHS), "any@10", "all@10", "MRR", "NDCG@10"):
        table.add_column(heading, justify="right")
    for name in next(iter(found.values())).quality:
        for title, figures in found.items():
            table.add_row(name, title, *_quality_cells(figures.quality[name]))
        table.add_section()
    return table


def _quality_cells(quality: Quality) -> Iterator[str]:
    yield str(quality.questions)
    yield from (_share(quality.recall[k]) for k in DEPTHS)
    yield _share(quality.any_hit[_SHOWN_DEPTH])
    yield _share(quality.all_evidence[_SHOWN_DEPTH])
    yield _share(quality.mrr)
    yield _share(quality.ndcg_at_10)


def _recall(found: Mapping[str, Figures]) -> Table:
    table = Table("recall", "system", title="Recall overall, three ways")
    for k in DEPTHS:
        table.add_column(f"@{k}", justify="right")
    for title, figures in found.items():
        overall = figures.quality["overall"]
        table.add_row("fractional", title, *map(_share, overall.recall.values()))
        table.add_row("any hit", title, *map(_share, overall.any_hit.values()))
        table.add_row("all evidence", title, *map(_share, overall.all_evidence.values()))
        table.add_section()
    return table


def _cost(found: Mapping[str, Figures]) -> Table:
    table = Table("system", title="Cost of an answer")
    for heading in ("p50 ms", "p95 ms", "tokens, mean", "turns, mean"):
        table.add_column(heading, justify="right")
    for title, figures in found.items():
        cost = figures.cost
        table.add_row(
            title,
            f"{cost.p50_ms:.1f}",
            f"{cost.p95_ms:.1f}",
            f"{cost.tokens:.0f}",
            f"{cost.hits:.1f}",
        )
    return table


def _share(value: float) -> str:
    return f"{value:.3f}"
