"""What a run came to: calls a second, how long each took, and what it cost."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

from bench.metrics import percentile
from bench.throughput.clients import CAPTURE, SEARCHES, Account


@dataclass(frozen=True, slots=True)
class Took:
    """How long calls of one tool took, in milliseconds; the worst beside the usual."""

    calls: int
    p50: float
    p95: float
    most: float


@dataclass(frozen=True, slots=True)
class Verdict:
    """One way of asking, with so many clients."""

    checkout: str
    """`this one`, `older` or `floor`."""
    way: str
    """`tasks` of one process or `processes`."""
    clients: int
    searches_per_s: float
    captures_per_s: float
    took: dict[str, Took]
    """By tool."""
    cpu_ms: float
    """Of the processors for each search, captures and what follows them included."""
    cores: float
    """How many were busy."""
    memory_mib: float
    errors: tuple[str, ...]


def judge(checkout: str, way: str, clients: int, account: Account) -> Verdict:
    """An account in figures."""
    seconds = max(account.ended - account.began, sys.float_info.epsilon)
    searches = sum(len(account.took_ms.get(tool, ())) for tool in SEARCHES)
    return Verdict(
        checkout=checkout,
        way=way,
        clients=clients,
        searches_per_s=searches / seconds,
        captures_per_s=len(account.took_ms.get(CAPTURE, ())) / seconds,
        took={tool: _sum_up(took) for tool, took in sorted(account.took_ms.items())},
        cpu_ms=account.cpu_s * 1000 / max(searches, 1),
        cores=account.cpu_s / seconds,
        memory_mib=account.memory_mib,
        errors=tuple(account.errors),
    )


def compare(verdicts: Sequence[Verdict]) -> float | None:
    """How many times the older checkout's searches a second, where most tasks ask at once.

    Of several rounds the medians are compared. None where there is no older one.
    """
    most = max((each.clients for each in verdicts if each.way == "tasks"), default=0)
    rates = {
        checkout: [
            each.searches_per_s
            for each in verdicts
            if (each.checkout, each.way, each.clients) == (checkout, "tasks", most)
        ]
        for checkout in ("this one", "older")
    }
    if not all(rates.values()):
        return None
    ours, theirs = (percentile(50, rates[checkout]) for checkout in ("this one", "older"))
    return ours / theirs


def _sum_up(took_ms: Sequence[float]) -> Took:
    return Took(len(took_ms), percentile(50, took_ms), percentile(95, took_ms), max(took_ms))
