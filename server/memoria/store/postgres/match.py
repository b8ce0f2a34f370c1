"""Queries of the full-text index as JSON, which the functions of the schema read."""

import json

from memoria.store.word_query import WordQuery


def write_query(query: WordQuery) -> str:
    """Write a query as an object of JSON with the fields of the value.

    >>> write_query(WordQuery.any_of(["tea", "milk"], ["memory1"]))
    '{"groups": [["tea"], ["milk"]], "scopes": ["memory1"], "only_text": false}'
    """
    return json.dumps(query._asdict())
