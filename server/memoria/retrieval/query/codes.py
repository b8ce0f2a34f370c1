"""Codes: those that a question writes otherwise, or only begins, spelt as the record has them.

The beginning of a hash finds the whole hash, and ADR 0167 finds adr0167 or is found by it. What
has a sign within (ADR-0167) is indexed both ways; for what has a space within (`in 2024`) that
would be too much, so the index is asked whether it has a word of both. What stands nowhere in the
question's spelling tells nothing beside that and is left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.words.analyser import tokens
from memoria.language.words.stopwords import list_stop_words
from memoria.retrieval.query.plan import SearchPlan
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Frequencies

_MIXED = "(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]"
_BEGINNING = lazy_regex(f"{_MIXED}{{6,63}}|[0-9]{{7,63}}")
_HASH = lazy_regex(f"{_MIXED}+")
_CODE = lazy_regex(r"([^\W\d_]{2,})([0-9]{2,})")
_MOST_HASHES = 4
"""Most beginnings of hashes that are looked up."""
_MOST_WHOLE = 8
"""Most hashes that one beginning may stand for."""
_MOST_WORDS = 64
"""Most words of a question that are looked at together."""
_LONGEST_RUN = 7
_MOST_WAYS = 32
_DIGIT = lazy_regex("[0-9]")
_Parts = Mapping[str, Sequence[str]]
"""Words of the question, by the word on record that they are written as or begin."""
_Way = tuple[Sequence[str], Sequence[str]]
"""Words as the record may have them, and as the question has them."""


def complete_codes(tx: Transaction, plan: SearchPlan, frequencies: Frequencies) -> SearchPlan:
    """Add to a plan the words on record that its codes and numbers are written as, or begin.

    Args:
        tx: where to look.
        plan: the search.
        frequencies: how common its words are.
    """
    if "text" in plan.options.without or not any(map(_DIGIT.search, plan.terms)):
        return plan
    counts = frequencies.by_term
    found = {**_find_written(tx, plan, counts), **_find_hashes(tx, plan)}
    if not found:
        return plan
    unknown = {part for parts in found.values() for part in parts if not counts.get(part)}

    def complete(terms: Sequence[str]) -> tuple[str, ...]:
        known = (term for term in terms if term not in unknown)
        return tuple(dict.fromkeys((*known, *found)))

    parsed = plan.parsed
    terms, telling = complete(parsed.terms), complete(parsed.discriminative)
    if (terms, telling) == (parsed.terms, parsed.discriminative):
        return plan
    return replace(plan, parsed=replace(parsed, terms=terms, discriminative=telling))


def _find_written(tx: Transaction, plan: SearchPlan, counts: Mapping[str, int]) -> _Parts:
    """Find the words on record that words of the question are together, or are made of."""
    ways = [*_list_joined(plan.query, counts), *_list_parted(plan.terms, counts)][:_MOST_WAYS]
    asked = [word for words, _ in ways for word in words]
    known = tx.documents.frequencies(plan.kinds, asked, plan.filters).by_term if asked else {}
    return {word: own for words, own in ways if all(map(known.get, words)) for word in words}


def _list_joined(query: str, counts: Mapping[str, int]) -> Iterator[_Way]:
    words = tokens(query)[:_MOST_WORDS]
    for start in range(len(words)):
        for end in range(start + 2, min(start + _LONGEST_RUN, len(words)) + 1):
            run = words[start:end]
            if _may_be_one(run, counts):
                yield ("".join(run),), run


def _may_be_one(run: Sequence[str], counts: Mapping[str, int]) -> bool:
    """Return whether words may be one: with signs within they are asked for together already."""
    if "".join(run) in counts:
        return True
    word, number = run[0], run[-1]
    is_code = len(run) == len((word, number)) and word.isalpha() and number[0].isdigit()
    return is_code and len(word) > 1 and word not in list_stop_words()


def _list_parted(terms: Sequence[str], counts: Mapping[str, int]) -> Iterator[_Way]:
    for term in terms:
        code = _CODE.fullmatch(term)
        if code is not None and not counts.get(term):
            yield code.groups(), (term,)


def _find_hashes(tx: Transaction, plan: SearchPlan) -> _Parts:
    """Find the hashes on record that words of the question begin."""
    begun = [term for term in plan.terms if _BEGINNING.fullmatch(term)][:_MOST_HASHES]
    found: dict[str, Sequence[str]] = {}
    for beginning in begun:
        whole = tx.documents.find_words(
            plan.kinds,
            [beginning],
            lambda word, own=beginning: word != own and _HASH.fullmatch(word) is not None,  # type: ignore[misc]
            plan.filters,
        )
        found |= dict.fromkeys(sorted(whole)[:_MOST_WHOLE], (beginning,))
    return found
