"""Reads of a turn what may be stated anew: amounts, acts and denials, sentence by sentence.

Each is read when it is first asked for: most questions want none of them, and most turns that are
found for a question are never compared.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from memoria.policy.pasted import own_part
from memoria.policy.updates.acts import Act, Denial, find_denials, may_deny, read_act
from memoria.policy.updates.amounts import Amount, find_amounts, may_hold_amount
from memoria.policy.updates.words import place_words, words_of
from memoria.text.pattern import LazyPattern

_LONGEST = 2000
"""Characters. What a turn goes on to say after that is mostly what it presents."""
_LONGEST_SENTENCE = 600
_LINES_OF_ANOTHER = 3
"""A turn of fewer line breaks, fences apart, presents nothing: a mail, a chat, a list has more."""
_CACHED = 1024


@dataclass(frozen=True, slots=True)
class TurnStatements:
    """What a turn states in its speaker's own words, without code and what else it presents."""

    text: str

    @property
    def amounts(self) -> tuple[Amount, ...]:
        """The numbers, dates and times."""
        return _read_amounts(self.text)

    @property
    def acts(self) -> tuple[Act, ...]:
        """What the speaker did, does or has."""
        return _read_acts(self.text)

    @property
    def denials(self) -> tuple[Denial, ...]:
        """What the speaker says never to have done."""
        return _read_denials(self.text)


@lru_cache(maxsize=_CACHED)
def _read_amounts(text: str) -> tuple[Amount, ...]:
    if not may_hold_amount(text):
        return ()
    sentences = filter(may_hold_amount, _split_sentences(text))
    return tuple(one for each in sentences for one in find_amounts(each, place_words(each)))


@lru_cache(maxsize=_CACHED)
def _read_denials(text: str) -> tuple[Denial, ...]:
    if not may_deny(text):
        return ()
    return tuple(
        one for each in filter(may_deny, _split_sentences(text)) for one in find_denials(each)
    )


@lru_cache(maxsize=_CACHED)
def _read_acts(text: str) -> tuple[Act, ...]:
    acts = (read_act(each, words_of(each)) for each in _split_sentences(text))
    return tuple(act for act in acts if act is not None)


def _split_sentences(text: str) -> Iterator[str]:
    own = _FENCE.regex.sub("\n", text[:_LONGEST])
    if own.strip().count("\n") >= _LINES_OF_ANOTHER:
        own = own_part(own)
    for part in _SENTENCE_END.regex.split(own):
        if part and not part.isspace():
            yield part[:_LONGEST_SENTENCE]


_FENCE = LazyPattern(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE_END = LazyPattern(
    r"(?<=[.!?;])(?<!\b[A-Z][rst]\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\b[A-Z]\.)(?<!\b[ei]\.[ge]\.)(?<!\bNo\.)\s+"
    r"|\n+|(?<=[。！？；])"
)
