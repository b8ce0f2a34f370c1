"""Names that stand nowhere on record, replaced by the nearest that does.

Who asks has often only heard a name: Cathrine is on record as Katherine, 李晓芬 as 李小芬. A name
of which the record knows nothing is held against the words on record that begin alike
(`text.spelling`), and taken for one only if that is written as a name there. The answer says so.

What is written without spaces may have more stuck to a name than belongs to it: 林悦现(在). Where
the record has somebody of the shorter name, that is who is asked about.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from memoria.bare.lazy_regex import lazy_regex
from memoria.language.names.mentions import names_person
from memoria.language.words.analyser import tokens
from memoria.language.words.document import full_text
from memoria.language.words.script import is_cjk
from memoria.language.words.spelling import (
    is_read_alike,
    iterate_beginnings,
    may_be_one_name,
    may_be_stems_of_one_name,
)
from memoria.retrieval.query.plan import SearchPlan, reword
from memoria.store.rows.transaction import Transaction
from memoria.store.values import Frequencies

_MOST_STRANGE = 3
"""Most names looked up; a text with more strangers is not about one known by another name."""
_MOST_LIKE = 4
"""Most words like a name that are looked at, the commonest first."""
_READ = 3
"""Most documents read to see whether a word is written as a name there."""
_SHORTEST = 2
"""Number of characters of the shortest full name."""
_NAME = lazy_regex(r"\b[A-Z][a-z]\w*")
_WORD = lazy_regex(r"\w+")


def list_name_tokens(name: str) -> list[str]:
    """List the tokens by which a name is searched: words, in Chinese the pairs of characters."""
    found = tokens(name)
    return [token for token in found if token.isascii() or len(token) > 1] or found


def is_on_record(name: str, frequencies: Frequencies) -> bool:
    """Return whether all of a name stands somewhere."""
    return all(frequencies.by_term.get(token) for token in list_name_tokens(name))


def resolve_names(tx: Transaction, plan: SearchPlan, frequencies: Frequencies) -> SearchPlan:
    """Replace a plan's names by those that the record has, and note each.

    Args:
        tx: where to look.
        plan: the search.
        frequencies: how common the words and names of the query are.
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
    """Give the people of a search other names."""
    asked = (names.get(name, name) for name in plan.parsed.proper_names)
    return replace(plan, parsed=replace(plan.parsed, proper_names=tuple(dict.fromkeys(asked))))


def _is_longer_than_on_record(tx: Transaction, plan: SearchPlan, name: str) -> bool:
    """Return whether somebody on record is called as a Chinese name without its last character.

    Either an entity goes by it, or a text has it where a person's name begins and ends.
    """
    shorter = name[:-1]
    if not is_cjk(name) or len(shorter) < _SHORTEST:
        return False
    if tx.graph.find_entities([shorter], plan.filters):
        return True
    return any(names_person(text, shorter) for text in _read_texts(tx, plan, [shorter]))


def _find_nearest(tx: Transaction, plan: SearchPlan, name: str) -> str | None:
    """Find the commonest name on record that may be another spelling of this one."""
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
    """Return whether a word stands in a text as it is: what is also written small is no name."""
    return word in (found[0] for found in _WORD.finditer(text))


def _iterate_chinese(tx: Transaction, plan: SearchPlan, name: str) -> Iterator[str]:
    """Yield names on record that are read as this one, found from pair to pair of characters."""
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
    """Read the best documents with these words, with their speakers."""
    ns = [match.n for match in tx.documents.match(plan.kinds, words, plan.filters, _READ)]
    turns = tx.conversations.turns(ns)
    memories = tx.memories.by_version_numbers([n for n in ns if n not in turns])
    said = [f"{turn.speaker or ''} {full_text(turn)}" for turn in turns.values()]
    return said + [version.content for each in memories.values() for version in each.versions]
