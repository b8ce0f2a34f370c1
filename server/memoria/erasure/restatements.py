"""Restatements: the words in which a forgotten memory could be stated again.

These are its wordings, and the sentences of its turns that these were concluded from: a model may
word the same sentence otherwise the next time. What is wrapped ("Remember that …", `The user says:
"…"`) is barred by what it says inside.
"""

from collections.abc import Iterable, Iterator, Sequence

from memoria.language.reading.recognition import (
    place_of,
    read_statement,
    recognition_key,
    split_sentences,
)
from memoria.language.reading.wrapping import peel
from memoria.language.words.analyser import word_terms
from memoria.language.words.document import full_text
from memoria.model import Memory
from memoria.store.rows.transaction import Transaction

_LEAST_TERMS = 2
_OF_ANSWERS = frozenset(
    word_terms(
        """yes no yeah yep nope ok okay sure right exactly correct true fine good great nice thanks
        thank please sounds sound agree agreed course absolutely definitely maybe perfect well like
        want 是 对 好 的 可以 没错 谢谢 行 嗯 不 没"""
    )
)


def list_restatements(tx: Transaction, memory: Memory) -> list[str]:
    """List the statements that would say a memory again, each in one spelling."""
    wordings = [version.content for version in memory.versions]
    quoted = {version.provenance.quote: version.provenance.turn_id for version in memory.versions}
    quoted |= {one.quote: one.turn_id for one in tx.memories.list_evidence(memory.id)}
    sources = list[str]()
    for quote, turn_id in quoted.items():
        turn = tx.conversations.turn(turn_id) if turn_id is not None and quote else None
        around = _list_sentences_around(quote, full_text(turn)) if quote and turn else []
        sources += [] if quote is None else around if not _list_telling(quote) else [quote]
    return derive_restatements(wordings, sources)


def derive_restatements(wordings: Sequence[str], quotes: Iterable[str]) -> list[str]:
    """List the statements that would say a memory again, by its wordings and quotes.

    Args:
        wordings: of the memory.
        quotes: the words of turns that it was concluded from.
    """
    terms = {term for wording in wordings for term in word_terms(wording)}
    texts = list(wordings)
    for quote in quotes:
        sentences = _list_telling(quote)
        texts += [one for one in sentences if terms & {*word_terms(one)}] or sentences
    found = (each for text in texts for each in _unwrap(text))
    return list({recognition_key(text): text for text in found}.values())


def _list_telling(text: str) -> list[str]:
    """List the sentences of a text that tell something by themselves."""
    return [one.strip() for one in split_sentences(text) if is_telling(one)]


def _list_sentences_around(quote: str, text: str) -> list[str]:
    """List the sentences of a turn around a quote that is too short to tell anything."""
    reading = read_statement(quote)
    return [
        sentence.strip()
        for sentence in split_sentences(text)
        if read_statement(sentence).states(reading, "anywhere") and is_telling(sentence)
    ]


def is_telling(sentence: str) -> bool:
    """Check whether a sentence tells something by itself, unlike "yes, that sounds good"."""
    if place_of(read_statement(sentence).words) != "anywhere":
        return False
    terms = [term for term in word_terms(sentence) if term not in _OF_ANSWERS]
    return len(terms) >= _LEAST_TERMS


def _unwrap(text: str) -> Iterator[str]:
    """Yield a text without its wrapping, and the text itself where that alone is too little."""
    inner = peel(text)
    if inner != text:
        yield inner
    if inner == text or place_of(read_statement(inner).words) not in ("anywhere", "end"):
        yield text
