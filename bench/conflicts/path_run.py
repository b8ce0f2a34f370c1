"""Playing all cases of the write paths and counting what came of them."""

import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.table import Table

from bench.chat_server import serve_script
from bench.conflicts.path_cases import PathCase
from bench.conflicts.path_play import PathPlayer, PlayedPath
from bench.conflicts.path_script import PathScript
from bench.output import table
from bench.tenants import Embedding, TenantHome


async def play_paths(
    cases: Sequence[PathCase], embedding: Embedding, done: Callable[[], None] = lambda: None
) -> list[PlayedPath]:
    """Play the cases, a tenant each, in one home.

    Args:
        cases: which.
        embedding: the product's own, or none.
        done: called whenever one more has been played.
    """
    played = []
    script = PathScript()
    with (
        tempfile.TemporaryDirectory(prefix="memoria-paths-") as home,
        serve_script(script.answer) as url,
    ):
        player = PathPlayer(TenantHome(Path(home), embedding), script, url)
        for case in cases:
            played.append(await player.play(case))
            done()
    return played


def path_tables(played: Sequence[PlayedPath], title: str) -> list[Table]:
    """Right of how many, by path and language, and by kind."""
    by_path = table(f"Every write path, {title}", 2, "path", "language", "cases", "right", "silent")
    for (path, language), own in _group(played, lambda one: (one.case.path, one.case.language)):
        by_path.add_row(
            path, language, str(len(own)), str(_right(own)), str(sum(one.is_silent for one in own))
        )
    by_kind = table("by kind", 1, "kind", "cases", "right")
    for (kind,), own in _group(played, lambda one: (one.case.kind,)):
        by_kind.add_row(kind, str(len(own)), str(_right(own)))
    return [by_path, by_kind]


def _group(
    played: Sequence[PlayedPath], key: Callable[[PlayedPath], tuple[str, ...]]
) -> list[tuple[tuple[str, ...], list[PlayedPath]]]:
    groups = defaultdict[tuple[str, ...], list[PlayedPath]](list)
    for one in played:
        groups[key(one)].append(one)
    return list(groups.items())


def _right(played: Sequence[PlayedPath]) -> int:
    return sum(not one.wrong for one in played)
