"""Aliases: other names of whom a question names, searched for as well.

Elizabeth and Liz share no word, and to an embedder they are two people. Where memories give both
names to one entity, the question is searched for with the other name as well, as one of its
wordings. The user goes without: memories say "the user" of them whatever their name is.
"""

import re
from collections.abc import Iterator
from dataclasses import replace

from memoria.language.names.keys import USER
from memoria.language.words.name import name_key
from memoria.language.words.script import is_cjk
from memoria.model import Entity
from memoria.retrieval.query.plan import SearchPlan, reword
from memoria.store.rows.transaction import Transaction

_MOST = 2
"""Most names that are replaced; each costs a search."""


def add_other_names(tx: Transaction, plan: SearchPlan) -> SearchPlan:
    """Add a wording for each name in the question that has another beside it.

    Args:
        tx: where the names are looked up.
        plan: the search.
    """
    if "graph" in plan.options.without:
        return plan
    known = sorted(set(tx.graph.by_name(plan.parsed.names, plan.filters).values()))
    entities = tx.graph.find_entities(known, plan.filters) if known else []
    texts = [
        _replace(plan.query, asked, other)
        for asked in known
        for other in _iterate_others(asked, entities)
    ]
    others = (reword(plan, text).parsed for text in dict.fromkeys(texts[:_MOST]))
    return replace(plan, variants=(*plan.variants, *others)) if texts else plan


def _iterate_others(asked: str, entities: list[Entity]) -> Iterator[str]:
    """Yield the first other name of each entity of a name."""
    key = name_key(asked)
    for entity in entities:
        names = {name_key(name): name for name in (entity.name, *entity.aliases)}
        if key in names and USER not in names:
            yield from [name for own, name in names.items() if own != key][:1]


def _replace(text: str, name: str, other: str) -> str:
    """Put a name in another's place in a text, wherever it stands as a name."""
    if is_cjk(name):
        return text.replace(name, other)
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: other, text)
