"""The table of prices: each kind of conversation, live and as a backlog."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from bench.data import data_folder
from bench.extraction.price import PARTS, Price, measure_price
from bench.extraction.talk import priced_talks
from bench.output import rounded, table
from memoria import Settings

_WIDTH = 140
_BOUNDS = {"live": 6000, "backlog": 3000}


def print_prices(*, as_json: bool) -> int:
    """Measure and print every price. 1 if one is over its bound."""
    prices = list(_measure_prices())
    if as_json:
        print(json.dumps([_plain(price) for price in prices], ensure_ascii=False, indent=2))
    else:
        _print_table(prices)
    return int(any(price.per_thousand > _BOUNDS[price.mode] for price in prices))


def _measure_prices() -> Iterator[Price]:
    for kind, talk in priced_talks(data_folder()).items():
        for mode in _BOUNDS:
            with tempfile.TemporaryDirectory(prefix="memoria-price-") as folder:
                settings = Settings.from_values()
                yield measure_price(kind, talk, settings, Path(folder), mode)


def _plain(price: Price) -> object:
    return rounded(
        {
            "kind": price.kind,
            "mode": price.mode,
            "turns": price.turns,
            "spoken_tokens": price.spoken,
            "memories": price.memories,
            "calls": price.calls,
            "inputs": price.inputs,
            "calls_per_turn": price.calls_per_turn,
            "input_per_1000": price.per_thousand,
            "output_per_1000": price.output_per_thousand,
            "shares": _shares(price),
        }
    )


def _shares(price: Price) -> dict[str, float]:
    total = sum(price.parts.values()) or 1
    return {part: tokens / total for part, tokens in price.parts.items()}


def _print_table(prices: list[Price]) -> None:
    columns = ("input", "output", "calls a turn", *PARTS)
    shown = table("Tokens for 1,000 of conversation", 2, "conversation", "price", *columns)
    for price in prices:
        shown.add_row(
            price.kind,
            price.mode,
            f"{price.per_thousand:,.0f}",
            f"{price.output_per_thousand:,.0f}",
            f"{price.calls_per_turn:.2f}",
            *(f"{share:.0%}" for share in _shares(price).values()),
        )
    Console(width=_WIDTH).print(shown)
    for price in prices:
        calls = ", ".join(
            f"{name} {count} ({price.inputs[name]:,})"
            for name, count in sorted(price.calls.items())
        )
        print(
            f"{price.kind}, {price.mode}: {price.turns} turns, {price.spoken:,} tokens; {calls}; "
            f"{price.memories} memories"
        )
