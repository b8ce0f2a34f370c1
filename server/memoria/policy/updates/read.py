"""Reads of a turn what may be stated anew: amounts, acts and denials, sentence by sentence.

Each is read when it is first asked for: most questions want none of them, and most turns that are
found for a question are never compared.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from memoria.policy.pasted import own_part
from memoria.policy.updates.acts import Act, Denial, find_denials, may_deny, read_act
from memoria.policy.updates.amounts import Amount, find_amounts, may_hold_amount
from memoria.policy.updates.tellings import Telling, read_tellings
from memoria.policy.updates.words import place_words, words_of
from memoria.text.pattern import LazyPattern, SmallPattern, has_any
from memoria.text.remembered import remember_results

_LONGEST = 2000
"""Characters. What a turn goes on to say after that is mostly what it presents."""
_LONGEST_SENTENCE = 600
_LINES_OF_ANOTHER = 3
"""A turn of fewer line breaks, fences apart, presents nothing: a mail, a chat, a list has more."""
_LEAST_OF_PASSAGE = 200
"""Characters in which somebody who speaks of themselves at work says so at least once: of BEAM's
statements that are stated anew none of this length does without."""
_CACHED = 1024


@dataclass(frozen=True, slots=True)
class TurnStatements:
    """What a turn states in its speaker's own words, without code and what else it presents."""

    text: str

    def list_amounts(self, about: Sequence[str]) -> list[Amount]:
        """The numbers, dates and times of the sentences in which a word begins with one of these.

        Args:
            about: beginnings of words in lower case; a sentence without any is not read.
        """
        return read_amounts(self.list_numeric(about))

    def list_numeric(self, about: Sequence[str]) -> list[str]:
        """The sentences that may state an amount and in which a word begins with one of these."""
        lines = self.text[:_LONGEST].split("\n")  # no sentence goes beyond a line
        if not any(may_hold_amount(line) and has_any(line.lower(), about) for line in lines):
            return []
        sentences = filter(may_hold_amount, _split_sentences(self.text))
        return [each for each in sentences if has_any(each.lower(), about)]

    @property
    def acts(self) -> tuple[Act, ...]:
        """What the speaker did, does or has."""
        return _read_acts(self.text)

    @property
    def tellings(self) -> tuple[Telling, ...]:
        """What the speaker tells, clause by clause."""
        return _read_tellings(self.text)

    @property
    def denials(self) -> tuple[Denial, ...]:
        """What the speaker says never to have done."""
        return _read_denials(self.text) if may_deny(self.text) else ()


def is_passage(text: str) -> bool:
    """Whether it is a page about something in which nobody says I or we: no statement that changes.

    What it tells of one plant is no news of what another page tells of another.
    """
    return len(text) >= _LEAST_OF_PASSAGE and _SPEAKER.search(text) is None


def read_amounts(sentences: Iterable[str]) -> list[Amount]:
    """The numbers, dates and times that sentences state."""
    return [one for each in sentences for one in _read_amounts(each)]


@remember_results(_CACHED)
def _read_amounts(sentence: str) -> tuple[Amount, ...]:
    return tuple(find_amounts(sentence, place_words(sentence)))


@remember_results(_CACHED)
def _read_denials(text: str) -> tuple[Denial, ...]:
    sentences = filter(may_deny, _split_sentences(text))
    return tuple(one for each in sentences for one in find_denials(each))


@remember_results(_CACHED)
def _read_tellings(text: str) -> tuple[Telling, ...]:
    return tuple(one for each in _split_sentences(text) for one in read_tellings(each))


@remember_results(_CACHED)
def _read_acts(text: str) -> tuple[Act, ...]:
    acts = (read_act(each, words_of(each)) for each in _split_sentences(text))
    return tuple(act for act in acts if act is not None)


@remember_results(_CACHED)
def _split_sentences(text: str) -> tuple[str, ...]:
    own = _FENCE.regex.sub("\n", text[:_LONGEST])
    if own.strip().count("\n") >= _LINES_OF_ANOTHER:
        own = own_part(own)
    parts = _SENTENCE_END.regex.split(own)
    return tuple(part[:_LONGEST_SENTENCE] for part in parts if part and not part.isspace())


_SPEAKER = SmallPattern(r"\b(?:i|m(?:e|y|ine|yself)|we|us|ours?)\b|[我咱俺]|本人")
_FENCE = LazyPattern(r"```.*?(?:```|\Z)", re.DOTALL)
_SENTENCE_END = LazyPattern(
    r"(?<=[.!?;])(?<!\b[A-Z][rst]\.)(?<!\bMrs\.)(?<!\bProf\.)(?<!\b[A-Z]\.)(?<!\b[ei]\.[ge]\.)(?<!\bNo\.)\s+"
    r"|\n+|(?<=[。！？；])"
)
