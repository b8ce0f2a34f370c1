"""Proofs of what was forgotten, as a person at a terminal names things and times."""

from memoria.store.rows.short_ids import INDEXED_CHARS
from memoria.surface.cli.times import moment
from memoria.surface.forgetting_text import Reader


def reader_at_terminal() -> Reader:
    """Return the reader at a terminal: ids by their ends, times in the zone of the screen."""
    return Reader(INDEXED_CHARS, moment, include_source="--include-source", keep="--keep ID")
