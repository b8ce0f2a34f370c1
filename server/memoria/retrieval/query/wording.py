"""Wording of a question, changed to the words that the record has for the same.

Other names: Elizabeth and Liz share no word, and to an embedder they are two people. Where memories
give both names to one entity, the question is searched for with the other name as well. The user
goes without: memories say "the user" of them whatever their name is.

Strange names: who asks has often only heard a name: Cathrine is on record as Katherine, 李晓芬 as
李小芬. A name of which the record knows nothing is compared with the words on record that begin
alike, and taken for a word only if the record writes that word as a name. The answer says so. What
is written without spaces may have more stuck to a name than belongs to the name: 林悦现(在). Where
the record has somebody of the shorter name, the question is about that person.

Codes: the beginning of a hash finds the whole hash, and ADR 0167 finds adr0167 or is found by it. A
code with a sign within (ADR-0167) is indexed both ways; for words with a space between (`in 2024`)
that would be too much, so the index is asked whether it has a word of both.

Terms: a full-text search takes as long as its words are many, and most words of a long text say
little. So of too many words the rarest on record are searched for, wherever they stand.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.asking.parse import ParsedQuery
from memoria.language.names.keys import USER
from memoria.language.names.mentions import names_person
from memoria.language.words.analyser import list_stop_words, name_key, tokens
from memoria.language.words.characters import is_cjk
from memoria.language.words.document import full_text
from memoria.language.words.spelling import (
    is_read_alike,
    iterate_beginnings,
    may_be_one_name,
    may_be_stems_of_one_name,
)
from memoria.model import Entity
from memoria.retrieval.query.plan import SearchPlan, reword
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Frequencies

MOST_TERMS = 64
"""Most terms that are searched for."""
_MOST_COUNTED = 256
"""Most terms whose frequency is looked up, half from the beginning and half from the end."""


def choose_terms(tx: Transaction, plan: SearchPlan) -> SearchPlan:
    """Keep only the rarest terms of a plan that has too many; unknown terms count as common."""
    terms = plan.terms
    if len(terms) <= MOST_TERMS:
        return plan
    if len(terms) > _MOST_COUNTED:
        half = _MOST_COUNTED // 2
        terms = (*terms[:half], *terms[-half:])
    if "text" in plan.options.without:
        return replace(plan, parsed=_keep(plan.parsed, terms[:MOST_TERMS]))
    counts = tx.documents.frequencies(plan.kinds, terms, plan.filters).by_term
    rarest = sorted(terms, key=lambda term: (counts[term] == 0, counts[term]))
    return replace(plan, parsed=_keep(plan.parsed, rarest[:MOST_TERMS]))


def _keep(parsed: ParsedQuery, chosen: Collection[str]) -> ParsedQuery:
    """Return a query with the chosen terms only."""
    chosen = frozenset(chosen)
    return replace(
        parsed,
        terms=tuple(term for term in parsed.terms if term in chosen),
        discriminative=tuple(term for term in parsed.discriminative if term in chosen),
    )


_MOST_REPLACED = 2
"""Most names that are replaced; each costs another search."""


def add_other_names(tx: Transaction, plan: SearchPlan) -> SearchPlan:
    """Add a wording to a plan for each name in the question that has another name beside it.

    Args:
        tx: where the names are looked up.
        plan: the search.
    """
    if "graph" in plan.options.without:
        return plan
    known = sorted(set(tx.graph.by_name(plan.parsed.names, plan.filters).values()))
    entities = tx.graph.find_entities(known, plan.filters) if known else []
    texts = [
        _replace_name(plan.query, asked, other)
        for asked in known
        for other in _iterate_others(asked, entities)
    ]
    others = (reword(plan, text).parsed for text in dict.fromkeys(texts[:_MOST_REPLACED]))
    return replace(plan, variants=(*plan.variants, *others)) if texts else plan


def _iterate_others(asked: str, entities: list[Entity]) -> Iterator[str]:
    """Yield the first other name of each entity that goes by a name."""
    key = name_key(asked)
    for entity in entities:
        names = {name_key(name): name for name in (entity.name, *entity.aliases)}
        if key in names and USER not in names:
            yield from [name for own, name in names.items() if own != key][:1]


def _replace_name(text: str, name: str, other: str) -> str:
    """Replace a name in a text, wherever the name stands as a word."""
    if is_cjk(name):
        return text.replace(name, other)
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", lambda _: other, text)


_MOST_STRANGE = 3
"""Most strange names in a question that are looked up; a question with more keeps all names."""
_MOST_LIKE = 4
"""Most words like a strange name that are looked at, the commonest first."""
_READ = 3
"""Most documents that are read to see whether a word is written as a name."""
_SHORTEST = 2
"""Number of characters of the shortest Chinese name."""
_NAME = lazy_regex(r"\b[A-Z][a-z]\w*")
_WORD = lazy_regex(r"\w+")


def list_name_tokens(name: str) -> list[str]:
    """List the tokens by which a name is searched: words, or pairs of Chinese characters."""
    found = tokens(name)
    return [token for token in found if token.isascii() or len(token) > 1] or found


def is_on_record(name: str, frequencies: Frequencies) -> bool:
    """Return whether every token of a name is on record."""
    return all(frequencies.by_term.get(token) for token in list_name_tokens(name))


def resolve_names(tx: Transaction, plan: SearchPlan, frequencies: Frequencies) -> SearchPlan:
    """Replace a plan's names by those that the record has, and note each.

    Args:
        tx: where to look.
        plan: the search.
        frequencies: numbers of documents for each word and name of the query.
    """
    if "text" in plan.options.without:
        return plan
    strange = [one for one in plan.parsed.proper_names if not is_on_record(one, frequencies)]
    if not 0 < len(strange) <= _MOST_STRANGE:
        return plan
    text, notes, shorter = plan.query, [], dict[str, str]()
    for name in strange:
        if _is_longer_than_on_record(tx, plan, name):
            shorter[name] = name[:-1]
            continue
        known = _find_nearest(tx, plan, name)
        if known is not None:
            text = text.replace(name, known)
            notes.append(f"no {name} is on record; searched for {known}")
    found = replace(reword(plan, text), name_notes=tuple(notes)) if notes else plan
    return _rename(found, shorter) if shorter else found


def _rename(plan: SearchPlan, names: Mapping[str, str]) -> SearchPlan:
    """Return a plan with other names in place of its people's."""
    asked = (names.get(name, name) for name in plan.parsed.proper_names)
    return replace(plan, parsed=replace(plan.parsed, proper_names=tuple(dict.fromkeys(asked))))


