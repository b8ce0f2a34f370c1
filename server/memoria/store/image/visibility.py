"""Visibility: who may find a document, written as a token in both derived indexes."""

from functools import lru_cache
from typing import NamedTuple

from memoria.bare.lazy_regex import lazy_regex
from memoria.store.connection import Row

_MOST_TOKENS = 1000
_TOKEN = lazy_regex(r"[a-z]+\d")


class Visibility(NamedTuple):
    """Owner of a document, the workspace that sees it, and whether it is current and processed."""

    kind: str
    tenant: int
    workspace: int | None = None
    current: bool = True
    processed: bool = False
    """True if suppressed, or read and spoken for by a memory: the first level shows it no more."""

    @property
    def token(self) -> str:
        """Token of the visibility, by which both indexes are narrowed in place of a join.

        The suffix `_barred` is what homes have in their indexes; another word would mean to index
        every processed turn anew.
        """
        return write_token(
            self.kind, self.tenant, self.workspace, self.current, False, self.processed
        )


def may_be_token(term: str) -> bool:
    """Check whether a word of a text may equal the token of a visibility."""
    return _TOKEN.match(term) is not None


def visibility_of(row: Row) -> Visibility:
    """Return the visibility of a row of `documents`."""
    return Visibility(
        row["kind"],
        row["tenant_id"],
        row["workspace_n"],
        current=bool(row["current"]),
        processed=bool(row["suppressed"] or row["processed"]),
    )


@lru_cache(_MOST_TOKENS)
def write_token(
    kind: str, tenant: int, workspace: int | None, current: int, suppressed: int, processed: int
) -> str:
    """Return the token of a visibility; cached, for a million rows have only a few.

    >>> write_token("turn", 1, 2, current=1, suppressed=0, processed=1)
    'turn1w2_barred'
    """
    place = "" if workspace is None else f"w{workspace}"
    past = "" if current else "_past"
    return f"{kind}{tenant}{place}{past}{'_barred' if suppressed or processed else ''}"
