"""Renewal: what older versions have indexed is found by the words that this one reads in it."""

from memoria.store.base import Store

PAGE = 200
"""Documents at a time. Others wait until those of them are written that have other words now."""


def renew_all(store: Store) -> None:
    """Let everything be found by the words of this version."""
    while store.renew_words(PAGE):
        pass
