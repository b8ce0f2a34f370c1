"""Renewal: finding documents of older versions by the words that this version reads in them."""

from memoria.store.engine import Store

PAGE = 200
"""Number of documents renewed at a time; other writers get their turn between two pages."""


def renew_all(store: Store) -> None:
    """Renew the index of every document that an older version has written."""
    while store.renew_words(PAGE):
        pass
