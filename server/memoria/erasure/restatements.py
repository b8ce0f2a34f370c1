"""Restatements: the words in which a memory that is forgotten could be stated again.

These are its wordings, and the quotes that these were concluded from: a model may word the same
sentence otherwise the next time. What is wrapped ("Remember that …", `The user says: "…"`) is
barred by what it says inside.
"""

from collections.abc import Iterable, Iterator

from memoria.model import Evidence, Memory
from memoria.policy.properties.wording import peel
from memoria.text.analyser import query_terms
from memoria.text.recognition import place_of, read_words, recognition_key

_LEAST_TERMS = 2
_OF_ANSWERS = frozenset(
    query_terms(
        """yes no yeah yep nope ok okay sure right exactly correct true fine good great nice thanks
        thank please sounds sound agree agreed course absolutely definitely maybe perfect well like
        want 是 对 好 的 可以 没错 谢谢 行 嗯 不 没"""
    )
)


def list_restatements(memory: Memory, evidence: Iterable[Evidence]) -> list[str]:
    """The statements that would say a memory again, each in one spelling.

    Args:
        memory: what is forgotten.
        evidence: the turns that it rests on, with what is quoted of them.
    """
    quotes = [version.provenance.quote for version in memory.versions]
    quotes += [one.quote for one in evidence]
    wordings = [version.content for version in memory.versions]
    texts = [*wordings, *(quote for quote in quotes if quote and is_telling(quote))]
    found = (each for text in texts for each in _unwrap(text))
    return list({recognition_key(text): text for text in found}.values())


def is_telling(quote: str) -> bool:
    """Whether a quote tells something by itself; "yes, that sounds good" is said of anything."""
    if place_of(read_words(quote).words) != "anywhere":
        return False
    terms = [term for term in query_terms(quote) if term not in _OF_ANSWERS]
    return len(terms) >= _LEAST_TERMS


def _unwrap(text: str) -> Iterator[str]:
    """What a text says without its wrapping, and the text where that alone is too little."""
    inner = peel(text)
    if inner != text:
        yield inner
    if inner == text or place_of(read_words(inner).words) not in ("anywhere", "end"):
        yield text
