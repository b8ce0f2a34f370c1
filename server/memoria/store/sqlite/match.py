"""Queries of the full-text index in the language of FTS5."""

from collections.abc import Sequence
from itertools import chain

from memoria.store.image.visibility import may_be_token
from memoria.store.word_query import WordQuery


def write_query(query: WordQuery) -> str:
    """Write a query as an FTS5 expression.

    >>> write_query(WordQuery.any_of(["tea", "milk"], ["memory1"]))
    'scope:(memory1) AND ("tea" OR "milk")'
    """
    scopes = [f"scope:({' OR '.join(query.scopes)})"] if query.scopes else []
    terms = [_write_terms(query)] if query.groups else []
    return " AND ".join(scopes + terms)


def _write_terms(query: WordQuery) -> str:
    """Write the terms. Columns are named only if need be: naming them costs time."""
    terms = f"({' OR '.join(map(_write_group, query.groups))})"
    if query.only_text:
        return f"words:{terms}"
    return f"{{words context}}:{terms}" if any(map(may_be_token, chain(*query.groups))) else terms


def _write_group(terms: Sequence[str]) -> str:
    """Write terms that all stand in a document, quoted, so that no operator can hide in one."""
    quoted = [f'"{term}"' for term in terms]
    return quoted[0] if len(quoted) == 1 else f"({' AND '.join(quoted)})"
