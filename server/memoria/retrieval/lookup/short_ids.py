"""Short ids: what answers cite, completed where they come back."""

from collections.abc import Iterable

from memoria.bare.lazy_regex import lazy_regex
from memoria.errors import InvalidInputError
from memoria.model.search import FULL_ID
from memoria.store.base import Transaction
from memoria.store.base.short_ids import INDEXED_CHARS

_SHORT = lazy_regex(r"[0-9a-fA-F-]{8,35}")


def is_short(record_id: str) -> bool:
    """Whether this may be the end of an id, and is no whole one."""
    return _SHORT.fullmatch(record_id) is not None


def complete_id(tx: Transaction, record_id: str) -> str:
    """The id of the memory or turn that ends so; what is no end of any is given back as it is.

    Raises:
        InvalidInputError: several end so; names them.
    """
    if not is_short(record_id):
        return record_id
    end = record_id.lower()
    found = [one for one in tx.short_ids.list_alike([end]) if one.endswith(end)]
    if len(found) > 1:
        raise InvalidInputError(
            f"{record_id} is the end of several ids: {', '.join(found)}. Give more of the one that "
            "is meant."
        )
    return found[0] if found else record_id


def count_id_chars(tx: Transaction, ids: Iterable[str]) -> int:
    """How many of their last characters tell these ids apart from all others of the tenant."""
    wanted = frozenset(ids)
    alike = {*tx.short_ids.list_alike(wanted), *wanted}
    chars = INDEXED_CHARS
    while chars < FULL_ID and len({one[-chars:] for one in alike}) < len(alike):
        chars += 1
    return chars
