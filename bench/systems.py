"""Whom every question is asked: Memoria, and the floors that need nothing but the words."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from bench.command import Asker
from bench.floor import ask_floor
from bench.fts5 import ask_fts5
from bench.product import ask_memoria


def second_level(keep: Path | None = None) -> Mapping[str, Asker]:
    """Memoria's search of the transcript, beside SQLite's full-text search and plain BM25.

    Args:
        keep: where filled homes are kept for later runs.
    """
    return {"memoria": partial(ask_memoria, keep=keep), "fts5": ask_fts5, "bm25": ask_floor}