def _is_longer_than_on_record(tx: Transaction, plan: SearchPlan, name: str) -> bool:
    """Return whether a Chinese name without its last character is somebody's name on record.

    Either an entity goes by the shorter name, or a text has it as a person's name.
    """
    shorter = name[:-1]
    if not is_cjk(name) or len(shorter) < _SHORTEST:
        return False
    if tx.graph.find_entities([shorter], plan.filters):
        return True
    return any(names_person(text, shorter) for text in _read_texts(tx, plan, [shorter]))


def _find_nearest(tx: Transaction, plan: SearchPlan, name: str) -> str | None:
    """Return the commonest name on record that may be another spelling of a name; else None."""
    if is_cjk(name):
        return next(_iterate_chinese(tx, plan, name), None)
    own = tokens(name)[0]
    near = tx.documents.find_words(
        plan.kinds,
        list(iterate_beginnings(name)),
        lambda word: word.isalpha() and word != own and may_be_stems_of_one_name(own, word),
        plan.filters,
    )
    for word in sorted(near, key=lambda word: (-near[word], word))[:_MOST_LIKE]:
        texts = _read_texts(tx, plan, [word])
        written: Counter[str] = Counter(found for text in texts for found in _NAME.findall(text))
        spelt = next((one for one, _ in written.most_common() if tokens(one) == [word]), None)
        if spelt is None or not may_be_one_name(name, spelt):
            continue
        is_common = any(_holds_word(text, spelt.lower()) for text in texts)
        if not is_common:
            return spelt
    return None


def _holds_word(text: str, word: str) -> bool:
    """Return whether a text has a word in this very spelling."""
    return word in (found[0] for found in _WORD.finditer(text))


def _iterate_chinese(tx: Transaction, plan: SearchPlan, name: str) -> Iterator[str]:
    """Yield names on record that sound like a Chinese name, found by pairs of characters."""
    begun = list(iterate_beginnings(name))
    for character in name[1:]:
        pairs = tx.documents.find_words(
            plan.kinds,
            [one[-1] for one in begun],
            lambda word, own=character: len(word) == 2 and is_read_alike(word[1], own),  # type: ignore[misc]  # noqa: PLR2004
            plan.filters,
        )
        begun = [one + pair[1] for one in begun for pair in pairs if pair[0] == one[-1]]
    for found in begun[:_MOST_LIKE]:
        is_written = any(found in text for text in _read_texts(tx, plan, list_name_tokens(found)))
        if is_written and may_be_one_name(name, found):
            yield found


def _read_texts(tx: Transaction, plan: SearchPlan, words: Sequence[str]) -> list[str]:
    """Read the texts of the best documents with some words, each with its speaker."""
    ns = [match.n for match in tx.documents.match(plan.kinds, words, plan.filters, _READ)]
    turns = tx.conversations.turns(ns)
    memories = tx.memories.by_version_numbers([n for n in ns if n not in turns])
    said = [f"{turn.speaker or ''} {full_text(turn)}" for turn in turns.values()]
    return said + [version.content for each in memories.values() for version in each.versions]


_MIXED = "(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]"
_BEGINNING = lazy_regex(f"{_MIXED}{{6,63}}|[0-9]{{7,63}}")
_HASH = lazy_regex(f"{_MIXED}+")
_CODE = lazy_regex(r"([^\W\d_]{2,})([0-9]{2,})")
_MOST_HASHES = 4
"""Most beginnings of hashes that are looked up."""
_MOST_WHOLE = 8
"""Most hashes that one beginning is completed to."""
_MOST_WORDS = 64
"""Most words of a question in which codes are looked for."""
_LONGEST_RUN = 7
_MOST_WAYS = 32
_DIGIT = lazy_regex("[0-9]")
_Parts = Mapping[str, Sequence[str]]
"""Words of the question by the word on record that has them joined, or begins with them."""
_Way = tuple[Sequence[str], Sequence[str]]
"""Words as the record may spell them, and the words of the question."""


def complete_codes(tx: Transaction, plan: SearchPlan, frequencies: Frequencies) -> SearchPlan:
    """Add to a plan the words on record for its codes, numbers and beginnings of hashes.

    Args:
        tx: where to look.
        plan: the search.
        frequencies: numbers of documents for each word.
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
    """Find the words on record that join words of the question, or are parts of one."""
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
    """Return whether words of a question may be one word on record."""
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
    """Find the hashes on record that begin with a word of the question."""
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
